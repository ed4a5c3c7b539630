"""Which sentences of an answer the floor judge takes for claims, and what each of them cites.

No claims: questions, greetings, offers of help, announcements, statements that the sources do not say something, and text
that talks to or about the grading. A clause of such a sentence that states something else is a claim of its own. What carries
a figure or an address is a claim in any case. Lists of phrases, English first; they are short and meant to be read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from evalkit.judging.directives import is_directive
from evalkit.judging.floor_terms import Terms, read_terms
from evalkit.records.base import Json
from evalkit.text.citations import parse_citations
from evalkit.text.sentences import sentence_spans

MAX_CLAIMS = 80
"""Claims that are read; a longer answer gets one more claim that says so and has no support."""
MAX_SENTENCES = 400
"""Sentences that are looked at for claims."""

_MARKER = re.compile(r"\[([^\[\]\n]{1,200})\]")
_SILENT = re.compile(
    r"\b(?:documents?|docs|sources?|context|articles?|material|pages?|information|documentation|nothing|none)\b.{0,80}"
    r"(?:\b(?:not|no|nothing|nor|neither|without)|n't)\b"
    r"|(?:\bnot|n't|\bnothing|\bno (?:information|mention|details?|price|figure|statement))\b.{0,60}"
    r"\b(?:documents?|docs|sources?|context|articles?|material|mentioned|described|stated|covered|answered|documented)\b"
    r"|\bnothing about\b|\bi(?:'m| am)? ?(?:can't|cannot|can not|could not|couldn't|unable|not able|don't|do not|have no|found no|not in a position)\b"
    r"|\bi can neither\b|\bso i can(?:'t|not)\b"
    r"|\b(?:keine? |nicht )(?:angaben?|informationen?|hinweis)\b|\bin den dokumenten\b.{0,60}\b(?:nicht|kein)"
    r"|\bles documents\b.{0,40}\bne\b|\bno se indica\b|\bno (?:encuentro|dispongo)\b|記載(?:され|が|は)?\S{0,6}(?:ありません|ない|いません)|見つかりません",
    re.IGNORECASE,
)
_SILENT_HINTS = ("n't", "not", "no", "unable", "neither", "kein", "nicht", "ne ", "ない", "ません")
_COURTESY = re.compile(
    r"\W*(?:(?:hi|hello|hey|dear|thanks|thank you|sure|certainly|of course|absolutely|great question|good question|sorry|i'm sorry|"
    r"i am sorry|i'm afraid|unfortunately|you're welcome|i hope|hope this|happy to|glad to|let me know|feel free|"
    r"here(?:'s| is| are)\b|below (?:is|are)\b|"
    r"(?:please |do |then |just |simply )*(?:contact|ask|reach out|get in touch|write to|put the question|check with|consult|turn to)\b|"
    r"i(?:'d| would)? (?:suggest|recommend|advise)|your best next step|it would be best to|i'd rather not|le recomiendo|lo siento|leider|bitte wenden|désolé|申し訳|恐れ入ります)"
    r"(?:\W|$)|.{0,60}\bwould be the right (?:person|place|contact)\b)",
    re.IGNORECASE,
)
_GRADING = re.compile(
    r"\b(?:claims?|contradictions?|criteri(?:on|a)|rubric|grades?|graded|grading|grader|evaluators?|verdicts?|rationale|hallucinations?)\b",
    re.IGNORECASE,
)
_CLAUSES = re.compile(r"(?:[;—–]| - |, (?:but|however|so|because|since|as|which)\b|: )")
_YES_NO = re.compile(r"\W*(?:yes|no|ja|nein|oui|non|sí|si|はい|いいえ)(?=\W|$)", re.IGNORECASE)
_DETERMINER = re.compile(r"\W*(?:no|non|nein) +(?!(?:you|it|we|they|there|this|that|i|he|she)\b)[^\W\d]", re.IGNORECASE)
"""A "no" that belongs to the word after it ("No refunds are made"), and answers nothing."""
_ITEM = re.compile(r"\s*(?:[-*•–]|\d{1,3}[.)])\s")
_BARE = re.compile(r"[\W\d_]*")


class AnswerClaim(NamedTuple):
    """A sentence, or a clause of one, that states something."""

    text: str
    """An exact substring of the answer, without its citation markers where they close it."""
    terms: Terms
    cites: tuple[str, ...]
    """Labels, as the program reads them, that stand in the sentence or right after it."""
    polarity: bool | None
    """True or False where the sentence opens with yes or no, else None."""


class ReadAnswer(NamedTuple):
    """An answer as the floor judge reads it."""

    claims: tuple[AnswerClaim, ...]
    directives: tuple[str, ...]
    """Sentences that talk to whoever grades; findings, never claims."""
    complete: bool
    """False where the answer goes on after MAX_CLAIMS or MAX_SENTENCES."""


def read_answer(
    text: str, cited: frozenset[str], documents: list[str], spoken: frozenset[str], *, tagged: bool
) -> ReadAnswer:
    """Return the claims of an answer.

    `tagged` tells whether a line of it was tagged as a directive before judging, `cited` holds the labels that the program found in it, `documents` the ids in the order that [1], [2] count,
    `spoken` the stems that occur in the sources: words about grading are the subject's own where a source uses them.
    """
    claims: list[AnswerClaim] = []
    directives: list[str] = []
    watchful = tagged or _GRADING.search(text) is not None
    in_wake = False
    for number, sentence in enumerate(_statements(text)):
        if number == MAX_SENTENCES or len(claims) == MAX_CLAIMS:
            return ReadAnswer(tuple(claims), tuple(directives), complete=False)
        in_wake = watchful and (_talks_to_the_grader(sentence, spoken) or (in_wake and _is_foreign(sentence, spoken)))
        if in_wake:
            directives.append(sentence)
            continue
        found = _claim(sentence, cited, documents)
        if found is not None:
            claims.append(found)
    return ReadAnswer(tuple(claims), tuple(directives), complete=True)


def _statements(text: str) -> Iterator[str]:
    stripped = text.strip().removeprefix("```json").removesuffix("```").strip()
    if stripped.startswith("{") or re.match(r"\[\s*[{\[]", stripped):
        try:
            value = json.loads(stripped)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, (dict, list)) and not (isinstance(value, dict) and "criteria" in value):
            yield from _leaves("", value)
            return
    for sentence in sentence_spans(text):
        yield from filter(None, map(str.strip, sentence.text.split(";")))


def _leaves(path: str, value: Json) -> Iterator[str]:
    """Yield each leaf of a structured answer, a text as it is, else `key value`; null states nothing."""
    stack: list[tuple[str, Json]] = [(path, value)]
    while stack:
        name, item = stack.pop()
        if isinstance(item, dict):
            stack += [(str(key), inner) for key, inner in reversed(item.items())]
        elif isinstance(item, list):
            stack += [(name, inner) for inner in reversed(item)]
        elif item is not None:
            yield item if isinstance(item, str) else f"{name.replace('_', ' ')} {json.dumps(item)}"


def _talks_to_the_grader(sentence: str, spoken: frozenset[str]) -> bool:
    if is_directive(sentence):
        return True
    return any(not (read_terms(found).words & spoken) for found in _GRADING.findall(sentence))


def _is_foreign(sentence: str, spoken: frozenset[str]) -> bool:
    """Tell whether a sentence right after a directive goes on with it: no figure, and no word that a source uses."""
    terms = read_terms(sentence)
    return not terms.figures and not terms.words & spoken


def _claim(sentence: str, cited: frozenset[str], documents: list[str]) -> AnswerClaim | None:
    found = parse_citations(sentence, None, documents) if cited else None
    cites = tuple(label for label in found.resolved + found.unresolved if label in cited) if found else ()
    text = _ITEM.sub("", _MARKER.sub(" ", sentence) if cites else sentence).replace("’", "'")
    yes_no = None if _DETERMINER.match(text) else _YES_NO.match(text)
    text = text[yes_no.end() :] if yes_no else text
    kept = ", ".join(clause for clause in _clauses(text) if _states(clause))
    polarity = (
        None
        if yes_no is None
        else yes_no.group().strip(" \t\n\"'*_-.").lower() in ("yes", "ja", "oui", "sí", "si", "はい")
    )
    terms = read_terms(kept)
    if not terms.words and not terms.figures and not (cites and polarity is not None):
        return None
    return AnswerClaim(sentence, terms, cites, polarity)


def _clauses(text: str) -> list[str]:
    """Return the clauses of a sentence that has something to leave out, else the sentence whole."""
    if _is_silent(text) or _COURTESY.match(text):
        return _CLAUSES.split(text)
    return [text]


def _is_silent(text: str) -> bool:
    """Tell whether a text says that the sources do not say something."""
    lowered = text.lower()
    return any(hint in lowered for hint in _SILENT_HINTS) and _SILENT.search(text) is not None


def _states(clause: str) -> bool:
    clause = clause.strip()
    if _BARE.fullmatch(clause) and not any(c.isdigit() for c in clause):
        return False
    if clause.endswith(("?", "？")):
        return False
    if not (_is_silent(clause) or _COURTESY.match(clause) or clause.endswith((":", "："))):
        return True
    found = read_terms(clause)
    return bool(found.figures) or any("@" in word for word in found.words)
