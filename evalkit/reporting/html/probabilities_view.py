"""A classifier scorer's probabilities against people's labels: the reliability curve, its table with each bin drawn, and summaries."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from evalkit.records.calibrations import Calibration, ProbabilityBin, ProbabilityRow
from evalkit.records.manifests import Manifest
from evalkit.records.reports import Report
from evalkit.reporting import calibration_words as words
from evalkit.reporting.html.reliability import ReliabilityPicture, reliability_picture
from evalkit.reporting.html.row_view import Drawing, at, ends


class BinView(NamedTuple):
    """One bin: what was stated, and what people said."""

    stated: str
    mean: str
    drawing: Drawing | None
    passed: str
    n: int


class ProbabilityView(NamedTuple):
    """One classifier scorer."""

    title: str
    summaries: tuple[tuple[str, str], ...]
    bins: tuple[BinView, ...]
    curve: ReliabilityPicture | None


def probability_views(calibrations: Iterable[Calibration], manifest: Manifest, report: Report) -> list[ProbabilityView]:
    """Return the rows of the newest calibration that measured a classifier configuration of this run; none where there is none."""
    uses = {use.configuration_hash for use in manifest.classifiers}
    uses |= {cascade.configuration_hash for cascade in report.cascades}
    for calibration in calibrations:
        rows = [row for row in calibration.probabilities if row.configuration_hash in uses and row.labels]
        if rows:
            return [_view(row) for row in rows]
    return []


def _view(row: ProbabilityRow) -> ProbabilityView:
    return ProbabilityView(
        title=words.probability_title(row),
        summaries=tuple(entry for entry in words.probabilities(row) if not entry[0].startswith(words.STATED)),
        bins=tuple(_bin(one) for one in row.bins),
        curve=reliability_picture(row.bins),
    )


def _bin(one: ProbabilityBin) -> BinView:
    passed = words.share(one.observed, one.interval)
    drawing = None
    if one.observed is not None:
        drawing = Drawing(at(one.observed), ends(one.interval), None, None, hollow=one.interval is None, label=passed)
    return BinView(words.bin_range(one), f"{one.stated:.2f}", drawing, passed, one.n)
