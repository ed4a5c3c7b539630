"""Whether an answer declines, read from its main statement.

An answer declines where its first sentence that is no filler (apology, thanks, restated question, where else to ask) says that
the speaker will not or cannot help, does not know, or that the sources are silent, and the answer does not go on to answer
after all. So sympathy, quoted dialogue, disclaimers and a product's limits are no refusals, and a gap that is named after the
answer was given is none either. The rules read words, not meaning: where words and content may disagree, `conflict` says so.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from evalkit.scoring.refusal_language import RefusalLanguage
from evalkit.text.code_spans import without_code

READ_CHARS = 20_000
"""How much of an answer is read; a refusal that comes later is none."""

_APOSTROPHES = str.maketrans(dict.fromkeys("\u2019\u2018\u02bc\u2032\u00b4\u0060\u02b9\uff07\u201b", "'"))
_MARKUP = re.compile(r"[*_#>~|]+|^\s*(?:[-+•]|[0-9]{1,2}[.)])\s+", re.MULTILINE)
_QUOTES = re.compile(
    r'"[^"\n]{1,600}"|“[^”\n]{1,600}”|„[^“”\n]{1,600}[“”]|^ {0,3}>.*$|«[^»\n]{1,600}»|「[^」\n]{1,600}」|『[^』\n]{1,600}』',
    re.MULTILINE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\s)\]]+|(?<=[。！？])|\n+")
_CITATION = re.compile(r"\[[^\[\]\n]{1,120}\]")
_CITED = "§"
"""Stands for a citation, so that the words of a document's id are not read as the answer's."""
_SPACES = re.compile(r"[^\S\n]+")
_CONTRAST = re.compile(
    r"[,;:]? \b(?:but|though|although|while|whereas|however|except that|aber|obwohl|jedoch|mais|bien que|pero|aunque|mas|embora|ma|anche se)\b"
)
_SOURCES = re.compile(
    r"\b(?:documents?|documentation|docs|sources?|context|material|pages?|dokument\w*|unterlagen|quellen|documentos?|documentação|documentación|"
    r"documenti|fonti|fuentes|fontes)\b"
)
_SHOWING = ("here", "so i", "voici", "aquí", "aqui", "ecco", "so geht")
_LEAD_WORDS = 16
"""Words that may stand before a statement that declines, e.g. `Based on the documents I was given, ...`."""


@dataclass(frozen=True, slots=True)
class Stance:
    """What an answer does with the question."""

    declines: bool
    statement: str
    """The sentence that decided; empty where nothing pointed to a refusal."""
    conflict: str
    """Why a careful reader could come to the other result; empty where nothing speaks for it."""


def read_stance(text: str, languages: Sequence[RefusalLanguage], phrases: Sequence[str] = ()) -> Stance:
    """Return whether an answer declines. `phrases` are statements of the user's own that decline wherever they stand first."""
    shown = _sentences(text[:READ_CHARS])
    folded = [sentence.casefold() for sentence in shown]
    own = [_plain(phrase).casefold().strip(" .!?") for phrase in phrases]
    for number, sentence in enumerate(folded):
        found = _declining(sentence, languages, own)
        later = folded[number + 1 :]
        if found is not None:
            turned = _turn_to_an_answer(found, later, languages)
            told = 0 if found.flat else sum(_tells(other, languages) for other in later)
            retold = f"declines, then tells {told} sentences of other content" if told >= 2 else ""
            return Stance(declines=not turned, statement=shown[number], conflict=turned or retold)
        if not _is_filler(sentence, languages):
            gaps = (at for at, other in enumerate(later, number + 1) if _declining(other, languages, own) is not None)
            gap = next(gaps, None)
            if gap is not None:
                return Stance(
                    declines=False, statement=shown[gap], conflict="answers first, then declines or names a gap"
                )
            break
    return Stance(declines=False, statement="", conflict="")


@dataclass(frozen=True, slots=True)
class _Declining:
    rest: str
    """What the sentence says after it declined."""
    flat: bool
    """A flat refusal, which explanations do not take back."""


def _declining(sentence: str, languages: Sequence[RefusalLanguage], own: Sequence[str]) -> _Declining | None:
    for phrase in own:
        if phrase and phrase in sentence:
            return _Declining(sentence.partition(phrase)[2], flat=True)
    for language in languages:
        match = language.declines(sentence)
        if match is None:
            continue
        lead = sentence[: match.start()]
        if len(lead.split()) > _LEAD_WORDS or _CITED in lead or _answers_before(lead, languages):
            continue
        return _Declining(sentence[match.end() :], flat=language.refuses_flatly(sentence))
    return None


def _answers_before(lead: str, languages: Sequence[RefusalLanguage]) -> bool:
    """Tell whether a sentence answers before it names a gap: `refunds take 30 days, though the documents ...`."""
    contrast = _CONTRAST.search(lead)
    if contrast is None:
        return False
    before = lead[: contrast.start()]
    return _tells(before, languages) and (_SOURCES.search(before) is None or any(c.isdigit() for c in before))


def _turn_to_an_answer(found: _Declining, later: Sequence[str], languages: Sequence[RefusalLanguage]) -> str:
    """Return how an answer goes on to answer after it declined; empty where it does not."""
    for language in languages:
        turn = language.turn.search(found.rest)
        if turn and _answers(found.rest, turn, languages):
            return "the sentence declines, then goes on to answer"
    turned = next((sentence for sentence in later if _turns(sentence, languages, flat=found.flat)), None)
    return "" if turned is None else f"declines first, then turns to an answer: {turned[:150]}"


def _turns(sentence: str, languages: Sequence[RefusalLanguage], *, flat: bool) -> bool:
    """Tell whether a sentence turns to an answer; after a flat refusal only an explicit one (`here is how`) does."""
    opening = sentence.lstrip(" ,;:-\u2013\u2014…")
    for language in languages:
        turn = language.turn.match(opening)
        if turn and (not flat or turn[0].startswith(_SHOWING)):
            return _answers(opening, turn, languages)
    return False


def _answers(part: str, turn: re.Match[str], languages: Sequence[RefusalLanguage]) -> bool:
    """Tell whether something of substance follows a turn. The turn's own words may belong to what declines again."""
    again = any(language.declines(part, turn.start()) for language in languages)
    return not again and not _is_filler(part[turn.start() :], languages) and _tells(part[turn.end() :], languages)


def _tells(part: str, languages: Sequence[RefusalLanguage]) -> bool:
    """Tell whether a part of an answer says something of substance: three words, or some Japanese, that neither decline nor fill."""
    plain = part.strip(" ,;:-\u2013\u2014")
    if len(plain.split()) < 3 and (plain.isascii() or len(plain) < 8):
        return False
    return not _is_filler(plain, languages) and not any(language.declines(plain) for language in languages)


def _is_filler(sentence: str, languages: Sequence[RefusalLanguage]) -> bool:
    if _CITED in sentence or any(character.isdigit() for character in sentence):
        return False  # where to ask, with a figure or a source in it, is an answer
    return any(language.fills(sentence) for language in languages)


def _sentences(text: str) -> list[str]:
    bare = _plain(_QUOTES.sub(" … ", text))
    if not re.search(r"\w", bare):
        bare = _plain(text).strip('"“”„«»「」『』 \n')  # the whole answer is one quotation
    return [sentence for part in _SENTENCE_END.split(bare) if re.search(r"\w", sentence := part.strip(" \t.!?…。！？"))]


def _plain(text: str) -> str:
    if "`" in text or "~~~" in text:
        text = without_code(text)
    text = _MARKUP.sub("", _CITATION.sub(_CITED, text.translate(_APOSTROPHES)))
    return _SPACES.sub(" ", unicodedata.normalize("NFC", text))
