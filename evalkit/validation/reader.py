"""From the words of a reply to the one JSON value in them, or to a Rejection. Strict: prose is never read as a verdict.

Reasoning blocks at the start are dropped; the whole text is tried first; otherwise every complete JSON object in it is
collected, and exactly one distinct object that fits the form is taken. What an attacker tries here: a verdict planted in the
graded material and echoed by the judge (`Graded`), a draft before the final verdict (conflicting), a second value under the
same key (duplicate keys), numbers that are none (NaN, 1e400), and nesting or size that exhausts the parser.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, NamedTuple

from evalkit.records.base import Json
from evalkit.records.identity import canonical_json
from evalkit.records.verdicts import Rejection, Reply
from evalkit.text.strict_json import deeper_than, finite_float, no_constant

MAX_REPLY_CHARS = 512 * 1024
MAX_DEPTH = 32
MAX_BROKEN_OBJECTS = 200
"""Objects that may fail to parse before the search gives up: each costs a pass over the text."""

_REASONING = re.compile(r"\s*<(think|thinking|reasoning|thought)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_UNCLOSED_REASONING = re.compile(r"\s*<(think|thinking|reasoning|thought)>", re.IGNORECASE)
_SURROGATE = re.compile("[\ud800-\udfff]")


def _pairs(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value: dict[str, Json] = {}
    for key, item in pairs:
        if key in value and canonical_json(value[key]) != canonical_json(item):
            raise ValueError(f"key {key[:60]!r} is given twice with different values")
        value[key] = item
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=no_constant, parse_float=finite_float)
_LENIENT = json.JSONDecoder(parse_int=str)
"""Tells where a refused object ends."""


def _checked(value: Json, text: str) -> Json:
    if deeper_than(value, MAX_DEPTH):
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    if "\\u" in text and _SURROGATE.search(json.dumps(value, ensure_ascii=False)):
        raise ValueError("an escape stands for half of a surrogate pair, which is not text")
    return value


def reply_json(text: str) -> Json:
    """Return the JSON value that is the whole of a text.

    Raises ValueError for anything else: NaN, infinities, duplicate keys that differ, nesting over MAX_DEPTH, halves of
    surrogate pairs.
    """
    try:
        return _checked(_DECODER.decode(text), text)
    except RecursionError:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels") from None


def objects_in(text: str) -> list[dict[str, Any]]:
    """Return every complete JSON object of a text, outermost ones only, in order; refused ones are passed over.

    Raises ValueError where the text holds so many broken objects that searching on would cost too much.
    """
    return [value for value, _ in _scan(text).found]


class _Scan(NamedTuple):
    """The objects of a text."""

    found: list[tuple[dict[str, Any], str]]
    """Each with its own text."""
    refused: list[str]
    """Why objects that are complete are refused all the same: duplicate keys, no numbers, depth, half characters."""
    opens_broken: bool
    """Whether the first brace of the text opens no complete object."""


def _scan(text: str) -> _Scan:
    found: list[tuple[dict[str, Any], str]] = []
    refused: list[str] = []
    broken, opens_broken = 0, False
    position = first = text.find("{")
    while position >= 0:
        try:
            value, end = _DECODER.raw_decode(text, position)
            raw = text[position:end]
            found.append((_checked(value, raw), raw))
        except json.JSONDecodeError:
            broken += 1
            if broken > MAX_BROKEN_OBJECTS:
                raise ValueError(f"more than {MAX_BROKEN_OBJECTS} broken objects in the reply") from None
            opens_broken = opens_broken or position == first
            end = position + 1
        except RecursionError:
            raise ValueError(f"nested deeper than {MAX_DEPTH} levels") from None
        except ValueError as error:
            # Nothing inside a refused object is looked at: what it quotes must not count in its place.
            refused.append(str(error))
            end = _LENIENT.raw_decode(text, position)[1]
        position = text.find("{", end)
    return _Scan(found, refused, opens_broken)


def _without_reasoning(text: str) -> str:
    text = text.removeprefix("\ufeff")
    match = _REASONING.match(text)
    while match:
        text = text[match.end() :]
        match = _REASONING.match(text)
    return "" if _UNCLOSED_REASONING.match(text) else text


def _completeness(reply: Reply) -> Rejection | None:
    if reply.refusal:
        return Rejection(kind="refused", message=f"the model refused to judge: {reply.refusal[:300]}")
    if reply.finish_reason == "content_filter":
        return Rejection(kind="refused", message="the provider's content filter withheld the reply")
    if reply.finish_reason in ("length", "max_tokens"):
        return Rejection(
            kind="truncated",
            message=f"the reply was cut off (finish reason {reply.finish_reason!r}); raise params.max_tokens in judge.yaml",
        )
    if not (reply.text or "").strip():
        return Rejection(kind="parse", message=f"the reply is empty (finish reason {reply.finish_reason!r})")
    return None


def _readable(reply: Reply) -> str | Rejection:
    """Return the text of a complete reply without reasoning blocks, or why it is not read at all."""
    incomplete = _completeness(reply)
    if incomplete:
        return incomplete
    text = reply.text or ""
    if len(text) > MAX_REPLY_CHARS:
        return Rejection(
            kind="parse", message=f"the reply has {len(text)} characters; at most {MAX_REPLY_CHARS} are read"
        )
    if _SURROGATE.search(text):
        return Rejection(kind="parse", message="the reply holds half of a surrogate pair, which is not text")
    return _without_reasoning(text)


@dataclass(frozen=True)
class Graded:
    """What stood in the graded material and must not be taken for the judge's own words."""

    objects: Collection[bytes] = ()
    """Canonical JSON of the objects in it: an echo is known however the judge lays it out."""
    texts: Collection[str] = ()
    """The texts themselves: an echo word for word is known even where a text was built so that its objects are not found."""

    def holds(self, value: Json, raw: str) -> bool:
        """Tell whether an object of a reply only repeats one of the material."""
        if any(raw in text for text in self.texts):
            return True
        return bool(self.objects) and canonical_json(value) in self.objects


NOTHING_GRADED = Graded()


def read_object(
    reply: Reply,
    fits: Callable[[Json], bool],
    shape_errors: Callable[[Json], list[str]],
    graded: Graded = NOTHING_GRADED,
) -> dict[str, Any] | Rejection:
    """Return the one object of a reply that fits a form, or why there is none.

    An object that stands in the graded material is never taken for the judge's own, wherever it stands in the reply.
    """
    text = _readable(reply)
    if isinstance(text, Rejection):
        return text
    try:
        value = reply_json(text)
    except ValueError as error:
        return _embedded(text, str(error), fits, shape_errors, graded)
    if not fits(value):
        return Rejection(kind="schema", message="; ".join(shape_errors(value)))
    if graded.holds(value, text.strip()):
        return Rejection(kind="parse", message="the reply only repeats an object that stands in the graded material")
    assert isinstance(value, dict)  # noqa: S101 - every form is an object; narrows the type
    return value


def _embedded(
    text: str,
    whole_error: str,
    fits: Callable[[Json], bool],
    shape_errors: Callable[[Json], list[str]],
    graded: Graded,
) -> dict[str, Any] | Rejection:
    try:
        scan = _scan(text)
    except ValueError as error:
        return Rejection(kind="parse", message=str(error))
    if scan.refused:
        return Rejection(kind="parse", message=f"the reply is no strict JSON: {scan.refused[0]}")
    fitting = {
        canonical_json(value): value for value, raw in scan.found if fits(value) and not graded.holds(value, raw)
    }
    if len(fitting) > 1:
        return Rejection(
            kind="conflicting", message=f"{len(fitting)} different verdicts in one reply; give exactly one"
        )
    if fitting:
        return fitting.popitem()[1]
    other = [value for value, _ in scan.found if not fits(value)]
    if not other or scan.opens_broken:
        return Rejection(kind="parse", message=f"no JSON object of the judge's own in the reply ({whole_error})")
    return Rejection(kind="schema", message="; ".join(shape_errors(other[-1])))
