"""The figures of a row of a comparison of two runs in words: for the terminal what decides, for the page all of them. Every word is harmless."""

from __future__ import annotations

from collections.abc import Iterator

from evalkit.records.diffs import CountRatio, RowDiff, RowName
from evalkit.records.reports import Interval
from evalkit.reporting import figures
from evalkit.reporting.escape import one_line

SMALLEST_P = 0.001


def place(row: RowName) -> str:
    """Return capability, scorer and criterion, each name once."""
    return one_line("/".join(dict.fromkeys((row.capability, row.scorer, row.criterion))), 120)


def who(row: RowDiff) -> str:
    """Return that a judge gave a row, and what it is where no trust stands behind it; empty for other rows."""
    if row.kind != "judge":
        return ""
    return f"judge: {one_line(row.caution)}" if row.caution else "judge"


def drift_words(row: RowDiff) -> str:
    """Return which tiers of a cascade decided the cases that drifted; empty where no cascade did."""
    return "; ".join(f"{one_line(tiers)} {len(ids)}" for tiers, ids in row.drift_by.items())


def direction_words(row: RowDiff) -> str:
    """Return which way a row gets better; empty where it is up."""
    return {"higher": "", "lower": "fewer is better", "neither": "ranks nothing"}[row.better]


def figures_in_words(row: RowDiff) -> Iterator[str]:
    """Yield what decides about a row; of one without pairs only why there is no figure."""
    if row.value_a is None or row.value_b is None or row.difference is None:
        yield one_line(row.note)
        return
    rate = row.estimate == "rate"
    shown = figures.percent if rate else figures.number
    yield f"n {row.n} ({row.n - row.unchanged} changed outputs): {shown(row.value_a)} -> {shown(row.value_b)}"
    limits = row.interval_clustered or row.interval
    kind = f"t over {row.clusters} clusters" if row.interval_clustered else "Tango" if rate else "t"
    spread = f" ({kind}, 95 %: {_limits(limits, rate=rate)})" if limits else ""
    yield f"difference {_signed(row.difference, rate=rate)}{spread}"
    if row.ratio is not None:
        yield _ratio(row.ratio)
    if row.p is not None:
        test = "t" if row.interval_clustered or not rate else "mid-p"
        adjusted = "" if row.q is None or row.p_holm is None else f", q {_p(row.q)}, Holm {_p(row.p_holm)}"
        yield f"{test} {_p(row.p)}{adjusted}"
    if row.detectable is not None:
        yield f"detectable {_signed(row.detectable, rate=rate).removeprefix('+')}"
    if row.note:
        yield one_line(row.note, 300)


def all_in_words(row: RowDiff) -> Iterator[str]:
    """Yield everything that a comparison says of a row, the ids of its cases aside."""
    yield f"{who(row) or row.kind}, a {row.estimate}"
    yield from filter(None, (row.moved or "", direction_words(row)))
    counts = {"fixed": row.fixed, "broken": row.broken, "still failing": row.still_failing, "drifted": row.drift}
    yield ", ".join(f"{name} {len(ids)}" for name, ids in counts.items())
    if row.drift_by:
        yield f"drifted, decided by {drift_words(row)}"
    yield from filter(None, figures_in_words(row))
    if row.interval_clustered is not None and row.interval is not None:
        yield f"as if cases shared nothing: 95 % {_limits(row.interval, rate=row.estimate == 'rate')}"
    elif row.clusters is not None:
        yield f"{row.clusters} clusters"
    if row.insufficient:
        yield "too few pairs to decide anything"
    yield from (f"no pair, {one_line(reason)}: {len(ids)}" for reason, ids in row.unpaired.items())


def _p(value: float) -> str:
    return f"<{SMALLEST_P}" if value < SMALLEST_P else f"{value:.3f}"


def _ratio(found: CountRatio) -> str:
    """Return how many times as much B counts as A."""
    if found.value is None:
        return f"B/A not given: {one_line(found.note, 200)}"
    spread = f" (95 %: {found.interval[0]:.2f} to {found.interval[1]:.2f})" if found.interval else ""
    few = f", {one_line(found.note, 200)}" if found.note else ""
    return f"B/A {found.value:.2f} times{spread}{few}"


def _limits(limits: Interval, *, rate: bool) -> str:
    return f"{_signed(limits[0], rate=rate)} to {_signed(limits[1], rate=rate)}"


def _signed(amount: float, *, rate: bool) -> str:
    exact = figures.written(amount)
    return f"{100 * exact:+z.1f} points" if rate else f"{exact:+z.3f}"
