"""Whether a judge agrees with itself well enough for a row to gate: read from stability experiments, by the row's own configuration.

The floor is the one that the suite sets now, held against the lower bound of pairwise agreement; what a file said of an earlier floor
does not count. A capability is unstable where any of its criteria is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from evalkit.aggregation.measured import by_another, newest
from evalkit.records.experiments import AgreementRow, Experiment
from evalkit.records.reports import JudgeHeader, Report, Row

NOT_MEASURED = "self-agreement not measured under this judge configuration: evalkit stability SUITE measures it"
AGAIN = "evalkit stability SUITE --cache NEW measures it afresh"
NO_FLOOR = "the suite sets no floor of self-agreement (budgets.self_agreement)"
SAYS_NOTHING = frozenset({"not_applicable", "floor_abstains"})


def stability_of(report: Report, experiments: Sequence[Experiment], floor: float | None) -> Callable[[Row], str]:
    """Return, for the rows of a report, why the judge is not stable enough to gate on; empty where it is.

    `experiments` are the suite's stability experiments, the newest first; `floor` is the suite's, of pairwise agreement.
    """

    def unstable(row: Row) -> str:
        if floor is None:
            return NO_FLOOR
        use = row.capability, row.scorer, row.judge_config_hash
        header = next(
            (one for one in report.judges if (one.capability, one.rubric, one.judge_config_hash) == use), None
        )
        found = () if header is None else agreement_of(header, experiments)
        if (row.scorer, row.criterion) not in {(one.rubric, one.criterion) for one in found}:
            other = by_another(experiments, "stability", header) if header else ""
            return f"self-agreement was {other}: {AGAIN}" if other else NOT_MEASURED
        return "; ".join(dict.fromkeys(reason for one in found if (reason := _under(one, floor))))

    return unstable


def agreement_of(header: JudgeHeader, experiments: Iterable[Experiment]) -> tuple[AgreementRow, ...]:
    """Return the agreement of all criteria of a judge use's capability, from the newest experiment that speaks for it."""
    found = newest(experiments, "stability", header)
    rows = found.agreement if found else ()
    return tuple(one for one in rows if one.capability == header.capability and _asked(one))


def _asked(row: AgreementRow) -> bool:
    """Tell whether the judge had anything to say on a criterion at all."""
    return row.items > sum(count for reason, count in row.excluded.items() if reason in SAYS_NOTHING)


def _under(row: AgreementRow, floor: float) -> str:
    low = None if row.pairwise_interval is None else row.pairwise_interval[0]
    if low is not None and low >= floor:
        return ""
    bound = "has no lower bound" if low is None else f"is at least {low:.3f}"
    return f"unstable: self-agreement on {row.criterion} {bound}, the floor is {floor:g}"
