"""A measurement of batteries on the terminal: counts before figures, the control beside them, then what other thresholds would give."""

from __future__ import annotations

from collections.abc import Iterator

from evalkit.records.battery_reports import BatteryFigures, BatteryRate, BatteryReport, OfferRow, ThresholdRow
from evalkit.reporting import figures
from evalkit.reporting.escape import one_line
from evalkit.reporting.page import Page

MISSES_SHOWN = 5


def print_batteries(page: Page, report: BatteryReport) -> None:
    """Print a report: who answered, then each battery."""
    page.line(f"batteries: {one_line(report.suite)}, trajectories {one_line(report.outputs)}", style="bold")
    style, models = str(report.classifier.get("style", "")), ", ".join(report.models) or "nobody"
    page.line(f"classifier: {one_line(style)}; answered by {one_line(models)}", indent=2)
    if not all(battery.calibrated for battery in report.batteries):
        page.line("not calibrated: thresholds that were tuned on another classifier mean nothing here", indent=2)
    for error, count in report.errors.items():
        page.line(f"failed {count} times: {one_line(error)}", indent=2, style="red")
    if report.not_asked:
        told = figures.counted(report.not_asked, "evaluation")
        page.line(f"{told} not asked: the classifier does not answer", indent=2, style="red")
    for battery in report.batteries:
        page.line()
        _print_one(page, battery)


def _print_one(page: Page, battery: BatteryFigures) -> None:
    excluded = f"; excluded: {figures.counts(battery.excluded)}" if battery.excluded else ""
    what = figures.counted(battery.n, "decision")
    page.line(f"{battery.battery}: {what} in {figures.cases(battery.cases)}{one_line(excluded)}", style="bold")
    page.line(f"wording {one_line(battery.wording)}, signature {battery.signature[:12]}", indent=2)
    for line in _lines(battery):
        page.line(line, indent=2, hanging=4)


def _lines(battery: BatteryFigures) -> Iterator[str]:
    for expected, decided in battery.confusion.items():
        yield f"expected {one_line(expected, 80)}: {one_line(figures.counts(decided), 400)}"
    yield from (_rate(rate) for rate in battery.rates if rate.group == "all")
    for group in dict.fromkeys(rate.group for rate in battery.rates if rate.group != "all"):
        yield f"[{one_line(group, 60)}] " + "; ".join(_short(rate) for rate in battery.rates if rate.group == group)
    if battery.shuffle:
        control = battery.shuffle
        yield (
            f"shuffle control: balanced accuracy {figures.percent(control.observed)}, shuffled "
            f"{figures.percent(control.mean)} ({100 * control.low:.1f} to {100 * control.high:.1f} %, {control.rounds} rounds): "
            f"{control.reading}"
        )
    if battery.offers:
        yield from _offers(battery.offers)
    if battery.thresholds:
        yield "the same answers with other thresholds (seen on these cases, so no promise):"
        yield from (_threshold(row) for row in battery.thresholds)
    for miss in battery.misses[:MISSES_SHOWN]:
        place = f"{miss.case_id} {miss.item}".strip()
        yield f"not as expected: {one_line(place, 120)}: {one_line(miss.decided, 80)}, expected {one_line(miss.expected, 80)}"
    if len(battery.misses) > MISSES_SHOWN:
        yield f"... and {len(battery.misses) - MISSES_SHOWN} more, in the file"


def _rate(rate: BatteryRate) -> str:
    if rate.value is None:
        return f"{rate.name}: no data ({rate.among})"
    return f"{rate.name}: {rate.count} of {rate.n}, {figures.percent(rate.value)}{_limits(rate)} of {rate.among}"


def _short(rate: BatteryRate) -> str:
    return f"{rate.name} {rate.count} of {rate.n}{_limits(rate)}" if rate.n else f"{rate.name} no data"


def _limits(rate: BatteryRate) -> str:
    limits = rate.interval_clustered or rate.interval
    return f" ({100 * limits[0]:.1f} to {100 * limits[1]:.1f} %)" if limits else ""


def _offers(offers: OfferRow) -> Iterator[str]:
    yield (
        f"offers: {offers.reached} of {offers.offered} items reach the model; about "
        f"{offers.tokens_offered - offers.tokens_reached:,} of {offers.tokens_offered:,} tokens saved (estimated)"
    )
    low, high = offers.interval
    yield (
        f"tasks that succeed: {offers.success_before} of {offers.cases} before, {offers.success_after} after "
        f"({100 * offers.difference:+z.1f} points, {100 * low:.1f} to {100 * high:.1f}); {offers.reading}"
    )


def _threshold(row: ThresholdRow) -> str:
    settings = ", ".join(f"{name} {value:g}" for name, value in row.settings.items())
    counts = "; ".join(f"{name} {count} of {n}" for name, (count, n) in row.counts.items())
    return f"  {settings}{' (in use)' if row.in_use else ''}: {counts}"
