"""A win counts only if it survives the swap, whatever the letters were."""

from __future__ import annotations

import pytest
from fakes.pairs import PAIR_CASE, PAIR_FORM, pair_outputs, pair_verdict, preference
from fakes.verdicts import reply

from evalkit.experiments.pair_outcomes import candidate_on, outcome_of, outcome_on, place_on
from evalkit.judging.requests import Measurement, pair_requests
from evalkit.records.judges import JudgeConfig
from evalkit.records.scores import Unscored
from evalkit.records.verdicts import PairJudgement, RejectedReply, Rejection


@pytest.mark.parametrize(
    ("in_ab", "in_ba", "expected"),
    [
        ("first", "first", ("first", "consistent", 1.0)),
        ("second", "second", ("second", "consistent", -1.0)),
        ("tie", "tie", ("tie", "consistent", 0.0)),
        ("first", "second", ("tie", "primacy", 0.0)),  # A in both orders
        ("second", "first", ("tie", "recency", 0.0)),  # B in both orders
        ("first", "tie", ("tie", "primacy", 0.5)),
        ("tie", "first", ("tie", "recency", 0.5)),
        ("second", "tie", ("tie", "recency", -0.5)),
        ("tie", "second", ("tie", "primacy", -0.5)),
    ],
)
def test_all_nine_cells_of_the_swap_table(in_ab, in_ba, expected):
    assert outcome_of(in_ab, in_ba) == expected


def judged(order: str, winner: str | None, sample: int = 0) -> PairJudgement:
    """Return the end of one order's question; no winner is a reply that could not be read."""
    measurement = Measurement("h", preference(), JudgeConfig(client="openai", model="m"))
    request = next(r for r in pair_requests(measurement, PAIR_CASE, *pair_outputs(), [sample]) if r.order == order)
    verdict = None
    if winner is not None:
        value = pair_verdict()
        value["evidence"] = [{"id": "e2", "source": "billing/refunds", "quote": "Approved money"}]
        for entry in value["criteria"].values():
            entry.update(winner="tie", evidence=[])
        value["criteria"]["P3"].update(winner=winner, evidence=["e2"])
        value["overall"] = winner
        verdict = PAIR_FORM.read(reply(value), request.material)
        assert not isinstance(verdict, Rejection), verdict
    rejected = () if winner else (RejectedReply(text="no", rejection=Rejection(kind="parse", message="no JSON")),)
    return PairJudgement(
        case_id="c", capability="h", rubric="preference", mode="pairwise", sample=sample, request_key=request.key,
        output_sha256=request.output_sha256, other_sha256=request.other_sha256, judge_config_hash="h",
        verdict=verdict, rejected=rejected, order=request.order or "ab",
    )  # fmt: skip


def test_letters_become_candidates_by_the_order():
    assert candidate_on("overall", judged("ab", "A")) == "first"
    assert candidate_on("overall", judged("ba", "A")) == "second"
    assert candidate_on("P1", judged("ba", "A")) == "tie"
    assert place_on("overall", judged("ba", "B")) == "second"
    assert candidate_on("overall", judged("ab", None)) is None


def test_one_order_without_a_verdict_is_its_judge_error():
    assert outcome_on("overall", [judged("ab", "A"), judged("ba", None)]) == Unscored("judge_error:parse", "no JSON")


def test_a_verdict_that_was_never_bought_says_so():
    missing = judged("ba", None).model_copy(update={"rejected": ()})
    assert outcome_on("overall", [judged("ab", "A"), missing]) == Unscored("not_bought")


def test_samples_are_never_voted_on():
    orders = [judged("ab", "A"), judged("ba", "B"), judged("ab", "A", 1), judged("ba", "A", 1)]
    assert outcome_on("overall", orders) == Unscored("unstable", "samples: first, tie")
    assert outcome_on("overall", orders[:2]) == ("first", "consistent", 1.0)
