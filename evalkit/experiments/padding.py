"""Padding for the verbosity experiment: an answer says one of its own sentences again, and nothing else.

The words are the answer's own behind a fixed lead-in, so no fact, number, date or name can come in; that is checked all the same,
and the padding can be taken off again. A sentence keeps its citation markers: without them it would be a claim without a source.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from evalkit.text.dates import dates, times
from evalkit.text.numbers import numbers
from evalkit.text.sentences import sentence_spans

PADDING_VERSION = "restated-sentence/1"
LEAD = "That is: "
"""What stands before the sentence that is said again; no content word, which would be a word of a claim."""

_JOINT = "\n\n"
_WORD = re.compile(r"[^\W_]+")
_PROSE = re.compile(r"[^\W\d_]")
_MARKUP = re.compile(r"^\s*(?:[-*•>#|]|\d{1,3}[.)]\s|```)|[`|{}]")
_FEWEST_WORDS, _MOST_WORDS = 4, 60


class Padded(NamedTuple):
    """An answer with its padding."""

    text: str
    padding: str
    """What was appended, the joint before it included."""


def padded(answer: str) -> Padded | None:
    """Return the answer with its longest plain sentence said again; None where it has none, or where something new would come in.

    A plain sentence has 4 to 60 words and is no list item, heading, table or code.
    """
    plain = [sentence.text for sentence in sentence_spans(answer) if _is_plain(sentence.text)]
    if not plain:
        return None
    padding = _JOINT + LEAD + max(plain, key=lambda text: len(_WORD.findall(text)))
    found = Padded(answer + padding, padding)
    return None if news_in(answer, padding) else found


def unpadded(found: Padded) -> str:
    """Return the answer without its padding. Raises ValueError where the padding does not end the text."""
    if not found.text.endswith(found.padding):
        raise ValueError("the text does not end in its padding")
    return found.text[: len(found.text) - len(found.padding)]


def news_in(answer: str, padding: str) -> tuple[str, ...]:
    """Return what a padding says that the answer does not: words (names are words), numbers, dates and times, as they stand there."""
    said = padding.removeprefix(_JOINT).removeprefix(LEAD)
    known_words = set(_WORD.findall(answer))
    news = [word for word in _WORD.findall(said) if word not in known_words]
    for read in (numbers, dates, times):
        known = {repr(_value(one)) for one in read(answer)}
        news += [said[one.start : one.end] for one in read(said) if repr(_value(one)) not in known]
    return tuple(dict.fromkeys(news))


def _value(found: tuple[object, ...]) -> tuple[object, ...]:
    """Return what a number, date or time means, without where it stands."""
    return found[2:]


def _is_plain(text: str) -> bool:
    words = len(_WORD.findall(text))
    return _FEWEST_WORDS <= words <= _MOST_WORDS and not _MARKUP.search(text) and _PROSE.search(text) is not None
