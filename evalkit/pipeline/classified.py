"""Classifier scorers of a run: cases are put by while they stream past; once all is read, what is not known is asked, then all is counted.

Answers of a server are kept in the reply cache as they come, under the question and the state, so a rerun asks nothing and another
band or pass rule reads the same answers again. Results are counted in the order of the golden set, whatever came first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from evalkit.classifiers.patience import Patiences
from evalkit.classifiers.replies import BOUGHT, ONE, reply_key
from evalkit.judging.stop import Stop
from evalkit.pipeline.classifier_answers import Answers, Asked, estimates, look_up
from evalkit.pipeline.columns import CodeColumn
from evalkit.providers.reply_cache import ReplyCache
from evalkit.records.base import Json
from evalkit.records.cases import Case
from evalkit.records.classified import ClassifiedCase, ClassifiedOutcome, ClassifierUse
from evalkit.records.decisions import Decision
from evalkit.records.identity import text_sha256
from evalkit.records.outputs import Output
from evalkit.records.plans import ClassifierPlan
from evalkit.records.progress import Progress
from evalkit.records.questions import Question
from evalkit.records.scores import SCORER_ERROR, Result, Score, Unscored
from evalkit.scoring.classifier import ClassifierScorer

NOT_BOUGHT = Unscored("not_bought", "the classifier was not asked")


@dataclass(slots=True)
class PutBy:
    """A case that a classifier scorer covers, until its answer is in."""

    position: int
    """Of the case in the golden set."""
    case: Case
    output: Output | None
    known: Result | None = None
    """The result, where none need be asked for."""
    state: dict[str, Json] = field(default_factory=dict)
    key: str = ""


Counted = Callable[[PutBy, CodeColumn, Result], None]
"""Takes the result of a case."""


def put_by(column: CodeColumn, position: int, case: Case, output: Output | None, excluded: Unscored | None) -> PutBy:
    """Return a case as it waits; `excluded` says why its output cannot be scored at all."""
    if excluded is not None or output is None:
        return PutBy(position, case, output, known=excluded)
    scorer = asking(column)
    state = scorer.state_of(case, output)
    if isinstance(state, Score | Unscored):
        return PutBy(position, case, output, known=state)
    return PutBy(position, case, output, state=state, key=reply_key(scorer.identity, state, scorer.question))


def asking(column: CodeColumn) -> ClassifierScorer:
    """Return the scorer of a column that asks a classifier."""
    if not isinstance(column.scorer, ClassifierScorer):
        raise TypeError(f"{column.capability}: {column.scorer!r} asks no classifier")
    return column.scorer


def wanted_of(waiting: Sequence[PutBy], question: Question) -> dict[str, Asked]:
    """Return what must be known, by reply key; cases with the same state share one entry."""
    return {one.key: (one.state, question) for one in waiting if one.known is None}


@dataclass(slots=True)
class ClassifierStage:
    """Asks what the cache does not hold, one scorer after the other, and counts."""

    cache: ReplyCache | None
    stop: Stop
    progress: Progress
    note: Callable[[str], None]
    """Takes what is to stand in the manifest."""
    count: Counted
    uses: list[ClassifierUse] = field(default_factory=list)
    lines: list[tuple[int, int, ClassifiedCase]] = field(default_factory=list)
    not_asked: int = 0
    patiences: Patiences = field(init=False)
    """Whoever asks the same classifier in this run gives up together."""

    def __post_init__(self) -> None:
        """Nobody has failed yet."""
        self.patiences = Patiences(self.stop.failures_allowed)

    def settle(self, columns: Sequence[tuple[CodeColumn, Sequence[PutBy]]]) -> None:
        """Take all columns with their cases, both in order; each case is counted once. Raises UsageError, e.g. for a missing key."""
        for place, (column, waiting) in enumerate(columns):
            scorer = asking(column)
            patience = self.patiences.of(scorer.identity)
            answers = Answers(scorer.config, tuple(scorer.canned), self.cache, patience=patience)
            answers.gather(wanted_of(waiting, scorer.question), self.stop, self.progress, self.note)
            for one in waiting:
                result = self._result(column, one, answers, place)
                self.count(one, column, result)
            self.uses.append(self._use(column, waiting, answers))

    def in_order(self) -> Iterator[ClassifiedCase]:
        """Yield the lines of classified.jsonl, in the order of the golden set, then of the suite's scorers."""
        for _, _, line in sorted(self.lines, key=lambda entry: entry[:2]):
            yield line

    def _result(self, column: CodeColumn, one: PutBy, answers: Answers, place: int) -> Result:
        if one.known is not None:
            return one.known
        if one.key in answers.failed:
            return Unscored(SCORER_ERROR, answers.failed[one.key])
        decision = answers.found.get(one.key)
        if decision is None:
            self.not_asked += 1
            return NOT_BOUGHT
        scorer = asking(column)
        result = scorer.result_of(decision.answers[ONE])
        self.lines.append((one.position, place, _line(column, scorer, one, decision, result)))
        return result

    def _use(self, column: CodeColumn, waiting: Sequence[PutBy], answers: Answers) -> ClassifierUse:
        scorer = asking(column)
        needed = [one.key for one in waiting if one.known is None]
        ended = answers.found.keys() | answers.failed.keys()
        return ClassifierUse(
            capability=column.capability,
            scorer=column.folds[0].key.scorer,
            configuration_hash=scorer.configuration_hash,
            identity=dict(scorer.identity),
            asked_sha256=scorer.people_asked.sha256,
            labels=scorer.people_asked.labels,
            models=tuple(sorted({decision.model for decision in answers.found.values()})),
            cases=len(needed),
            asked=len(answers.fresh),
            cache_hits=answers.hits,
            shared=len(needed) - len(set(needed)),
            failed=len(answers.failed),
            not_asked=len(set(needed) - ended),
            input_tokens=answers.input_tokens,
            output_tokens=answers.output_tokens,
        )


def plan_of(
    column: CodeColumn, waiting: Sequence[PutBy], cache: ReplyCache | None, counted: set[str]
) -> ClassifierPlan:
    """Return what a run would ask for one classifier scorer; asks nothing.

    `counted` holds the reply keys that scorers before it ask for, and takes its own: what they share is asked once.
    """
    scorer = asking(column)
    needed = [one for one in waiting if one.known is None]
    server = scorer.config.style in BOUGHT
    wanted = wanted_of(needed, scorer.question)
    found = look_up(scorer.config, wanted, cache)
    to_ask = {one.key for one in needed} - found.keys() - counted if server else set()
    counted |= to_ask
    return ClassifierPlan(
        capability=column.capability,
        scorer=column.folds[0].key.scorer,
        classifier=str(scorer.identity.get("model") or scorer.config.style),
        cases=len(needed),
        cached=sum(one.key in found for one in needed),
        at_once=0 if server else len(needed),
        to_ask=len(to_ask),
    ).model_copy(update=estimates((wanted[key] for key in to_ask), None))


def by_column(
    columns: Sequence[CodeColumn], waiting: Sequence[tuple[CodeColumn, PutBy]]
) -> list[tuple[CodeColumn, list[PutBy]]]:
    """Return the classifier columns, in the suite's order, each with its cases."""
    cases: dict[int, list[PutBy]] = defaultdict(list)
    for column, one in waiting:
        cases[id(column)].append(one)
    return [(column, cases[id(column)]) for column in columns if column.asks]


def _line(
    column: CodeColumn, scorer: ClassifierScorer, one: PutBy, decision: Decision, result: Result
) -> ClassifiedCase:
    outcome: ClassifiedOutcome = "uncertain"
    if isinstance(result, Score):
        outcome = "pass" if result.passed else "fail"
    return ClassifiedCase(
        case_id=one.case.id,
        capability=column.capability,
        scorer=column.folds[0].key.scorer,
        output_sha256=text_sha256((one.output.text if one.output else None) or ""),
        configuration_hash=scorer.configuration_hash,
        answer=decision.answers[ONE],
        p_pass=scorer.p_pass(decision.answers[ONE]),
        model=decision.model,
        calibrated=decision.calibrated,
        outcome=outcome,
        why=scorer.told(decision.answers[ONE], result),
    )
