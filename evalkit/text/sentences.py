"""Sentences of a text, each an exact substring with its offsets, in linear time.

A sentence ends at a full stop (Latin, CJK, Indic, Arabic) with its closing quotes and brackets; citation markers right after
the full stop belong to the sentence before. No end: decimals and domain names (no space follows), abbreviations, initials,
the number of a list item, a stop before a lower-case word. A blank line, a list item, a heading or a line break before
anything but a lower-case letter ends a sentence too. Over-long sentences are cut at white space (MAX_LENGTH).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

MAX_LENGTH = 600
"""Longest sentence in characters; a longer run without a full stop is cut, at white space where there is some."""


class Sentence(NamedTuple):
    """A sentence and where it stands."""

    start: int
    """Offset of the first character, in code points."""
    end: int
    """Offset after the last character."""
    text: str
    """The characters between them, without white space around."""


_CLOSERS = "\"'”’»)\\]）」』】*_`"
_MARKERS = r"(?:[ \t]?\[[^\[\]\n]{1,120}\])*"
_END = re.compile(
    rf"(?P<stop>[.!?…]{{1,8}}[{_CLOSERS}]{{0,4}}){_MARKERS}(?=\s|$)"
    rf"|(?P<wide>[。！？｡．।॥؟۔]{{1,8}}[{_CLOSERS}]{{0,4}}){_MARKERS}"
    r"|(?P<line>(?:\r?\n|[\r\u2028\u2029])\s*)"
)
_NEXT = re.compile(r"\s*(?P<next>\S)")
_ITEM = re.compile(r"\s*(?:[-*•–]|\d{1,3}[.)]|#{1,6}|[|>])(?:\s|$)")
_HEADING = re.compile(r"\s*#{1,6}\s")
_WORD_BEFORE = re.compile(r"(?:^|[\s(\[\"'“‘])([^\W_][\w.&]{0,11})$")
_LIST_NUMBER = re.compile(r"(?:^|\n)[ \t]*\d{1,3}$")
_SHORT_FORMS = (
    "mr mrs ms dr prof st sr jr vs etc e.g i.e eg ie cf no nr fig vol pp p ca approx inc ltd co corp dept est al "
    "jan feb mar apr jun jul aug sep sept oct nov dec z.b d.h u.a bzw ggf usw p.ej sra m mme art sec min max incl excl a.m p.m u.s u.k"
)
_ABBREVIATIONS = frozenset(_SHORT_FORMS.split())
_CONTINUES = frozenset({"etc", "inc", "ltd", "co", "corp", "al", "sr", "jr", "usw", "a.m", "p.m", "u.s", "u.k"})
"""Abbreviations that may also end a sentence: they do where an upper-case word follows."""


def sentence_spans(text: str) -> Iterator[Sentence]:
    """Yield the sentences of a text in order. Together they cover all of it but white space."""
    start = 0
    for match in _END.finditer(text):
        if _ends(text, match) or (match["line"] and _HEADING.match(text, start, start + 40)):
            yield from _cut(text, start, match.end())
            start = match.end()
    yield from _cut(text, start, len(text))


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, each an exact substring of it."""
    return [sentence.text for sentence in sentence_spans(text)]


def _ends(text: str, match: re.Match[str]) -> bool:
    if match["wide"]:
        return True
    if match["line"]:
        breaks = match["line"].count("\n") + match["line"].count("\r\r")
        after = text[match.end() : match.end() + 1]
        return breaks > 1 or not after.islower() or _ITEM.match(text, match.end(), match.end() + 8) is not None
    following = _NEXT.match(text, match.end(), match.end() + 40)
    after = following["next"] if following else ""
    stop = match["stop"]
    if stop[0] in "!?":
        return True
    if after.islower() and "\n" not in text[match.end() : match.end() + 2]:
        return False
    if not stop.startswith(".") or len(stop) > 1:
        return True
    return not _abbreviated(text[max(0, match.start() - 14) : match.start()], after)


def _abbreviated(before: str, after: str) -> bool:
    if _LIST_NUMBER.search(before):
        return True
    word = _WORD_BEFORE.search(before)
    if word is None:
        return False
    name = word[1]
    if len(name) == 1 and name.isalpha() and name.isupper():
        return True
    known = name.lower()
    return known in _ABBREVIATIONS and not (known in _CONTINUES and after.isupper())


def _cut(text: str, start: int, end: int) -> Iterator[Sentence]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    while end - start > MAX_LENGTH:
        space = text.rfind(" ", start + MAX_LENGTH // 2, start + MAX_LENGTH)
        middle = space if space > 0 else start + MAX_LENGTH
        yield Sentence(start, middle, text[start:middle])
        start = middle
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        yield Sentence(start, end, text[start:end])
