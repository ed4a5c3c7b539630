"""What of an answer a triage's quotes must take up, so that a table cannot be short, coarse or silent where something is asserted.

A quote stays within one sentence, the quotes of a sentence together take up most of its words, and what marks an assertion (a
figure, a name in capitals that the evidence has) stands in a statement. Whether a sentence without such a mark asserts something
is the judge's to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from evalkit.records.texts import ShownText
from evalkit.text.citation_markers import marker_spans
from evalkit.text.sentences import Sentence, sentence_spans
from evalkit.validation.forms import Fault
from evalkit.validation.material import Material
from evalkit.validation.quotes import says_something

Place = tuple[int, int]
"""Start and end of a quote in the answer as stored, in code points."""

TAKEN_UP = 2 / 3
"""Share of a sentence's word characters that its quotes take up at least."""

_LABEL = re.compile(r"\W*(?:\w+\W{1,2}){0,3}\w+\s*[:：]\W*")
"""A speaker's name or a heading of at most four words: it is in the text and states nothing."""
_WORD = re.compile(r"[^\W_]+")
_CAPITALS = 2
"""Capital letters that make a word a name for code: with one it is any noun in German, and any first word in English."""
_LIST_NUMBER = re.compile(r"\s*\d{1,3}[.)]\s")
_QUESTION = re.compile(r"[?？؟][\W_]*$")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Coverage:
    """The sentences of an answer, and what of each a table takes up."""

    def __init__(self, material: Material) -> None:
        self.material = material
        self.answer: ShownText = material.candidate
        self.spans = list(sentence_spans(self.answer.stored))
        self.sentences = [
            sentence
            for sentence in self.spans
            if any(quotable(self.answer.stored, sentence.start, sentence.end))
            and not _LABEL.fullmatch(sentence.text[:80])
        ]

    def places(self, quotes: Sequence[str]) -> list[Place | None]:
        """Return where each quote stands; no two places share a character, and None is left for a quote without one.

        Whole sentences are placed first, then the longest quotes, so that a short quote takes no place inside a longer one's.
        """
        whole: dict[str, list[Place]] = {}
        for sentence in reversed(self.spans):
            whole.setdefault(sentence.text, []).append((sentence.start, sentence.end))
        found: list[Place | None] = [None] * len(quotes)
        taken: list[Place] = []
        for at, quote in enumerate(quotes):
            if says_something(quote) and whole.get(quote):
                taken.append(whole[quote].pop())
                found[at] = taken[-1]
        for at in sorted(range(len(quotes)), key=lambda at: -len(quotes[at])):
            if found[at] is None:
                found[at] = place = _free_place(self.answer, quotes[at], taken)
                taken += [place] if place else []
        return found

    def beyond_a_sentence(self, place: Place) -> str | None:
        """Return the end of the first sentence that a quote runs past, or None where it stays within one."""
        touched = [s for s in self.sentences if s.start < place[1] and place[0] < s.end]
        words = [s for s in touched if _WORD.search(self.answer.stored, max(s.start, place[0]), min(s.end, place[1]))]
        return words[0].text[-60:] if len(words) > 1 else None

    def faults(self, statements: Sequence[Place], silent: Sequence[Place]) -> Iterator[Fault]:
        """Yield each sentence of which the quotes take up too little, or whose figures and names no statement holds."""
        asserted = bytearray(len(self.answer.stored))
        for start, end in statements:
            asserted[start:end] = b"\1" * (end - start)
        quoted = bytearray(asserted)
        for start, end in silent:
            quoted[start:end] = b"\1" * (end - start)
        for sentence in self.sentences:
            said = sentence.text[:120]
            due, taken = self._words(sentence, quoted)
            if not taken:
                problem = f"the table leaves out the sentence {said!r}"
                yield "inconsistent", f"{problem}: a statement, or silent where it states nothing"
            elif taken < TAKEN_UP * due:
                problem = f"the quotes take up {taken} of {due} letters and digits of the sentence {said!r}"
                yield "inconsistent", f"{problem}: quote the whole sentence, or each clause of it"
            else:
                yield from self._unmarked(sentence, asserted)

    def _words(self, sentence: Sentence, quoted: bytearray) -> tuple[int, int]:
        """Return how many letters and digits a sentence has, a leading label aside, and how many are quoted."""
        label = _LABEL.match(sentence.text[:80])
        start = sentence.start + (label.end() if label and label.end() < len(sentence.text) else 0)
        due = taken = 0
        for at, piece in quotable(self.answer.stored, start, sentence.end):
            for word in _WORD.finditer(piece):
                due += len(word[0])
                taken += sum(quoted[at + word.start() : at + word.end()])
        return due, taken or sum(quoted[sentence.start : start])

    def marks(self, sentence: Sentence) -> Iterator[tuple[int, str]]:
        """Yield offset and words of each figure of a sentence, and of each name in capitals that the evidence has too.

        A question has none, nor a line that was tagged as a directive; list numbers and citation markers are no figures.
        """
        if _QUESTION.search(sentence.text[-20:]) or any(a <= sentence.start < b for a, b in self._directives):
            return
        number = _LIST_NUMBER.match(sentence.text)
        exempt = [(0, number.end() if number else 0), *marker_spans(sentence.text, self.material.sources)]
        for at, piece in quotable(sentence.text, 0, len(sentence.text)):
            for word in _WORD.finditer(piece):
                marked = word[0] in self._names or any(map(str.isdigit, word[0]))
                if marked and not any(start <= at + word.start() < end for start, end in exempt):
                    yield sentence.start + at + word.start(), word[0]

    def _unmarked(self, sentence: Sentence, asserted: bytearray) -> Iterator[Fault]:
        for at, word in self.marks(sentence):
            if not asserted[at]:
                said = f"{word[:40]!r} of the sentence {sentence.text[:120]!r} stands in no statement"
                yield "inconsistent", f"{said}: what holds a figure, or a name of the evidence, is not silent"
                return

    @cached_property
    def _names(self) -> frozenset[str]:
        words = (word for text in self.material.sources.values() for word in _WORD.findall(text.stored))
        return frozenset(word for word in words if sum(map(str.isupper, word)) >= _CAPITALS)

    @cached_property
    def _directives(self) -> list[Place]:
        tagged = [a.offset for a in self.answer.alterations if a.kind == "directive_line"]
        lines = [(at, self.answer.stored.find("\n", at)) for at in tagged]
        return [(at, end if end >= 0 else len(self.answer.stored)) for at, end in lines]


def _free_place(text: ShownText, quote: str, taken: list[Place]) -> Place | None:
    """Return the first occurrence of a quote that shares no character with what is taken, or None."""
    found = text.locate(quote) if says_something(quote) else None
    while found is not None and any(found[0] < end and start < found[1] for start, end in taken):
        at = text.stored.find(quote, found[0] + 1)
        found = (at, at + len(quote)) if at >= 0 else None
    return found


def quotable(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """Yield where each stretch begins that a reply can quote: between halves of characters, and long enough to say something."""
    at = start
    for piece in _SURROGATE.split(text[start:end]):
        if says_something(piece):
            yield at, piece
        at += len(piece) + 1
