"""What a judge's verdict on a pair rests on, in each order, with the answers called by whose they are and no longer by their places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from evalkit.judging.pairwise_grades import read, reason
from evalkit.records.base import Json
from evalkit.records.comparisons import PairLine
from evalkit.records.verdicts import PairJudgement, PairVerdict, Span
from evalkit.validation.material import ANSWER_A, ANSWER_B

_NAMES: Mapping[str, Mapping[str, str]] = {
    "ab": {"A": "A", "B": "B", ANSWER_A: "answer A", ANSWER_B: "answer B"},
    "ba": {"A": "B", "B": "A", ANSWER_A: "answer B", ANSWER_B: "answer A"},
}
"""Order -> a place, or the source that stands there -> whose it is: A is the first named candidate's answer."""


def pair_grounds(line: PairLine, criterion: str) -> dict[str, Json]:
    """Return candidates, rationales and spans of both orders of a pair, as a disagreement lists them."""
    said = [(order, order.preferred) for order in line.judgements]
    read_ones = [(order, verdict) for order, verdict in said if verdict is not None]
    return {
        "candidates": (line.first, line.second),
        "rationale": "; ".join(_rationale(order, verdict, criterion) for order, verdict in read_ones),
        "evidence": tuple(span for order, verdict in read_ones for span in _spans(order, verdict, criterion)),
    }


def _rationale(order: PairJudgement, verdict: PairVerdict, criterion: str) -> str:
    """Return one order's verdict and its words, which name the answers by their places."""
    winner = read(criterion, verdict)
    shown = _NAMES[order.order]
    return f"{shown['A']} shown first as A: {shown.get(winner, winner)} ({reason(criterion, verdict)})"


def _spans(order: PairJudgement, verdict: PairVerdict, criterion: str) -> Iterator[dict[str, Json]]:
    entries = [verdict.criteria[criterion]] if criterion in verdict.criteria else list(verdict.criteria.values())
    wanted = {name for entry in entries for name in entry.evidence}
    yield from (_span(span, order.order) for span in verdict.evidence if span.id in wanted)


def _span(span: Span, order: str) -> dict[str, Json]:
    return {
        "source": _NAMES[order].get(span.source, span.source),
        "quote": span.quote,
        "start": span.start,
        "end": span.end,
    }
