"""What the page of a comparison of candidates says before any case: who is ahead, by which pairs, and what the order of showing did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evalkit.experiments.pair_matrix import SIDES, OrderMatrix, matrices_made_elsewhere, order_matrices
from evalkit.records.base import Json
from evalkit.records.comparisons import Comparison, PairRow
from evalkit.records.judges import FLOOR_NAME
from evalkit.records.reports import Interval
from evalkit.reporting import figures
from evalkit.reporting.comparison_words import (
    ELSEWHERE,
    NEVER_GATES,
    alarms,
    as_if_apart,
    net_limits,
    over_clusters,
    sections,
)
from evalkit.reporting.html.case_list import ListedCase
from evalkit.reporting.html.differences import DifferenceDrawing, difference_drawing, half_of, scale_words
from evalkit.reporting.html.pairs_material import OVERALL, WORDS, PairsMaterial, sampled
from evalkit.reporting.html.pictures import Part
from evalkit.reporting.html.row_view import WIDTH, cases_address
from evalkit.reporting.wording import FLOOR

LARGEST_SQUARE = 22.0
"""Side of the square of the fullest cell of a matrix; areas are to scale."""


class PairRowView(NamedTuple):
    """Two candidates on one criterion: the split of the pairs to scale, and the net win around nothing."""

    name: str
    filter: str
    overall: bool
    parts: tuple[Part, ...]
    label: str
    counts: tuple[str, ...]
    net: str
    limits: str
    drawing: DifferenceDrawing | None
    note: str


class MatrixView(NamedTuple):
    """Verdicts of both orders against each other."""

    title: str
    sides: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[str, float], ...]], ...]
    """Per verdict with the first candidate shown first: (pairs, side of the square) per verdict with it shown second."""


SPLIT = (
    "first in both orders",
    "tie in both",
    "towards the first shown",
    "towards the second shown",
    "second in both orders",
)


def pairs_screen(material: PairsMaterial, listed: Sequence[ListedCase]) -> dict[str, Json]:
    """Return what the template of a comparison of candidates names."""
    comparison = material.comparison
    rows = sorted(comparison.rows, key=lambda row: row.criterion != OVERALL)
    several = len(comparison.candidates) > 2
    half = half_of(amount for row in rows for amount in (row.net, *(net_limits(row) or ())))
    return {
        "suite": comparison.suite.get("name", "?"),
        "names": [candidate.name for candidate in comparison.candidates],
        "alarms": [*alarms(comparison), *_floor(comparison), *_unchecked(comparison)],
        "ahead": [_ahead(row) for row in rows if row.criterion == OVERALL],
        "never_gates": NEVER_GATES,
        "split": SPLIT,
        "rows": [_row(row, half, several=several) for row in rows if row.n],
        "scale": scale_words(half),
        "without_data": [f"{_name(row, several=several)}: {figures.counts(row.excluded)}" for row in rows if not row.n],
        "matrices": [
            _matrix(matrix)
            for matrix in (*order_matrices(material.pairs), *matrices_made_elsewhere(material.elsewhere))
        ],
        "words": [section for section in sections(comparison) if section.heading != "Pairs"],
        "listed": len(listed),
        "listed_because": "every case with a pair that could be compared",
        "step_name": WORDS.name,
        "provenance": list(_provenance(comparison)),
    }


def _floor(comparison: Comparison) -> list[str]:
    return [FLOOR] if any(judge.judge == FLOOR_NAME for judge in comparison.judges) else []


def _unchecked(comparison: Comparison) -> list[str]:
    return [] if comparison.checked else [ELSEWHERE]


def _name(row: PairRow, *, several: bool) -> str:
    """Return what a row is about; of two candidates alone it need not be said that it is about them."""
    about = " / ".join(dict.fromkeys((row.capability or row.judge, sampled(row.criterion, row.sample))))
    return f"{row.first} against {row.second}: {about}" if several else about


def _ahead(row: PairRow) -> tuple[str, str]:
    """Return who is ahead, where the interval of the net win stands apart from nothing, and by what."""
    limits = net_limits(row)
    won = f"{row.wins} won, {row.ties} tied, {row.losses} lost of {figures.counted(row.n, 'pair')} ({sampled(row.capability or row.judge, row.sample)})"
    if limits is None or limits[0] <= 0 <= limits[1]:
        return f"{row.first} and {row.second}: no winner shown", won
    ahead, behind = (row.first, row.second) if limits[0] > 0 else (row.second, row.first)
    return f"{ahead} ahead of {behind}", won


def _row(row: PairRow, half: float, *, several: bool) -> PairRowView:
    counts = (row.first_both, row.tie_both, row.towards_first_shown, row.towards_second_shown, row.second_both)
    limits = net_limits(row)
    said = [
        as_if_apart(row) if row.criterion == OVERALL else "",
        f"excluded: {figures.counts(row.excluded)}" if row.excluded else "",
        row.reading,
    ]
    return PairRowView(
        name=_name(row, several=several),
        filter=cases_address(
            capability=row.capability or row.judge,
            criterion=f"{row.first} against {row.second}/{sampled(row.criterion, row.sample)}",
        ),
        overall=row.criterion == OVERALL,
        parts=tuple(_parts(counts, sum(counts))),
        label=", ".join(f"{name} {count}" for name, count in zip(SPLIT, counts, strict=True)),
        counts=tuple(map(str, counts)),
        net="no data" if row.net is None else f"{100 * row.net:+z.1f}",
        limits=f"{'' if limits is None else _span(limits)}{over_clusters(row)}".removeprefix(", "),
        drawing=None if row.net is None else difference_drawing(row.net, limits, half),
        note="; ".join(text for text in said if text),
    )


def _span(limits: Interval) -> str:
    low, high = map(figures.written, limits)
    return f"{100 * low:+z.1f} to {100 * high:+z.1f}"


def _parts(counts: tuple[int, ...], total: int) -> Iterator[Part]:
    begin = 0.0
    for name, count in zip(SPLIT, counts, strict=True):
        length = WIDTH * count / total if total else 0.0
        yield Part(name, (round(begin, 2), round(length, 2)), str(count))
        begin += length


def _matrix(matrix: OrderMatrix) -> MatrixView:
    most = max(matrix.counts.values())
    names = {"first": matrix.first, "second": matrix.second, "tie": "tie"}
    about = (matrix.capability, matrix.criterion)
    return MatrixView(
        title=f"{matrix.first} against {matrix.second}: {' / '.join(dict.fromkeys(about))}",
        sides=tuple(names[side] for side in SIDES),
        rows=tuple(
            (
                names[in_ab],
                tuple(
                    (str(count), round(LARGEST_SQUARE * (count / most) ** 0.5, 2))
                    for in_ba in SIDES
                    for count in (matrix.counts.get((in_ab, in_ba), 0),)
                ),
            )
            for in_ab in SIDES
        ),
    )


def _provenance(comparison: Comparison) -> Iterator[tuple[str, str]]:
    yield "suite" if comparison.checked else "file of verdicts", comparison.suite.get("sha256", "")
    if comparison.golden_sha256:
        yield "golden set", comparison.golden_sha256
    yield from (
        (f"outputs of {candidate.name}", candidate.outputs_sha256)
        for candidate in comparison.candidates
        if comparison.checked
    )
    for judge in comparison.judges:
        yield f"judge_config_hash, {judge.capability} / {judge.rubric}", judge.judge_config_hash
