"""Regular expressions that the answer must, may or must not match, with a time limit on each match.

The engine is the PyPI package `regex`, because its matches can be interrupted: a pattern that runs away costs TIMEOUT_S and
makes that one case a `scorer_error`, never a pass and never a fail.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from evalkit.errors import Fault, InputError
from evalkit.records.base import Json, Record
from evalkit.records.cases import Case
from evalkit.records.outputs import Output
from evalkit.records.scores import CriterionSpec, Result, Score, Signature, Unscored
from evalkit.scoring.answer import without_text
from evalkit.scoring.excerpt import around, clipped
from evalkit.scoring.pattern_check import check_pattern
from evalkit.scoring.settings import Resources, read_settings

TIMEOUT_S = 2.0
"""Longest time for one pattern on one answer, in seconds."""

Patterns = tuple[Annotated[str, Field(min_length=1)], ...]


class RegexSettings(Record):
    """Settings of `regex`; at least one pattern. Each pattern is grouped before anything is put around it."""

    pattern: Annotated[str, Field(min_length=1)] | None = None
    """A pattern that must match; the same as one entry of `all`."""
    all: Patterns = ()
    """Each of these must match."""
    any: Patterns = ()
    """At least one of these must."""
    none: Patterns = ()
    """None of these may."""
    whole: bool = False
    """Match the whole answer, white space at its ends aside, not a part of it."""
    words: bool = False
    """Match whole words only."""
    ignore_case: bool = False
    """Ignore case."""
    multiline: bool = False
    """^ and $ also match at line ends."""
    dotall: bool = False
    """The dot also matches a line end."""

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        if not self.patterns():
            raise ValueError("name a pattern under pattern, all, any or none")
        return self

    def required(self) -> Patterns:
        """Return the patterns that must match."""
        return self.all if self.pattern is None else (self.pattern, *self.all)

    def patterns(self) -> Patterns:
        """Return every pattern once."""
        return tuple(dict.fromkeys((*self.required(), *self.any, *self.none)))


class Regex:
    """1 where the answer matches all of `all`, one of `any` and none of `none`, else 0."""

    criteria = (CriterionSpec(id="regex"),)

    def __init__(self, settings: Mapping[str, Json], resources: Resources) -> None:
        self._settings = read_settings(RegexSettings, "regex", settings, resources)
        self.signature = Signature(scorer="regex", version="1", settings=self._settings.model_dump(mode="json"))
        patterns = self._settings.patterns()
        self._compiled = {pattern: _compile(pattern, self._settings, resources) for pattern in patterns}
        self.warnings = tuple(warning for pattern in patterns for warning in check_pattern(pattern))
        """What `evalkit check` says about the patterns."""

    def score(self, case: Case, output: Output) -> tuple[Result, ...]:
        """Return one Score; `scorer_error` where a pattern takes too long."""
        del case
        missing = without_text(output)
        if missing is not None:
            return (missing,)
        text = output.text or ""
        faults: list[str] = []
        try:
            faults += [
                f"does not match {pattern!r}" for pattern in self._settings.required() if not self._find(pattern, text)
            ]
            either = self._settings.any
            if either and not any(self._find(pattern, text) for pattern in either):
                faults.append(f"matches none of {', '.join(map(repr, either))}")
            for pattern in self._settings.none:
                match = self._find(pattern, text)
                if match:
                    faults.append(
                        f"matches {pattern!r}: {clipped(match[0])!r} at {match.start()} ({around(text, *match.span())})"
                    )
        except TimeoutError:
            return (Unscored("scorer_error", f"regex timeout: a match took longer than {TIMEOUT_S:g} s"),)
        if faults:
            return (Score(0.0, passed=False, reason="; ".join(faults)),)
        return (Score(1.0, passed=True),)

    def _find(self, pattern: str, text: str) -> Any:
        compiled = self._compiled[pattern]
        if self._settings.whole:
            return compiled.fullmatch(text.strip(), timeout=TIMEOUT_S)
        return compiled.search(text, timeout=TIMEOUT_S)


def _compile(pattern: str, settings: RegexSettings, resources: Resources) -> Any:
    import regex

    flags = (
        (regex.IGNORECASE if settings.ignore_case else 0)
        | (regex.MULTILINE if settings.multiline else 0)
        | (regex.DOTALL if settings.dotall else 0)
    )
    try:
        compiled = regex.compile(pattern, flags)
        # The bare pattern is compiled first: an unbalanced one must not become valid by what is put around it.
        return regex.compile(rf"(?<!\w)(?:{pattern})(?!\w)", flags) if settings.words else compiled
    except regex.error as error:
        problem = f"{pattern!r} is no regular expression: {error}"
        raise InputError([Fault(file=resources.file, field="scorer regex", problem=problem)]) from None
