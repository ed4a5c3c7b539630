"""Stability: the same request N times, none from the cache of another. Flips are never averaged away: they are the review queue."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from evalkit.experiments.agreement_rows import Repeated, agreement_row
from evalkit.experiments.questions import Questions, concluded
from evalkit.experiments.subject import Judged, Subject
from evalkit.judging.requests import requests_for
from evalkit.judging.results import criteria_of, grade_of
from evalkit.pipeline.review_items import flip
from evalkit.records.experiments import Experiment
from evalkit.records.review import JudgedKey, ReviewItem
from evalkit.records.scores import Unscored
from evalkit.records.verdicts import Judgement

CLUSTER = 3
"""Flips of one criterion from which on its wording is the likelier fault than the cases."""
NOTHING_TO_SAY = frozenset({"not_applicable", "floor_abstains"})


@dataclass
class Stability:
    """One stability experiment: `questions` to be planned or answered, then `result` and `queue`."""

    subject: Subject
    runs: int
    seed: int
    questions: Questions = field(init=False)
    asked: list[tuple[Judged, list[int]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Gather the requests. Raises as `Subject.judged`."""
        self.questions = Questions(self.subject)
        for judged in self.subject.judged():
            requests = requests_for(judged.column.measurement, judged.case, judged.output, range(self.runs))
            self.asked.append((judged, self.questions.ask(judged.column, requests)))

    def _labels(self) -> Iterator[tuple[Judged, str, list[str | Unscored], list[Judgement]]]:
        """Yield, per case and criterion, what each run said."""
        for judged, places in self.asked:
            judgements = [self.questions.judgements[place] for place in places]
            for criterion in criteria_of(judged.column.measurement):
                yield judged, criterion, [grade_of(criterion, one) for one in judgements], judgements

    def result(self) -> Experiment:
        """Return agreement per capability and criterion, and the capabilities under their floor. After `answer`."""
        name = self.questions.judge.name
        gathered: dict[tuple[str, str, str], Repeated] = {}
        for judged, criterion, labels, _ in self._labels():
            capability, rubric = judged.column.measurement.capability, judged.column.measurement.rubric.id
            repeated = gathered.setdefault(
                (capability, rubric, criterion), Repeated(name, criterion, capability, rubric)
            )
            silent = {label.reason if isinstance(label, Unscored) else label for label in labels} & NOTHING_TO_SAY
            if len(silent) == 1 and len(set(labels)) == 1:
                repeated.without_label.update(silent)
            else:
                repeated.runs.append(tuple(None if isinstance(label, Unscored) else label for label in labels))
        floor = self.subject.loaded.suite.budgets.self_agreement
        rows = [agreement_row(repeated, self.runs, self.seed, floor) for repeated in gathered.values()]
        unstable = dict.fromkeys(
            row.capability for row in rows if row.state == "unstable" and row.items > _silent(row.excluded)
        )
        settings: dict[str, object] = {"runs": self.runs, "seed": self.seed}
        return concluded("stability", [self.questions], settings).model_copy(
            update={"agreement": tuple(rows), "unstable": tuple(unstable)}
        )

    @property
    def measured(self) -> frozenset[JudgedKey]:
        """What was asked: older flips of these are answered by `queue`, all others still stand. After `answer`."""
        return frozenset(
            (
                judged.case.id,
                judged.column.measurement.capability,
                self.questions.judgements[places[0]].output_sha256,
                judged.column.measurement.config_hash,
            )
            for judged, places in self.asked
        )

    def queue(self) -> list[ReviewItem]:
        """Return the flips: the criteria with most flips first, within one the most divided cases first; with a hint on clusters."""
        by_criterion: dict[tuple[str, str, str], list[ReviewItem]] = defaultdict(list)
        for judged, criterion, labels, judgements in self._labels():
            grades = [label for label in labels if not isinstance(label, Unscored)]
            if len(set(grades)) > 1:
                measurement = judged.column.measurement
                about = {
                    "case_id": judged.case.id,
                    "capability": measurement.capability,
                    "rubric": measurement.rubric.id,
                    "judge_config_hash": measurement.config_hash,
                    "output_sha256": judgements[0].output_sha256,
                }
                group = by_criterion[measurement.capability, measurement.rubric.id, criterion]
                group.append(flip(about, criterion, grades, judgements))
        items = []
        for group in sorted(by_criterion.values(), key=len, reverse=True):
            found = {"flips_of_criterion": len(group), "hint": _hint(group)}
            group.sort(key=lambda item: -(item.disagreement or 0.0))
            items += [item.model_copy(update=found) for item in group]
        return items


def _silent(excluded: Mapping[str, int]) -> int:
    return sum(count for reason, count in excluded.items() if reason in NOTHING_TO_SAY)


def _hint(group: list[ReviewItem]) -> str:
    criterion = group[0].criterion
    if criterion == "overall" or len(group) < CLUSTER:
        return ""
    return f"{len(group)} cases flip on {criterion}: its pass condition is the likelier fault; rewrite it, then measure again"
