"""The judge, and classifier scorers, against people: confusion, agreement with its interval, and below it the floor, chance and people among themselves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from evalkit.records.calibrations import Beside, Calibration, CalibrationRow, ClassRate
from evalkit.records.manifests import Manifest
from evalkit.records.reports import Interval, Report
from evalkit.reporting import calibration_words as words
from evalkit.reporting import figures
from evalkit.reporting.html.row_view import Drawing, at, ends


class Reader(NamedTuple):
    """One reader's agreement with people, drawn on the scale of the rows."""

    name: str
    drawing: Drawing | None
    agreement: str
    counts: str
    note: str


class LabelsView(NamedTuple):
    """One criterion of a judge, or a classifier scorer, against people's labels."""

    title: str
    about: str
    labels: tuple[str, ...]
    """Labels of people, down, and of the judge, across."""
    confusion: tuple[tuple[str, tuple[tuple[str, bool], ...]], ...]
    """Per human label: the counts, and whether both said the same."""
    readers: tuple[Reader, ...]
    rates: tuple[tuple[str, str], ...]
    reading: str


def labels_views(calibrations: Iterable[Calibration], report: Report) -> list[LabelsView]:
    """Return the rows with data of the newest calibration under this run's configuration; none where nothing was measured under it."""
    uses = {judge.judge_config_hash for judge in report.judges}
    for calibration in calibrations:
        rows = [row for row in calibration.rows if row.judge_config_hash in uses and row.n]
        if rows:
            return [_view(row, calibration) for row in rows]
    return []


def classifier_views(calibrations: Iterable[Calibration], manifest: Manifest) -> list[LabelsView]:
    """Return the same of a run's classifier scorers."""
    uses = {use.configuration_hash for use in manifest.classifiers}
    for calibration in calibrations:
        rows = [row for row in calibration.classifiers if row.judge_config_hash in uses and row.n]
        if rows:
            return [_view(row, calibration, what=f"{row.rubric}, {row.criterion}") for row in rows]
    return []


def _view(row: CalibrationRow, calibration: Calibration, *, what: str = "") -> LabelsView:
    labels = tuple(dict.fromkeys([cell.human for cell in row.confusion] + [cell.judge for cell in row.confusion]))
    counts = {(cell.human, cell.judge): cell.count for cell in row.confusion}
    own = Reader(
        words.who_said(row, calibration),
        _drawing(row.agreement, row.agreement_interval),
        _percent(row.agreement),
        f"{row.agree} of {row.n}",
        f"kappa {row.kappa.value:.2f}" if row.kappa.value is not None else row.kappa.reading,
    )
    others = [one for one in (row.floor, row.always, *row.ceiling) if one is not None]
    return LabelsView(
        title=f"{row.capability or row.judge} {what or row.criterion}",
        about=f"{row.split} split, {row.sample} labels of {', '.join(calibration.labellers)}, {calibration.made_at[:10]}",
        labels=labels,
        confusion=tuple(
            (human, tuple((str(counts.get((human, judge), 0)), human == judge) for judge in labels)) for human in labels
        ),
        readers=(own, *(_reader(one) for one in others)),
        rates=tuple(
            (name, _rate(rate)) for name, rate in (("true pass rate", row.tpr), ("true fail rate", row.tnr)) if rate
        ),
        reading=row.reading,
    )


def _reader(found: Beside) -> Reader:
    return Reader(
        found.name,
        _drawing(found.agreement, found.interval),
        _percent(found.agreement),
        f"{found.agree} of {found.n}",
        found.reading,
    )


def _drawing(value: float | None, limits: Interval | None) -> Drawing | None:
    if value is None:
        return None
    said = "no interval" if limits is None else f"95 % interval {100 * limits[0]:.1f} to {100 * limits[1]:.1f} %"
    return Drawing(
        value=at(value),
        interval=ends(limits),
        clustered=None,
        bounds=None,
        hollow=False,
        label=f"agrees on {figures.percent(value)}, {said}",
    )


def _percent(value: float | None) -> str:
    return "no data" if value is None else figures.percent(value)


def _rate(rate: ClassRate) -> str:
    bound = (
        ""
        if rate.lower is None
        else f", at least {figures.percent(rate.lower)} (one-sided 95 %, labels taken as independent)"
    )
    return f"{_percent(rate.value)}, {rate.correct} of {rate.n}{bound}{f'; {rate.reading}' if rate.reading else ''}"
