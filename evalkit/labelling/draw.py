"""Which answers are to be labelled, each with the chance with which it was drawn.

n is the number of labels per capability and criterion; of pairs per criterion, for capabilities of one rubric ask the same. Every answer gets a number from a hash of seed and identity; a draw takes the
smallest of its stratum. So the same seed gives the same sheet on every machine, whatever the order of the files, and the strata
of several criteria meet in the same answers where they can, which spares reading.

    random      n of all answers of a judge use, all criteria: chance n/N
    by-verdict  per criterion half from the passed and half from the failed, the other stratum filling up a short one: n_h/N_h; of
                pairs as many each from won, lost, tied and dependent on the order
    flips       the answers on which stability, or the run's own samples, flipped, the most divided first, and those of which
                a classifier was not sure, the least sure first; pairs whose verdict depends on the order: no sample
    planted     answers with a planted fault, and cases that say what a sound judge says (`judge_expect`): no sample

Labels of the last two stand for themselves only; they carry no chance. A case is in `dev` or `test` by a hash of its own, the same
in every sheet, and labels that are there already say which.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evalkit.errors import UsageError
from evalkit.labelling.asked import UNSTABLE, Answer, Answers, Asked
from evalkit.labelling.pairs import BY_ORDER, STRATA
from evalkit.records.classified import UNCERTAIN
from evalkit.records.identity import content_hash
from evalkit.records.labels import DEV_SHARE, Design, Label, Split, item_key
from evalkit.records.rubrics import OVERALL
from evalkit.text.nearest import nearest

_STRATUM = {"pass": "pass", "fail": "fail", "partial": "fail", **dict(zip(STRATA, STRATA, strict=True))}
"""Grade -> stratum of by-verdict; other grades are no verdict that a label could confirm."""

_DIVIDED = frozenset({UNSTABLE, UNCERTAIN, BY_ORDER})
"""Grades that are worth a look for their own sake."""
FlipKey = tuple[str, str | tuple[str, str], str, str]
"""Case id, output hash, rubric, criterion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is to be drawn."""

    n: int
    """Labels per capability and criterion."""
    design: Design = "random"
    seed: int = 1
    capabilities: tuple[str, ...] = ()
    """Only these; all by default."""
    criteria: tuple[str, ...] = ()
    """Only these; a rubric's id, or a classifier scorer's name, stands for all of its own. By default all, without `overall`."""
    dev: float = DEV_SHARE
    """Share of cases that go to dev."""


class Drawn(NamedTuple):
    """One label that is wanted."""

    answer: Answer
    criterion: Asked
    probability: float | None
    split: Split


class Draw(NamedTuple):
    """What was drawn, and what a reader must know about it."""

    rows: tuple[Drawn, ...]
    """All criteria of an answer under each other; the answers in an order that says nothing about verdicts."""
    notes: tuple[str, ...]


Group = tuple[str, str]
"""Capability and rubric: a judge use, or a classifier scorer's row; `PAIRS` and rubric."""
PAIRS = "pairs"
Chosen = tuple[Answer, str, float | None]
"""An answer, a criterion id, the chance."""


def draw(
    source: Answers,
    request: Request,
    *,
    known: Iterable[Label] = (),
    flips: Sequence[FlipKey] = (),
    planted: Mapping[str, frozenset[str]] | None = None,
) -> Draw:
    """Return what is to be labelled.

    `known` are labels that are there already; their cases keep their split. `flips` are the flips of stability, the most divided
    first; `planted` is case id -> criteria whose right label is known (none named: all).
    Raises UsageError for names that do not exist, and where the design leaves nothing to draw, with what to do.
    """
    notes = list(source.notes)
    chosen: list[Chosen] = []
    for group, answers in _groups(source, request).items():
        criteria = _criteria(answers[0], request)
        if request.design == "random":
            chosen += _random(group, answers, criteria, request)
        elif request.design == "by-verdict":
            chosen += _by_verdict(group, answers, criteria, request, notes)
        elif request.design == "flips":
            chosen += _flips(answers, criteria, request, flips)
        else:
            chosen += _planted(group, answers, criteria, request, planted or {})
    if not chosen:
        raise UsageError(_nothing(request.design, pairs=source.answers[0].other is not None))
    splits = _Splits(source.subject.loaded.suite.name, request.dev, known)
    return Draw(tuple(_in_order(chosen, request.seed, splits)), tuple(notes))


def _groups(source: Answers, request: Request) -> dict[Group, list[Answer]]:
    groups: dict[Group, list[Answer]] = defaultdict(list)
    capabilities: set[str] = set()
    for answer in source.answers:
        capabilities.update((answer.capability, *answer.also))
        if not request.capabilities or {answer.capability, *answer.also} & set(request.capabilities):
            groups[PAIRS if answer.other is not None else answer.capability, answer.rubric].append(answer)
    for name in request.capabilities:
        if name not in capabilities:
            raise UsageError(
                f"no capability with a judge or a classifier is called {name!r}; {nearest(name, sorted(capabilities), 'capabilities')}"
            )
    criteria = {criterion.id for answer in source.answers for criterion in answer.asked}
    criteria |= {answer.rubric for answer in source.answers}
    for name in request.criteria:
        if name not in criteria:
            raise UsageError(f"no criterion {name!r}; {nearest(name, sorted(criteria), 'criteria')}")
    return groups


def _criteria(answer: Answer, request: Request) -> list[str]:
    named = [criterion.id for criterion in answer.asked if criterion.id in request.criteria]
    if request.criteria and answer.rubric not in request.criteria:
        return named
    pair = answer.other is not None  # what is preferred as a whole is a question of its own, no conjunction
    return [criterion.id for criterion in answer.asked if criterion.id != OVERALL or criterion.id in named or pair]


def chance(role: str, *parts: object) -> int:
    """Return a number of 64 bits that nobody can foresee and everybody gets alike from the same parts."""
    return int(content_hash(role, list(parts))[:16], 16)


def _taken(group: Group, answers: Iterable[Answer], n: int, seed: int) -> list[Answer]:
    return sorted(answers, key=lambda one: chance("label-draw/1", seed, *group, *_named(one)))[:n]


def _named(answer: Answer) -> tuple[object, ...]:
    """Return what an answer is drawn by: its case, of a pair with its texts, for a case may have several."""
    if isinstance(answer.sha256, str):
        return (answer.case.id,)
    return answer.case.id, sorted(answer.sha256)


def _random(group: Group, answers: Sequence[Answer], criteria: Sequence[str], request: Request) -> Iterator[Chosen]:
    taken = _taken(group, answers, request.n, request.seed)
    for answer in taken:
        for criterion in criteria:
            yield answer, criterion, len(taken) / len(answers)


def _by_verdict(
    group: Group, answers: Sequence[Answer], criteria: Sequence[str], request: Request, notes: list[str]
) -> Iterator[Chosen]:
    for criterion in criteria:
        pairs = answers[0].other is not None
        strata: dict[str, list[Answer]] = {name: [] for name in (STRATA if pairs else ("pass", "fail"))}
        outside: Counter[str] = Counter()
        for answer in answers:
            grade = answer.grades.get(criterion, "no verdict")
            if grade in _STRATUM:
                strata[_STRATUM[grade]].append(answer)
            else:
                outside[grade] += 1
        sizes = _dealt([len(found) for found in strata.values()], request.n)
        for answers_of, size in zip(strata.values(), sizes, strict=True):
            for answer in _taken(group, answers_of, size, request.seed):
                yield answer, criterion, size / len(answers_of)
        if outside:
            left = ", ".join(f"{count} {grade}" for grade, count in sorted(outside.items()))
            kept = "all" if pairs else "both"
            notes.append(f"{group[0]}/{group[1]}/{criterion}: outside {kept} strata and not drawn: {left}")


def _dealt(room: Sequence[int], n: int) -> list[int]:
    """Return how many to draw of each stratum: as many of each, and more of the others where one has not enough."""
    sizes = [0] * len(room)
    for _ in range(min(n, sum(room))):
        place = min((size, place) for place, size in enumerate(sizes) if size < room[place])[1]
        sizes[place] += 1
    return sizes


def _flips(
    answers: Sequence[Answer], criteria: Sequence[str], request: Request, flips: Sequence[FlipKey]
) -> Iterator[Chosen]:
    """Yield the flips of stability in their order, then those of the run's own samples, of a classifier the least sure first."""
    for criterion in criteria:
        by_key = {(one.case.id, one.sha256, one.rubric, criterion): one for one in answers}
        divided = [key for key, one in by_key.items() if one.grades.get(criterion) in _DIVIDED]
        own = sorted(divided, key=lambda key: by_key[key].confidence or 0.0)
        found = dict.fromkeys(key for key in (*flips, *own) if key in by_key)
        for key in list(found)[: request.n]:
            yield by_key[key], criterion, None


def _planted(
    group: Group,
    answers: Sequence[Answer],
    criteria: Sequence[str],
    request: Request,
    planted: Mapping[str, frozenset[str]],
) -> Iterator[Chosen]:
    for criterion in criteria:
        carry = [one for one in answers if one.case.id in planted and _names(planted[one.case.id], criterion)]
        for answer in _taken(group, carry, request.n, request.seed):
            yield answer, criterion, None


def _names(criteria: frozenset[str], criterion: str) -> bool:
    return not criteria or criterion in criteria


class _Splits:
    """dev or test: what labels of the item, the answer or the case say already, else a hash of suite and case.

    So no sheet contradicts another, and a case that was read while a rubric was edited is spent for every criterion and candidate.
    """

    def __init__(self, suite: str, dev: float, known: Iterable[Label]) -> None:
        self._suite, self._dev = suite, dev
        self._known: dict[object, Split] = {}
        for label in known:
            whole = item_key(label.item)
            for key in (whole, whole[:2], label.case_id):
                self._known[key] = "dev" if "dev" in {label.split, self._known.get(key)} else "test"

    def of(self, answer: Answer, criterion: str) -> Split:
        case_id = answer.case.id
        whole = item_key((case_id, answer.sha256, answer.rubric, criterion))
        for key in (whole, whole[:2], case_id):
            if key in self._known:
                return self._known[key]
        return "dev" if chance("label-split/1", self._suite, case_id) < self._dev * 2**64 else "test"


def _in_order(chosen: Sequence[Chosen], seed: int, splits: _Splits) -> Iterator[Drawn]:
    by_answer: dict[tuple[str, str, str, str], list[Chosen]] = defaultdict(list)
    for one in chosen:
        by_answer[one[0].case.id, one[0].capability, one[0].rubric, str(_named(one[0]))].append(one)
    for key in sorted(by_answer, key=lambda key: (chance("label-order/1", seed, key[0]), *key[1:])):
        answer = by_answer[key][0][0]
        probabilities = {criterion: probability for _, criterion, probability in by_answer[key]}
        for criterion in answer.asked:
            if criterion.id in probabilities:
                split = splits.of(answer, criterion.id)
                yield Drawn(answer, criterion, probabilities[criterion.id], split)


def _nothing(design: Design, *, pairs: bool) -> str:
    if pairs and design == "flips":
        return "no verdict of this comparison depends on the order; draw with --design random"
    return {
        "random": "nothing is left to draw from",
        "by-verdict": f"{'the comparison' if pairs else 'the run'} holds no {'verdict' if pairs else 'pass or fail'} to draw from; draw with --design random",
        "flips": "no flip is known of these answers, and no classifier was unsure of one; measure with: evalkit stability SUITE --runs 3",
        "planted": "no answer carries a planted fault (faults.jsonl) and no case says `judge_expect`; draw with --design random",
    }[design]
