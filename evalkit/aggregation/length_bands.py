"""Pass rate by length of the answer: the cases of one row, cut into bands of about equal size from the shortest answer to the longest.

A picture beside the association of length with verdict: bands show where a judge's leaning sits. An audit, not a cause.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from evalkit.records.reports import Interval
from evalkit.stats.intervals import wilson

BANDS = 4


class LengthBand(NamedTuple):
    """Answers of neighbouring lengths."""

    shortest: int
    """Characters."""
    longest: int
    n: int
    """Cases graded pass or not."""
    passed: int
    interval: Interval
    """95 % Wilson, fractions."""


def length_bands(cases: Iterable[tuple[int, bool]], bands: int = BANDS) -> tuple[LengthBand, ...]:
    """Return at most `bands` bands over (characters, passed); answers of one length never stand in two.

    A band is closed when it has its share of the cases (n/bands, rounded up), so bands differ where lengths are tied. Fewer
    cases than `bands`, or a single length, give fewer bands; no case gives none. bands >= 1.
    """
    ordered = sorted(cases)
    share = -(-len(ordered) // bands)
    found: list[LengthBand] = []
    band: list[tuple[int, bool]] = []
    for index, case in enumerate(ordered):
        band.append(case)
        last = index + 1 == len(ordered)
        if last or (len(band) >= share and ordered[index + 1][0] != case[0]):
            passed = sum(ok for _, ok in band)
            found.append(LengthBand(band[0][0], case[0], len(band), passed, wilson(passed, len(band))))
            band = []
    return tuple(found)
