"""Thresholds on rows. A gate passes only where the figure holds it at its worst end; what cannot be decided is refused, never passed.

The worst end of a rate counts every case that hides an outcome (missing output, scorer error) against it, and of the plain and the
clustered interval takes the worse bound. A mean has no worst case, so one hidden outcome refuses it.

A judge's row is read only where the judge agrees with itself and with human labels, and then by the corrected rate, never by its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import NamedTuple

from evalkit.aggregation.exclusions import unknown_outcomes
from evalkit.aggregation.gate_reach import SHARES, Within, no_range, passes_all
from evalkit.records.gates import Gated, GateResult, GateState, Regression, Reliance
from evalkit.records.reports import Interval, PolicyBreach, Report, Row
from evalkit.records.suites import Gate
from evalkit.stats.intervals import manski_bounds, wilson

Trust = Callable[[Row], Reliance]
"""What a judge's row may be relied on for, by human labels."""
Stability = Callable[[Row], str]
"""Why the judge does not agree with itself well enough for a row to gate; empty where it does."""
Against = Callable[[Row], Regression]
"""How a row stands against the baseline."""
UNCALIBRATED = "not calibrated against human labels: a judge's row is provisional and no gate may read it"
LOW, HIGH = 0, 1
"""The ends of an interval."""
UNMEASURED = "self-agreement not measured"


def no_trust(row: Row) -> Reliance:  # noqa: ARG001 - the signature of Trust
    """Rely on no judge: what holds until labels say otherwise."""
    return Reliance(reason=UNCALIBRATED)


def not_measured(row: Row) -> str:  # noqa: ARG001 - the signature of Stability
    """Answer for a judge whose stability nobody measured."""
    return UNMEASURED


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What stands beside a run and decides what its rows may be gated on."""

    against: Against
    trust: Trust = no_trust
    stability: Stability = not_measured
    within: Within = no_range


class _Worst(NamedTuple):
    """The lowest and the highest that a row's figure may be."""

    low: float
    high: float


def gated(run: str, report: Report, gates: Sequence[Gate], evidence: Evidence) -> Gated:
    """Return what each gate, each policy condition and the run itself came to."""
    results = [result for gate in gates for result in _gate(gate, report.rows, evidence)]
    results += [_policy(breach) for breach in report.policy]
    found = Gated(
        run=run, suite=report.suite.get("name", ""), state=worst_state(r.state for r in results), results=tuple(results)
    )
    return found if report.gating.valid else refused_whole(found, _invalid(report))


def refused_whole(found: Gated, reason: GateResult) -> Gated:
    """Return what was gated where the run itself may decide nothing: what failed stays so, and nothing passes."""
    results = (reason, *(_held_back(result) for result in found.results))
    return found.model_copy(update={"results": results, "state": worst_state(r.state for r in results)})


def _held_back(result: GateResult) -> GateResult:
    if result.state != "passed":
        return result
    reason = f"holds on what was run, which may decide nothing: {result.reason}"
    return result.model_copy(update={"state": "refused", "reason": reason})


def worst_state(states: Iterable[GateState]) -> GateState:
    """Return failed before refused before passed; refused for nothing at all."""
    found = set(states)
    if "failed" in found:
        return "failed"
    return "refused" if "refused" in found or not found else "passed"


def _invalid(report: Report) -> GateResult:
    return GateResult(
        kind="run",
        name="run",
        demand="the run is valid for gating",
        state="refused",
        reason="; ".join(report.gating.reasons),
    )


def _policy(breach: PolicyBreach) -> GateResult:
    if breach.breaches:
        state: GateState = "failed"
        reason = f"broken in {breach.breaches} cases"
    elif breach.unknown:
        state, reason = "refused", f"could not be decided in {breach.unknown} cases"
    else:
        state, reason = "passed", "kept in all cases"
    demand = "no case breaks it"
    return GateResult(
        kind="policy", name=breach.condition, demand=demand, state=state, reason=reason, cases=breach.cases
    )


def _gate(gate: Gate, rows: Sequence[Row], evidence: Evidence) -> Iterator[GateResult]:
    named = [
        row
        for row in rows
        if row.kind != "policy"
        and (row.capability, row.criterion) == (gate.capability, gate.criterion)
        and gate.scorer in {None, row.scorer}
    ]
    for row in named:
        yield _decided(gate, row, evidence)
    if not named:
        name = "/".join(part for part in (gate.capability, gate.scorer, gate.criterion) if part)
        yield _result(gate, name, "refused", None, "the run has no such row")


def _decided(gate: Gate, row: Row, evidence: Evidence) -> GateResult:
    name = "/".join(dict.fromkeys((row.capability, row.scorer, row.criterion)))
    relied = evidence.trust(row) if row.kind == "judge" else Reliance()
    reason = _refusal(gate, row, evidence.within) or (_unreliable(row, relied, evidence) if row.kind == "judge" else "")
    if reason:
        return _result(gate, name, "refused", None, reason)
    if gate.on == "no_regression":
        result = _no_regression(gate, name, evidence.against(row))
        if result.state != "passed" or (gate.min is None and gate.max is None):
            return result
    worst = _worst(gate, row, relied)
    if worst is None:
        return _result(gate, name, "refused", None, f"no interval: {row.note or 'not to be had'}")
    low, high = worst
    if gate.min is not None and not low >= gate.min:
        return _result(gate, name, "failed", low, f"{low:.4g}{_which(gate, row, relied, LOW)} is below {gate.min:g}")
    if gate.max is not None and not high <= gate.max:
        return _result(gate, name, "failed", high, f"{high:.4g}{_which(gate, row, relied, HIGH)} is above {gate.max:g}")
    held = low if gate.min is not None else high
    return _result(
        gate,
        name,
        "passed",
        held,
        f"{held:.4g}{_which(gate, row, relied, LOW if gate.min is not None else HIGH)}, of {row.n} cases",
    )


def _which(gate: Gate, row: Row, relied: Reliance, end: int) -> str:
    """Return which figure's end is held, LOW or HIGH, where `on` does not say it."""
    if relied.bounds is not None:
        return " (the one-sided 95 % bound of the corrected rate)"
    if gate.on == "value" and unknown_outcomes(row.excluded):
        return " (the value with every hidden outcome at the worse end)"
    if gate.on != "value" and row.interval_clustered is not None and _clustered_is_worse(row, end):
        return f" (the interval's end over {row.clusters} clusters; cases share documents or templates)"
    return ""


def _clustered_is_worse(row: Row, end: int) -> bool:
    """Tell whether the clustered interval, and not the plain one, holds the worse end of a figure."""
    ends = _ends(row, unknown_outcomes(row.excluded))
    worst = min if end == LOW else max
    return len(ends) > 1 and worst(one[end] for one in ends) != ends[0][end]


def _refusal(gate: Gate, row: Row, within: Within) -> str:
    """Return why a row may not decide anything; empty where it may."""
    thresholds = [limit for limit in (gate.min, gate.max) if limit is not None]
    hidden = unknown_outcomes(row.excluded)
    if row.mode == "pairwise":
        reason = "pairwise rows never gate"
    elif row.kind == "classifier":
        reason = "a classifier's rows never gate: its agreement with people is no part of a ledger"
    elif not all(isfinite(limit) for limit in (*thresholds, gate.margin)):
        reason = "the threshold is no finite number"
    elif not thresholds and gate.on != "no_regression":
        reason = "the gate has no threshold"
    elif not row.n or row.value is None or not isfinite(row.value):
        reason = f"nothing was scored ({row.total} cases covered)"
    elif row.insufficient:
        reason = f"n = {row.n}: too few cases to support a decision"
    elif row.estimate == "mean" and hidden:
        reason = f"{hidden} cases hide their outcome, and a mean has no worst case"
    elif (reach := SHARES if row.estimate == "rate" else within(row)) and passes_all(gate, reach):
        reason = f"the gate cannot fail: the row lies between {reach[0]:g} and {reach[1]:g}"
    else:
        reason = ""
    return reason


def _unreliable(row: Row, relied: Reliance, evidence: Evidence) -> str:
    """Return everything that keeps a judge's row from deciding; empty where nothing does."""
    stability = evidence.stability(row)
    trust = "" if relied.bounds is not None and not relied.reason else relied.reason or UNCALIBRATED
    return "; ".join(reason for reason in (stability, trust) if reason)


def _worst(gate: Gate, row: Row, relied: Reliance) -> _Worst | None:
    """Return what a row's figure may be at worst, on both ends; None where a bound is asked for and there is none."""
    hidden = unknown_outcomes(row.excluded)
    if relied.bounds is not None:
        return _Worst(*_with_hidden(relied.bounds, row.n, hidden))
    if gate.on == "value":
        if row.estimate == "rate" and row.passed is not None:
            return _Worst(*manski_bounds(row.passed, row.n, hidden))
        return _Worst(row.value or 0.0, row.value or 0.0)
    ends = _ends(row, hidden)
    return _Worst(min(low for low, _ in ends), max(high for _, high in ends)) if ends else None


def _ends(row: Row, hidden: int) -> list[tuple[float, float]]:
    """Return a row's interval, then its clustered one if it has any, with hidden outcomes at the worse ends; nothing without the first."""
    clustered = row.interval_clustered
    if row.estimate == "rate" and row.passed is not None:
        plain = (wilson(row.passed, row.n + hidden)[0], wilson(row.passed + hidden, row.n + hidden)[1])
        return [plain] if clustered is None else [plain, _with_hidden(clustered, row.n, hidden)]
    if row.interval is None:
        return []
    return [row.interval] if clustered is None else [row.interval, clustered]


def _with_hidden(limits: Interval, n: int, hidden: int) -> tuple[float, float]:
    """Return the limits of a rate over n cases with every hidden outcome at the end that is worse."""
    low, high = limits
    return low * n / (n + hidden), (high * n + hidden) / (n + hidden)


def _no_regression(gate: Gate, name: str, found: Regression) -> GateResult:
    """The bound is that of the difference run - baseline, as a comparison of the two has it; of faults the upper one is the worse."""
    fewer = found.better == "lower"
    if found.lower is None:
        return _result(gate, name, "refused", None, found.reason or "no bound can be had")
    bound = 0.0 - found.lower if fewer else found.lower
    if found.reason:
        return _result(gate, name, "refused", bound, found.reason)
    worst = f"at worst {bound:+z.4g} against the baseline over {found.n} pairs{', fewer is better' if fewer else ''}"
    if found.drift:
        worst += f", {found.drift} of them unchanged outputs with another result, which is the instrument and counts as no difference"
    if found.lower > -gate.margin:
        return _result(gate, name, "passed", bound, worst)
    hint = "; with a margin of 0 only an improvement passes" if gate.margin == 0 else ""
    return _result(gate, name, "failed", bound, f"{worst}{hint}")


def _result(gate: Gate, name: str, state: GateState, observed: float | None, reason: str) -> GateResult:
    return GateResult(
        kind="threshold", name=name, demand=demand_of(gate), state=state, observed=observed, reason=reason
    )


def demand_of(gate: Gate) -> str:
    """Return what a gate asks, in words."""
    parts = []
    if gate.on == "no_regression":
        parts.append(f"not more than {gate.margin:g} behind the baseline (one-sided 95 %)")
    what = "value" if gate.on == "value" else "95 % bound"
    if gate.min is not None:
        parts.append(f"{what} at least {gate.min:g}")
    if gate.max is not None:
        parts.append(f"{what} at most {gate.max:g}")
    return ", ".join(parts)
