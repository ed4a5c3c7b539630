"""Counts of the same answers, read several times: what of their spread is the answers', and what is rerun noise.

One reading of an answer is noise: the same text, judged twice, does not count the same. Two readings at least tell the two apart.
"""

from __future__ import annotations

from statistics import fmean

from evalkit.aggregation.readings import join
from evalkit.records.reports import Row, SampleSpread
from evalkit.stats.rerun_counts import VarianceSplit, variance_split

ONE_SAMPLE = "insufficient: one sample is noise; set `samples: 2` or more in judge.yaml"


class SpreadFold:
    """The counts of one row while they come in."""

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts: list[tuple[tuple[int, int], tuple[float, ...]]] = []

    def add(self, order: tuple[int, int], counts: tuple[float, ...]) -> None:
        """Take the counts of one answer, a reading each; `order` is its place, so that sums do not depend on arrival."""
        self._counts.append((order, counts))

    def spread(self) -> SampleSpread | None:
        """Return what the readings say, or None where there are none."""
        items = [counts for _, counts in sorted(self._counts)]
        if not items:
            return None
        runs = len(items[0])
        split = variance_split(items)
        told = split if isinstance(split, VarianceSplit) else None
        refused = "" if isinstance(split, VarianceSplit) else split.reason
        return SampleSpread(
            samples=runs,
            per_sample=tuple(fmean(counts[index] for counts in items) for index in range(runs)),
            item_variance=told.item if told else None,
            rerun_variance=told.rerun if told else None,
            standard_error=told.standard_error(len(items), runs) if told else None,
            note=ONE_SAMPLE if runs == 1 else (told.insufficient or "") if told else refused,
        )


def with_spread(row: Row, found: SampleSpread | None, *, rules: bool) -> Row:
    """Return a row of counts with its spread; of a judge that is `rules` and no model one reading is all there is."""
    if found is None or (rules and found.samples == 1):
        return row
    return row.model_copy(
        update={
            "spread": found,
            "insufficient": row.insufficient or found.samples == 1,
            "reading": join(row.reading, reading_of_spread(found)),
        }
    )


def reading_of_spread(found: SampleSpread) -> str:
    """Return the spread in words."""
    if found.samples == 1:
        return found.note
    means = ", ".join(f"{mean:.2f}" for mean in found.per_sample)
    text = f"{found.samples} readings of each answer, means {means}"
    if found.item_variance is not None and found.rerun_variance is not None and found.standard_error is not None:
        text += (
            f"; variance between answers {found.item_variance:.2f}, between readings of one {found.rerun_variance:.2f}; "
            f"standard error {found.standard_error:.2f}"
        )
    return join(text, found.note)
