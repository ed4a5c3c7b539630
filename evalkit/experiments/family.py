"""Family preference: does the home judge favour its own family? A difference in differences over cases, never a plain gap.

(home - foreign on outputs of the home judge's family) - (home - foreign on outputs of another family). A judge that is lenient
with everybody cancels out. It takes two judges of different families and outputs of both kinds; without them it cannot be told.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean

from evalkit.experiments.questions import Questions, concluded
from evalkit.experiments.subject import Subject, open_subject
from evalkit.judging.requests import requests_for
from evalkit.judging.results import criteria_of, grade_of
from evalkit.pipeline.request import RunRequest
from evalkit.providers.families import known_family
from evalkit.records.experiments import Experiment, FamilyRow
from evalkit.records.scores import Unscored
from evalkit.stats.means import are_equal, lower_of_equal, t_interval_of

ENOUGH_CASES = 50
FARTHEST = 2
"""A case's difference in differences of grades lies between minus this and this."""
ONE_SIDED = 0.975
"""Level of either end of a 95 % interval."""
NOT_IDENTIFIABLE = "not identifiable"
Cell = tuple[str, str]
"""`own` or `other` outputs, `home` or `second` judge."""
CELLS: tuple[Cell, ...] = (("own", "home"), ("own", "second"), ("other", "home"), ("other", "second"))


@dataclass
class Family:
    """One family experiment: `questions` to be planned or answered, then `result`; no question where it is not identifiable."""

    request: RunRequest
    second_judge: Path
    round: int
    """Sample index of the fresh verdicts."""
    subjects: dict[Cell, Subject] = field(default_factory=dict)
    by_cell: dict[Cell, Questions] = field(default_factory=dict)
    asked: dict[tuple[str, str, str], dict[Cell, int]] = field(default_factory=lambda: defaultdict(dict))
    """Case, capability and rubric -> the place of each cell's judgement."""
    obstacle: str = ""
    """Why the preference is not identifiable; empty where it is."""
    confounded: str = ""

    def __post_init__(self) -> None:
        """Decide who is whose, and gather the requests. Raises as `open_subject` and `Subject.judged`."""
        names = self.request.outputs or (None,)
        home = [open_subject(self.request, name) for name in names]
        second = [open_subject(replace(self.request, judge=self.second_judge), name) for name in names]
        self.obstacle = self._sort(home, second)
        if self.obstacle:
            self.by_cell = {("own", "home"): Questions(home[0]), ("own", "second"): Questions(second[0], "second")}
            return
        for cell in CELLS:
            self.by_cell[cell] = Questions(self.subjects[cell], cell[1])
            self._ask(cell)

    @property
    def questions(self) -> list[Questions]:
        """The questions of all cells."""
        return list(self.by_cell.values())

    def _sort(self, home: list[Subject], second: list[Subject]) -> str:
        """Fill the four cells; return why that cannot be done, or nothing."""
        families, others = _families(home[0]), _families(second[0])
        if not families or not others:
            return "the family of a judge is unknown; say it in `family` of its judge.yaml (the floor judge has none), of a cascade's classifier in classifier.yaml"
        if families & others:
            return f"both judges are of one family ({', '.join(sorted(families & others))})"
        if len(home) != 2:
            return f"outputs of {len(home)} candidates; name two, one of the home judge's family, with --outputs twice"
        kinds = [_candidate_family(subject) for subject in home]
        if None in kinds:
            return "the family of a candidate is unknown; say it in its candidate.yaml"
        own = [kind in families for kind in kinds]
        if own[0] == own[1]:
            what = "both are" if own[0] else "neither is"
            return f"of the two candidates {what} of the home judge's family ({', '.join(sorted(families))})"
        for name, place in (("own", own.index(True)), ("other", own.index(False))):
            self.subjects[name, "home"], self.subjects[name, "second"] = home[place], second[place]
        if kinds[own.index(False)] in others:
            self.confounded = (
                "the other candidate is of the second judge's family: its own preference is part of the difference"
            )
        return ""

    def _ask(self, cell: Cell) -> None:
        questions = self.by_cell[cell]
        for case, output, column in self.subjects[cell].judged():
            measurement = column.measurement
            (place,) = questions.ask(column, requests_for(measurement, case, output, [self.round]))
            self.asked[case.id, measurement.capability, measurement.rubric.id][cell] = place

    def result(self) -> Experiment:
        """Return a row per criterion, or the words why there is none. After `answer`."""
        settings: dict[str, object] = {"round": self.round, "second_judge": self.second_judge.name}
        begun = concluded("family", self.questions, settings)
        if self.obstacle:
            return begun.model_copy(update={"notes": (f"{NOT_IDENTIFIABLE}: {self.obstacle}",)})
        notes = (self.confounded,) if self.confounded else ()
        return begun.model_copy(update={"family": tuple(self._rows()), "notes": notes})

    def _rows(self) -> Iterator[FamilyRow]:
        grades: dict[tuple[str, str, str], list[dict[Cell, bool]]] = defaultdict(list)
        excluded: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
        columns = self.subjects["own", "home"].columns.judged
        criteria = {(c.measurement.capability, c.measurement.rubric.id): criteria_of(c.measurement) for c in columns}
        for (_, capability, rubric), places in self.asked.items():
            for criterion in criteria[capability, rubric]:
                key = (capability, rubric, criterion)
                found = self._graded(criterion, places)
                if isinstance(found, str):
                    excluded[key][found] += 1
                else:
                    grades[key].append(found)
        for key in dict.fromkeys([*grades, *excluded]):
            yield family_row(key, grades[key], excluded[key])

    def _graded(self, criterion: str, places: dict[Cell, int]) -> dict[Cell, bool] | str:
        """Return pass or not in all four cells, or why the case is excluded."""
        if len(places) < len(CELLS):
            return "one_candidate_only"
        found = {}
        for cell in CELLS:
            grade = grade_of(criterion, self.by_cell[cell].judgements[places[cell]])
            if isinstance(grade, Unscored):
                return grade.reason
            if grade == "not_applicable":
                return grade
            found[cell] = grade == "pass"
        return found


def _families(subject: Subject) -> frozenset[str]:
    """Return the families of all who decide: the judge and, of a cascade, the classifier, where it is a model; empty where one is unknown."""
    judge = subject.loaded.judge
    if judge.client == "floor":
        return frozenset()
    tiers = [column.measurement.cheap for column in subject.columns.judged]
    found = {_folded(known_family(judge))}
    found |= {_folded(tier.family) for tier in tiers if tier is not None and tier.is_model}
    return frozenset() if None in found else frozenset(family for family in found if family)


def _candidate_family(subject: Subject) -> str | None:
    return _folded(known_family(subject.outputs.candidate))


def _folded(family: str | None) -> str | None:
    return family.strip().casefold() if family else None


def _exact(value: float, n: int) -> tuple[float, float]:
    """Return the interval of a mean of which n equal differences were seen: what so few unseen others, at worst -2 or 2, could make of it."""
    return lower_of_equal(value, n, -FARTHEST, ONE_SIDED), -lower_of_equal(-value, n, -FARTHEST, ONE_SIDED)


def family_row(key: tuple[str, str, str], cases: list[dict[Cell, bool]], excluded: Counter[str]) -> FamilyRow:
    """Return a criterion's row: `key` is capability, rubric and criterion, `cases` hold whether each of the four cells passed."""
    differences = [
        (case["own", "home"] - case["own", "second"]) - (case["other", "home"] - case["other", "second"])
        for case in cases
    ]
    n = len(cases)
    equal = n > 0 and are_equal(differences)
    words = [f"insufficient: {n} of the {ENOUGH_CASES} cases that it takes"] if n < ENOUGH_CASES else []
    if equal:
        words.append(f"all {n} differences are equal: the interval is exact, of none of {n} cases that differ")
    return FamilyRow(
        capability=key[0],
        rubric=key[1],
        criterion=key[2],
        cases=n + excluded.total(),
        n=n,
        excluded=dict(sorted(excluded.items())),
        own_home=sum(case["own", "home"] for case in cases),
        own_foreign=sum(case["own", "second"] for case in cases),
        other_home=sum(case["other", "home"] for case in cases),
        other_foreign=sum(case["other", "second"] for case in cases),
        difference=fmean(differences) if differences else None,
        interval=_exact(differences[0], n) if equal else t_interval_of(differences),
        reading="; ".join(words),
    )
