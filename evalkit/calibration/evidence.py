"""What trust asks of the experiments beside a run: self-agreement, padding, and favour for a judge's own family.

Each is read from the newest experiment that speaks for the judge use (`aggregation.measured`); `other` says who was measured where none does.
"""

from __future__ import annotations

from evalkit.records.experiments import AgreementRow, Experiment, FamilyRow, PairedRow
from evalkit.records.trust import Condition, ConditionName
from evalkit.stats.equivalence import paired_equivalence

FAMILY = "evalkit bias family"
MEASURE = f"measure again: {FAMILY} SUITE --second-judge FILE"
ENOUGH = 50
"""Items from which an experiment decides."""


def self_agreement(
    found: Experiment | None, floor: float | None, key: tuple[str, str, str], other: str = ""
) -> Condition:
    """Return whether the lower bound of pairwise self-agreement reaches the suite's floor; `key` as `Criterion`."""
    name: ConditionName = "self-agreement"
    if floor is None:
        words = "the suite sets no floor"
        return Condition(name=name, state="undecided", figures=words, remedy="set budgets.self_agreement in suite.yaml")
    rows = found.agreement if found else ()
    row: AgreementRow | None = next((r for r in rows if (r.capability, r.rubric, r.criterion) == key), None)
    if row is None:
        return _missing(name, floor, f"evalkit stability SUITE{' --cache NEW' if other else ''}", other)
    if row.pairwise_interval is None or row.n < ENOUGH:
        words = f"{row.n} items, {ENOUGH} needed" if row.n < ENOUGH else "no lower bound"
        return Condition(
            name=name, state="undecided", figures=words, bar=floor, remedy="evalkit stability SUITE on more cases"
        )
    low, high = row.pairwise_interval
    state = "met" if low >= floor else "failed" if high < floor else "undecided"
    words = f"pairwise {_percent(row.pairwise)} ({_percent(low)} to {_percent(high)}) over {row.n} items, floor {_percent(floor)}"
    remedy = "" if state == "met" else "a steadier judge, or more items"
    return Condition.model_validate(
        {"name": name, "state": state, "figures": words, "observed": low, "bar": floor, "remedy": remedy}
    )


def padding(found: Experiment | None, tolerance: float, key: tuple[str, str, str], other: str = "") -> Condition:
    """Return whether a restated sentence moves the pass rate by no more than the tolerance: 90 % interval within -/+ tolerance."""
    name: ConditionName = "padding"
    rows = found.paired if found else ()
    row: PairedRow | None = next((r for r in rows if (r.capability, r.rubric, r.criterion) == key), None)
    if row is None or not row.n:
        return _missing(name, tolerance, "evalkit bias verbosity SUITE", other)
    found_within = paired_equivalence(row.gained, row.lost, row.n, max(tolerance, 1e-9))
    low, high = found_within.interval
    words = f"{100 * low:+z.1f} to {100 * high:+z.1f} points (90 %) over {row.n} pairs, tolerance {100 * tolerance:g} points"
    worst = max(abs(low), abs(high))
    if found_within.standing == "outside":
        state, remedy = "failed", "a judge that length does not move"
    elif row.n < ENOUGH or found_within.standing == "undecided":
        state, remedy = "undecided", "evalkit bias verbosity SUITE on more cases"
    else:
        state, remedy = "met", ""
    return Condition.model_validate(
        {"name": name, "state": state, "figures": words, "observed": worst, "bar": tolerance, "remedy": remedy}
    )


def independence(
    differs: str, reason: str, found: Experiment | None, tolerance: float, key: tuple[str, str, str], *, other: str = ""
) -> Condition:
    """Return whether the judge's family differs, or favours its own by no more than the tolerance.

    The bound is the upper end of the experiment's 95 % interval, one-sided 97.5 %: the safe side of the 95 % that is asked. Where the
    family differs it is kept too, once it decides: a later run may be of a candidate of the judge's own family. `other` says that
    `evalkit bias family` measured another instrument.
    """
    name: ConditionName = "independence"
    rows = found.family if found else ()
    row: FamilyRow | None = next((r for r in rows if (r.capability, r.rubric, r.criterion) == key), None)
    if differs == "true" and (row is None or row.interval is None or row.n < ENOUGH):
        return Condition(name=name, state="met", figures=reason)
    if row is None or row.interval is None:
        why, remedy = _no_favour(found, row, other)
        return Condition(name=name, state="undecided", figures=f"{reason}{why}", bar=tolerance, remedy=remedy)
    low, high = row.interval
    words = f"{reason}; favours its own by {100 * low:+z.1f} to {100 * high:+z.1f} points over {row.n} cases, tolerance {100 * tolerance:g}"
    within = high <= tolerance and row.n >= ENOUGH
    state = "met" if differs == "true" or within else "failed" if low > tolerance else "undecided"
    remedy = {"failed": "a judge of another family", "undecided": "evalkit bias family SUITE on more cases"}.get(
        state, ""
    )
    return Condition.model_validate(
        {"name": name, "state": state, "figures": words, "observed": high, "bar": tolerance, "remedy": remedy}
    )


def _no_favour(found: Experiment | None, row: FamilyRow | None, other: str) -> tuple[str, str]:
    """Return why it is not known whether the judge favours its own family, as the end of a sentence, and what to do."""
    if found is None:
        measure = "say the families in judge.yaml and candidate.yaml, or measure: evalkit bias family SUITE --second-judge FILE"
        return (f"; {FAMILY} was {other}" if other else ""), measure
    if not found.family:
        return (
            f"; {FAMILY} was measured: {'; '.join(found.notes) or 'it has no rows'}",
            "remove the obstacle, then " + MEASURE,
        )
    if row is None:
        return f"; {FAMILY} was measured, but not on this criterion", MEASURE
    said = f": {row.reading}" if row.reading else ""
    return f"; {FAMILY} was measured over {row.n} cases and has no interval{said}", f"{MEASURE}, on more cases"


def _missing(name: ConditionName, bar: float, command: str, other: str) -> Condition:
    words = other or "not measured under this configuration"
    return Condition(name=name, state="undecided", figures=words, bar=bar, remedy=command)


def _percent(share: float | None) -> str:
    return "n/a" if share is None else f"{100 * share:.1f} %"
