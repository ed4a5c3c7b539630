"""The frame of a calibration's file, and what is refused before there is one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from evalkit import __version__
from evalkit.calibration.compare import Comparison
from evalkit.calibration.selective import Votes
from evalkit.errors import UsageError
from evalkit.loading.labels import Labels
from evalkit.records.calibrations import Calibration, CalibrationRow, Disagreement
from evalkit.records.labels import Label
from evalkit.records.trust import Ledger, TrustRow, TrustState


class Calibrated(NamedTuple):
    """A calibration, what is to be read, and what it earns."""

    calibration: Calibration
    disagreements: tuple[Disagreement, ...]
    earned: Earned | None = None
    """None for verdicts made elsewhere and where the suite cannot be read."""
    votes: Votes | None = None
    """Where a risk was asked for: what the samples of each answer say."""


class Earned(NamedTuple):
    """What a calibration does to a suite's ledger."""

    folder: Path
    """The suite's."""
    ledger: Ledger
    """The new one, older rows of other configurations and criteria kept, and those that this run cannot take the place of."""
    rows: tuple[TrustRow, ...]
    """The rows of this calibration."""
    before: dict[tuple[str, str, str, str], TrustState]
    """What the ledger said of the same before."""
    left: frozenset[tuple[str, str, str, str]] = frozenset()
    """Rows of this calibration that did not enter the ledger: `Ledger.kept_from`."""

    @property
    def enters(self) -> bool:
        """False where the ledger stays as it is."""
        return len(self.left) < len(self.rows) or not self.rows


def standard(labels: Iterable[Label], labellers: Sequence[str]) -> tuple[str, ...]:
    """Return the labellers whose labels are the standard. Raises UsageError for one whom the file does not know."""
    known = tuple(dict.fromkeys(label.labeller for label in labels))
    for name in labellers:
        if name not in known:
            raise UsageError(f"no labeller {name[:60]!r} in this file; known: {', '.join(known)[:400]}")
    return tuple(labellers)


def refuse_nothing(rows: Sequence[CalibrationRow], unmatched: Mapping[str, int], items: int, where: str) -> None:
    """Raise UsageError where no label is about any verdict, with the reasons."""
    if not rows:
        why = ", ".join(f"{reason} {count}" for reason, count in unmatched.items())
        why = why or "no judge decided anything in it, and no label is about a classifier's answer"
        raise UsageError(f"none of {items} labelled items is about a verdict of {where}: {why}")


def named(labels: Iterable[Label], labellers: Sequence[str], about: Collection[str]) -> tuple[str, ...]:
    """Return whose labels are the standard (`labellers`, or all) among those who labelled something of what is calibrated (`about`)."""
    return tuple(name for name in labellers or dict.fromkeys(label.labeller for label in labels) if name in about)


def new_calibration(labels: Labels, labellers: Sequence[str], found: Comparison) -> Calibration:
    """Return a calibration's record, dated now (UTC), of verdicts that belong to no run."""
    return Calibration(
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        evalkit_version=__version__,
        suite="",
        run=None,
        checked=True,
        labels_sha256=labels.sha256,
        verdicts_sha256=None,
        outputs_sha256=None,
        labellers=named(labels.labels, labellers, found.labellers),
        unmatched=found.unmatched,
        unlabelled=0,
        rows=found.rows,
    )
