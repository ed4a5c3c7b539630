"""Position bias of the suite's own judge on pairs: both orders, each asked twice, all freshly.

The repeat of one order is the noise beneath: verdicts that also change when nothing changes are no position bias.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from evalkit.experiments.candidate_pairs import decided_in_code, pair_columns
from evalkit.experiments.pair_outcomes import candidate_on, place_on, was_asked
from evalkit.experiments.position_rows import position_row, repeat_row
from evalkit.experiments.questions import Questions, concluded
from evalkit.experiments.rounds import AGAIN
from evalkit.experiments.subject import Subject
from evalkit.judging.pointwise_grades import OVERALL
from evalkit.judging.requests import pair_requests
from evalkit.judging.results import criteria_of
from evalkit.loading.outputs import OutputsFolder
from evalkit.pipeline.columns import JudgeColumn
from evalkit.pipeline.request import Selector
from evalkit.pipeline.scored import exclusion_of
from evalkit.records.experiments import Experiment, PositionRow, RepeatRow
from evalkit.records.verdicts import PairJudgement


@dataclass
class Position:
    """One position experiment: `questions` to be planned or answered, then `result`."""

    subject: Subject
    against: OutputsFolder
    rubric: str | None
    round: int
    """Sample index of the fresh verdicts."""
    questions: Questions = field(init=False)
    asked: list[tuple[JudgeColumn, list[int]]] = field(default_factory=list)
    left_out: int = 0
    """Pairs that cannot be judged: an output is missing, empty or failed, or both say the same."""

    def __post_init__(self) -> None:
        """Gather the requests of all pairs. Raises UsageError where nothing is to be compared, InputError for the files' faults."""
        self.questions = Questions(self.subject)
        columns = pair_columns(self.subject.loaded, self.rubric)
        selector = Selector(self.subject.request)
        for case in self.subject.golden:
            one, other = self.subject.outputs.last_attempt(case.id), self.against.last_attempt(case.id)
            if not selector.takes(case):
                continue
            covered = set(self.subject.columns.names_for(case))
            used = [column for column in columns if column.measurement.capability in covered]
            unusable = exclusion_of(one) or exclusion_of(other)
            if one is None or other is None or unusable or decided_in_code(one, other)[0]:
                self.left_out += len(used)
                continue
            for column in used:
                requests = pair_requests(column.measurement, case, one, other, (self.round, self.round + AGAIN))
                self.asked.append((column, self.questions.ask(column, requests)))
        selector.check(self.subject.golden.count)

    def result(self) -> Experiment:
        """Return a row per criterion and repetition, and the noise baseline. After `answer`."""
        position: list[PositionRow] = []
        repeats: list[RepeatRow] = []
        by_criterion: dict[str, list[list[PairJudgement]]] = defaultdict(list)
        seen: set[str] = set()
        for column, asked_at in self.asked:
            found = [self.questions.judgements[place] for place in asked_at]
            pair = [judgement for judgement in found if isinstance(judgement, PairJudgement)]
            if pair[0].request_key in seen:
                continue  # another capability of the same rubric: the same verdicts
            seen.update(judgement.request_key for judgement in pair)
            for criterion in criteria_of(column.measurement):
                by_criterion[criterion].append(pair)
        judge = self.questions.judges()[0].judge if self.asked else ""
        for criterion, pairs in sorted(by_criterion.items(), key=lambda entry: entry[0] != OVERALL):
            for at, sample in enumerate((self.round, self.round + AGAIN)):
                orders = [[one for one in pair if one.sample == sample] for pair in pairs]
                asked = [pair for pair in orders if all(map(was_asked, pair))]
                places = [[place_on(criterion, one) for one in pair] for pair in asked]
                position.append(position_row(judge, criterion, at, places, not_asked=len(orders) - len(asked)))
            repeats.append(repeat_row(judge, criterion, [_winners(criterion, pair) for pair in pairs]))
        notes = (f"{self.left_out} pairs were left out: an output is missing, empty or failed, or both say the same",)
        settings: dict[str, object] = {
            "round": self.round,
            "first": self.subject.outputs.name,
            "second": self.against.name,
        }
        return concluded("position", [self.questions], settings).model_copy(
            update={
                "outputs": (self.subject.outputs.name, self.against.name),
                "outputs_sha256": (self.subject.outputs.sha256, self.against.sha256),
                "position": tuple(position),
                "repeats": tuple(repeats),
                "notes": notes if self.left_out else (),
            }
        )


def _winners(criterion: str, pair: list[PairJudgement]) -> dict[str, list[str]]:
    by_order: dict[str, list[str]] = defaultdict(list)
    for one in pair:
        winner = candidate_on(criterion, one)
        if winner is not None:
            by_order[one.order].append(winner)
    return by_order
