"""Classifier scorers of a run: cases are put by while they stream past; once all is read, what is not known is asked, then all is counted.

Answers of a server are kept in the reply cache as they come, under the question and the state, so a rerun asks nothing and another
band or pass rule reads the same answers again. Results are counted in the order of the golden set, whatever came first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from evalkit.classifiers.replies import BOUGHT, ONE, answers_it, read_reply, reply_key, stored_reply
from evalkit.classifiers.seam import Classifier
from evalkit.errors import EvalkitError
from evalkit.judging.stop import Stop
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
from evalkit.records.scores import SCORER_ERROR, Result, Score, Unscored
from evalkit.scoring.classifier import ClassifierScorer

NOT_BOUGHT = Unscored("not_bought", "the classifier was not asked")
BATCH = 256
"""Answers looked up at once."""


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


@dataclass(slots=True)
class _Answers:
    """Answers to one scorer's question by reply key, and why there are none."""

    found: dict[str, Decision] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    hits: int = 0
    fresh: list[Decision] = field(default_factory=list)
    gave_up: str = ""
    """The failure after which nothing more was asked; empty where all was."""


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


def look_up(scorer: ClassifierScorer, waiting: Sequence[PutBy], cache: ReplyCache | None) -> dict[str, Decision]:
    """Return the answers that the cache holds and that fit the question, by their keys."""
    if cache is None or scorer.config.style not in BOUGHT:
        return {}
    found: dict[str, Decision] = {}
    keys = list(dict.fromkeys(one.key for one in waiting if one.known is None))
    for start in range(0, len(keys), BATCH):
        for key, stored in cache.get_many(keys[start : start + BATCH]).items():
            decision = read_reply(stored, scorer.question)
            if decision is not None:
                found[key] = decision
    return found


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

    def settle(self, columns: Sequence[tuple[CodeColumn, Sequence[PutBy]]]) -> None:
        """Take all columns with their cases, both in order; each case is counted once. Raises UsageError, e.g. for a missing key."""
        for place, (column, waiting) in enumerate(columns):
            scorer = asking(column)
            answers = _Answers(found=look_up(scorer, waiting, self.cache))
            answers.hits = len(answers.found)
            missing = {one.key: one.state for one in waiting if one.known is None and one.key not in answers.found}
            if missing and self.stop.reason != "interrupted":
                self._ask(scorer, missing, answers)
            for one in waiting:
                result = self._result(column, one, answers, place)
                self.count(one, column, result)
            self.uses.append(self._use(column, waiting, answers))

    def in_order(self) -> Iterator[ClassifiedCase]:
        """Yield the lines of classified.jsonl, in the order of the golden set, then of the suite's scorers."""
        for _, _, line in sorted(self.lines, key=lambda entry: entry[:2]):
            yield line

    def _result(self, column: CodeColumn, one: PutBy, answers: _Answers, place: int) -> Result:
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

    def _ask(self, scorer: ClassifierScorer, missing: dict[str, dict[str, Json]], answers: _Answers) -> None:
        from evalkit.classifiers.styles import make_classifier
        from evalkit.pipeline.buying import run_stoppable

        classifier = make_classifier(scorer.config, scorer.canned)
        self.progress.stage("classifying", len(missing))
        run_stoppable(self._asked(scorer, classifier, missing, answers), self.stop)
        if answers.gave_up:
            self.note(f"the classifier is not asked any more; the last failure: {answers.gave_up}")

    async def _asked(
        self, scorer: ClassifierScorer, classifier: Classifier, missing: dict[str, dict[str, Json]], answers: _Answers
    ) -> None:
        import asyncio

        from evalkit.classifiers.asking import close

        left = iter(missing.items())
        failures = 0

        async def work() -> None:
            nonlocal failures
            for key, state in left:
                if self.stop.reason == "interrupted" or answers.gave_up:
                    return
                problem = await self._one(scorer, classifier, key, state, answers)
                failures = failures + 1 if problem else 0
                if failures >= self.stop.failures_allowed:
                    answers.gave_up = problem
                self.progress.step(len(answers.fresh) + len(answers.failed))

        workers = [asyncio.ensure_future(work()) for _ in range(min(len(missing), scorer.config.max_in_flight))]
        self.stop.in_flight = workers
        try:
            for outcome in await asyncio.gather(*workers, return_exceptions=True):
                if isinstance(outcome, BaseException) and not isinstance(outcome, asyncio.CancelledError):
                    raise outcome
        finally:
            await close(classifier)

    async def _one(
        self, scorer: ClassifierScorer, classifier: Classifier, key: str, state: dict[str, Json], answers: _Answers
    ) -> str:
        """Ask one question and keep what came; return why there is no answer, empty where there is one."""
        try:
            decision = await classifier.evaluate(state, {ONE: scorer.question})
        except EvalkitError as error:
            answers.failed[key] = str(error)
            return str(error)
        if not answers_it(decision, scorer.question):
            answers.failed[key] = decision.unanswered.get(ONE, "the answer does not fit the question")
            return answers.failed[key]
        if self.cache is not None and scorer.config.style in BOUGHT:
            self.cache.put(key, stored_reply(decision))
        answers.found[key] = decision
        answers.fresh.append(decision)
        return ""

    def _use(self, column: CodeColumn, waiting: Sequence[PutBy], answers: _Answers) -> ClassifierUse:
        scorer = asking(column)
        needed = [one.key for one in waiting if one.known is None]
        ended = answers.found.keys() | answers.failed.keys()
        return ClassifierUse(
            capability=column.capability,
            scorer=column.folds[0].key.scorer,
            configuration_hash=scorer.configuration_hash,
            identity=dict(scorer.identity),
            models=tuple(sorted({decision.model for decision in answers.found.values()})),
            cases=len(needed),
            asked=len(answers.fresh),
            cache_hits=answers.hits,
            shared=len(needed) - len(set(needed)),
            failed=len(answers.failed),
            not_asked=len(set(needed) - ended),
            input_tokens=_total([decision.usage.input_tokens for decision in answers.fresh]),
            output_tokens=_total([decision.usage.output_tokens for decision in answers.fresh]),
        )


def plan_of(column: CodeColumn, waiting: Sequence[PutBy], cache: ReplyCache | None) -> ClassifierPlan:
    """Return what a run would ask for one classifier scorer; asks nothing."""
    scorer = asking(column)
    needed = [one for one in waiting if one.known is None]
    server = scorer.config.style in BOUGHT
    found = look_up(scorer, needed, cache)
    return ClassifierPlan(
        capability=column.capability,
        scorer=column.folds[0].key.scorer,
        classifier=str(scorer.identity.get("model") or scorer.config.style),
        cases=len(needed),
        cached=sum(one.key in found for one in needed),
        at_once=0 if server else len(needed),
        to_ask=len({one.key for one in needed} - found.keys()) if server else 0,
    )


def by_column(
    columns: Sequence[CodeColumn], waiting: Sequence[tuple[CodeColumn, PutBy]]
) -> list[tuple[CodeColumn, list[PutBy]]]:
    """Return the classifier columns, in the suite's order, each with its cases."""
    cases: dict[int, list[PutBy]] = defaultdict(list)
    for column, one in waiting:
        cases[id(column)].append(one)
    return [(column, cases[id(column)]) for column in columns if column.asks]


def _total(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


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
