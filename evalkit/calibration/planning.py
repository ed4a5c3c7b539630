"""How many labels a trust decision takes, before anybody labels; and what a comparison of so many cases can show."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

from evalkit.errors import UsageError
from evalkit.records.label_plans import BarPlan, ComparisonPlan, DrawPlan, LabelPlan, PowerPlan
from evalkit.records.labels import DEV_SHARE
from evalkit.records.suites import TrustBars
from evalkit.stats.bars import Plan, labels_for_power, labels_needed
from evalkit.stats.intervals import wilson
from evalkit.stats.judge_rates import ENOUGH_OF_A_CLASS
from evalkit.stats.planning import cases_for_width
from evalkit.stats.power import POWER, pairs_needed, smallest_difference
from evalkit.stats.strata import ENOUGH_IN_A_STRATUM

ERRORS = (0, 1, 2, 3, 5)
HEADROOM = (0.05, 0.08, 0.1, 0.15)
"""How far above the bar the true rate may lie in the plan; rates of 1 and above are left out."""
DISCORDANT = (0.05, 0.1, 0.14, 0.2)
EXAMPLE = (0.14, 0.06)
"""Share of cases that differ, and the difference, of the example."""


def label_plan(suite: str, bars: TrustBars, fail_share: float, cases: Mapping[str, int]) -> LabelPlan:
    """Return what to label for a suite's bars; `cases` holds the judged cases of each capability.

    Raises UsageError where `fail_share` is not between 0 and 1, or a bar is 0 or 1: labels cannot decide on such a bar.
    """
    if not 0 < fail_share < 1:
        raise UsageError(f"the share of human fails lies between 0 and 1, got {fail_share:g}")
    if not (0 < bars.tpr < 1 and 0 < bars.tnr < 1):
        raise UsageError(f"trust.tpr and trust.tnr lie between 0 and 1, got {bars.tpr:g} and {bars.tnr:g}")
    plans = (_bar("true-pass rate", "pass", bars.tpr), _bar("true-fail rate", "fail", bars.tnr))
    return LabelPlan(
        suite=suite,
        fail_share=fail_share,
        power=POWER,
        bars=plans,
        draws=_draws(plans, fail_share),
        comparisons=tuple(_comparison(name, n) for name, n in cases.items()),
        cases_for_5_points=cases_for_width(0.9, 0.05),
        pairs_for_example=ceil(pairs_needed(*EXAMPLE)),
    )


def _bar(rate: str, human: str, bar: float) -> BarPlan:
    true_rates = [round(bar + more, 4) for more in HEADROOM if bar + more < 1 - 1e-9]
    return BarPlan.model_validate(
        {
            "rate": rate,
            "human": human,
            "bar": bar,
            "by_errors": {errors: max(labels_needed(bar, errors), ENOUGH_OF_A_CLASS) for errors in ERRORS},
            "with_power": tuple(_power(bar, true) for true in true_rates),
        }
    )


def _power(bar: float, true: float) -> PowerPlan:
    found = labels_for_power(bar, true)
    if isinstance(found, Plan):
        return PowerPlan(true_rate=true, labels=max(found.n, ENOUGH_OF_A_CLASS))
    return PowerPlan(true_rate=true, labels=None, reading=found.reason)


def _draws(plans: tuple[BarPlan, BarPlan], fail_share: float) -> tuple[DrawPlan, ...]:
    passes, fails = (plan.by_errors[1] for plan in plans)
    random = max(ceil(passes / (1 - fail_share)), ceil(fails / fail_share))
    return (
        DrawPlan(
            design="random",
            labels=random,
            reading=f"holds about {round(random * (1 - fail_share))} human passes and {round(random * fail_share)} human fails; {passes} and "
            f"{fails} clear both bars with one error in each class; good for everything{_exported(random)}",
        ),
        DrawPlan(
            design="by-verdict",
            labels=2 * max(passes, fails),
            reading="half from each verdict: finds the fails that a judge sees, and is weighted back; those that it misses stay rare. "
            f"At least {ENOUGH_IN_A_STRATUM} of each verdict for a corrected pass rate{_exported(2 * max(passes, fails))}",
        ),
        DrawPlan(
            design="planted",
            labels=fails,
            reading="failing cases written on purpose, for the true-fail rate only, and only where suite.yaml says planted_fails: true",
        ),
    )


def _exported(labels: int) -> str:
    """Return how many labels hold so many of the test split."""
    asked = ceil(labels / (1 - DEV_SHARE))
    return f"; label export --n {asked} gives about so many: it keeps {100 * DEV_SHARE:g} % for dev"


def _detectable(cases: int, share: float) -> float | None:
    """Return the least difference that shows where this share of the cases differs; None where even all of them in one direction do not."""
    found = smallest_difference(cases, share) if cases else None
    return found if found is not None and found <= share else None


def _comparison(capability: str, cases: int) -> ComparisonPlan:
    low, high = wilson(0.9 * cases, cases) if cases else (0.0, 0.0)
    return ComparisonPlan(
        capability=capability,
        cases=cases,
        least_difference={f"{share:g}": _detectable(cases, share) for share in DISCORDANT},
        half_width=(high - low) / 2 if cases else None,
    )
