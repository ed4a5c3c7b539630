"""What a verdict may quote: the texts that were graded, as stored and as shown, and what code already knows about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evalkit.records.base import Json
from evalkit.records.texts import ShownText

CANDIDATE = "candidate"
"""The source id of the answer itself; a context document of that name cannot be loaded."""
ANSWER_A, ANSWER_B = "answer_A", "answer_B"
"""The source ids of two answers in the places in which they are shown; reserved like `candidate`."""
REFERENCE = "reference"
"""The source id of the reference answer, which only a reference judge is shown, and no other source beside it."""
FACT = "fact"
"""Where a finding stands that quotes a fact of the reference."""
QUESTION = "input"
"""Where a finding stands that quotes what was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """The graded texts of one request."""

    candidate: ShownText
    """The answer; of two the one that is shown first."""
    sources: Mapping[str, ShownText]
    """Context documents and evidence by id."""
    cited: frozenset[str] = frozenset()
    """What the answer cites, in code's reading: document ids, or the marker as written where it resolves to none."""
    question: ShownText | None = None
    """What was asked; findings may quote it, evidence may not."""
    other: ShownText | None = None
    """Of two answers the one that is shown second."""
    facts: tuple[ShownText, ...] = ()
    """The facts of the reference, in the order of the golden set or of the reference answer that was split."""
    passages: tuple[str, ...] = ()
    """Where the reference was split: the passage of each fact; else empty."""
    evidence: Json = None
    """Structured evidence as it is, where a mode takes JSON Pointers into it."""
    echoes: frozenset[bytes] = frozenset()
    """Canonical JSON of objects that stand in the graded texts (planted verdicts)."""

    def answers(self) -> list[tuple[str, ShownText]]:
        """Return the answers under their source ids: `candidate`, or of two `answer_A` and `answer_B`."""
        if self.other is None:
            return [(CANDIDATE, self.candidate)]
        return [(ANSWER_A, self.candidate), (ANSWER_B, self.other)]

    def named(self) -> list[tuple[str, ShownText]]:
        """Return every graded text with the name under which it is logged: `input`, the answers, sources, `fact 1` and on."""
        asked = [(QUESTION, self.question)] if self.question else []
        return [*asked, *self.answers(), *self.sources.items(), *self._facts()]

    def _facts(self) -> list[tuple[str, ShownText]]:
        return [(f"{FACT} {number}", text) for number, text in enumerate(self.facts, 1)]

    def text_of(self, source: str) -> ShownText | None:
        """Return a source's text, or None where there is no such source."""
        return next((text for name, text in self.answers() if name == source), None) or self.sources.get(source)

    def place_of(self, quote: str) -> str | None:
        """Return the name of a graded text in which a quote stands, answers first and what was asked last, or None."""
        asked = [(QUESTION, self.question)] if self.question else []
        places = [*self.answers(), *self.sources.items(), *self._facts(), *asked]
        return next((name for name, text in places if text.locate(quote)), None)

    def texts(self) -> list[str]:
        """Return every graded text, as stored and, where that differs, as shown."""
        return [text for _, each in self.named() for text in {each.stored, each.shown}]
