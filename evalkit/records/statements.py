"""A triage's table: what an answer states, sentence by sentence, with the judge's typed answers and the class that follows from them.

The class is never the judge's to say. A record whose class does not follow from its answers cannot be read or written.
"""

from typing import Literal, Self

from pydantic import model_validator

from evalkit.records.base import Record

Scope = Literal["restatement", "item", "general"]
Ruling = Literal["violation", "misattribution", "inaccurate_general", "cleared"]
NOBODY = "nobody"
"""Owner of a statement that credits no one, or that is no one's finding; reserved in every rubric."""


class Quoted(Record):
    """Words of a graded text, found character for character."""

    source: str
    """A document's id, `evidence` or `candidate`."""
    quote: str
    start: int
    """Offset of the first character in the text as stored, in code points."""
    end: int


class Pointed(Record):
    """A part of the structured evidence that exists."""

    path: str
    """JSON Pointer (RFC 6901) into the case's evidence."""
    value: str
    """What stands there, as JSON; a long value is cut."""


class Statement(Record):
    """One thing that an answer states."""

    id: int
    """Place in the table, from 1."""
    quote: str
    """The answer's words."""
    start: int
    end: int
    scope: Scope
    """`restatement` repeats the evidence, `item` says more about the subject of the case, `general` about its kind."""
    paths: tuple[Pointed, ...] = ()
    """Structured evidence that it was checked against."""
    evidence: tuple[Quoted, ...] = ()
    """Documents that it was checked against."""
    why: str
    """The judge's reason, written before the answers below."""
    supported: bool | None
    """Whether the evidence establishes it; null unless the scope is `item`."""
    accurate: bool | None
    """Whether it is true of the subject's kind; null unless the scope is `general`."""
    owner_stated: str
    """Whom the sentence credits with the finding."""
    owner_true: str
    """Whose finding it is."""
    ruling: Ruling
    """The class, computed in code."""

    @model_validator(mode="after")
    def _follows(self) -> Self:
        due = ruling_of(
            self.scope, self.owner_stated, self.owner_true, supported=self.supported, accurate=self.accurate
        )
        if self.ruling != due:
            raise ValueError(f"statement {self.id} is called {self.ruling}, but its answers make it {due}")
        return self


class Handoff(Record):
    """Whether the answer had to send its reader to a human, and where it does."""

    needed: bool
    """Whether something was asked or brought up that the evidence cannot answer."""
    quote: str
    """The words that send the reader to a human for it; empty where none do."""


def ruling_of(
    scope: Scope, owner_stated: str, owner_true: str, *, supported: bool | None, accurate: bool | None
) -> Ruling:
    """Return a statement's class. Each has exactly one, so the classes add up to the table.

    A violation is a statement about this item that the evidence does not establish, whoever is credited with it; only what would
    otherwise be cleared can be a misattribution.
    """
    if scope == "item" and not supported:
        return "violation"
    if scope == "general" and not accurate:
        return "inaccurate_general"
    if owner_stated not in (NOBODY, owner_true):
        return "misattribution"
    return "cleared"
