"""May this be believed? What speaks for and against the run as a measurement, line by line, before any figure of the candidate.

Nothing is weighed against anything: there is no grade of trust, only what holds, what does not, what needs care, and what was not
measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from evalkit.experiments.beside_run import Beside, Swapped
from evalkit.records.experiments import AgreementRow, CriteriaOrderRow, Experiment, PairedRow
from evalkit.records.reports import Interval, Report
from evalkit.reporting import figures, wording
from evalkit.reporting.experiment_view import rows_in_words, swap_in_words
from evalkit.reporting.html.labels_view import labels_views
from evalkit.reporting.html.material import PageMaterial

State = Literal["holds", "care", "fails", "not measured"]
OVERALL, POSITION = "overall", "Position bias"


class Belief(NamedTuple):
    """One line of the panel."""

    name: str
    state: State
    text: str


class Headline(NamedTuple):
    """The answer in one word and one sentence."""

    answer: Literal["Yes", "In part", "No"]
    sentence: str
    reasons: tuple[str, ...]


def headline(material: PageMaterial) -> Headline:
    """Return whether the run may be believed: as far as it is valid, whole, and read by something whose errors are known."""
    report = material.report
    if material.faults:
        return Headline("No", "The run's files do not hold together", tuple(material.faults))
    if not report.gating.valid:
        return Headline("No", "The run is invalid for gating", report.gating.reasons)
    unproven = sum(row.trust == "provisional" for row in report.rows)
    if unproven and any(row.trust == "trusted" for row in report.rows):
        return Headline(
            "In part",
            "Rows decided in code and the judge's trusted rows may support a decision; its provisional rows may not",
            ("those rows say what their trust is missing",),
        )
    if unproven:
        return Headline(
            "In part",
            "Rows decided in code may support a decision; the judge's rows may not",
            (_unproven(material),),
        )
    return Headline("Yes", "Within the intervals that are drawn", ())


def beliefs(material: PageMaterial) -> list[Belief]:
    """Return the panel's lines; what was not measured at all shares the last one."""
    report = material.report
    found = [_complete(report), *_outputs(report), *_sizes(report)]
    if report.judges:
        fitting: dict[str, Beside] = {one.experiment.kind: one for one in material.beside if not one.mismatch}
        stale: dict[str, Beside] = {one.experiment.kind: one for one in material.beside if one.mismatch}
        found += [*_errors(report), _independence(report), _trust(material), _stability(fitting, stale)]
        in_pairs = material.swapped if "position" not in fitting else None
        found.append(_swap(in_pairs) if in_pairs else _bias("position", POSITION, fitting, stale))
        found += [_bias(kind, name, fitting, stale) for kind, name in _BIASES]
    unmeasured = [belief.name for belief in found if belief.state == "not measured" and not belief.text]
    known = [belief for belief in found if belief.text]
    if unmeasured:
        known.append(Belief("Also", "not measured", ", ".join(name.lower() for name in unmeasured)))
    return known


def _unproven(material: PageMaterial) -> str:
    if labels_views(material.calibrations, material.report):
        return "the judge was set beside people's labels, but that has not made its rows trusted"
    return "nobody has measured how often the judge agrees with people"


_BIASES = (
    ("criteria", "Order of criteria"),
    ("verbosity", "Verbosity bias"),
    ("family", "Family preference"),
    ("style", "Style"),
    ("injection", "Injection"),
    ("drift", "Drift"),
)


def _complete(report: Report) -> Belief:
    cases = f"{report.counts.cases:,} of {report.counts.golden:,} cases"
    if report.completeness == "complete":
        return Belief("Completeness", "holds", f"complete: {cases}")
    if report.completeness == "partial":
        chosen = ", ".join(f"--{name}" for name in sorted(report.selection))
        return Belief("Completeness", "fails", f"a selection: {cases}{f' ({chosen})' if chosen else ''}")
    return Belief("Completeness", "fails", f"incomplete: of {cases} not everything was measured")


def _outputs(report: Report) -> Iterator[Belief]:
    said = list(wording.counts(report))[1:]
    yield Belief("Outputs", "care" if said else "holds", "; ".join(said) or "every case has one, none was left over")


def _sizes(report: Report) -> Iterator[Belief]:
    scored = [row for row in report.rows if row.n and row.kind != "policy"]
    small = sum(row.insufficient for row in scored)
    if scored:
        text = f"{small} of {figures.counted(len(scored), 'row')} have too few cases to be read as a rate or a mean"
        yield Belief("Sample size", "care" if small else "holds", text if small else "every row has enough cases")


def _errors(report: Report) -> Iterator[Belief]:
    health = report.health
    if health is None:
        return
    errors = sum(health.judge_errors.values())
    rate = "" if health.judge_error_rate is None else f" = {figures.percent(health.judge_error_rate)}"
    kinds = f" ({figures.counts(health.judge_errors)})" if errors else ""
    text = f"{errors:,} of {figures.counted(health.judged, 'request')}{rate}{kinds}; budget {figures.percent(health.budget)}"
    if health.not_bought:
        text += f"; {wording.unanswered(health)}"
    yield Belief("Judge errors", "holds" if health.within_budget and not health.not_bought else "fails", text)


def _independence(report: Report) -> Belief:
    state = report.independence.get("independent")
    word: State = "care" if state is None else "holds" if state else "fails"
    return Belief("Independence", word, wording.independence(report))


def _trust(material: PageMaterial) -> Belief:
    report = material.report
    rows = [row for row in report.rows if row.kind == "judge"]
    trusted = sum(row.trust == "trusted" for row in rows)
    if any(header.judge.startswith("floor") for header in report.judges):
        return Belief("Trust", "not measured", "the judge is the floor: rules, no model; its rows are never trusted")
    if not trusted:
        measured = bool(labels_views(material.calibrations, report))
        text = (
            "agreement with people's labels was measured, see below"
            if measured
            else "agreement with people was not measured"
        )
        return Belief("Trust", "care" if measured else "not measured", f"{text}; every judge row is provisional")
    return Belief(
        "Trust", "holds" if trusted == len(rows) else "care", f"{trusted} of {len(rows)} judge rows are trusted"
    )


def _stability(fitting: dict[str, Beside], stale: dict[str, Beside]) -> Belief:
    if "stability" not in fitting:
        return _unmeasured("Stability", "stability", stale)
    experiment = fitting["stability"].experiment
    measured = [row for row in experiment.agreement if row.pairwise is not None]
    worst = min(measured, key=_agreement, default=None)
    text = "no row had data" if worst is None else f"lowest self-agreement: {_agreed(worst)}"
    if experiment.unstable:
        return Belief("Stability", "fails", f"under the floor: {', '.join(experiment.unstable)}; {text}")
    if experiment.completeness == "incomplete":
        return Belief("Stability", "care", f"incomplete; {text}")
    return Belief("Stability", "not measured" if worst is None else "holds", text)


def _agreement(row: AgreementRow) -> float:
    return 1.0 if row.pairwise is None else row.pairwise


def _agreed(row: AgreementRow) -> str:
    where = " ".join(part for part in (row.capability, row.criterion) if part)
    return f"{figures.percent(_agreement(row))}{_limits(row.pairwise_interval)} in {where}, {row.flipped} of {row.n} flipped"


def _unmeasured(name: str, kind: str, stale: dict[str, Beside]) -> Belief:
    if kind in stale:
        return Belief(name, "not measured", f"only for another instrument: {stale[kind].mismatch}")
    return Belief(name, "not measured", "")


def _bias(kind: str, name: str, fitting: dict[str, Beside], stale: dict[str, Beside]) -> Belief:
    if kind not in fitting:
        return _unmeasured(name, kind, stale)
    experiment = fitting[kind].experiment
    state: State = "care" if _speaks(experiment) else "holds"
    said = list(rows_in_words(experiment))
    more = len(said) - 1
    first = _strongest(experiment) or (said[0] if said else "no row had data")
    return Belief(
        name, state if _has_data(experiment) else "not measured", first + (f"; {more} more below" if more > 0 else "")
    )


def _swap(swapped: Swapped) -> Belief:
    """Return position bias as a comparison by the same judge shows it, where no experiment was made of it."""
    state: State = "care" if _apart(row.swing_interval for row in swapped.rows) else "holds"
    return Belief(POSITION, state, f"in a comparison: {next(swap_in_words(swapped))}")


def _speaks(experiment: Experiment) -> bool:
    """Tell whether a row's interval stands apart from no effect, or a row says drift: somebody has to read it."""
    limits: list[Interval | None] = [
        *(row.interval for row in experiment.paired),
        *(row.interval for row in experiment.family),
        *(row.swing_interval for row in experiment.position),
        *(limits for row in experiment.criteria_order for limits in (row.interval, row.added_interval)),
    ]
    return _apart(limits) or any(row.state == "drift" for row in experiment.drift)


def _has_data(experiment: Experiment) -> bool:
    counts = (
        *(row.n for row in experiment.paired),
        *(row.n for row in experiment.family),
        *(row.n for row in experiment.drift),
        *(row.n for row in experiment.criteria_order),
        *(row.readable for row in experiment.position),
    )
    return any(counts)


def _apart(limits: Iterable[Interval | None]) -> bool:
    return any(one is not None and not one[0] <= 0 <= one[1] for one in limits)


def _strongest(experiment: Experiment) -> str:
    """Return the row that changed most, in short; empty for experiments without paired rows."""
    if experiment.criteria_order:
        return _moved(max(experiment.criteria_order, key=lambda one: one.added or 0))
    rows: Sequence[PairedRow] = [row for row in experiment.paired if row.difference is not None]
    if not rows:
        return ""
    row = max(rows, key=lambda one: (abs(one.difference or 0), one.criterion == OVERALL))
    where = " ".join(part for part in (row.capability, row.criterion, row.variant) if part)
    return f"pass rate {100 * (row.difference or 0):+z.1f} points{_limits(row.interval)} at most, {where}, n {row.n}"


def _moved(row: CriteriaOrderRow) -> str:
    where = f"{row.capability} {row.criterion}"
    if row.added is None:
        return f"{where}: no data"
    return (
        f"{where}: {row.flips} of {row.n} grades changed with the order, {row.repeat_flips} when nothing changed; "
        f"pass rate {100 * (row.difference or 0):+z.1f} points{_limits(row.interval)}"
    )


def _limits(limits: Interval | None) -> str:
    return "" if limits is None else f" ({100 * limits[0]:.1f} to {100 * limits[1]:.1f})"
