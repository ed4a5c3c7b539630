"""A run's pass rate without the judge's measured errors: raw and corrected beside each other, or why it is not correctable.

Labels of the same run are post-stratified, which assumes nothing about the judge; labels of another run carry over its true-pass and
true-fail rates (Rogan-Gladen), which assumes that they hold here.
"""

from __future__ import annotations

from evalkit.calibration.weighting import Population
from evalkit.records.calibrations import Corrected
from evalkit.stats.corrected import Share, post_stratified, rogan_gladen
from evalkit.stats.intervals import wilson
from evalkit.stats.results import Estimate, Refused
from evalkit.stats.strata import Strata

ONE_SIDED = 0.9
"""Two-sided level whose lower end is a one-sided 95 % bound."""


def same_run(strata: Strata) -> Corrected:
    """Return the rate corrected by labels of the same run, a random sample within each verdict."""
    population = Population(strata.n, strata.judge_pass)
    if not population.n:
        return refused(population, "no judged answers")
    found, sided = post_stratified(strata), post_stratified(strata, ONE_SIDED)
    if isinstance(found, Refused) or isinstance(sided, Refused):
        return refused(population, found.reason if isinstance(found, Refused) else "no bound")
    return _corrected(population, found, sided, "post-stratified, MOVER-Jeffreys")


def other_run(population: Population, right_pass: tuple[int, int], right_fail: tuple[int, int]) -> Corrected:
    """Return the rate corrected by TPR and TNR of another run's labels; each as (right, labels)."""
    rates = Share(population.passed, population.n), Share(*right_pass), Share(*right_fail)
    found, sided = rogan_gladen(*rates), rogan_gladen(*rates, ONE_SIDED)
    if isinstance(found, Refused) or isinstance(sided, Refused):
        return refused(population, found.reason if isinstance(found, Refused) else "no bound")
    return _corrected(population, found, sided, "Rogan-Gladen, Lang-Reiczigel")


def refused(population: Population, reason: str) -> Corrected:
    """Return the raw rate with the reason why it cannot be corrected."""
    return Corrected(
        raw=population.passed / population.n if population.n else None,
        raw_interval=wilson(population.passed, population.n) if population.n else None,
        corrected=None,
        method="refused",
        reading=reason,
    )


def _corrected(population: Population, found: Estimate, sided: Estimate, method: str) -> Corrected:
    low, high = sided.interval or (None, None)
    return Corrected.model_validate(
        {
            "raw": population.passed / population.n,
            "raw_interval": wilson(population.passed, population.n),
            "corrected": found.value,
            "interval": found.interval,
            "lower": low,
            "upper": high,
            "method": method,
            "reading": f"insufficient: {found.insufficient}" if found.insufficient else "",
        }
    )
