"""A suite's ledger held against the judge that the suite uses now: which rows still speak for it, and what changed for the others."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from evalkit.calibration.reliance import differing, raised_since
from evalkit.calibration.trust import bars_of
from evalkit.errors import UsageError
from evalkit.loading.suites import load_suite
from evalkit.pipeline.columns import build_columns
from evalkit.records.trust import Bars, Ledger, TrustRow
from evalkit.runstore.ledger import FILE, read_ledger


class Standing(NamedTuple):
    """A ledger and, per row, what differs now."""

    ledger: Ledger
    rows: tuple[tuple[TrustRow, tuple[str, ...]], ...]
    raised: tuple[tuple[str, ...], ...]
    """Per row the bars that suite.yaml has raised since, as `tnr 0.8 -> 0.95`."""


def standing_of(suite: Path, judge: Path | None = None) -> Standing:
    """Return a suite's ledger beside its present judge.

    Raises InputError for the suite's faults, RunStoreError for a ledger that cannot be read, UsageError where there is none.
    """
    loaded = load_suite(suite, judge)
    ledger = read_ledger(loaded.folder)
    if ledger is None:
        raise UsageError(f"{loaded.folder / FILE} does not exist: evalkit calibrate RUN --labels FILE writes it")
    now = {
        (column.measurement.capability, column.measurement.rubric.id): column.measurement.identity
        for column in build_columns(loaded).judged
    }
    hashes = {column.measurement.config_hash for column in build_columns(loaded).judged}
    bars = bars_of(loaded.suite.trust, loaded.suite.budgets)
    rows = []
    for row in ledger.rows:
        changes: tuple[str, ...] = ()
        if row.judge_config_hash not in hashes:
            known = ledger.judges.get(row.judge_config_hash)
            identity = now.get((row.capability, row.rubric))
            if identity is None:
                changes = ("this judge use is no longer in the suite",)
            else:
                changes = tuple(differing(known.identity if known else {}, identity))
        rows.append((row, changes))
    return Standing(ledger, tuple(rows), tuple(_raised(row, bars) for row in ledger.rows))


def _raised(row: TrustRow, bars: Bars) -> tuple[str, ...]:
    return tuple(f"{name} {getattr(row.bars, name)} -> {getattr(bars, name)}" for name in raised_since(row, bars))
