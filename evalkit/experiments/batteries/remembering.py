"""A classifier that asks once: decisions bought from a server go into the reply cache as they arrive, and a rerun reads them.

Key: everything that makes the answers (the classifier's identity, the state, the questions in their order with their ids).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from evalkit.classifiers.asking import close
from evalkit.classifiers.patience import Patience
from evalkit.classifiers.seam import AnyState, Classifier, state_value
from evalkit.errors import EvalkitError, ProviderError, UsageError
from evalkit.providers.reply_cache import ReplyCache
from evalkit.records.base import Json
from evalkit.records.decisions import Decision
from evalkit.records.identity import content_hash
from evalkit.records.questions import Question, canonical_question
from evalkit.records.verdicts import Purchase, Reply, StoredReply

NOT_BOUGHT = "not bought yet"
NOT_ASKED = "not asked: the classifier does not answer"


class Remembering:
    """Answers from the cache, else from the live classifier; without one what is missing is counted and is an error."""

    def __init__(self, identity: Mapping[str, Json], live: Classifier | None, cache: ReplyCache | None) -> None:
        self.identity = identity
        self.bought = 0
        """Evaluations that the live classifier answered."""
        self.missing = 0
        """Evaluations that nobody answered, for want of a live classifier."""
        self.missing_characters = 0
        """Characters of their states and questions."""
        self.patience = Patience()
        self.not_asked = 0
        """Evaluations that were never asked, because too many before them failed."""
        self.errors: Counter[str] = Counter()
        """Why evaluations failed -> how many."""
        self.decisions: list[Decision] = []
        """Every decision given, cached or bought."""
        self._live = live
        self._cache = cache

    async def evaluate(self, state: AnyState, questions: Mapping[str, Question]) -> Decision:
        """Return a decision. Raises what the live classifier raises, and UsageError where there is none."""
        wanted = [[name, canonical_question(question)] for name, question in questions.items()]
        asked = {"classifier": dict(self.identity), "state": state_value(state), "questions": wanted}
        key = content_hash("classifier-decision", asked)
        decision = self._stored(key)
        if decision is None:
            decision = await self._bought(key, state, questions, asked)
        self.decisions.append(decision)
        return decision

    async def aclose(self) -> None:
        """Close the live classifier's connections."""
        if self._live is not None:
            await close(self._live)

    async def _bought(
        self, key: str, state: AnyState, questions: Mapping[str, Question], asked: Mapping[str, Json]
    ) -> Decision:
        if self._live is None:
            self.missing += 1
            self.missing_characters += len(str(asked))
            raise UsageError(NOT_BOUGHT)
        if self.patience.gave_up:
            self.not_asked += 1
            raise UsageError(NOT_ASKED)
        try:
            decision = await self._live.evaluate(state, questions)
        except EvalkitError as error:
            self.errors[str(error)] += 1
            if isinstance(error, ProviderError):
                self.patience.failed(str(error), error)
            raise
        self.patience.answered()
        self.bought += 1
        if self._cache is not None and decision.usage.requests:
            self._cache.put(key, _stored(decision))
        return decision

    def _stored(self, key: str) -> Decision | None:
        stored = self._cache.get(key) if self._cache is not None else None
        if stored is None or stored.reply.text is None:
            return None
        try:
            return Decision.model_validate_json(stored.reply.text)
        except ValueError:  # written by another version
            return None


def _stored(decision: Decision) -> StoredReply:
    usage, model = decision.usage, decision.model
    inputs, outputs = usage.input_tokens, usage.output_tokens
    text = decision.model_dump_json()
    reply = Reply(text=text, finish_reason="stop", model=model, input_tokens=inputs, output_tokens=outputs)
    return StoredReply(reply=reply, purchase=Purchase(tries=1, model=model, input_tokens=inputs, output_tokens=outputs))
