"""Tests in an order that was fixed beforehand: each at the full level, stop at the first that fails, no correction needed.

The chance of any false pass in the whole sequence is that of the first true null that is reached, so it is held at the level of one
test (Maurer, Hothorn & Lehmacher 1995). Choosing the best of several by its point estimate holds nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from math import ceil, log, log1p
from typing import NamedTuple

from evalkit.stats.intervals import clopper_pearson_upper
from evalkit.stats.results import Refused

ENOUGH_LABELS = 30
"""Fewest labels at or above a threshold from which its error rate is tested; a small risk takes more."""


def fixed_sequence(passed: Sequence[bool]) -> int | Refused:
    """Return the place of the last test that passed before the first that failed, e.g. of judges from strong to cheap.

    Each entry is the outcome of a test at the same one-sided level; what comes after the first failure is not looked at. Refuses
    where the first fails, or there is none.
    """
    last = -1
    for place, outcome in enumerate(passed):
        if not outcome:
            break
        last = place
    return last if last >= 0 else Refused("none clears: human or deterministic")


class Level(NamedTuple):
    """The labelled answers whose confidence is at a threshold or above."""

    threshold: float
    labels: int
    errors: int
    """Labels among these on which the judge was wrong."""


def levels_of(decisions: Iterable[tuple[float, bool]]) -> list[Level]:
    """Return a level per confidence that occurs, from strict to loose, each with the decisions at or above it.

    A decision is (confidence, whether it was right).
    """
    found: list[Level] = []
    labels = errors = 0
    for threshold, group in groupby(sorted(decisions, reverse=True), key=lambda decision: decision[0]):
        right = [was_right for _, was_right in group]
        labels += len(right)
        errors += right.count(False)
        found.append(Level(threshold, labels, errors))
    return found


class Selected(NamedTuple):
    """The loosest threshold that was accepted."""

    threshold: float
    coverage: float
    """Share of all labelled answers that the judge may decide, in (0, 1]; the rest goes to people."""
    error: float
    """Share of errors among them."""
    upper: float
    """One-sided upper bound of that share, at most the risk that was allowed."""


def labels_to_start(risk: float, level: float = 0.95) -> int:
    """Return how many labels a threshold needs before its test can pass at all: 30, or more where no error in 30 bounds nothing.

    The least n with (1 - risk)^n <= 1 - level, e.g. 59 at .05 and 149 at .02. Range: 0 < risk < 1, 0 < level < 1.
    """
    return max(ENOUGH_LABELS, ceil(log(1 - level) / log1p(-risk)))


def selective_threshold(levels: Sequence[Level], total: int, risk: float, level: float = 0.95) -> Selected | Refused:
    """Return the loosest threshold reached from the strictest whose Clopper-Pearson upper bound of error is at most `risk`.

    `levels` go from strict to loose and are cumulative (each holds the ones before); `total` is all labelled answers. The first test
    is of the strictest threshold with `labels_to_start` labels: fewer could not pass without an error, and the sequence would end there.
    Which that is depends on confidences and on no outcome, so the order is fixed beforehand and the risk is exceeded in at most
    1 - level of the samples (Learn then Test, Angelopoulos et al. 2021, arXiv 2110.01052). Refuses where no threshold has the labels,
    and where the first one tested fails. Range: labels and errors that do not fall, errors <= labels <= total, 0 < risk < 1. Jung et
    al. 2024 (arXiv 2407.18370), whose code returns the strictest threshold even where its bound fails. Raises ValueError outside the
    range.
    """
    _check(levels, total, risk)
    start = labels_to_start(risk, level)
    tested = [entry for entry in levels if entry.labels >= start]
    if not tested:
        return Refused(_too_few(levels[-1].labels if levels else 0, start, risk))
    chosen: Selected | None = None
    for entry in tested:
        upper = clopper_pearson_upper(entry.errors, entry.labels, level)
        if upper > risk:
            break
        chosen = Selected(entry.threshold, entry.labels / total, entry.errors / entry.labels, upper)
    return chosen or Refused(_refuted(tested[0], risk, level))


def _too_few(labels: int, start: int, risk: float) -> str:
    return (
        f"too few labels for a risk of {100 * risk:g} %: it takes {start:,}, with the answers right on all of them; there are {labels:,}, "
        f"so {start - labels:,} more"
    )


def _refuted(first: Level, risk: float, level: float) -> str:
    upper = 100 * clopper_pearson_upper(first.errors, first.labels, level)
    return (
        f"no threshold holds the risk of {100 * risk:g} %: of the {first.labels:,} surest labelled answers {first.errors:,} "
        f"are wrong, which may be up to {upper:.1f} %"
    )


def _check(levels: Sequence[Level], total: int, risk: float) -> None:
    if not 0 < risk < 1:
        raise ValueError(f"a risk lies between 0 and 1, got {risk}")
    before = Level(float("inf"), 0, 0)
    for entry in levels:
        grown = 0 <= entry.errors - before.errors <= entry.labels - before.labels
        if not (grown and entry.threshold < before.threshold and entry.labels <= total):
            raise ValueError(f"thresholds go from strict to loose and are cumulative, got {entry} after {before}")
        before = entry
