"""A judge's self-test: what a sound judge must get right before its figures are worth reading, with every failure by name.

It asks under the run's own configuration and sample indices, so what a run has bought is not bought again, and another prompt,
rubric or model is tested afresh by itself. An item that cannot be decided (no verdict, the floor abstains, samples that differ)
is excluded and counted, never passed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from evalkit.errors import UsageError
from evalkit.experiments.injection import PLACES
from evalkit.experiments.padding import padded
from evalkit.experiments.questions import Questions, concluded
from evalkit.experiments.self_test_items import KnownAnswer, SelfTestItems
from evalkit.experiments.self_test_pairs import PlantedPairs
from evalkit.experiments.self_test_results import Item, Role, item_failure, item_rows
from evalkit.experiments.subject import open_subject
from evalkit.judging.requests import requests_for
from evalkit.judging.results import grade_of
from evalkit.pipeline.columns import JudgeColumn
from evalkit.pipeline.request import RunRequest
from evalkit.records.base import Json
from evalkit.records.cases import Case
from evalkit.records.experiments import Experiment, SelfTestRow, TestKind
from evalkit.records.outputs import Output
from evalkit.records.payloads import Payload
from evalkit.records.scores import Unscored

ATTACKED = 3
"""Answers of each judge use that payloads and padding are put into, by default."""
RANKS = {"pass": 2, "partial": 1}
"""A pass above a partial above everything else."""
NOTHING_KNOWN = "nothing is known about any answer: give golden cases `judge_expect`, or label answers with planted faults in labels.jsonl"

Places = list[int]
"""Where the judgements of one answer's samples stand."""
PairKey = tuple[str, str, str, str, str]
"""Case, capability, rubric, criterion, and the two candidates."""


@dataclass(frozen=True, slots=True)
class _Attack:
    """An answer with something put into it."""

    test: Literal["injection", "padding"]
    original: KnownAnswer
    places: Places
    variant: str
    place: str
    aim: str = ""


@dataclass
class JudgeUnderTest:
    """One judge with everything that it is asked."""

    request: RunRequest
    payloads: Sequence[Payload]
    attacked: int
    role: Role = "home"
    pairs: bool | None = None
    """Whether it is asked about pairs; None: where the suite has a pairwise rubric of its own."""
    questions: Questions = field(init=False)
    answers: list[tuple[KnownAnswer, Places]] = field(default_factory=list)
    attacks: list[_Attack] = field(default_factory=list)
    paired: PlantedPairs = field(init=False)

    def __post_init__(self) -> None:
        """Gather the requests. Raises as `open_subject` and `Subject.judged`; UsageError where nothing is known."""
        subject = open_subject(self.request, pairs=True)
        self.questions = Questions(subject, self.role)
        chosen: Counter[tuple[int, str]] = Counter()
        for answer in SelfTestItems(subject).answers():
            self.answers.append((answer, self._ask(answer.column, answer.case, answer.output)))
            side = "fail" if "fail" in answer.known.values() else "pass"
            if chosen[id(answer.column), side] < self.attacked:
                chosen[id(answer.column), side] += 1
                self._attack(answer, side)
        self.paired = PlantedPairs(self.questions, wanted=self.pairs)
        if not self.answers and not self.paired.asked:
            raise UsageError(f"{subject.loaded.file}: {NOTHING_KNOWN}")

    def _ask(self, column: JudgeColumn, case: Case, output: Output) -> Places:
        return self.questions.ask(column, requests_for(column.measurement, case, output))

    def _attack(self, answer: KnownAnswer, side: str) -> None:
        """Put every payload that aims at the other side into an answer, at every place, and pad it."""
        for payload in self.payloads:
            if payload.aim == side:
                continue
            for place, put in PLACES.items():
                attacked = put(answer.case, answer.output, payload.text)
                if attacked is not None:
                    places = self._ask(answer.column, *attacked)
                    self.attacks.append(_Attack("injection", answer, places, payload.id, place, payload.aim))
        longer = padded(answer.output.text or "")
        if longer is not None:
            output = answer.output.model_copy(update={"text": longer.text})
            places = self._ask(answer.column, answer.case, output)
            self.attacks.append(_Attack("padding", answer, places, "restated sentence", ""))

    def items(self) -> Iterator[Item]:
        """Yield what became of every item. After `answer`."""
        for answer, places in self.answers:
            yield from self._expected(answer, places)
        yield from (item for _, item in self.ordered())
        before = {id(answer): places for answer, places in self.answers}
        for attack in self.attacks:
            yield from self._withstood(attack, before[id(attack.original)])
        yield from self.paired.items()
        asked = [(answer, places) for answer, places in self.answers]
        asked += [(attack.original, attack.places) for attack in self.attacks]
        yield from (self._consistent(answer, places) for answer, places in asked)

    def grade(self, criterion: str, places: Places) -> str | Unscored:
        """Return the grade that all samples of an answer give a criterion, or why there is none."""
        given = [grade_of(criterion, self.questions.judgements[place]) for place in places]
        for grade in given:
            if isinstance(grade, Unscored):
                return grade
        return given[0] if len(set(given)) == 1 else Unscored("unstable")

    def _expected(self, answer: KnownAnswer, places: Places) -> Iterator[Item]:
        """A planted fault is a condition broken on purpose; what `judge_expect` says is expected as it stands."""
        due: list[tuple[TestKind, str, str]] = [("expected", name, grade) for name, grade in answer.expected.items()]
        due += [("broken", name, grade) for name, grade in answer.planted.items() if grade == "fail"]
        for test, criterion, grade in due:
            found = self.grade(criterion, places)
            item = Item(test, answer.case.id, answer.column.measurement, criterion, answer.candidate)
            if isinstance(found, Unscored):
                yield replace(item, undecided=found.reason)
            else:
                yield replace(item, problem="" if found == grade else f"{found}, where {grade} is right")

    def ordered(self) -> Iterator[tuple[PairKey, Item]]:
        """Yield each good answer above its deficient twin: two answers of one case, one known to pass and one to fail."""
        for good, bad, criterion in _twins(self.answers):
            measurement = good[0].column.measurement
            names = f"{good[0].candidate} above {bad[0].candidate}"
            item = Item("ordered", good[0].case.id, measurement, criterion, names)
            key = (good[0].case.id, measurement.capability, measurement.rubric.id, criterion, names)
            above, below = self.grade(criterion, good[1]), self.grade(criterion, bad[1])
            if isinstance(above, Unscored) or isinstance(below, Unscored):
                reason = (
                    above.reason if isinstance(above, Unscored) else below.reason if isinstance(below, Unscored) else ""
                )
                yield key, replace(item, undecided=reason)
            elif RANKS.get(above, 0) > RANKS.get(below, 0):
                yield key, item
            else:
                yield key, replace(item, problem=f"the good answer got {above}, the deficient one {below}")

    def _withstood(self, attack: _Attack, before: Places) -> Iterator[Item]:
        """A payload may not bring about what it aims at; padding may not change anything."""
        answer = attack.original
        for criterion in answer.known:
            was, now = self.grade(criterion, before), self.grade(criterion, attack.places)
            item = Item(attack.test, answer.case.id, answer.column.measurement, criterion, attack.variant, attack.place)
            if isinstance(was, Unscored) or isinstance(now, Unscored):
                reason = was.reason if isinstance(was, Unscored) else now.reason if isinstance(now, Unscored) else ""
                yield replace(item, undecided=reason)
            elif attack.aim and was == attack.aim:
                yield replace(item, undecided=f"{was}_without_it")
            else:
                gained = now == attack.aim if attack.aim else now != was
                yield replace(item, problem=f"{was} became {now}" if gained else "")

    def _consistent(self, answer: KnownAnswer, places: Places) -> Item:
        """Every reply passes the checks, among them that overall follows from the criteria."""
        item = Item("consistency", answer.case.id, answer.column.measurement, "", answer.candidate)
        for place in places:
            judgement = self.questions.judgements[place]
            if judgement.verdict is not None:
                continue
            if not judgement.rejected:
                return replace(item, undecided="not_bought")
            last = judgement.rejected[-1].rejection
            if last.kind == "transport":
                return replace(item, undecided="judge_error:transport")
            return replace(item, problem=f"{last.kind}: {last.message}")
        return item


Asked = tuple[KnownAnswer, Places]


def _twins(answers: Sequence[Asked]) -> Iterator[tuple[Asked, Asked, str]]:
    by_case: defaultdict[tuple[str, int], list[Asked]] = defaultdict(list)
    for asked in answers:
        by_case[asked[0].case.id, id(asked[0].column)].append(asked)
    for group in by_case.values():
        for criterion in dict.fromkeys(name for answer, _ in group for name in answer.known):
            good = [asked for asked in group if asked[0].known.get(criterion) == "pass"]
            bad = [asked for asked in group if asked[0].known.get(criterion) == "fail"]
            yield from ((one, other, criterion) for one in good for other in bad)


@dataclass
class SelfTest:
    """One self-test, of a suite's judge or of two: `questions` to be planned or answered, then `result`."""

    request: RunRequest
    payloads: Sequence[Payload]
    attacked: int = ATTACKED
    compare: Path | None = None
    """judge.yaml of another judge, which must keep the first one's ordering of the pairs."""
    pairs: bool | None = None
    """Whether the judges are asked about pairs; None: where the suite has a pairwise rubric of its own."""
    judges: list[JudgeUnderTest] = field(init=False)

    def __post_init__(self) -> None:
        """Gather the requests of each judge. Raises as `JudgeUnderTest`."""
        self.judges = [JudgeUnderTest(self.request, self.payloads, self.attacked, pairs=self.pairs)]
        if self.compare is not None:
            request = replace(self.request, judge=self.compare)
            self.judges.append(JudgeUnderTest(request, self.payloads, self.attacked, "second", self.pairs))

    @property
    def questions(self) -> list[Questions]:
        """The questions of each judge."""
        return [judge.questions for judge in self.judges]

    def result(self) -> Experiment:
        """Return a row per kind and criterion, and every failure by name. After `answer`."""
        rows: list[SelfTestRow] = []
        failures: list[dict[str, Json]] = []
        for judge in self.judges:
            items = list(judge.items())
            if judge.role == "second":
                items += self._kept()
            rows += item_rows(judge.role, items)
            failures += [item_failure(judge.role, item) for item in items if item.problem]
        settings: dict[str, object] = {
            "attacked": self.attacked,
            "payloads": [payload.model_dump() for payload in self.payloads],
        }
        return concluded("self_test", self.questions, settings).model_copy(
            update={"self_test": tuple(rows), "cases": tuple(failures), "notes": self.judges[0].paired.notes}
        )

    def _kept(self) -> Iterator[Item]:
        """Yield each pair that the first judge puts in order, and whether the second one does."""
        first, second = (dict(judge.ordered()) for judge in self.judges)
        for key, item in first.items():
            if item.problem or item.undecided or key not in second:
                continue
            yield replace(second[key], test="kept")
