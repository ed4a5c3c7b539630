"""What is measured of pairs only: verdicts that the swap changed, under each rule for them, and a judge that looks at places alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from evalkit.calibration.agreement import beside, figure, rule_figures
from evalkit.calibration.ends import End
from evalkit.calibration.people import Labelled
from evalkit.records.calibrations import Beside, Figure, PairFigures
from evalkit.records.external_verdicts import TIE
from evalkit.stats.results import Refused
from evalkit.stats.weighting import Drawn, weighted_rate

ALWAYS_FIRST = "always the one shown first"

Read = Sequence[tuple[Labelled, End]]
"""Items of one row on which people and the judge both say something."""


def pair_figures(read: Read) -> PairFigures:
    """Return the figures of the pairs of a row."""
    divided = Counter(labelled.label or "" for labelled, end in read if end.depends_on_order)
    steady = Counter((labelled.label or "", end.label or "") for labelled, end in read if not end.depends_on_order)
    return PairFigures(
        depends_on_order=divided.total(),
        rules=rule_figures(steady, divided, ties=True),
        weighted=_weighted(read),
        always_first=_always_first(read),
    )


def _always_first(read: Read) -> Beside | None:
    """Return a judge that takes the first place in both orders, which is a tie by the swap rule, where both orders were asked."""
    swapped = [(labelled, end) for labelled, end in read if end.depends_on_order is not None]
    if not swapped:
        return None
    pairs = Counter((labelled.label or "", TIE) for labelled, _ in swapped)
    return beside(ALWAYS_FIRST, pairs, sum(labelled.label == end.label for labelled, end in swapped))


def _weighted(read: Read) -> Figure | None:
    drawn = [(labelled.drawn, labelled.label == end.label) for labelled, end in read]
    if not any(label.design == "by-verdict" for label, _ in drawn):
        return None
    found = weighted_rate([Drawn(same, label.inclusion_probability or 1.0) for label, same in drawn])
    return figure(found if isinstance(found, Refused) else found.estimate)
