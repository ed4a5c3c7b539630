"""How labels that were drawn unevenly are weighted back to the run that they stand for.

Labels of a random sample count once each. Labels drawn within the judge's verdicts are weighted by each verdict's share of the run
(Begg & Greenes), which needs them to be a random sample within a verdict: an inclusion probability then belongs to one verdict. Where
one occurs with both, the labels were drawn by another judge's verdict or another criterion's, and nothing here may be decided on them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from evalkit.records.calibrations import Weighting
from evalkit.records.labels import Label
from evalkit.stats.strata import Strata

OTHER_VERDICTS = "labels were drawn by the verdicts of another judge or criterion: draw them by these, or at random"
NO_RUN = "labels were drawn by verdict, and the run's own verdicts are not known"


class Population(NamedTuple):
    """The verdicts of a whole run on one criterion."""

    n: int
    """Judged answers, passed or failed."""
    passed: int
    errors: int = 0
    """Answers without a verdict."""


class Drawn(NamedTuple):
    """An item that both decided, with how it was drawn."""

    human_pass: bool
    judge_pass: bool
    label: Label


def weighting_of(items: Sequence[Drawn], population: Population | None) -> tuple[Weighting, str]:
    """Return how these labels are to be weighted, and why not where they cannot be."""
    by_verdict = [item for item in items if item.label.design == "by-verdict"]
    verdicts: dict[float | None, set[bool]] = defaultdict(set)
    for item in by_verdict:
        verdicts[item.label.inclusion_probability].add(item.judge_pass)
    if any(len(met) > 1 for met in verdicts.values()):
        return ("none", "") if len(verdicts) == 1 else ("refused", OTHER_VERDICTS)
    if not verdicts:
        return "none", ""
    return ("begg-greenes", "") if population else ("refused", NO_RUN)


def strata_of(items: Sequence[Drawn], population: Population) -> Strata:
    """Return a run's labels counted by the judge's verdict."""
    passed = [item.human_pass for item in items if item.judge_pass]
    failed = [item.human_pass for item in items if not item.judge_pass]
    return Strata(
        n=population.n,
        judge_pass=population.passed,
        labelled_pass=len(passed),
        human_pass_of_pass=sum(passed),
        labelled_fail=len(failed),
        human_pass_of_fail=sum(failed),
    )
