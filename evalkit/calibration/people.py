"""What people say of each item: one label per item, or the reason for none. Several people decide by strict majority.

Two people who differ decide nothing: the item is excluded and counted, for choosing one of them would be the judge's luck.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from evalkit.records.calibrations import Sample
from evalkit.records.labels import PROBABILITY_DESIGNS, Label, LabelledItem, Split

Wordings = Mapping[tuple[str | None, str], str]
"""(Rubric, criterion) -> hash of what the judge was asked."""


class Labelled(NamedTuple):
    """An item that people looked at."""

    item: LabelledItem
    label: str | None
    """What they say; None where `reason` says why not."""
    reason: str
    """`skipped`, `labellers_disagree`, `not_blind`, `other_wording`; empty where there is a label."""
    drawn: Label
    """The label whose design, probability and split hold for the item."""
    labels: tuple[Label, ...]
    """Everybody's, in file order."""

    @property
    def split(self) -> Split:
        """Dev or test."""
        return self.drawn.split

    @property
    def labellers(self) -> set[str]:
        """Who looked at it, also where their label answers another wording."""
        return {self.drawn.labeller, *(label.labeller for label in self.labels)}

    @property
    def sample(self) -> Sample:
        """What the item is a sample of."""
        if self.drawn.design in PROBABILITY_DESIGNS:
            return "drawn"
        return "planted" if self.drawn.design == "planted" else "flips"


def labelled_items(
    labels: Iterable[Label], labellers: Sequence[str] = (), wordings: Wordings | None = None
) -> list[Labelled]:
    """Return what people say of each item, in the order of its first label.

    `labellers` are those whose labels are the standard, all by default. In the test split only blind labels count. `wordings`
    say what the judge was asked: a label that says that it answers another wording does not count.
    """
    asked = wordings or {}
    by_item: dict[LabelledItem, list[Label]] = defaultdict(list)
    for label in labels:
        by_item[label.item].append(label)
    return [
        _labelled(item, standard, given, asked.get(item[2:]))
        for item, given in by_item.items()
        if (standard := [label for label in given if not labellers or label.labeller in labellers])
    ]


def unsaid(labels: Iterable[Label], wordings: Wordings) -> int:
    """Return how many labels about these criteria do not say which wording they answer."""
    return sum(label.asked_sha256 is None and label.item[2:] in wordings for label in labels)


def _labelled(item: LabelledItem, standard: Sequence[Label], given: Sequence[Label], asked: str | None) -> Labelled:
    drawn = next((label for label in standard if label.design in PROBABILITY_DESIGNS), standard[0])
    same = [one for one in standard if asked is None or one.asked_sha256 in {None, asked}]
    label, reason = _decided([one for one in same if one.blind or one.split == "dev"])
    kept = tuple(one for one in given if asked is None or one.asked_sha256 in {None, asked})
    return Labelled(item, label, reason if same else "other_wording", drawn, kept)


def _decided(standard: Sequence[Label]) -> tuple[str | None, str]:
    if not standard:
        return None, "not_blind"
    votes = Counter(label.label for label in standard if label.label is not None)
    if not votes:
        return None, "skipped"
    label, most = votes.most_common(1)[0]
    return (label, "") if 2 * most > votes.total() else (None, "labellers_disagree")
