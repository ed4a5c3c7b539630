"""Pairs whose winner is known: a golden answer against the same with one planted fault, and against a copy of itself.

The fault is what the suite's faults.jsonl quotes from an answer to the case; put at the end of the golden answer, it makes it worse and
longer, and nothing else. So the judge that likes the longer answer fails, and one that likes a place fails on the copies. A copy is the
same question in both orders and is asked once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from evalkit.errors import UsageError
from evalkit.experiments.candidate_pairs import pair_columns
from evalkit.experiments.pair_outcomes import no_verdict, outcome_on, place_on
from evalkit.experiments.planted_quotes import PlantedQuotes
from evalkit.experiments.questions import Questions
from evalkit.experiments.self_test_results import Item
from evalkit.judging.pointwise_grades import OVERALL
from evalkit.judging.requests import pair_requests
from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.pipeline.columns import JudgeColumn
from evalkit.pipeline.request import Selector
from evalkit.records.cases import Case
from evalkit.records.comparisons import PairSide
from evalkit.records.outputs import Output
from evalkit.records.planted import PlantedFault
from evalkit.records.scores import Unscored
from evalkit.records.verdicts import PairJudgement
from evalkit.text.normalise import is_blank

NO_PAIRS = "no pair with a known winner: that takes a line of faults.jsonl that quotes the fault (`where`) from an output of the suite, and a case with `expected.answer`"
PROBLEMS: Mapping[PairSide, str] = {
    "first": "",
    "tie": "a tie in both orders",
    "second": "the answer with the fault won in both orders",
}
"""Who won by the strict rule, the golden answer being the first -> what is wrong with that."""


class _Asked(NamedTuple):
    """One pair that the judge is asked about."""

    case: Case
    column: JudgeColumn
    fault: PlantedFault | None
    """None where the golden answer stands against itself."""
    places: list[int]


@dataclass
class PlantedPairs:
    """The pairs of one judge: gathered into its questions, then `items`."""

    questions: Questions
    wanted: bool | None = None
    """None: only where the suite has a pairwise rubric of its own."""
    asked: list[_Asked] = field(default_factory=list)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Gather the questions. Raises UsageError where pairs are asked for and there are none, InputError for the files' faults."""
        subject = self.questions.subject
        if self.wanted is False or (self.wanted is None and not _own_rubric(subject.loaded)):
            return
        columns, quotes = pair_columns(subject.loaded), PlantedQuotes(subject.loaded.folder)
        selector = Selector(subject.request)
        for case in subject.golden:
            faults = quotes.take(case.id)
            if selector.takes(case) and faults:
                covered = set(subject.columns.names_for(case))
                asking = [column for column in columns if column.measurement.capability in covered]
                if is_blank(case.expected.answer or ""):
                    quotes.left_out["of a case without `expected.answer`"] += len(faults)
                elif not asking:
                    quotes.left_out["of a case that no judge of pairs covers"] += len(faults)
                else:
                    for column in asking:
                        self.asked += self._gathered(case, column, faults)
        left = quotes.note()
        if not self.asked and self.wanted:
            raise UsageError("; ".join([f"{subject.loaded.file}: {NO_PAIRS}", *([left] if left else [])]))
        self.notes = (*(() if self.asked else (NO_PAIRS,)), *([left] if left else ()))

    def _gathered(self, case: Case, column: JudgeColumn, faults: list[PlantedFault]) -> Iterator[_Asked]:
        golden = Output(case_id=case.id, text=case.expected.answer)
        for fault in (None, *faults):
            other = golden if fault is None else Output(case_id=case.id, text=f"{golden.text} {fault.where}")
            requests = pair_requests(column.measurement, case, golden, other)
            asked = [request for request in requests if fault is not None or request.order == "ab"]
            yield _Asked(case, column, fault, self.questions.ask(column, asked))

    def items(self) -> Iterator[Item]:
        """Yield what became of every pair. After `answer`."""
        for pair in self.asked:
            answered = [self.questions.judgements[place] for place in pair.places]
            orders = [one for one in answered if isinstance(one, PairJudgement)]
            name = pair.case.id, pair.column.measurement, OVERALL
            if pair.fault is None:
                yield _tied(Item("copy", *name), orders)
            else:
                yield _won(Item("pair", *name, f"{pair.fault.kind}: {pair.fault.where}"), orders)


def _tied(item: Item, orders: Sequence[PairJudgement]) -> Item:
    """Return an answer beside its copy: whoever is preferred is preferred for its place."""
    places = {place_on(OVERALL, one) for one in orders}
    if None in places:
        missing = next(one for one in orders if one.preferred is None)
        return replace(item, undecided=no_verdict(missing).reason)
    if len(places) > 1:
        return replace(item, undecided="unstable")
    won = places.pop()
    return item if won == "tie" else replace(item, problem=f"of two equal answers the one shown {won} won")


def _won(item: Item, orders: Sequence[PairJudgement]) -> Item:
    """Return a golden answer against the same with a fault: it must win in both orders."""
    found = outcome_on(OVERALL, orders)
    if isinstance(found, Unscored):
        return replace(item, undecided=found.reason)
    place = {"primacy": "first", "recency": "second"}.get(found.position)
    if place:
        return replace(item, problem=f"depends on the order: better when shown {place}")
    return replace(item, problem=PROBLEMS[found.winner])


def _own_rubric(loaded: LoadedSuite) -> bool:
    used = (loaded.rubrics[use.rubric] for capability in loaded.suite.capabilities for use in capability.judge)
    return any(rubric.mode == "pairwise" for rubric in used)
