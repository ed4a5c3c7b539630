"""Labels, `labels/1`: every line checked, contradictions refused, all faults at once.

The same label twice is read once. A labeller who gave one item two labels, and an item that stands in both splits, are faults:
no reader could know which of them counts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from evalkit.errors import Fault, InputError
from evalkit.loading.faults import FaultList
from evalkit.loading.files import input_error
from evalkit.loading.identifiers import id_problem
from evalkit.loading.jsonl import Decoder, read_lines
from evalkit.records.labels import PAIR_LABELS, PROBABILITY_DESIGNS, ItemKey, Label, LabelledItem, item_key
from evalkit.text.shown import shown_text

_IDENTIFIERS = ("case_id", "rubric", "criterion", "label", "labeller")


class Labels(NamedTuple):
    """A file of labels, read and checked."""

    labels: tuple[Label, ...]
    """In file order, each once."""
    sha256: str
    """SHA-256 of the file's bytes."""


def read_labels(path: Path) -> Labels:
    """Return the labels of a file. Raises InputError with all its faults, and for a file without labels."""
    digest = hashlib.sha256()
    decoder = Decoder(Label, path)
    faults = FaultList()
    seen = SeenLabels()
    labels: list[Label] = []
    for line in read_lines(path, digest):
        try:
            label = decoder.decode(line)
        except InputError as error:
            faults.absorb(error)
            continue
        for field, problem, remedy in (*label_problems(label), *seen.contradictions(label, line.number)):
            faults.add(Fault(file=str(path), line=line.number, field=field, problem=problem, remedy=remedy))
        if seen.add(label, line.number):
            labels.append(label)
    faults.raise_if_any()
    if not labels:
        raise input_error(path, "holds no label", "one JSON object a line was expected")
    return Labels(tuple(labels), digest.hexdigest())


def label_problems(label: Label) -> Iterator[tuple[str, str, str]]:
    """Yield field, problem and remedy of what does not fit together in one label."""
    for field in _IDENTIFIERS:
        value = getattr(label, field)
        problem = None if value is None else id_problem(value)
        if problem:
            yield field, problem.replace("the id ", "", 1), "write it without"
    if isinstance(label.output_sha256, tuple) and label.label is not None and label.label not in PAIR_LABELS:
        yield (
            "label",
            f"is {_shown(label.label)}, and output_sha256 names a pair: A, B or tie was expected",
            "A is the answer whose hash stands first; null where it was skipped",
        )
    if label.design in PROBABILITY_DESIGNS and label.inclusion_probability is None:
        yield (
            "inclusion_probability",
            f"is missing, and the design is {label.design}",
            "give the chance with which the item was drawn, above 0 and at most 1",
        )


class SeenLabels:
    """The labels of a file with the lines on which they stand."""

    def __init__(self) -> None:
        self._first: dict[tuple[LabelledItem, str], tuple[Label, int]] = {}
        self._splits: dict[LabelledItem, tuple[str, int]] = {}
        self._named: dict[ItemKey, tuple[LabelledItem, int]] = {}

    def add(self, label: Label, line: int) -> bool:
        """Take a label in; return False where this labeller's label of this item is there already."""
        self._splits.setdefault(label.item, (label.split, line))
        self._named.setdefault(item_key(label.item), (label.item, line))
        return self._first.setdefault((label.item, label.labeller), (label, line)) == (label, line)

    def contradictions(self, label: Label, line: int) -> Iterator[tuple[str, str, str]]:
        """Yield field, problem and remedy of what contradicts an earlier line."""
        if (label.item, label.labeller) in self._first:
            first, there = self._first[label.item, label.labeller]
            if first.label != label.label:
                yield (
                    "label",
                    f"is {_shown(label.label)}, and {_shown(first.label)} on line {there}: the same labeller on the same item",
                    "keep the one that counts",
                )
        named, there = self._named.get(item_key(label.item), (label.item, line))
        if named != label.item:
            yield (
                "output_sha256",
                f"names as A the answer that is B on line {there}: one pair, named both ways",
                "name the answers of a pair in one order in every line, and turn A and B with them",
            )
        split, there = self._splits.get(label.item, (label.split, line))
        if split != label.split:
            yield (
                "split",
                f"is {label.split}, and {split} on line {there} for the same item",
                "an item that was used to edit a rubric is spent; keep it in dev",
            )


def _shown(label: str | None) -> str:
    return "null (skipped)" if label is None else shown_text(label)
