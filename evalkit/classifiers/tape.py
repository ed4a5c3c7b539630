"""Tape: live decisions recorded by the name of the call, replayed without a network.

A name may be called several times; its recordings are played back in order. Each keeps a hash of what was asked: a tape
that no longer fits its code is an error and not an old answer to a new question.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Literal, Self

from evalkit.classifiers.seam import AnyState, Classifier, asked, state_value
from evalkit.errors import UsageError
from evalkit.records.base import Json, Record
from evalkit.records.decisions import Decision
from evalkit.records.identity import content_hash
from evalkit.records.questions import Question, canonical_question


class Recording(Record):
    """A line of a tape."""

    schema_version: Literal[1] = 1
    call: str
    """Name of the call."""
    request_sha256: str
    """Hash of the state and the questions with their ids."""
    decision: Decision


class Tape:
    """Decisions by the name of the call. Without a live classifier every call must be on the tape."""

    def __init__(self, recordings: tuple[Recording, ...] = (), *, live: Classifier | None = None) -> None:
        self._live = live
        self._recordings = list(recordings)
        self._played: dict[str, int] = defaultdict(int)

    @classmethod
    def loads(cls, text: str) -> Self:
        """Return a tape for replay. Raises UsageError naming the line that is no recording."""
        recordings = []
        for number, line in enumerate(text.split("\n"), 1):  # not splitlines: U+2028 is no line end in JSON
            if line.strip():
                try:
                    recordings.append(Recording.model_validate_json(line))
                except ValueError as error:
                    first = str(error).splitlines()[0]
                    raise UsageError(f"tape, line {number}: {first}; record the tape again") from None
        return cls(tuple(recordings))

    def dumps(self) -> str:
        """Return the tape as JSON Lines, for the host to write."""
        return "".join(recording.model_dump_json() + "\n" for recording in self._recordings)

    def named(self, call: str) -> NamedCall:
        """Return a classifier that records or replays under this name."""
        return NamedCall(self, call)

    @property
    def identity(self) -> Mapping[str, Json]:
        """The live classifier's identity; of a replay the tape's content."""
        if self._live is not None:
            return self._live.identity
        return {
            "style": "tape",
            "tape": content_hash("classifier-tape", [r.model_dump(mode="json") for r in self._recordings]),
        }

    async def ask(self, call: str, state: AnyState, questions: Mapping[str, Question]) -> Decision:
        """Return the live decision and record it, or the next recording of this call.

        Raises UsageError naming the call where the tape has no recording of it left, or one of something else.
        """
        key = _key(state, questions)
        if self._live is not None:
            decision = await self._live.evaluate(state, questions)
            self._recordings.append(Recording(call=call, request_sha256=key, decision=decision))
            return decision
        known = [recording for recording in self._recordings if recording.call == call]
        place = self._played[call]
        if place >= len(known):
            raise UsageError(f"the tape holds {len(known)} recordings of the call {call!r}, and this is one more")
        if known[place].request_sha256 != key:
            raise UsageError(
                f"the tape's call {call!r} asked something else: its state or questions changed; record it again"
            )
        self._played[call] += 1
        return known[place].decision


class NamedCall:
    """One call of a tape, as a classifier."""

    def __init__(self, tape: Tape, call: str) -> None:
        self._tape = tape
        self._call = call

    @property
    def identity(self) -> Mapping[str, Json]:
        """The tape's."""
        return self._tape.identity

    async def evaluate(self, state: AnyState, questions: Mapping[str, Question]) -> Decision:
        """Return the decision, live or from the tape. Raises UsageError naming the call where the tape lacks it."""
        return await self._tape.ask(self._call, state, questions)


def _key(state: AnyState, questions: Mapping[str, Question]) -> str:
    wanted = [[name, canonical_question(question)] for name, question in asked(questions).items()]
    return content_hash("classifier-call", {"state": state_value(state), "questions": wanted})
