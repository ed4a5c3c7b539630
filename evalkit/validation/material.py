"""What a verdict may quote: the texts that were graded, as stored and as shown, and what code already knows about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evalkit.records.texts import ShownText

CANDIDATE = "candidate"
"""The source id of the answer itself; a context document of that name cannot be loaded."""
QUESTION = "input"
"""Where a finding stands that quotes what was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """The graded texts of one request."""

    candidate: ShownText
    sources: Mapping[str, ShownText]
    """Context documents and evidence by id."""
    cited: frozenset[str] = frozenset()
    """What the answer cites, in code's reading: document ids, or the marker as written where it resolves to none."""
    question: ShownText | None = None
    """What was asked; findings may quote it, evidence may not."""
    echoes: frozenset[bytes] = frozenset()
    """Canonical JSON of objects that stand in the graded texts (planted verdicts)."""

    def named(self) -> list[tuple[str, ShownText]]:
        """Return every graded text with the name under which it is logged: `input`, `candidate`, then the sources."""
        asked = [(QUESTION, self.question)] if self.question else []
        return [*asked, (CANDIDATE, self.candidate), *self.sources.items()]

    def text_of(self, source: str) -> ShownText | None:
        """Return a source's text, or None where there is no such source."""
        return self.candidate if source == CANDIDATE else self.sources.get(source)

    def place_of(self, quote: str) -> str | None:
        """Return the name of a graded text in which a quote stands, the answer first and what was asked last, or None."""
        if self.candidate.locate(quote):
            return CANDIDATE
        found = next((name for name, text in self.sources.items() if text.locate(quote)), None)
        asked = self.question
        return QUESTION if found is None and asked is not None and asked.locate(quote) else found

    def texts(self) -> list[str]:
        """Return every graded text, as stored and, where that differs, as shown."""
        return [text for _, each in self.named() for text in {each.stored, each.shown}]
