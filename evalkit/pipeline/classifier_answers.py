"""Answers of a classifier to many questions, one a request: looked up, asked where missing, kept as they come.

A recording, where the judge is a replay, answers in the place of the server, and a question that it lacks is an error as it is there.
What failed is kept as a reason and never in the cache; too many failures in a row end the asking, as an interruption and the cost limit
do. The limit counts a question where the classifier's price is known, and where it is not, a note says that the limit does not hold for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from evalkit.classifiers.patience import Patience
from evalkit.classifiers.replies import BOUGHT, ONE, answers_it, read_reply, stored_reply
from evalkit.classifiers.seam import Classifier
from evalkit.errors import EvalkitError, UsageError
from evalkit.judging.stop import Stop
from evalkit.judging.verdicts import Recorder
from evalkit.providers.meter import cost_of
from evalkit.providers.reply_cache import ReplyCache
from evalkit.records.base import Json
from evalkit.records.classifiers import CannedAnswer, ClassifierConfig
from evalkit.records.decisions import Decision
from evalkit.records.identity import canonical_json
from evalkit.records.judges import Prices
from evalkit.records.progress import Progress
from evalkit.records.questions import Question, canonical_question
from evalkit.records.tiers import TierUse
from evalkit.records.verdicts import Reply

BATCH = 256
"""Answers looked up at once."""
CHARS_PER_TOKEN = 4
REPLY_TOKENS = 50
"""With the above, what a question costs until the first answer tells: rules of thumb."""

Asked = tuple[dict[str, Json], Question]
"""A state and the question about it."""


def look_up(config: ClassifierConfig, wanted: Mapping[str, Asked], cache: ReplyCache | None) -> dict[str, Decision]:
    """Return the answers that the cache holds and that fit their questions, by reply key."""
    if cache is None or config.style not in BOUGHT:
        return {}
    found: dict[str, Decision] = {}
    keys = list(wanted)
    for start in range(0, len(keys), BATCH):
        for key, stored in cache.get_many(keys[start : start + BATCH]).items():
            decision = read_reply(stored.reply, wanted[key][1])
            if decision is not None:
                found[key] = decision
    return found


def question_tokens(asked: Asked) -> tuple[int, int]:
    """Return an estimate of the input and output tokens of a question."""
    state, question = asked
    characters = len(canonical_json(state)) + len(canonical_json(canonical_question(question)))
    return characters // CHARS_PER_TOKEN, REPLY_TOKENS


def estimates(questions: Iterable[Asked], prices: Prices | None) -> dict[str, int | float | None]:
    """Return what a plan says of questions to ask: `input_tokens`, `output_tokens` and `cost_usd`, None without prices."""
    given = replied = count = 0
    for asked in questions:
        tokens = question_tokens(asked)
        given, replied, count = given + tokens[0], replied + tokens[1], count + 1
    cost = cost_of(prices, given, replied) if count else 0.0
    return {"input_tokens": given, "output_tokens": replied, "cost_usd": cost}


@dataclass(slots=True)
class Answers:
    """Answers of one classifier by reply key, and why there are none."""

    config: ClassifierConfig
    canned: tuple[CannedAnswer, ...]
    cache: ReplyCache | None
    found: dict[str, Decision] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    hits: int = 0
    fresh: list[Decision] = field(default_factory=list)
    patience: Patience = field(default_factory=Patience)
    """Shared by all who ask the same classifier."""
    prices: Prices | None = None
    """Of the classifier; without them no cost limit holds for it."""
    record: Recorder | None = None
    """Takes every answer of a server that counts, fresh or cached."""
    recording: Mapping[str, Reply] | None = None
    """Replies that answer in the place of the server, by reply key."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Reply key -> the case, for the recording."""
    replayed: int = 0
    spent: float = 0.0
    """US dollars that the fresh answers took, as far as it is known."""

    def gather(self, wanted: Mapping[str, Asked], stop: Stop, progress: Progress, note: Callable[[str], None]) -> None:
        """Look up what is wanted and ask for the rest. Raises UsageError, e.g. for a missing key."""
        self.found = look_up(self.config, wanted, self.cache)
        self.hits = len(self.found)
        for key, decision in self.found.items():
            self._recorded(key, decision)
        if self.recording is not None and self.config.style in BOUGHT:
            self._replay(wanted, self.recording)
            return
        missing = {key: asked for key, asked in wanted.items() if key not in self.found}
        if not missing or self._is_over(stop):
            return
        if stop.max_cost is not None and self.prices is None and self.config.style in BOUGHT:
            name = self.config.model or self.config.style
            note(f"max_cost does not bound what the classifier {name} takes: its price is not known")
        from evalkit.classifiers.styles import make_classifier
        from evalkit.pipeline.buying import run_stoppable

        classifier = make_classifier(self.config, self.canned)
        progress.stage("classifying", len(missing))
        run_stoppable(self._ask(classifier, missing, stop, progress), stop)
        if self.patience.gave_up:
            note(f"the classifier is not asked any more; the last failure: {self.patience.gave_up}")

    def _replay(self, wanted: Mapping[str, Asked], recording: Mapping[str, Reply]) -> None:
        """Take what was recorded. Raises UsageError where an answer is missing: a replay that does not fit measures nothing."""
        for key, (_, question) in wanted.items():
            if key in self.found:
                continue
            reply = recording.get(key)
            decision = None if reply is None else read_reply(reply, question)
            if decision is None:
                raise UsageError(
                    f"the recording holds no answer of the classifier for {self.names.get(key, '')!r} (key {key[:16]}...): the question has "
                    "changed, or was never answered; record it anew with `evalkit run --record FILE`"
                )
            self.found[key] = decision
            self.replayed += 1

    def _recorded(self, key: str, decision: Decision) -> None:
        if self.record is not None and self.config.style in BOUGHT:
            self.record(key, self.names.get(key, ""), stored_reply(decision).reply)

    def _is_over(self, stop: Stop) -> bool:
        """Tell whether nothing more is asked; what costs nothing is asked after the cost limit too."""
        return stop.reason == "interrupted" or self.patience.is_over() or (self._priced and stop.reason is not None)

    @property
    def _priced(self) -> bool:
        return self.prices is not None and self.config.style in BOUGHT

    @property
    def _is_free(self) -> bool:
        """A rule and a list of answers ask nobody."""
        return self.config.style not in BOUGHT

    def cost(self) -> float | None:
        """Return US dollars that all answers took, those of the cache when they were asked; None where price or usage is not known."""
        total = 0.0
        for decision in self.found.values():
            cost = self.cost_of(decision)
            if cost is None:
                return None
            total += cost
        return total

    def use(self) -> TierUse:
        """Return what asking took in this run; a failure costs nothing that is known."""
        asked = len(self.fresh) + len(self.failed)
        given, replied = self.input_tokens, self.output_tokens
        known = given is not None and replied is not None
        cost = cost_of(self.prices, given or 0, replied or 0) if known else None
        return TierUse(
            asked=len(self.fresh),
            cache_hits=self.hits,
            replayed=self.replayed,
            failed=len(self.failed),
            input_tokens=given,
            output_tokens=replied,
            cost_usd=0.0 if self._is_free or (self.prices is not None and not asked) else cost,
        )

    @property
    def input_tokens(self) -> int | None:
        """Of the answers of this run; None where a server did not say, or nothing was asked."""
        return _total([decision.usage.input_tokens for decision in self.fresh])

    @property
    def output_tokens(self) -> int | None:
        """As `input_tokens`."""
        return _total([decision.usage.output_tokens for decision in self.fresh])

    async def _ask(self, classifier: Classifier, missing: Mapping[str, Asked], stop: Stop, progress: Progress) -> None:
        import asyncio

        from evalkit.classifiers.asking import close

        left = iter(missing.items())

        async def work() -> None:
            for key, asked in left:
                if self._is_over(stop):
                    return
                await self._paid(classifier, key, asked, stop)
                progress.step(len(self.fresh) + len(self.failed))

        workers = [asyncio.ensure_future(work()) for _ in range(min(len(missing), self.config.max_in_flight))]
        stop.in_flight = workers
        try:
            for outcome in await asyncio.gather(*workers, return_exceptions=True):
                if isinstance(outcome, BaseException) and not isinstance(outcome, asyncio.CancelledError):
                    raise outcome
        finally:
            await close(classifier)

    async def _paid(self, classifier: Classifier, key: str, asked: Asked, stop: Stop) -> None:
        """Ask one question within the cost limit; a failure costs nothing that is known."""
        if not self._priced:
            await self._one(classifier, key, asked)
            return
        reserved = await stop.admit_question(lambda: self._estimate(asked, stop), lambda: not self.fresh)
        if reserved is None:
            return
        cost: float | None = 0.0
        try:
            await self._one(classifier, key, asked)
            if key in self.found:
                cost = self.cost_of(self.found[key])
        finally:
            self.spent += cost or 0.0
            stop.settle_question(reserved, cost)

    def cost_of(self, decision: Decision) -> float | None:
        """Return US dollars that an answer took when it was asked for, of a rule 0; None where price or usage is not known."""
        if self._is_free:
            return 0.0
        given, replied = decision.usage.input_tokens, decision.usage.output_tokens
        return None if given is None or replied is None else cost_of(self.prices, given, replied)

    def _estimate(self, asked: Asked, stop: Stop) -> float:
        if self.fresh:
            return stop.margin * self.spent / len(self.fresh)
        return cost_of(self.prices, *question_tokens(asked)) or 0.0

    async def _one(self, classifier: Classifier, key: str, asked: Asked) -> None:
        """Ask one question and keep what came: an answer, or why there is none."""
        state, question = asked
        try:
            decision = await classifier.evaluate(state, {ONE: question})
        except EvalkitError as error:
            self.failed[key] = str(error)
            self.patience.failed(str(error), error)
            return
        if not answers_it(decision, question):
            self.failed[key] = decision.unanswered.get(ONE, "the answer does not fit the question")
            self.patience.failed(self.failed[key])
            return
        if self.cache is not None and self.config.style in BOUGHT:
            self.cache.put(key, stored_reply(decision))
        self._recorded(key, decision)
        self.found[key] = decision
        self.fresh.append(decision)
        self.patience.answered()


def _total(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None
