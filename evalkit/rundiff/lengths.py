"""Whether the judge came to reward length: the association of length with its verdicts, against the baseline's, on the same cases.

An alarm is no proof. Better answers may be longer; what length alone does is measured by padding (`evalkit bias verbosity`).
"""

from __future__ import annotations

from collections.abc import Sequence

from evalkit.aggregation.health import RARER_CLASS_NEEDS
from evalkit.records.baselines import LengthChange
from evalkit.records.reports import Row
from evalkit.rundiff.outcomes import Outcome, RunOutcomes
from evalkit.stats.association_change import Reading, somers_d_change


def length_change(row: Row, before: RunOutcomes, row_before: int, after: RunOutcomes, row_after: int) -> LengthChange:
    """Return the change of Somers' D of a judge's row, which stands at these places in the two runs."""
    then, now = before.rows[row_before], after.rows[row_after]
    shared = [name for name in now if _judged(before, then, name) and _judged(after, now, name)]
    old = [Reading(before.cases[name].length, bool(then[name].passed)) for name in shared]
    new = [Reading(after.cases[name].length, bool(now[name].passed)) for name in shared]
    clusters = [(True, name) if (group := after.cases[name].cluster) is None else (False, group) for name in shared]
    found = somers_d_change(old, new, clusters)
    few = min(_rarer(old), _rarer(new)) < RARER_CLASS_NEEDS
    interval = None if found is None else found.interval
    return LengthChange(
        capability=row.capability,
        scorer=row.scorer,
        criterion=row.criterion,
        n=len(shared),
        baseline=None if found is None else found.before,
        value=None if found is None else found.after,
        interval=interval,
        alarm=not few and interval is not None and not interval[0] <= 0 <= interval[1],
        note=f"fewer than {RARER_CLASS_NEEDS} passes or fails; not to be read" if few else "",
    )


def _judged(run: RunOutcomes, row: dict[str, Outcome], name: str) -> bool:
    found = row.get(name)
    return found is not None and found.passed is not None and run.cases[name].length > 0


def _rarer(readings: Sequence[Reading]) -> int:
    passed = sum(reading.passed for reading in readings)
    return min(passed, len(readings) - passed)
