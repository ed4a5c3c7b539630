"""YAML as people write configuration: scalars, lists and mappings with their lines, and nothing that runs or explodes.

The tree is built from the parser's events, not by PyYAML's constructor: no tag is ever resolved, a key that stands twice is
seen, an alias costs what it expands to, and each plain scalar keeps its source text. Plain scalars are read by the core
schema of YAML 1.2: `no`, `on`, `1_000`, `12:30` and dates are text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from evalkit.errors import InputError
from evalkit.loading.files import input_error
from evalkit.records.base import Json
from evalkit.text.shown import shown_message, shown_text

DEEPEST = 50
"""Most levels of nesting."""
MOST_NODES = 200_000
"""Most scalars, lists and mappings of a file, aliases expanded."""
LONGEST_INTEGER = 4000
"""Most digits of a whole number; Python itself refuses to read or print more than 4300."""

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_NOT_PRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What YAML does not allow unescaped."""
_BASES = {"0o": 8, "0x": 16}


@dataclass(slots=True)
class Node:
    """A value of the file: a scalar, a list or a mapping."""

    line: int
    """Physical line, from 1; for an entry of a mapping or list, where the value begins."""
    text: str | None = None
    """Source text of a scalar; None for lists and mappings."""
    plain: bool = False
    """True for a scalar without quotes, whose text may stand for a number, a boolean or null."""
    items: list[Node] | None = None
    """Entries of a list."""
    entries: dict[str, tuple[int, Node]] | None = None
    """Entries of a mapping by key as written, each with the key's line."""
    size: int = 1
    """Nodes that this one expands to, itself included."""
    height: int = 1
    """Levels of nesting, this one included; aliases can nest deeper than the text does."""


def parse(text: str, file: str) -> Node:
    """Return the root of a YAML document. Raises InputError, naming file and line, for whatever configuration has no use for."""
    control = _NOT_PRINTABLE.search(text)
    if control:
        problem = f"holds the control character {shown_text(control.group())}"
        line = text.count("\n", 0, control.start()) + 1
        raise input_error(file, problem, "write it as an escape in double quotes", line=line)
    reader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    builder = _Builder(file)
    try:
        for event in yaml.parse(text, Loader=reader):
            builder.take(event)
    except yaml.reader.ReaderError as error:
        raise input_error(file, f"is not valid YAML: {shown_message(str(error))}") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = " ".join(part for part in (error.context, error.problem) if part)
        at = mark.line + 1 if mark else None
        raise input_error(file, f"is not valid YAML: {shown_message(problem)}", line=at) from None
    if builder.root is None:
        raise input_error(file, "is empty")
    return builder.root


class _Builder:
    """Builds the tree event by event; open lists and mappings stand on a stack."""

    def __init__(self, file: str) -> None:
        self.root: Node | None = None
        self._file = file
        self._open: list[tuple[Node, str | None]] = []
        self._keys: list[tuple[str, int] | None] = []
        self._anchors: dict[str, Node] = {}
        self._unfinished: set[str] = set()

    def take(self, event: Any) -> None:
        """Take the parser's next event in."""
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            self._add(self._aliased(event.anchor or "", line))
        elif isinstance(event, yaml.ScalarEvent):
            self._no_tag(event, line)
            node = Node(line, text=event.value, plain=not event.style)
            self._anchor(event.anchor, node)
            self._add(node)
        elif isinstance(event, yaml.SequenceStartEvent):
            self._no_tag(event, line)
            self._begin(Node(line, items=[]), event.anchor)
        elif isinstance(event, yaml.MappingStartEvent):
            self._no_tag(event, line)
            self._begin(Node(line, entries={}), event.anchor)
        elif isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
            self._end()
        elif isinstance(event, yaml.DocumentStartEvent) and self.root is not None:
            raise self._error(line, "holds more than one document", "one document a file")

    def _error(self, line: int, problem: str, remedy: str) -> InputError:
        return input_error(self._file, problem, remedy, line=line)

    def _too_deep(self, line: int) -> InputError:
        return self._error(line, f"is nested more than {DEEPEST} levels deep", "configuration is flat")

    def _no_tag(self, event: Any, line: int) -> None:
        if event.tag is not None:
            raise self._error(
                line,
                f"the tag {shown_text(event.tag)} is not allowed",
                "write the value without a tag; quotes make text",
            )

    def _anchor(self, name: str | None, node: Node) -> None:
        if name is not None:
            self._anchors[name] = node

    def _aliased(self, name: str, line: int) -> Node:
        if name in self._unfinished:
            raise self._error(
                line, f"the alias *{shown_text(name, quote=False)} refers to what it stands in", "write the value out"
            )
        node = self._anchors.get(name)
        if node is None:
            raise self._error(line, f"the alias *{shown_text(name, quote=False)} has no anchor before it", "")
        return node

    def _begin(self, node: Node, anchor: str | None) -> None:
        if len(self._open) >= DEEPEST:
            raise self._too_deep(node.line)
        if anchor is not None:
            self._unfinished.add(anchor)
        if self._wants_key():
            raise self._error(node.line, "a list or mapping as a key is not allowed", "keys are text")
        self._open.append((node, anchor))
        self._keys.append(None)

    def _end(self) -> None:
        node, anchor = self._open.pop()
        self._keys.pop()
        if anchor is not None:
            self._unfinished.discard(anchor)
            self._anchors[anchor] = node
        self._add(node)

    def _wants_key(self) -> bool:
        return bool(self._open) and self._open[-1][0].entries is not None and self._keys[-1] is None

    def _add(self, node: Node) -> None:
        """Put a finished node where it belongs: at the root, in a list, as a key, or under its key."""
        if not self._open:
            self.root = node
            return
        parent = self._open[-1][0]
        if self._wants_key():
            self._add_key(parent, node)
            return
        parent.size += node.size
        parent.height = max(parent.height, node.height + 1)
        if parent.size > MOST_NODES:
            raise self._error(node.line, f"expands to more than {MOST_NODES} values", "write it without nested aliases")
        if parent.height > DEEPEST:
            raise self._too_deep(node.line)
        if parent.items is not None:
            parent.items.append(node)
        elif parent.entries is not None and (key := self._keys[-1]) is not None:
            parent.entries[key[0]] = (key[1], node)
            self._keys[-1] = None

    def _add_key(self, parent: Node, node: Node) -> None:
        if node.text is None:
            raise self._error(node.line, "a list or mapping as a key is not allowed", "keys are text")
        if parent.entries is not None and node.text in parent.entries:
            first = parent.entries[node.text][0]
            problem = f"the key {shown_text(node.text)} stands twice, on lines {first} and {node.line}"
            raise self._error(node.line, problem, "keep one")
        self._keys[-1] = (node.text, node.line)


def value_of(node: Node, faults: list[tuple[int, str]]) -> Json:
    """Return a node as JSON: plain scalars by the core schema, everything else as it stands.

    `faults` takes line and problem of each `.nan`, `.inf` and number that nothing can hold; null stands in its place.
    """
    if node.items is not None:
        return [value_of(item, faults) for item in node.items]
    if node.entries is not None:
        return {key: value_of(entry, faults) for key, (_, entry) in node.entries.items()}
    text = node.text or ""
    if not node.plain:
        return text
    try:
        return plain_scalar(text)
    except ValueError as error:
        faults.append((node.line, str(error)))
        return None


def plain_scalar(text: str) -> Json:
    """Return what an unquoted scalar means. Raises ValueError for numbers that are not finite or too long."""
    if text in _NULL:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _INTEGER.fullmatch(text):
        if len(text) > LONGEST_INTEGER:
            raise ValueError(f"a whole number of {len(text)} digits is too long")
        return int(text, _BASES.get(text[:2], 10))
    if _FLOAT.fullmatch(text):
        number = float(text)
        if math.isinf(number):
            raise ValueError(f"the number {shown_text(text, quote=False)} is too large")
        return number
    if _NOT_FINITE.fullmatch(text):
        raise ValueError(f"{text} is not a finite number")
    return text


def walk(node: Node, path: tuple[int | str, ...]) -> Iterator[tuple[int, Node]]:
    """Yield line and node along a path, the root first, as far as the path leads; the line of a mapping's entry is its key's."""
    yield node.line, node
    for part in path:
        if node.items is not None and isinstance(part, int) and part < len(node.items):
            node = node.items[part]
            yield node.line, node
        elif node.entries is not None and part in node.entries:
            line, node = node.entries[str(part)]
            yield line, node
        else:
            return
