"""From the labels of repeated verdicts to a row of agreement, by one rule for live judges and for verdicts made elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from evalkit.records.experiments import AgreementRow, State
from evalkit.stats.agreement import (
    all_equal,
    alpha_bootstrap,
    krippendorff_alpha,
    pairwise_agreement,
    pairwise_interval,
)
from evalkit.stats.gwet import gwet_ac1
from evalkit.stats.intervals import wilson

ENOUGH_ITEMS = 50
"""Items below which a row prints its numbers but is marked insufficient."""
NO_VERDICT = "no verdict"
"""The label of a missing verdict where it counts as one of its own."""


@dataclass(slots=True)
class Repeated:
    """The runs of all items on one criterion while they are gathered."""

    judge: str
    criterion: str
    capability: str = ""
    rubric: str = ""
    runs: list[tuple[str | None, ...]] = field(default_factory=list)
    """Labels of each item that was asked; None where a run gave no readable verdict."""
    without_label: Counter[str] = field(default_factory=Counter)
    """Items on which the judge has nothing to say in any run, by reason, e.g. `not_applicable`."""


def agreement_row(repeated: Repeated, runs: int, seed: int, floor: float | None = None) -> AgreementRow:
    """Return the row of one criterion; `seed` draws the bootstrap, `floor` is the suite's floor of pairwise agreement."""
    full = [labels for labels in repeated.runs if len(labels) >= 2]
    readable = [tuple(label for label in labels if label is not None) for labels in full if None not in labels]
    missing = len(full) - len(readable)
    own_label = [tuple(label or NO_VERDICT for label in labels) for labels in full]
    equal, n = all_equal(readable)
    interval = pairwise_interval(readable)
    excluded = Counter(repeated.without_label)
    excluded.update({"no_verdict_in_a_run": missing, "one_run_only": len(repeated.runs) - len(full)})
    alpha, alpha_interval, alpha_reading = _alpha(readable, seed)
    state = _state(interval, floor)
    return AgreementRow(
        judge=repeated.judge,
        capability=repeated.capability,
        rubric=repeated.rubric,
        criterion=repeated.criterion,
        runs=runs,
        items=len(repeated.runs) + repeated.without_label.total(),
        n=n,
        excluded={reason: count for reason, count in sorted(excluded.items()) if count},
        equal=dict(sorted(Counter(labels[0] for labels in readable if len(set(labels)) == 1).items())),
        flipped=n - equal,
        all_equal=equal / n if n else None,
        all_equal_interval=wilson(equal, n) if n else None,
        pairwise=pairwise_agreement(readable),
        pairwise_interval=interval,
        alpha=alpha,
        alpha_interval=alpha_interval,
        alpha_reading=alpha_reading,
        ac1=gwet_ac1(readable),
        unreadable_equal=all_equal(own_label)[0],
        unreadable_pairwise=pairwise_agreement(own_label),
        unreadable_items=len(own_label),
        worst_case=equal / len(full) if full else None,
        floor=floor,
        state=state,
        reading=_reading(n, interval, floor, state),
    )


def _alpha(items: Sequence[tuple[str, ...]], seed: int) -> tuple[float | None, tuple[float, float] | None, str]:
    alpha = krippendorff_alpha(items)
    if alpha is None:
        labels = sorted({label for item in items for label in item})
        return None, None, f"undefined (all verdicts {labels[0]})" if labels else "undefined (no verdicts)"
    drawn = alpha_bootstrap(items, seed)
    if drawn is None:
        return alpha, None, "every bootstrap sample has one label only"
    reading = f"undefined in {drawn.undefined} of {drawn.replicates} bootstrap samples" if drawn.undefined else ""
    return alpha, (drawn.low, drawn.high), reading


def _state(interval: tuple[float, float] | None, floor: float | None) -> State:
    if floor is None:
        return "no floor"
    return "stable" if interval is not None and interval[0] >= floor else "unstable"


def _reading(n: int, interval: tuple[float, float] | None, floor: float | None, state: str) -> str:
    if not n:
        return "no data"
    words = [f"insufficient: {n} of the {ENOUGH_ITEMS} items that it takes"] if n < ENOUGH_ITEMS else []
    if interval is None:
        words.append("no interval: the items do not differ in how divided they are")
    if floor is not None and state == "unstable":
        bound = "no lower bound" if interval is None else f"lower bound {100 * interval[0]:.1f} %"
        words.append(f"UNSTABLE: {bound}, the floor is {100 * floor:.1f} %; it cannot gate")
    return "; ".join(words)
