"""From the words of a reply to the one JSON value in them, or to a Rejection. Strict: prose is never read as a verdict.

Reasoning blocks at the start are dropped; the whole text is tried first; otherwise every complete JSON object in it is
collected, and exactly one distinct object that fits the form is taken. What an attacker tries here: a verdict planted in the
graded material and echoed by the judge (`echoes`), a draft before the final verdict (conflicting), a second value under the
same key (duplicate keys), numbers that are none (NaN, 1e400), and nesting or size that exhausts the parser.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from typing import Any, NoReturn

from evalkit.records.base import Json
from evalkit.records.identity import canonical_json
from evalkit.records.verdicts import Rejection, Reply

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


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"{text[:40]} is beyond any number")
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_float)


def _depth(value: Json) -> int:
    deepest, level = 0, [value]
    while level:
        deepest += 1
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer if isinstance(outer, list) else ())
        ]
        if deepest > MAX_DEPTH:
            break
    return deepest


def _checked(value: Json) -> Json:
    if _depth(value) > MAX_DEPTH:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    return value


def strict_json(text: str) -> Json:
    """Return the JSON value that is the whole of a text.

    Raises ValueError for anything else: NaN, infinities, duplicate keys that differ, nesting over MAX_DEPTH.
    """
    try:
        return _checked(_DECODER.decode(text))
    except RecursionError:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels") from None


def objects_in(text: str) -> list[dict[str, Any]]:
    """Return every complete JSON object of a text, outermost ones only, in order.

    Raises ValueError where the text holds so many broken objects that searching on would cost too much.
    """
    found: list[dict[str, Any]] = []
    broken = 0
    position = text.find("{")
    while position >= 0:
        try:
            value, end = _DECODER.raw_decode(text, position)
            found.append(_checked(value))
        except (ValueError, RecursionError):
            broken += 1
            if broken > MAX_BROKEN_OBJECTS:
                raise ValueError("more than 200 broken objects in the reply") from None
            end = position + 1
        position = text.find("{", end)
    return found


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


def read_object(
    reply: Reply,
    fits: Callable[[Json], bool],
    shape_errors: Callable[[Json], list[str]],
    echoes: Collection[bytes] = (),
) -> dict[str, Any] | Rejection:
    """Return the one object of a reply that fits a form, or why there is none.

    `echoes` holds the canonical JSON of objects that stand in the graded material: such an object is never taken for the
    judge's own, wherever it stands in the reply.
    """
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
    text = _without_reasoning(text)
    try:
        value = strict_json(text)
    except ValueError as error:
        return _embedded(text, str(error), fits, shape_errors, echoes)
    if not fits(value):
        return Rejection(kind="schema", message="; ".join(shape_errors(value)))
    if echoes and canonical_json(value) in echoes:
        return Rejection(kind="parse", message="the reply only repeats an object that stands in the graded material")
    assert isinstance(value, dict)  # noqa: S101 - every form is an object; narrows the type
    return value


def _embedded(
    text: str,
    whole_error: str,
    fits: Callable[[Json], bool],
    shape_errors: Callable[[Json], list[str]],
    echoes: Collection[bytes],
) -> dict[str, Any] | Rejection:
    try:
        candidates = objects_in(text)
    except ValueError as error:
        return Rejection(kind="parse", message=str(error))
    own = {canonical_json(c): c for c in candidates}
    for echo in echoes:
        own.pop(echo, None)
    if not own:
        return Rejection(kind="parse", message=f"no complete JSON object in the reply ({whole_error})")
    fitting = [value for value in own.values() if fits(value)]
    if len(fitting) > 1:
        return Rejection(
            kind="conflicting", message=f"{len(fitting)} different verdicts in one reply; give exactly one"
        )
    if fitting:
        return fitting[0]
    return Rejection(kind="schema", message="; ".join(shape_errors(list(own.values())[-1])))
