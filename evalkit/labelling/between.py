"""How far people agree with each other on the same items: the ceiling of what any judge can agree with them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from evalkit.calibration.agreement import ceiling
from evalkit.calibration.people import Labelled, labelled_items
from evalkit.records.calibrations import Beside
from evalkit.records.labels import Label, LabelledItem


class Between(NamedTuple):
    """The labellers of one criterion."""

    rubric: str
    criterion: str
    pairs: tuple[Beside, ...]
    """Every two labellers who share items: raw agreement, kappa, n; items that one of them skipped do not count."""
    differ: tuple[LabelledItem, ...]
    """Items with different labels, to be talked about."""


def between_labellers(labels: Iterable[Label]) -> list[Between]:
    """Return the agreement of labellers per rubric and criterion, where two of them share an item."""
    by_criterion: dict[tuple[str, str], list[Labelled]] = defaultdict(list)
    for item in labelled_items(labels):
        by_criterion[item.drawn.rubric or "", item.drawn.criterion].append(item)
    found = []
    for (rubric, criterion), items in sorted(by_criterion.items()):
        pairs = ceiling(items)
        differ = tuple(item.item for item in items if len({one.label for one in item.labels} - {None}) > 1)
        if pairs:
            found.append(Between(rubric, criterion, pairs, differ))
    return found
