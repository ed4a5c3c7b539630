"""Order of criteria: does a grade depend on where its criterion stands in the rubric?

Every case is judged three times in one round: as the rubric is written, so once more, and with no criterion where it stood. What
changes when nothing changes is noise; only what the other order adds to it is due to the order (arXiv 2602.02219 found such effects).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from evalkit.errors import UsageError
from evalkit.experiments.criteria_order_rows import Thrice, order_rows
from evalkit.experiments.questions import Questions, concluded
from evalkit.experiments.rounds import AGAIN
from evalkit.experiments.subject import Subject
from evalkit.judging.reordered import order_of, reordered
from evalkit.judging.requests import Measurement, requests_for
from evalkit.records.experiments import Experiment


@dataclass
class CriteriaOrder:
    """One experiment on the order of criteria: `questions` to be planned or answered, then `result`."""

    subject: Subject
    seed: int
    """Draws the other order of three or more criteria."""
    round: int
    """Sample index of the fresh verdicts."""
    questions: Questions = field(init=False)
    asked: list[tuple[Measurement, Measurement, tuple[int, int, int]]] = field(default_factory=list)
    """Judge use, the same reordered, places of the judgements as written, again, and reordered."""
    single: dict[str, str] = field(default_factory=dict)
    """Rubric with one criterion -> that criterion."""

    def __post_init__(self) -> None:
        """Gather the requests. Raises as `Subject.judged`, and UsageError where no rubric has two criteria."""
        self.questions = Questions(self.subject)
        others = {id(column): reordered(column.measurement, self.seed) for column in self.subject.columns.judged}
        rubrics = [column.measurement.rubric for column in self.subject.columns.judged]
        self.single = {one.id: one.criteria[0].id for one in rubrics if len(one.criteria) < 2}
        if not any(others.values()):
            raise UsageError(f"{self.subject.loaded.file}: every rubric has one criterion, so there is no other order")
        for case, output, column in self.subject.judged():
            other = others[id(column)]
            if other is None:
                continue
            written = requests_for(column.measurement, case, output, [self.round, self.round + AGAIN])
            turned = requests_for(other, case, output, [self.round])
            first, again, moved = self.questions.ask(column, [*written, *turned])
            self.asked.append((column.measurement, other, (first, again, moved)))

    def result(self) -> Experiment:
        """Return a row per criterion, and the cases whose grade changed with the order. After `answer`."""
        ends = self.questions.judgements
        thrice = [Thrice(use, other, *(ends[place] for place in places)) for use, other, places in self.asked]
        rows, changed = order_rows(thrice)
        others = {id(other): other for _, other, _ in self.asked}
        orders = [
            {
                "capability": other.capability,
                "rubric": other.rubric.id,
                "order": list(order_of(other)),
                "judge_config_hash": other.config_hash,
            }
            for other in others.values()
        ]
        settings: dict[str, object] = {"round": self.round, "seed": self.seed, "reordered": orders}
        found = concluded("criteria", [self.questions], settings)
        return found.model_copy(
            update={
                "judges": (*found.judges, *(self.questions.use(other, "reordered") for other in others.values())),
                "criteria_order": tuple(rows),
                "cases": tuple(changed),
                "notes": tuple(
                    f"{rubric}: one criterion ({name}), no other order" for rubric, name in self.single.items()
                ),
            }
        )
