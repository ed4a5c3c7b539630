"""A judge against people on the items of one row: agreement, kappa, AC1, rates per human class, and the same beside other readers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from evalkit.calibration.people import Labelled
from evalkit.calibration.weighting import Drawn
from evalkit.records.calibrations import Beside, ClassRate, Figure, Rule, RuleFigure
from evalkit.records.external_verdicts import TIE
from evalkit.stats import judge_rates, weighting
from evalkit.stats.begg_greenes import WeightedRate
from evalkit.stats.gwet import ac1
from evalkit.stats.intervals import wilson
from evalkit.stats.kappa import Kappa, cohen_kappa
from evalkit.stats.results import Estimate, Refused

Pairs = Mapping[tuple[str, str], int]
"""(human label, other label) -> items."""
NO_VERDICT = "(no verdict)"
"""The category of a verdict that could not be read, where it is one of its own."""


def figure(found: Estimate | Refused) -> Figure:
    """Return an estimate as it stands in a file."""
    if isinstance(found, Refused):
        return Figure(value=None, reading=found.reason)
    return Figure(value=found.value, interval=found.interval, reading=_few(found.insufficient))


def kappa_of(pairs: Pairs) -> tuple[Figure, float | None]:
    """Return kappa and the largest one that the margins allow."""
    found = cohen_kappa({(human, other): count for (human, other), count in pairs.items()})
    if isinstance(found, Kappa):
        return figure(found.estimate), found.largest
    return figure(found), None


def ac1_of(pairs: Pairs) -> Figure:
    """Return Gwet's AC1."""
    found = ac1([pair for pair, count in pairs.items() for _ in range(count)])
    return figure(found) if isinstance(found, Refused) else figure(found.estimate)


def agreed(pairs: Pairs) -> tuple[int, int]:
    """Return on how many items both labels are equal, and how many items there are."""
    return sum(count for (one, other), count in pairs.items() if one == other), sum(pairs.values())


def rule_figures(pairs: Pairs, unreadable: Mapping[str, int], *, ties: bool) -> tuple[RuleFigure, ...]:
    """Return the agreement by each rule for verdicts that could not be read; `unreadable` counts them by human label."""
    wrong = Counter(pairs) + Counter({(human, NO_VERDICT): count for human, count in unreadable.items()})
    by_rule: dict[Rule, Pairs] = {"wrong": wrong, "dropped": pairs}
    if ties:
        by_rule["tie"] = Counter(pairs) + Counter({(human, TIE): count for human, count in unreadable.items()})
    return tuple(_rule(rule, counted) for rule, counted in by_rule.items())


def _rule(rule: Rule, pairs: Pairs) -> RuleFigure:
    agree, n = agreed(pairs)
    kappa, _ = kappa_of(pairs)
    interval = wilson(agree, n) if n else None
    return RuleFigure(rule=rule, n=n, agree=agree, agreement=agree / n if n else None, interval=interval, kappa=kappa)


def beside(name: str, pairs: Pairs, judge_agree: int | None = None, reading: str = "") -> Beside:
    """Return another reader's agreement with people."""
    agree, n = agreed(pairs)
    kappa, _ = kappa_of(pairs)
    return Beside(
        name=name,
        n=n,
        agree=agree,
        agreement=agree / n if n else None,
        interval=wilson(agree, n) if n else None,
        kappa=kappa,
        judge_agree=judge_agree,
        reading=reading,
    )


def ceiling(items: Iterable[Labelled]) -> tuple[Beside, ...]:
    """Return how far every two people agree who labelled the same items."""
    pairs: dict[tuple[str, str], Counter[tuple[str, str]]] = {}
    for item in items:
        given = {label.labeller: label.label for label in item.labels if label.label is not None}
        for one, other in combinations(sorted(given), 2):
            counted = pairs.setdefault((one, other), Counter())
            counted[given[one] or "", given[other] or ""] += 1
    return tuple(beside(f"{one} and {other}", counted) for (one, other), counted in pairs.items())


def counted_rate(found: judge_rates.ClassRate | Refused) -> ClassRate:
    """Return TPR or TNR of labels that count once each."""
    if isinstance(found, Refused):
        return ClassRate(correct=0, n=0, value=None, reading=found.reason)
    return ClassRate(
        correct=found.correct,
        n=found.n,
        value=found.estimate.value,
        interval=found.estimate.interval,
        lower=found.lower,
        upper=found.upper,
        reading=_few(found.estimate.insufficient),
    )


def weighted_rate(found: WeightedRate | Refused, correct: int, n: int) -> ClassRate:
    """Return TPR or TNR that was weighted back to the run; `correct` of `n` are the labels behind it."""
    if isinstance(found, Refused):
        return ClassRate(correct=correct, n=n, value=None, reading=found.reason)
    return ClassRate(
        correct=correct,
        n=n,
        value=found.estimate.value,
        interval=found.estimate.interval,
        lower=found.lower,
        upper=found.upper,
        reading=_few(found.estimate.insufficient),
    )


def by_chance(items: Sequence[Drawn], correct: int, reading: str) -> ClassRate:
    """Return TPR or TNR weighted by each label's own chance, to be shown only: it has no bound to decide on.

    `items` are of one human class, `correct` of them judged right; `reading` says why nothing may be decided.
    """
    found = weighting.weighted_rate(
        [weighting.Drawn(item.human_pass is item.judge_pass, item.label.inclusion_probability or 1.0) for item in items]
    )
    if isinstance(found, Refused):
        return ClassRate(correct=correct, n=len(items), value=None, reading=reading)
    value, interval = found.estimate.value, found.estimate.interval
    return ClassRate(
        correct=correct, n=len(items), value=value, interval=interval, reading=f"weighted by chance: {reading}"
    )


def _few(insufficient: str | None) -> str:
    return f"insufficient: {insufficient}" if insufficient else ""
