"""labels.jsonl as it grows: what stands there stays byte for byte, new labels follow, and two writers never lose each other's.

Each merge reads the file again under a lock and replaces it whole. The same label twice is no fault and is written once; another
label by the same labeller on the same item is a fault, unless it was said that it replaces the earlier one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from evalkit.errors import Fault
from evalkit.loading.faults import FaultList
from evalkit.loading.files import open_binary
from evalkit.loading.labels import read_labels
from evalkit.records.labels import ItemKey, Label, LabelledItem, item_key
from evalkit.runstore.files import json_text, write_text
from evalkit.runstore.locks import one_writer

Key = tuple[LabelledItem, str]
"""An item and its labeller."""


class Incoming(NamedTuple):
    """A label that is to be merged, and where it comes from."""

    label: Label
    file: str
    line: int | None = None


class Replaced(NamedTuple):
    """A label that took another's place."""

    before: Label
    after: Label


@dataclass
class Merged:
    """What a merge did."""

    added: list[Label] = field(default_factory=list)
    known: list[Label] = field(default_factory=list)
    """Labels that stood there already."""
    replaced: list[Replaced] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    """All labels of the file now."""


def labels_in(path: Path) -> list[Label]:
    """Return the labels of a file, none where there is no file or nothing in it. Raises InputError with the file's faults."""
    if not path.exists():
        return []
    with open_binary(path) as handle:
        if not handle.read(1 << 16).strip():
            return []
    return list(read_labels(path).labels)


def merge(path: Path, incoming: Iterable[Incoming], *, replace: bool = False) -> Merged:
    """Add labels to a file, all of them or none, and return what was done.

    Raises InputError with the file's own faults, or with every label that contradicts it; RunStoreError where the disk refuses.
    """
    target = path.resolve()  # a link to a file that several suites share stays a link
    with one_writer(target):
        there = labels_in(path)
        merged = _merged(path, there, list(incoming), replace=replace)
        if merged.added or merged.replaced:
            write_text(target, _text(path, merged))
    return merged


def _merged(path: Path, there: list[Label], incoming: list[Incoming], *, replace: bool) -> Merged:
    by_key: dict[Key, Label] = {(label.item, label.labeller): label for label in there}
    splits = {label.item: label.split for label in there}
    named = {item_key(label.item): label.output_sha256 for label in there}
    merged, faults = Merged(), FaultList()
    for given in incoming:
        one = given._replace(label=_as_named(given.label, named))
        label = one.label
        split = splits.setdefault(label.item, label.split)
        if split != label.split:
            faults.add(_fault(one, "split", f"is {label.split}, and {split} in {path}", "an item stays in its split"))
        before = by_key.get((label.item, label.labeller))
        if before is None:
            merged.added.append(label)
        elif _says_the_same(before, label):
            merged.known.append(before)
            continue
        elif replace or before.label is None:  # a skipped item that is decided now
            merged.replaced.append(Replaced(before, label))
        else:
            faults.add(_contradiction(one, before, path))
        by_key[label.item, label.labeller] = label
    faults.raise_if_any()
    merged.labels = list(by_key.values())
    return merged


def _as_named(label: Label, named: dict[ItemKey, str | tuple[str, str] | None]) -> Label:
    """Return a label with the answers of its pair named as they were the first time."""
    output = named.setdefault(item_key(label.item), label.output_sha256)
    return label.named_as(output) if isinstance(output, tuple) else label


def _says_the_same(before: Label, after: Label) -> bool:
    """Tell whether a label adds nothing: the same choice, and no new words beside it."""
    return before.label == after.label and after.note in {"", before.note} and not _reworded(before, after)


def _reworded(before: Label, after: Label) -> bool:
    """Tell whether two labels answer different wordings of the criterion."""
    return None not in {before.asked_sha256, after.asked_sha256} and before.asked_sha256 != after.asked_sha256


def _contradiction(one: Incoming, before: Label, path: Path) -> Fault:
    label = one.label
    name = f"{label.labeller} on {label.case_id}, {label.criterion}"
    if before.label == label.label and _reworded(before, label):
        return _fault(
            one, "criterion", f"{name}: labelled under another wording in {path}", "--replace takes the new one"
        )
    if before.label == label.label:
        return _fault(one, "note", f"{name}: another note than in {path}", "--replace takes the new one")
    said = f"{before.label or 'skipped'} in {path}, {label.label or 'skipped'} here"
    return _fault(one, "label", f"{name}: {said}", "--replace takes the new one")


def _fault(one: Incoming, field: str, problem: str, remedy: str) -> Fault:
    return Fault(file=one.file, line=one.line, field=field, problem=problem, remedy=remedy)


def _text(path: Path, merged: Merged) -> str:
    """Return the file's new text: old lines as they stand, those of replaced labels exchanged, new ones at the end."""
    raw = path.read_bytes().decode("utf-8") if path.exists() else ""
    lines = raw.split("\n")
    if lines[-1] == "":
        lines.pop()
    after = {(one.before.item, one.before.labeller): one.after for one in merged.replaced}
    if after:
        lines = [_exchanged(line, after) for line in lines]
    lines += [json_text(label.model_dump(mode="json")) for label in merged.added]
    return "".join(line + "\n" for line in lines)


def _exchanged(line: str, after: dict[Key, Label]) -> str:
    bare = line.removeprefix("\ufeff").strip()
    if not bare:
        return line
    label = Label.model_validate_json(bare)
    new = after.get((label.item, label.labeller))
    return line if new is None else json_text(new.model_dump(mode="json"))
