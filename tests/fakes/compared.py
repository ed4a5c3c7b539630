"""Two candidates compared by hand: pairs with both orders' verdicts, and the comparison that they make."""

from __future__ import annotations

from typing import Any

from evalkit.records.comparisons import Compared, Comparison, PairLine, PairPosition, PairRow, PairSide
from evalkit.records.reports import JudgeHeader
from evalkit.records.verdicts import (
    Order,
    PairJudgement,
    PairVerdict,
    Preference,
    RejectedReply,
    Rejection,
    Span,
    Winner,
)
from evalkit.reporting.html.pairs_material import PairsMaterial
from fakes.pages import case, output

TEXTS = {"new": "You have 30 days.", "old": "You have 30 weeks."}


def order(shown: Order, winner: Winner | None, *, sample: int = 0, rationale: str = "it says more") -> PairJudgement:
    """Return the verdict of one order with this winner on everything; None is a judge_error."""
    refused = RejectedReply(text="A is better", rejection=Rejection(kind="parse", message="is no JSON"))
    span = Span(id="e1", source="answer_A", quote="30 days", start=9, end=16)
    verdict = winner and PairVerdict(
        evidence=(span,),
        criteria={"P1": Preference(evidence=("e1",), rationale=rationale, winner=winner)},
        overall=winner,
    )
    return PairJudgement(
        case_id="",
        capability="tone",
        rubric="preference",
        mode="pairwise",
        sample=sample,
        request_key="e" * 64,
        output_sha256="f" * 64,
        judge_config_hash="c" * 64,
        verdict=verdict or None,
        rejected=() if winner else (refused, refused),
        order=shown,
        other_sha256="a" * 64,
    )


def line(
    case_id: str,
    *orders: PairJudgement,
    winner: PairSide | None = "first",
    position: PairPosition = "consistent",
    **changes: Any,
) -> PairLine:
    """Return a pair with one outcome on everything."""
    fields: dict[str, Any] = {
        "case_id": case_id,
        "capability": "tone",
        "rubric": "preference",
        "first": "new",
        "second": "old",
        "outcomes": {"P1": winner, "overall": winner},
        "positions": {} if winner is None else {"P1": position, "overall": position},
        "judgements": tuple(one.model_copy(update={"case_id": case_id}) for one in orders),
    }
    return PairLine(**{**fields, **changes})


def pair_row(**changes: Any) -> PairRow:
    """Return a row of 40 pairs: 20 won, 12 lost, 5 ties in both orders, 3 that depend on the order."""
    fields: dict[str, Any] = {
        "first": "new", "second": "old", "judge": "judge-1", "capability": "tone", "rubric": "preference", "criterion": "overall",
        "pairs": 42, "n": 40, "excluded": {"judge_error:parse": 2}, "first_both": 20, "second_both": 12, "tie_both": 5,
        "towards_first_shown": 2, "towards_second_shown": 1, "wins": 20, "ties": 8, "losses": 12, "win_rate": 0.6,
        "win_rate_interval": None, "net": 0.2, "net_interval": (-0.08, 0.45), "p": 0.2, "average_net": 0.2,
        "average_net_interval": None, "net_bounds": None, "decided": 30, "longer_won": 15, "longer_share": 0.5,
        "longer_interval": (0.33, 0.67), "raw_rate": 0.62, "length_controlled": None,
    }  # fmt: skip
    return PairRow(**{**fields, **changes})


def comparison(*rows: PairRow, **changes: Any) -> Comparison:
    """Return a comparison of two candidates."""
    judge = JudgeHeader(
        capability="tone", rubric="preference", mode="pairwise", judge="judge-1", snapshots=("judge-1-a",), prompt="pairwise/1",
        judge_config_hash="c" * 64, samples=1,
    )  # fmt: skip
    fields: dict[str, Any] = {
        "suite": {"name": "shop", "version": "1", "sha256": "a" * 64},
        "golden_sha256": "b" * 64,
        "candidates": tuple(Compared(name=name, outputs_sha256="d" * 64) for name in ("new", "old")),
        "judges": (judge,),
        "seed": 1,
        "rows": rows or (pair_row(criterion="P1"), pair_row()),
    }
    return Comparison(**{**fields, **changes})


def pairs_material(**changes: Any) -> PairsMaterial:
    """Return a comparison with four pairs: c1 won, c2 depends on the order, c3 without a verdict, c4 decided in code."""
    lines = (
        line("c1", order("ab", "A"), order("ba", "B")),
        line("c2", order("ab", "A"), order("ba", "A"), winner="tie", position="primacy"),
        line("c3", order("ab", "A"), order("ba", None), winner=None),
        line("c4", winner="tie", decided_in_code="identical"),
    )
    ids = [one.case_id for one in lines]
    fields: dict[str, Any] = {
        "comparison": comparison(),
        "pairs": lines,
        "cases": {name: case(name) for name in ids},
        "outputs": {(who, name): output(name, text) for who, text in TEXTS.items() for name in ids},
    }
    return PairsMaterial(**{**fields, **changes})
