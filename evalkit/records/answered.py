"""Who answered a judge use: the judge's snapshots and, where a classifier stands before it, the classifier's. Each tier is one instrument."""

from collections.abc import Sequence
from typing import Protocol


class Answered(Protocol):
    """A record that says who answered a judge use."""

    @property
    def snapshots(self) -> tuple[str, ...]:
        """The judge's."""
        ...

    @property
    def classifier_snapshots(self) -> tuple[str, ...]:
        """Those of the classifier of a cascade."""
        ...


def answered_by(who: Answered) -> tuple[str, ...]:
    """Return everybody who answered, under names that tell a classifier from a judge."""
    return labelled(who.snapshots, who.classifier_snapshots)


def labelled(snapshots: tuple[str, ...], classifier_snapshots: tuple[str, ...]) -> tuple[str, ...]:
    """Return the judge's snapshots, then the classifier's marked as such."""
    return (*snapshots, *(f"{name} (classifier)" for name in classifier_snapshots))


def is_mixed(who: Answered) -> bool:
    """Tell whether one tier was more than one instrument; a judge and the classifier before it are two tiers of one cascade."""
    return max(len(who.snapshots), len(who.classifier_snapshots)) > 1


def same_instrument(measured: Answered, run: Answered) -> bool:
    """Tell whether what was measured of one judge use holds for a run's: one snapshot a tier in both, and none but the run's own."""
    return not is_mixed(measured) and not is_mixed(run) and set(answered_by(measured)) <= set(answered_by(run))


def together(uses: Sequence[Answered]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the judge's and the classifier's snapshots of several uses of one configuration, each sorted."""
    judges = {name for use in uses for name in use.snapshots}
    classifiers = {name for use in uses for name in use.classifier_snapshots}
    return tuple(sorted(judges)), tuple(sorted(classifiers))
