"""A plan of labels on the terminal: bars, draws, and what a comparison can show."""

from __future__ import annotations

from evalkit.records.label_plans import BarPlan, ComparisonPlan, LabelPlan
from evalkit.reporting.escape import one_line
from evalkit.reporting.page import Page


def print_label_plan(page: Page, plan: LabelPlan) -> None:
    """Print how many labels it takes."""
    page.line(f"labels for {one_line(plan.suite)}: blind, of the test split, and drawn by chance", style="bold")
    for bar in plan.bars:
        _bar(page, bar)
    page.line()
    page.line(f"What to draw, where people fail {100 * plan.fail_share:g} % of the answers", style="bold")
    page.columns((((draw.design, f"{draw.labels:,}", draw.reading), "") for draw in plan.draws), indent=2)
    page.line()
    page.line("What a comparison of two runs shows, in four of five tries", style="bold")
    page.columns(((_comparison(found), "") for found in plan.comparisons), indent=2)
    page.line(
        f"{plan.cases_for_5_points} cases give a pass rate of 90 % to within 5 points; {plan.pairs_for_example} show a difference of "
        "6 points where 14 % of the cases differ. Multiply by the design effect where cases share documents.",
        indent=2,
    )


def _bar(page: Page, plan: BarPlan) -> None:
    page.line()
    page.line(f"{plan.rate} of at least {100 * plan.bar:g} %: labels that people {plan.human}", style="bold")
    errors = ", ".join(f"{count} with {number}" for number, count in plan.by_errors.items())
    page.line(f"so that the bound clears the bar, by the judge's errors among them: {errors}", indent=2)
    for power in plan.with_power:
        needed = power.reading if power.labels is None else f"{power.labels:,}"
        page.line(f"to clear it with 80 % chance if the true rate is {100 * power.true_rate:g} %: {needed}", indent=2)


def _comparison(found: ComparisonPlan) -> tuple[str, str, str]:
    shown = ", ".join(
        f"{'not detectable' if value is None else f'{100 * value:.1f} points'} where {100 * float(share):g} % differ"
        for share, value in found.least_difference.items()
    )
    width = "" if found.half_width is None else f"90 % +/- {100 * found.half_width:.1f} points"
    return one_line(found.capability), f"{found.cases} cases", f"{width}; {shown}"
