"""What `refusal_stance` knows of one language: four patterns, compiled when an answer first needs them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, kw_only=True)
class RefusalLanguage:
    """The ways of one language to decline, as sources of regular expressions.

    They see a sentence after folding: lower case, straight apostrophes, no markup, quotations cut out.
    """

    hints: tuple[str, ...]
    """Pieces of words without which nothing declines; looked for first, because most sentences hold none."""
    refuses: tuple[str, ...]
    """Flat refusals (`I can't help with that`): explanations after them do not take them back."""
    silent: tuple[str, ...]
    """Other ways to decline: the sources are silent, the speaker does not know or cannot do one thing."""
    filler: tuple[str, ...]
    """Sentences that neither answer nor decline: apology, thanks, restating the question, where to ask, an offer."""
    turns: str
    """Where an answer turns from declining to answering after all: `but`, `however`, `here is how`."""

    def declines(self, text: str, start: int = 0) -> re.Match[str] | None:
        """Return where a sentence declines, from `start` on."""
        return self._declines(text, start) if any(hint in text for hint in self.hints) else None

    def refuses_flatly(self, text: str) -> bool:
        """Tell whether a sentence that declines is a flat refusal."""
        return self._refuses(text) is not None

    def fills(self, text: str) -> bool:
        """Tell whether a sentence is filler."""
        return self._filler(text) is not None

    @cached_property
    def turn(self) -> re.Pattern[str]:
        """The compiled `turns`."""
        return re.compile(self.turns)

    @cached_property
    def _declines(self) -> Callable[..., re.Match[str] | None]:
        return _any_of(*self.refuses, *self.silent).search

    @cached_property
    def _refuses(self) -> Callable[..., re.Match[str] | None]:
        return _any_of(*self.refuses).search

    @cached_property
    def _filler(self) -> Callable[..., re.Match[str] | None]:
        return _any_of(*self.filler).search


def _any_of(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{part})" for part in parts))
