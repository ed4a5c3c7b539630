"""How many labels, of which kind, for which bar; and what a comparison of so many cases can show."""

from typing import Literal

from evalkit.records.base import Record


class PowerPlan(Record):
    """Labels of one human class that clear the bar with 80 % chance, if the judge's true rate is so."""

    true_rate: float
    labels: int | None
    """None where no number of labels does."""
    reading: str = ""


class BarPlan(Record):
    """One bar: what it takes in labels of one human class."""

    rate: Literal["true-pass rate", "true-fail rate"]
    human: Literal["pass", "fail"]
    """The human class in which the labels must be."""
    bar: float
    by_errors: dict[int, int]
    """Errors of the judge among the labels -> labels of this class that clear the bar; never under 30."""
    with_power: tuple[PowerPlan, ...]


class DrawPlan(Record):
    """What to draw, by kind of label."""

    design: Literal["random", "by-verdict", "planted"]
    labels: int
    """Labels to draw; for planted the failing cases to write."""
    reading: str
    """What it is good for."""


class ComparisonPlan(Record):
    """What a comparison of two runs over a capability's judged cases can show."""

    capability: str
    cases: int
    least_difference: dict[str, float | None]
    """Share of cases that differ between the runs -> least difference found in four of five tries; None where none would be,
    for a difference is at most the share that differs."""
    half_width: float | None
    """Half width of the 95 % interval of a pass rate of 90 % over these cases; None without cases."""


class LabelPlan(Record):
    """`evalkit plan SUITE --labels`."""

    suite: str
    fail_share: float
    """Expected share of answers that people fail."""
    power: float
    bars: tuple[BarPlan, ...]
    draws: tuple[DrawPlan, ...]
    comparisons: tuple[ComparisonPlan, ...]
    cases_for_5_points: int
    """Cases whose 95 % interval at a pass rate of 90 % is at most 5 points to each side."""
    pairs_for_example: int
    """Cases that show a difference of 6 points where 14 % of them differ between two runs, in four of five tries."""
