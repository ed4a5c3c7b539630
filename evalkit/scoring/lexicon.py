"""Lexicon: terms that an answer must not use, with exemptions, between word boundaries of every script.

A term is found in NFKC, whatever its case, with curly or straight quotes, across any white space and through invisible characters
put inside it. A word goes on as long as letters, marks or digits follow: `art` is not in `restart`, `elk` not in `elkészítése`;
`_flaw_` is an emphasised flaw, `flaw_count` is a name.
A use inside an exempt phrase is allowed: with `not a flaw` exempt, "this is not a flaw" passes and "no flaws in this stone" fails.
`left_to_judge` is never matched: there a reader decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evalkit.errors import Fault, InputError
from evalkit.records.base import Json, Record
from evalkit.records.cases import Case
from evalkit.records.identity import content_hash
from evalkit.records.lexicons import Lexicon, LexiconTerm
from evalkit.records.outputs import Output
from evalkit.records.scores import CriterionSpec, Result, Score, Signature
from evalkit.scoring.answer import without_text
from evalkit.scoring.excerpt import around
from evalkit.scoring.settings import Resources, read_settings
from evalkit.text.nearest import nearest
from evalkit.text.normalise import fold, is_blank, plain
from evalkit.text.tokens import is_unspaced

_WORD_CHARACTER = r"[\p{L}\p{M}\p{N}]"


class LexiconSettings(Record):
    """Settings of `lexicon`."""

    lexicon: str
    """Name of the lexicon: the suite's folder first, then what the package ships."""


@dataclass(frozen=True, slots=True)
class Use:
    """A banned term in a text."""

    term: LexiconTerm
    found: str
    around: str


class LexiconMatcher:
    """A lexicon, compiled."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._terms = [
            (term, phrase_pattern([term.term]), phrase_pattern(term.exempt) if term.exempt else None)
            for term in lexicon.terms
        ]

    def uses(self, text: str) -> Iterator[Use]:
        """Yield each use of a banned term that no exemption covers."""
        text = plain(text)
        for term, banned, exempt in self._terms:
            allowed: list[tuple[int, int]] | None = None
            for match in banned.finditer(text):
                if allowed is None:
                    allowed = [m.span() for m in exempt.finditer(text, overlapped=True)] if exempt is not None else []
                start, end = match.span()
                if not any(first <= start and end <= last for first, last in allowed):
                    yield Use(term, match[0], around(text, start, end))


class LexiconScorer:
    """1 where the answer uses no banned term, else 0. The criterion bears the lexicon's id.

    Raises InputError for an unknown lexicon, and for one whose own examples fail: its rows would say something else than it does.
    """

    def __init__(self, settings: Mapping[str, Json], resources: Resources) -> None:
        name = read_settings(LexiconSettings, "lexicon", settings, resources).lexicon
        lexicon = resources.lexicons.get(name)
        if lexicon is None:
            remedy = nearest(name, resources.lexicons, "lexicons")
            raise InputError(
                [Fault(file=resources.file, field="scorer lexicon", problem=f"no lexicon {name!r}", remedy=remedy)]
            )
        faults = lexicon_faults(lexicon, f"{resources.file}, lexicon {name}")
        if faults:
            raise InputError(faults)
        self._matcher = LexiconMatcher(lexicon)
        self.criteria = (CriterionSpec(id=lexicon.id),)
        identity = {
            "lexicon": lexicon.id,
            "lexicon_version": lexicon.version,
            "lexicon_hash": content_hash("lexicon/1", lexicon.model_dump(mode="json")),
        }
        self.signature = Signature(scorer="lexicon", version="1", settings=identity)

    def score(self, case: Case, output: Output) -> tuple[Result, ...]:
        """Return one Score."""
        del case
        missing = without_text(output, calls_suffice=True)
        if missing is not None:
            return (missing,)
        uses = list(self._matcher.uses(output.text or ""))
        if not uses:
            return (Score(1.0, passed=True),)
        reason = "; ".join(_reason(use) for use in uses)
        found: Json = [{"term": use.term.term, "found": use.found, "around": use.around} for use in uses]
        return (Score(0.0, passed=False, reason=reason, metadata={"uses": found}),)


def _reason(use: Use) -> str:
    why = f": {use.term.reason}" if use.term.reason else ""
    return f"{use.found!r} ({use.around}){why}"


def phrase_pattern(phrases: Iterable[str]) -> Any:
    """Return the compiled pattern of phrases between word boundaries, longest first."""
    import regex

    branches = sorted((_branch(plain(phrase)) for phrase in phrases), key=len, reverse=True)
    return regex.compile("|".join(branches), regex.IGNORECASE)


def _branch(phrase: str) -> str:
    import regex

    words = phrase.split()
    body = r"\s+".join(regex.escape(word) for word in words)
    before = f"(?<!{_WORD_CHARACTER}_?)" if words and _has_boundary(words[0][0]) else ""
    after = f"(?!_?{_WORD_CHARACTER})" if words and _has_boundary(words[-1][-1]) else ""
    return f"{before}{body}{after}"


def _has_boundary(character: str) -> bool:
    """Tell whether a phrase's outer character must not be followed by more of a word."""
    return character.isalnum() and not is_unspaced(character)


def lexicon_faults(lexicon: Lexicon, file: str) -> tuple[Fault, ...]:
    """Return what is wrong with a lexicon beyond its form; every example is run.

    A term's `fails` must be caught by that term, its `passes` by no term; each exemption must contain its term and stand in one
    of its passing examples; a term stands once, and not also under `left_to_judge`.
    """
    faults: list[Fault] = []
    seen = {fold(term.term): f"left_to_judge.{n}" for n, term in enumerate(lexicon.left_to_judge)}
    matcher = LexiconMatcher(lexicon)
    for number, term in enumerate(lexicon.terms):
        place = f"terms.{number}"
        if is_blank(plain(term.term)):
            faults.append(Fault(file=file, field=f"{place}.term", problem=f"{term.term!r} has nothing to look for"))
            continue
        earlier = seen.setdefault(fold(term.term), place)
        if earlier != place:
            faults.append(Fault(file=file, field=f"{place}.term", problem=f"{term.term!r} stands already at {earlier}"))
        faults += _exemption_faults(term, file, place)
        faults += _example_faults(matcher, term, file, place)
    return tuple(faults)


def _exemption_faults(term: LexiconTerm, file: str, place: str) -> Iterator[Fault]:
    banned = phrase_pattern([term.term])
    for number, phrase in enumerate(term.exempt):
        field = f"{place}.exempt.{number}"
        if not banned.search(plain(phrase)):
            yield Fault(
                file=file, field=field, problem=f"{phrase!r} does not contain {term.term!r}, so it exempts nothing"
            )
        elif not any(phrase_pattern([phrase]).search(plain(example)) for example in term.passes):
            yield Fault(
                file=file, field=field, problem=f"{phrase!r} stands in no example", remedy=f"add one to {place}.passes"
            )


def _example_faults(matcher: LexiconMatcher, term: LexiconTerm, file: str, place: str) -> Iterator[Fault]:
    for number, example in enumerate(term.fails):
        if not any(use.term is term for use in matcher.uses(example)):
            yield Fault(
                file=file,
                field=f"{place}.fails.{number}",
                problem=f"{example!r} should fail for {term.term!r} and passes",
            )
    for number, example in enumerate(term.passes):
        for use in matcher.uses(example):
            yield Fault(
                file=file,
                field=f"{place}.passes.{number}",
                problem=f"{example!r} should pass and fails for {use.term.term!r}",
            )
