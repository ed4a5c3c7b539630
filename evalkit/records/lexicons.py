"""A lexicon: terms that an answer must not use, the uses that are exempt, and the terms that only a reader can judge."""

from typing import Annotated, Literal

from pydantic import Field

from evalkit.records.base import Record


class LexiconTerm(Record):
    """A banned term."""

    term: Annotated[str, Field(min_length=1)]
    """Words, matched case-insensitively between word boundaries; white space matches any white space."""
    reason: str = ""
    """Why it is banned, for the failure's text."""
    exempt: tuple[str, ...] = ()
    """Phrases that contain the term and are allowed, e.g. `not a flaw`."""
    fails: tuple[str, ...] = ()
    """Example sentences that must fail; run by `evalkit check`."""
    passes: tuple[str, ...] = ()
    """Example sentences that must pass; run by `evalkit check`."""


class JudgesTerm(Record):
    """A term kept out of the pattern on purpose."""

    term: Annotated[str, Field(min_length=1)]
    reason: Annotated[str, Field(min_length=1)]
    """Why only a reader can decide it."""


class Lexicon(Record):
    """lexicon.yaml."""

    schema_version: Literal[1] = 1
    """Version of this format."""
    id: Annotated[str, Field(min_length=1)]
    """Name by which scorers use it."""
    version: Annotated[str, Field(min_length=1)]
    """Changes with any change of meaning."""
    terms: tuple[LexiconTerm, ...]
    """What is banned."""
    left_to_judge: tuple[JudgesTerm, ...] = ()
    """What is not, and why."""
