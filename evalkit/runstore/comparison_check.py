"""Does a comparison hold together? Its rows are counted again from pairs.jsonl, and its figures made again from the counts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from math import isclose

from evalkit.errors import Fault
from evalkit.records.comparisons import PairRow
from evalkit.runstore.comparisons import COMPARISON, StoredComparison
from evalkit.stats.results import Refused
from evalkit.stats.win_rates import win_rate

Key = tuple[str, str, str, str, str]
SAME = 1e-9


def verify_comparison(stored: StoredComparison) -> tuple[Fault, ...]:
    """Return what does not hold together, nothing where everything does. Raises RunStoreError where pairs.jsonl cannot be read."""
    counted = _counted(stored) if stored.comparison.checked else {}
    faults = []
    for index, row in enumerate(stored.comparison.rows):
        found = counted.get(_key(row), Counter()) if stored.comparison.checked else None
        faults += [
            Fault(
                file=str(stored.folder / COMPARISON),
                field=f"rows.{index} ({row.first} against {row.second}, {row.criterion})",
                problem=problem,
                remedy="make the comparison again; what was bought is in the cache",
            )
            for problem in (*_counts(row, found), *_figures(row))
        ]
    return tuple(faults)


def _key(row: PairRow) -> Key:
    return row.first, row.second, row.capability, row.rubric, row.criterion


def _counted(stored: StoredComparison) -> dict[Key, Counter[str]]:
    counted: dict[Key, Counter[str]] = defaultdict(Counter)
    for pair in stored.pairs():
        for criterion, winner in pair.outcomes.items():
            if winner is not None:
                counted[pair.first, pair.second, pair.capability, pair.rubric, criterion][winner] += 1
    return counted


def _counts(row: PairRow, found: Counter[str] | None) -> Iterator[str]:
    said = {"first": row.wins, "tie": row.ties, "second": row.losses}
    if found is not None and any(found[side] != count for side, count in said.items()):
        yield f"says {row.wins} wins, {row.ties} ties and {row.losses} losses, but pairs.jsonl gives {dict(found)}"
    divided = row.towards_first_shown + row.towards_second_shown
    if sum(said.values()) != row.n or row.n + sum(row.excluded.values()) != row.pairs:
        yield "its counts do not add up to its pairs"
    if (row.first_both, row.second_both, row.tie_both + divided) != (row.wins, row.losses, row.ties):
        yield "its four-way split does not give its wins, ties and losses"


def _figures(row: PairRow) -> Iterator[str]:
    due = win_rate(row.wins, row.ties, row.losses)
    if isinstance(due, Refused):
        if row.net is not None or row.win_rate is not None:
            yield "has figures without a pair"
        return
    figures = (
        ("win_rate", row.win_rate, due.rate.value),
        ("net", row.net, due.net.value),
        ("p", row.p, due.p),
        *_ends("win_rate_interval", row.win_rate_interval, due.rate.interval),
        *_ends("net_interval", row.net_interval, due.net.interval),
    )
    for name, said, made in figures:
        if said is None or not isclose(said, made, abs_tol=SAME):
            yield f"{name} is {said}, but the counts give {made:.4f}"


def _ends(
    name: str, said: tuple[float, float] | None, due: tuple[float, float] | None
) -> Iterator[tuple[str, float | None, float]]:
    for place, end in enumerate(due or ()):
        yield name, said[place] if said else None, end
