"""Pictures with their numbers: length bands, self-agreement, tokens. Finished figures in, coordinates out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from evalkit.experiments.beside_run import Beside
from evalkit.pipeline.page_figures import RowBands, TokenUse
from evalkit.records.experiments import AgreementRow
from evalkit.records.manifests import Manifest
from evalkit.records.reports import Report
from evalkit.reporting import figures, wording
from evalkit.reporting.cost_words import use_costs
from evalkit.reporting.html.row_view import Drawing, Ends, at, ends

PLOT_HEIGHT = 110.0
PLOT_TOP = 8.0
BAND_WIDTH = 58.0
PLOT_LEFT = 40.0


class BandMark(NamedTuple):
    """One band of a length picture: its middle, its value and interval as heights, and its numbers."""

    x: float
    y: float
    low: float
    high: float
    lengths: str
    passed: str
    share: str
    limits: str


class BandPicture(NamedTuple):
    """Pass rate by answer length of one judge row."""

    title: str
    width: float
    marks: tuple[BandMark, ...]
    line: str
    """Points that join the values."""
    label: str
    association: str
    """Somers' D in words; empty where there is none."""


def band_pictures(bands: Sequence[RowBands], report: Report) -> list[BandPicture]:
    """Return a picture per judge row that has more than one length."""
    said = {
        (found.capability, found.criterion): wording.association(found)
        for found in (report.health.length if report.health else ())
        if found.somers_d is not None
    }
    return [_band_picture(row, said.get((row.capability, row.criterion), "")) for row in bands if len(row.bands) > 1]


def _band_picture(row: RowBands, association: str) -> BandPicture:
    marks = []
    for index, band in enumerate(row.bands):
        share = band.passed / band.n
        marks.append(
            BandMark(
                x=round(PLOT_LEFT + BAND_WIDTH * (index + 0.5), 2),
                y=_height(share),
                low=_height(band.interval[0]),
                high=_height(band.interval[1]),
                lengths=f"{band.shortest:,} to {band.longest:,}"
                if band.shortest != band.longest
                else f"{band.longest:,}",
                passed=f"{band.passed} of {band.n}",
                share=figures.percent(share),
                limits=f"{100 * band.interval[0]:.1f} to {100 * band.interval[1]:.1f} %",
            )
        )
    spoken = "; ".join(f"{mark.lengths} characters: {mark.share}, {mark.passed}" for mark in marks)
    return BandPicture(
        title=f"{row.capability} {row.criterion}",
        width=PLOT_LEFT + BAND_WIDTH * len(marks) + 4,
        marks=tuple(marks),
        line=" ".join(f"{mark.x},{mark.y}" for mark in marks),
        label=f"Pass rate by answer length, {row.capability} {row.criterion}. {spoken}",
        association=association,
    )


def _height(share: float) -> float:
    return round(PLOT_TOP + PLOT_HEIGHT * (1 - share), 2)


class AgreementView(NamedTuple):
    """Self-agreement of one criterion, drawn on the scale of the rows."""

    name: str
    drawing: Drawing
    floor: float | None
    flipped: str
    value: str
    limits: str
    state: str


def agreement_views(beside: Iterable[Beside]) -> list[AgreementView]:
    """Return pairwise self-agreement per criterion, from the stability experiment under this run's configuration."""
    rows = [
        row
        for one in beside
        if one.experiment.kind == "stability" and not one.mismatch
        for row in one.experiment.agreement
    ]
    return [_agreement(row, row.pairwise) for row in rows if row.pairwise is not None]


def _agreement(row: AgreementRow, pairwise: float) -> AgreementView:
    limits = row.pairwise_interval
    words = "no interval" if limits is None else f"{100 * limits[0]:.1f} to {100 * limits[1]:.1f} %"
    return AgreementView(
        name=" ".join(part for part in (row.capability, row.criterion) if part),
        drawing=Drawing(
            value=at(pairwise),
            interval=ends(limits),
            clustered=None,
            bounds=None,
            hollow=False,
            label=f"two runs agree on {figures.percent(pairwise)}, 95 % interval {words}",
        ),
        floor=None if row.floor is None else at(row.floor),
        flipped=f"{row.flipped} of {row.n}",
        value=figures.percent(pairwise),
        limits=words,
        state=row.state,
    )


class Part(NamedTuple):
    """One component of a bar."""

    name: str
    place: Ends
    """Where it begins, and how long it is."""
    tokens: str


class CostBar(NamedTuple):
    """US dollars of one judge use, to the scale of the largest."""

    name: str
    parts: tuple[Part, ...]
    total: str
    per_case: str
    cases: str
    label: str


def cost_bars(manifest: Manifest) -> list[CostBar]:
    """Return a bar per judge use whose cost is known; none where judge.yaml names no prices."""
    uses = use_costs(manifest)
    most = max((use.dollars for use in uses), default=0.0)
    return [
        CostBar(
            use.name,
            (Part("cost", (0.0, round(240 * use.dollars / most, 2)), use.total),),
            use.total,
            use.per_case,
            f"{use.cases:,}",
            f"{use.name}: {use.total}, {use.per_case} a case",
        )
        for use in uses
        if most
    ]


class TokenBar(NamedTuple):
    """Tokens of one capability, to the scale of the largest."""

    capability: str
    parts: tuple[Part, ...]
    total: str
    questions: str
    """Questions put to the judge, whether or not a verdict came of them."""
    label: str


def token_bars(uses: Sequence[TokenUse]) -> list[TokenBar]:
    """Return a bar per capability that asked a server; components are parted in one order."""
    most = max((use.fresh + use.cached + use.output for use in uses), default=0)
    return [_token_bar(use, most) for use in uses] if most else []


def _token_bar(use: TokenUse, most: int) -> TokenBar:
    parts = tuple(_parts(use, most))
    at_least = "at least " if use.unknown else ""
    total = f"{at_least}{use.fresh + use.cached + use.output:,}"
    spoken = ", ".join(f"{part.name} {part.tokens}" for part in parts)
    return TokenBar(use.capability, parts, total, f"{use.questions:,}", f"{use.capability}: {total} tokens; {spoken}")


def _parts(use: TokenUse, most: int) -> Iterator[Part]:
    begin = 0.0
    for name, tokens in (("input", use.fresh), ("input, provider's cache", use.cached), ("output", use.output)):
        length = 240 * tokens / most
        yield Part(name, (round(begin, 2), round(length, 2)), f"{tokens:,}")
        begin += length
