"""What people say of each item: one label per item, or the reason for none. Several people decide by strict majority.

Two people who differ decide nothing: the item is excluded and counted, for choosing one of them would be the judge's luck.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from evalkit.records.calibrations import Sample
from evalkit.records.labels import PROBABILITY_DESIGNS, Label, LabelledItem, Split


class Labelled(NamedTuple):
    """An item that people looked at."""

    item: LabelledItem
    label: str | None
    """What they say; None where `reason` says why not."""
    reason: str
    """`skipped`, `labellers_disagree`, `not_blind`; empty where there is a label."""
    drawn: Label
    """The label whose design, probability and split hold for the item."""
    labels: tuple[Label, ...]
    """Everybody's, in file order."""

    @property
    def split(self) -> Split:
        """Dev or test."""
        return self.drawn.split

    @property
    def sample(self) -> Sample:
        """What the item is a sample of."""
        if self.drawn.design in PROBABILITY_DESIGNS:
            return "drawn"
        return "planted" if self.drawn.design == "planted" else "flips"


def labelled_items(labels: Iterable[Label], labellers: Sequence[str] = ()) -> list[Labelled]:
    """Return what people say of each item, in the order of its first label.

    `labellers` are those whose labels are the standard, all by default. In the test split only blind labels count.
    """
    by_item: dict[LabelledItem, list[Label]] = defaultdict(list)
    for label in labels:
        by_item[label.item].append(label)
    return [
        _labelled(item, standard, given)
        for item, given in by_item.items()
        if (standard := [label for label in given if not labellers or label.labeller in labellers])
    ]


def _labelled(item: LabelledItem, standard: Sequence[Label], given: Sequence[Label]) -> Labelled:
    drawn = next((label for label in standard if label.design in PROBABILITY_DESIGNS), standard[0])
    label, reason = _decided([one for one in standard if one.blind or one.split == "dev"])
    return Labelled(item, label, reason, drawn, tuple(given))


def _decided(standard: Sequence[Label]) -> tuple[str | None, str]:
    if not standard:
        return None, "not_blind"
    votes = Counter(label.label for label in standard if label.label is not None)
    if not votes:
        return None, "skipped"
    label, most = votes.most_common(1)[0]
    return (label, "") if 2 * most > votes.total() else (None, "labellers_disagree")
