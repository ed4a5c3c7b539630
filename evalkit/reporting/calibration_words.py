"""Figures of a calibration in words: counts first, then the figure with its interval, then what it may not be used for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from evalkit.records.calibrations import (
    Beside,
    Calibration,
    CalibrationRow,
    ClassRate,
    Corrected,
    Figure,
    ProbabilityBin,
    ProbabilityRow,
    RuleFigure,
    Selective,
)
from evalkit.records.classified import CRITERION
from evalkit.records.reports import Interval
from evalkit.reporting import figures

RULES: Mapping[str, str] = {"wrong": "counted wrong", "dropped": "dropped", "tie": "counted as ties"}
SAMPLES: Mapping[str, str] = {"drawn": "drawn by chance", "planted": "planted", "flips": "flips only"}


BY_VERDICT = (
    "Begg-Greenes: labels were drawn by the judge's verdict, half from each; what is marked `as drawn` is of these labels and not of the run, "
    "so beating `always pass` there says nothing of the run"
)
AS_IF = " (labels taken as independent)"
"""Beside every bound that rests on labels: none of them knows which cases share a document or a template."""
STATED = "stated"
"""What the name of a bin's line begins with."""


def share(value: float | None, limits: Interval | None = None) -> str:
    """Return a share with its interval."""
    if value is None:
        return "n/a"
    return figures.percent(value) + ("" if limits is None else f" ({100 * limits[0]:.1f} to {100 * limits[1]:.1f})")


def coefficient(figure: Figure) -> str:
    """Return a coefficient of agreement with its interval, or why there is none."""
    if figure.value is None:
        return figure.reading or "n/a"
    limits = "" if figure.interval is None else f" ({figure.interval[0]:.3f} to {figure.interval[1]:.3f})"
    return f"{figure.value:.4f}{limits}"


def rate(rate: ClassRate | None) -> str:
    """Return a true-pass or true-fail rate with its bounds."""
    if rate is None:
        return "n/a"
    if rate.value is None:
        return rate.reading or "unknown"
    bounds = (
        ""
        if rate.lower is None or rate.upper is None
        else f", one-sided 95 % bounds {100 * rate.lower:.1f} and {100 * rate.upper:.1f}{AS_IF}"
    )
    return f"{rate.correct} of {rate.n}, {share(rate.value, rate.interval)}{bounds}" + _said(rate.reading)


def rule(figure: RuleFigure) -> str:
    """Return the agreement by one rule for verdicts that could not be read."""
    return (
        f"{RULES[figure.rule]}: {figure.agree} of {figure.n}, {_exact(figure.agreement)} "
        f"{_span(figure.interval)}, kappa {coefficient(figure.kappa)}"
    )


def who_said(row: CalibrationRow, calibration: Calibration) -> str:
    """Return who gave the verdicts of a row: the judge, a classifier scorer, or a cascade, that is either of its tiers."""
    if row.mode == CRITERION:
        return "classifier"
    cascades = {(one.capability, one.scorer) for one in calibration.probabilities if one.criterion != CRITERION}
    return "cascade" if (row.capability, row.rubric) in cascades else "judge"


def beside(found: Beside, who: str = "judge") -> str:
    """Return another reader's agreement with people; `who` gave the verdicts of the row (see `who_said`)."""
    own = "" if found.judge_agree is None else f"; the {who} on the same {found.n}: {found.judge_agree}"
    if not found.n:
        return found.reading or "no items"
    return (
        f"{found.agree} of {found.n}, {_exact(found.agreement)} {_span(found.interval)}, "
        f"kappa {coefficient(found.kappa)}{own}{_said(found.reading)}"
    )


def corrected(found: Corrected) -> str:
    """Return the raw pass rate and the corrected one beside each other."""
    raw = f"raw {share(found.raw, found.raw_interval)}"
    if found.corrected is None:
        return f"{raw} | corrected: {found.reading}"
    low = "" if found.lower is None else f", one-sided 95 % lower bound {100 * found.lower:.1f}{AS_IF}"
    return f"{raw} | corrected {share(found.corrected, found.interval)}{low} [{found.method}]{_said(found.reading)}"


def selective(row: Selective) -> str:
    """Return which verdicts of a criterion the judge may decide alone."""
    name = f"{row.capability} / {row.rubric} / {row.criterion}, error at most {100 * row.risk:g} %"
    if row.threshold is None or row.coverage is None:
        return f"{name}: {row.reading}; {row.to_people} to people ({row.labels} labels)"
    return (
        f"{name}: the judge decides where {100 * row.threshold:.0f} % of {row.samples} samples agree: {share(row.coverage)} of "
        f"{row.judged}, error {share(row.error)}, at most {share(row.upper)} ({row.labels} labels); {row.to_people} to people"
    )


def probability_title(row: ProbabilityRow) -> str:
    """Return which classifier scorer, or which criterion of a cascade, a row is about."""
    criterion = "" if row.criterion == CRITERION else f" / {row.criterion}, the classifier before the judge"
    claim = "" if row.calibrated else ", not calibrated by its own word"
    return f"{row.capability} / {row.scorer}{criterion}, {', '.join(row.models)}{claim}"


def probabilities(row: ProbabilityRow) -> Iterator[tuple[str, str]]:
    """Yield name and words of every figure about a classifier scorer's probabilities."""
    yield "labels", f"{row.labels} of {row.answers} answers{_said(row.reading)}"
    if row.error is None or row.honest_error is None or row.brier is None:
        return
    low, high = row.honest_error
    yield (
        "calibration error",
        f"{row.error:.3f}; true probabilities would give {low:.3f} to {high:.3f} (seed {row.seed})",
    )
    limits = "" if row.brier_interval is None else f" ({row.brier_interval[0]:.3f} to {row.brier_interval[1]:.3f})"
    skill = "one outcome only" if row.skill is None else f"skill over the base rate {row.skill:+z.2f}"
    yield "Brier score", f"{row.brier:.3f}{limits}; {skill}"
    for one in row.bins:
        yield (
            f"{STATED} {bin_range(one)}",
            f"{one.stated:.2f}, passed {share(one.observed, one.interval)} of {one.n}",
        )
    if row.risk is not None:
        yield f"error at most {100 * row.risk:g} %", _alone(row)


def bin_range(one: ProbabilityBin) -> str:
    """Return the probabilities that a bin holds."""
    return f"{one.low:.1f} to {one.high:.1f}"


def _alone(row: ProbabilityRow) -> str:
    rest = f"{row.to_people} to {'people' if row.criterion == CRITERION else 'the judge'}"
    if row.high is None or row.low is None or row.coverage is None:
        return f"{row.threshold_reading}; {rest}"
    cuts = f"above {_cut(row.high)} or below {_cut(row.low)}"
    held = "" if row.cuttable else " (no `bands` say so: of a choice or a score they read the confidence)"
    return (
        f"it decides where the probability of a pass is {cuts}{held}: {share(row.coverage)} of {row.answers}, "
        f"error {share(row.threshold_error)}, at most {share(row.threshold_upper)}; {rest}"
    )


def _cut(value: float) -> str:
    return f"{value:.12f}".rstrip("0").rstrip(".")


def title(row: CalibrationRow) -> str:
    """Return what a row is about."""
    name = " / ".join(part for part in (row.capability, row.rubric, row.criterion) if part)
    return f"{name}, {row.split} labels, {SAMPLES[row.sample]}"


def lines(row: CalibrationRow, who: str = "judge") -> Iterator[tuple[str, str]]:
    """Yield name and words of every figure of a row; `who` as for `beside`."""
    counted = f"{row.items} labelled, {row.n} compared"
    yield "items", counted + (f"; excluded: {figures.counts(row.excluded)}" if row.excluded else "")
    if not row.n:
        return
    back = row.pairs.weighted if row.pairs else None
    drawn, weighted = ("", "") if row.weighting == "none" and back is None else (", as drawn", ", weighted back")
    yield f"agreement{drawn}", f"{row.agree} of {row.n}, {_exact(row.agreement)} {_span(row.agreement_interval)}"
    if back is not None:
        yield f"agreement{weighted}", share(back.value, back.interval) + _said(back.reading)
    yield from _by_rule(row)
    yield f"kappa{drawn}", coefficient(row.kappa) + _indices(row)
    yield "AC1 (display only)", coefficient(row.ac1)
    if row.binary:
        name = "on planted fails" if row.sample == "planted" else ""
        yield f"true-pass rate{weighted}", rate(row.tpr)
        yield f"true-fail rate {name}".strip() + weighted, rate(row.tnr)
        if row.weighting != "none":
            yield "weighting", row.weighting_reading or BY_VERDICT
    yield from _other_readers(row, drawn, who)
    if row.corrected is not None:
        yield "pass rate", corrected(row.corrected)


def _by_rule(row: CalibrationRow) -> Iterator[tuple[str, str]]:
    """Yield the agreement by each rule for verdicts that the swap changed, and for those that could not be read."""
    if row.pairs is not None and row.pairs.depends_on_order:
        for figure in row.pairs.rules:
            yield f"{row.pairs.depends_on_order} depend on the order", rule(figure)
    if row.unreadable:
        for figure in row.rules:
            yield f"{row.unreadable} unreadable", rule(figure)


def _other_readers(row: CalibrationRow, drawn: str, who: str) -> Iterator[tuple[str, str]]:
    """Yield what else could have read the items: rules without a model, and people."""
    always_first = row.pairs.always_first if row.pairs else None
    for reader in (row.always, row.floor, always_first):
        if reader is not None:
            yield f"{reader.name}{drawn}", beside(reader, who)
    for pair in row.ceiling:
        yield f"people: {pair.name}", beside(pair, who)
    if not row.ceiling:
        yield "people", "one labeller: how far people agree is unknown"


def confusion(row: CalibrationRow) -> str:
    """Return the confusion counts in one line."""
    return ", ".join(f"{cell.human} > {cell.judge} {cell.count}" for cell in row.confusion)


def _indices(row: CalibrationRow) -> str:
    words = []
    if row.kappa.value is not None and row.kappa_largest is not None:
        words.append(f"at most {row.kappa_largest:.3f} with these margins")
    if row.prevalence_index is not None and row.bias_index is not None:
        words.append(f"prevalence index {row.prevalence_index:+z.3f}, bias index {row.bias_index:+z.3f}")
    return f"; {'; '.join(words)}" if words else ""


def _exact(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.4f}"


def _span(limits: Interval | None) -> str:
    return "" if limits is None else f"({limits[0]:.3f} to {limits[1]:.3f})"


def _said(reading: str) -> str:
    return f" [{reading}]" if reading else ""
