r"""Citations in an answer: the markers in its text and its citations field, resolved against the documents of its case.

A marker is a pair of square brackets on one line outside code: `[1]`, `[1, 2]`, `[1-3]`, `[doc:billing/refunds]`,
`[billing/refunds]`. A number is a document's id where one has that id, otherwise its position in the context, from 1.

What is not a marker, by rule:
- anything in a code block or inline code; brackets that span a line break; check boxes; the text of a link `[text](url)`,
  unless it is a number or an id of the case (`[1](url)` cites 1);
- bracketed words (`[optional]`, `[sic]`): they count as an unknown id only after `doc:`, where they differ from a known id in
  case alone, or where they are built like the case's ids: one word with every mark (slash, digit, hyphen...) that all ids of
  the case share; where ids share none, a slash, underscore or hash, or a hyphen or dot together with a digit.

What looks like a citation but is in none of these formats is `malformed`, so that it is neither counted nor overlooked:
`[^1]`, `[Source 1]`, `[1†source]`, `[citation needed]`, `[01]`, `[1-99999]`, `[[1]]`, `\[1\]`, `【1】`, `［1］`, `(doc:x)`,
`(billing/refunds)`, and `(1)` where it ends a clause and numbers a document of the case.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from evalkit.text.code_spans import without_code

MAX_RANGE = 50
"""Most documents that one range may cite."""

MAX_MARKER_CHARS = 2000
"""Longest bracket that is read; ids of 300 characters are real."""

_SQUARE = re.compile(r"\[([^\[\]\n]*)\]")
_ROUND = re.compile(r"\(([^\s()]{1,300}(?:[ \t][^\s()]{1,300}){0,3})\)")  # four words at most: more is prose
_WIDE = re.compile(r"[【［〔]([^【】［］〔〕\n]{1,400})[】］〕]")
_NUMBER = re.compile(r"[1-9][0-9]*|0")
_RANGE = re.compile(r"([1-9][0-9]{0,8})\s*[-\u2010-\u2015]\s*([1-9][0-9]{0,8})")
_SHORT_NUMBERS = re.compile(r"[0-9]{1,2}(?:\s*,\s*[0-9]{1,2})*")
_NUMBER_DRIFT = re.compile(
    r"""\^[\w.-]+                                  # [^1], [^note]
    | 0[0-9]+                                      # [01]
    | \#\s?[0-9]+                                  # [#1]
    | [0-9]{1,3}\s?(?:[†‡*;|]|[.:](?![0-9])).*     # [1†source], [1.], [1: refunds], but neither 1.5 nor 12:30
    | [⁰¹²³⁴-⁹]+                                   # [¹]
    """,
    re.VERBOSE,
)
_WORD_DRIFT = re.compile(
    r"(?:see|docs?|documents?|sources?|refs?|references?|cites?|citations?|passages?|context|chunk|footnote|quelle|fuente)"
    r"[\s.:#_-]*(.*)",
    re.IGNORECASE,
)
_EMPTY_PROMISES = frozenset({
    "citation needed", "citation", "citations", "source", "sources", "source needed", "ref", "reference", "references", "cite",
    "doc", "doc:", "document", "?",
})  # fmt: skip
_DECIMAL = re.compile(r"[+-]?[0-9]+[.][0-9]+%?")
_ID_WORD = re.compile(r"\w[^\s,;]*")
_TIME = re.compile(r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?")
_MARKS = "/_:#-."
_SPECIAL = frozenset("\\[!")
"""Characters in front of a marker that make it an escape, a doubled bracket or an image."""
_PLAIN_SLASHES = frozenset(
    {"and/or", "n/a", "either/or", "he/she", "she/he", "his/her", "s/he", "w/o", "y/n", "yes/no", "true/false"}
)
_NUMBERED_THING = re.compile(
    r"\b(?:sections?|steps?|items?|options?|figures?|tables?|articles?|paragraphs?|clauses?|parts?|points?|pages?|lines?|notes?"
    r"|no\.?|numbers?|versions?|levels?|phases?|tiers?)\s*$",
    re.IGNORECASE,
)


REMEMBERED = 1000
"""Insides of brackets that are remembered per set of documents."""


class Cited(NamedTuple):
    """What an answer cites; each list in order of first appearance, without repeats."""

    resolved: tuple[str, ...]
    """Document ids of the case."""
    unresolved: tuple[str, ...]
    """What names no document of the case: numbers beyond the context, unknown ids; as written, without `doc:`."""
    malformed: tuple[str, ...]
    """What looks like a citation but is in no known format, with its brackets."""


_NOTHING = Cited((), (), ())


def parse_citations(text: str, field: Sequence[str] | None, documents: Sequence[str]) -> Cited:
    """Return what an answer cites, in its text and in its citations field, resolved against the case's documents in order.

    Entries of the field follow the same rules as the inside of one marker, without lists and ranges.
    """
    square, other = "[" in text, "(" in text or "【" in text or "［" in text or "〔" in text
    if not (square or other or field):
        return _NOTHING
    reader = _Reader(_names(tuple(documents)))
    if square or other:
        if "`" in text or "~~~" in text:
            text = without_code(text)
        if square:
            reader.read_square(text)
        if other:
            reader.read_other(text)
    for entry in field or ():
        reader.read_entry(entry)
    return Cited(tuple(reader.resolved), tuple(reader.unresolved), tuple(reader.malformed))


class _Names:
    """The documents of a case, and what a bracket's inside names among them."""

    def __init__(self, documents: Sequence[str]) -> None:
        self.documents = documents
        self.ids = frozenset(documents)
        self.plain = {str(position): document for position, document in enumerate(documents, 1)}
        self.plain.update(zip(documents, documents, strict=True))
        for box in ("x", "X"):
            self.plain.pop(box, None)  # may be a check box: never read in haste
        self._read: dict[str, list[str] | None] = {}

    def document(self, name: str) -> str | None:
        """Return the id of the document that a name stands for: by its id, else by its position, else by its id in NFC."""
        if name in self.ids:
            return name
        if _NUMBER.fullmatch(name):
            position = int(name) if len(name) < 10 else 0
            return self.documents[position - 1] if 1 <= position <= len(self.documents) else None
        return None if name.isascii() else self._composed.get(unicodedata.normalize("NFC", name))

    def read(self, inside: str) -> list[str] | None:
        """Return the names that a bracket holds, or None where it is no well-formed marker."""
        if inside not in self._read:
            if len(self._read) >= REMEMBERED:
                self._read.clear()
            self._read[inside] = [inside] if inside in self.ids else self._list(inside)
        return self._read[inside]

    def drifted(self, inside: str) -> bool:
        """Tell whether what is no well-formed marker looks like a citation all the same."""
        folded = inside.casefold()
        if folded in _EMPTY_PROMISES or _NUMBER_DRIFT.fullmatch(inside) or _RANGE.fullmatch(inside):
            return True
        head, _, rest = inside.partition(",")
        if rest and self.read(head.strip()) is not None:
            return True  # a list that starts as one: [1, p. 3]
        first = re.split(r"[\s,;|]", inside, maxsplit=1)[0].rstrip(":")
        if first != inside and (first in self.ids or first.startswith("doc:")):
            return True  # an id with something behind it: [billing/refunds, section 2]
        word = _WORD_DRIFT.fullmatch(inside)
        return bool(word and word[1] and self.read(word[1]) is not None)

    def _list(self, inside: str) -> list[str] | None:
        names: list[str] = []
        for part in inside.split(","):
            found = self._part(part.strip())
            if found is None:
                return None
            names += found
        return names

    def _part(self, part: str) -> list[str] | None:
        if part in self.ids or _NUMBER.fullmatch(part):
            return [part]
        if part.startswith("doc:"):
            name = part[4:].strip()
            return [name] if name in self.ids or (name and not re.search(r"\s", name)) else None
        span = _RANGE.fullmatch(part)
        if span:
            first, last = int(span[1]), int(span[2])
            return [str(n) for n in range(first, last + 1)] if first < last <= first + MAX_RANGE else None
        return [part] if self._like_an_id(part) else None

    def _like_an_id(self, word: str) -> bool:
        folded = word.casefold()
        if folded in self._folded or self.document(word) is not None:
            return True
        if not _ID_WORD.fullmatch(word) or word[-1] in ".:!?" or word.isdigit() or folded in _PLAIN_SLASHES:
            return False
        marks = _marks(word)
        if (
            _DECIMAL.fullmatch(word)
            or _TIME.fullmatch(word)
            or ("_" in marks and "digit" not in marks and word.isupper())
        ):
            return False  # 0.5, 12:30, or a placeholder such as [ORDER_ID]
        if self._shared_marks:
            return self._shared_marks <= marks
        return bool(marks & {"/", "_", "#"}) or ("digit" in marks and bool(marks & {"-", "."}))

    @cached_property
    def _folded(self) -> frozenset[str]:
        return frozenset(known.casefold() for known in self.documents)

    @cached_property
    def _composed(self) -> dict[str, str]:
        return {unicodedata.normalize("NFC", known): known for known in reversed(self.documents)}

    @cached_property
    def _shared_marks(self) -> frozenset[str]:
        return frozenset.intersection(*map(_marks, self.documents)) if self.documents else frozenset()


_names = lru_cache(maxsize=256)(_Names)


class _Reader:
    """One pass over one answer; dicts serve as ordered sets."""

    def __init__(self, names: _Names) -> None:
        self.names = names
        self.resolved: dict[str, None] = {}
        self.unresolved: dict[str, None] = {}
        self.malformed: dict[str, None] = {}

    def read_square(self, text: str) -> None:
        plain = self.names.plain
        for match in _SQUARE.finditer(text):
            inside = match[1]
            start, end = match.span()
            document = plain.get(inside)
            if document is not None and text[start - 1 : start] not in _SPECIAL and text[end : end + 1] != "(":
                self.resolved[document] = None
                continue
            inside = inside.strip()
            if inside and len(inside) <= MAX_MARKER_CHARS:
                self._read_marker(inside, text, start, end)

    def _read_marker(self, inside: str, text: str, start: int, end: int) -> None:
        before, after = text[start - 1 : start], text[end : end + 1]
        names = self.names.read(inside)
        if before == "\\" or (before == "[" and after == "]"):
            if names is not None:
                self.malformed[text[start - 1 : end + 1]] = None
        elif (after == "(" and (before == "!" or not self._surely_cited(names))) or _is_check_box(inside, text, start):
            return
        elif names is not None:
            self._cite(names)
        elif self.names.drifted(inside):
            self.malformed[text[start:end]] = None

    def _surely_cited(self, names: list[str] | None) -> bool:
        known = self.names.document
        return names is not None and all(_NUMBER.fullmatch(name) or known(name) is not None for name in names)

    def _cite(self, names: list[str]) -> None:
        for name in names:
            document = self.names.document(name)
            if document is None:
                self.unresolved[name] = None
            else:
                self.resolved[document] = None

    def read_other(self, text: str) -> None:
        """Report citations in brackets of other kinds; they are drift, whatever they name."""
        wide = "【" in text or "［" in text or "〔" in text
        for match in _WIDE.finditer(text) if wide else ():
            inside = match[1].strip()
            if inside and (self.names.read(inside) is not None or self.names.drifted(inside)):
                self.malformed[match[0]] = None
        for match in _ROUND.finditer(text):
            if match[0] not in self.malformed and self._is_round_citation(match[1], text, *match.span()):
                self.malformed[match[0]] = None

    def _is_round_citation(self, inside: str, text: str, start: int, end: int) -> bool:
        if text[start - 1 : start] == "]":
            return False  # the address of a link
        if inside[0].isdigit() and _SHORT_NUMBERS.fullmatch(inside):
            return self._stands_as_citation(inside, text, start, end)
        word = _WORD_DRIFT.fullmatch(inside)
        name = word[1] if word and word[1] else inside
        return inside.startswith("doc:") or (
            name in self.names.ids and not name.isdigit() and _marks(inside) > frozenset()
        )

    def _stands_as_citation(self, numbers: str, text: str, start: int, end: int) -> bool:
        """Tell whether numbers in round brackets stand behind words at the end of a clause, and number documents."""
        before, after = text[max(start - 40, 0) : start].rpartition("\n")[2], text[end : end + 1]
        spaced = before[-1:].isspace() and bool(before.strip())
        if not spaced or (after and after not in ".,;:!?\n(") or _NUMBERED_THING.search(before):
            return False
        return all(self.names.document(number.strip()) is not None for number in numbers.split(","))

    def read_entry(self, entry: str) -> None:
        name = entry.strip()
        if name not in self.names.ids:
            name = name.removeprefix("[").removesuffix("]").removeprefix("doc:").strip()
        if name:
            self._cite([name])
        else:
            self.malformed[entry] = None


def _marks(word: str) -> frozenset[str]:
    found = {mark for mark in _MARKS if mark in word}
    if any(character.isdigit() for character in word):
        found.add("digit")
    return frozenset(found)


def _is_check_box(inside: str, text: str, start: int) -> bool:
    if inside not in {"x", "X"}:
        return False
    bullet = text[max(start - 20, 0) : start].rpartition("\n")[2]
    return len(bullet) < 20 and not bullet.strip(" \t>-*+0123456789.)")
