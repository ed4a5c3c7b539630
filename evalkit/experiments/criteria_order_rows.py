"""Rows of the experiment on the order of criteria: the paired table of the two orders, beside the same order asked again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from evalkit.experiments.paired import ENOUGH_CASES, ENOUGH_CHANGED, why_ungraded
from evalkit.judging.reordered import order_of
from evalkit.judging.requests import Measurement
from evalkit.judging.results import criteria_of, grade_of
from evalkit.records.base import Json
from evalkit.records.experiments import CriteriaOrderRow
from evalkit.records.verdicts import Judgement
from evalkit.stats.differences import mcnemar_midp, tango


class Thrice(NamedTuple):
    """One case: judged as the rubric is written, so once more, and in the other order."""

    measurement: Measurement
    other: Measurement
    written: Judgement
    again: Judgement
    moved: Judgement


@dataclass(slots=True)
class _Counts:
    places: tuple[int | None, int | None]
    cases: int = 0
    excluded: Counter[str] = field(default_factory=Counter)
    table: Counter[tuple[bool, bool]] = field(default_factory=Counter)
    """(passes as written, passes reordered) -> cases."""
    flips: Counter[tuple[bool, bool]] = field(default_factory=Counter)
    """(changes with the order, changes when asked again) -> cases."""


def order_rows(thrice: Sequence[Thrice]) -> tuple[list[CriteriaOrderRow], list[dict[str, Json]]]:
    """Return a row per judge use and criterion, and an entry per case and criterion whose grade changed with the order.

    A grade counts as pass or not pass (`partial` is not a pass). A case without a grade in one of its three verdicts, or to which the
    criterion does not apply in one, is excluded under that reason.
    """
    counts: dict[tuple[str, str, str], _Counts] = {}
    changed: list[dict[str, Json]] = []
    for one in thrice:
        before, after = order_of(one.measurement), order_of(one.other)
        for criterion in criteria_of(one.measurement):
            key = (one.measurement.capability, one.measurement.rubric.id, criterion)
            found = counts.setdefault(key, _Counts((before.get(criterion), after.get(criterion))))
            entry = _counted(found, one, criterion)
            if entry:
                changed.append({**dict(zip(("capability", "rubric", "criterion"), key, strict=True)), **entry})
    return [_row(key, found) for key, found in counts.items()], changed


def _counted(counts: _Counts, one: Thrice, criterion: str) -> dict[str, Json] | None:
    counts.cases += 1
    grades = [grade_of(criterion, end) for end in (one.written, one.again, one.moved)]
    reason = why_ungraded(grades)
    if reason:
        counts.excluded[reason] += 1
        return None
    written, again, moved = (grade == "pass" for grade in grades)
    counts.table[written, moved] += 1
    counts.flips[written != moved, written != again] += 1
    if written == moved:
        return None
    before, repeated, after = grades
    return {"case_id": one.written.case_id, "before": before, "again": repeated, "after": after}


def _row(key: tuple[str, str, str], found: _Counts) -> CriteriaOrderRow:
    lost, gained = found.table[True, False], found.table[False, True]
    only_moved, only_again = found.flips[True, False], found.flips[False, True]
    n = found.table.total()
    return CriteriaOrderRow(
        capability=key[0],
        rubric=key[1],
        criterion=key[2],
        place=found.places[0],
        moved_to=found.places[1],
        cases=found.cases,
        n=n,
        excluded=dict(sorted(found.excluded.items())),
        passed_both=found.table[True, True],
        lost=lost,
        gained=gained,
        failed_both=found.table[False, False],
        difference=(gained - lost) / n if n else None,
        interval=tango(gained, lost, n) if n else None,
        p=mcnemar_midp(gained, lost) if n else None,
        flips=lost + gained,
        repeat_flips=only_again + found.flips[True, True],
        added=(only_moved - only_again) / n if n else None,
        added_interval=tango(only_moved, only_again, n) if n else None,
        added_p=mcnemar_midp(only_moved, only_again) if n else None,
        reading=_reading(n, lost + gained),
    )


def _reading(n: int, flips: int) -> str:
    if not n:
        return "no data"
    words = [f"insufficient: {n} of the {ENOUGH_CASES} cases that it takes"] if n < ENOUGH_CASES else []
    if not flips:
        words.append("no grade changed with the order")
    elif flips < ENOUGH_CHANGED:
        words.append(f"{flips} changed cases cannot show a direction")
    return "; ".join(words)
