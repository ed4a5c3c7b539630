"""What became of the items of a judge's self-test: counted per kind and criterion with an interval, every failure by name."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from evalkit.judging.requests import Measurement
from evalkit.records.base import Json
from evalkit.records.experiments import SelfTestRow, TestKind
from evalkit.stats.intervals import wilson

Role = Literal["home", "second"]


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that the judge must get right; `problem` is empty where it did, `undecided` says why it cannot be told."""

    test: TestKind
    case_id: str
    measurement: Measurement
    criterion: str = ""
    variant: str = ""
    place: str = ""
    problem: str = ""
    undecided: str = ""

    def row(self) -> tuple[TestKind, str, str, str]:
        """Return the row that the item counts in."""
        return self.test, self.measurement.capability, self.measurement.rubric.id, self.criterion


def item_rows(role: Role, items: Sequence[Item]) -> Iterator[SelfTestRow]:
    """Yield a row per kind of item, judge use and criterion."""
    by_row: defaultdict[tuple[TestKind, str, str, str], list[Item]] = defaultdict(list)
    for item in items:
        by_row[item.row()].append(item)
    for (test, capability, rubric, criterion), group in by_row.items():
        failed = sum(bool(item.problem) for item in group)
        excluded = Counter(item.undecided for item in group if item.undecided)
        n = len(group) - excluded.total()
        yield SelfTestRow(
            role=role,
            test=test,
            capability=capability,
            rubric=rubric,
            criterion=criterion,
            items=len(group),
            n=n,
            passed=n - failed,
            failed=failed,
            interval=wilson(n - failed, n) if n else None,
            excluded=dict(sorted(excluded.items())),
        )


def item_failure(role: Role, item: Item) -> dict[str, Json]:
    """Return a failed item as the experiment's file names it."""
    test, capability, rubric, criterion = item.row()
    return {
        "role": role,
        "test": test,
        "case_id": item.case_id,
        "capability": capability,
        "rubric": rubric,
        "criterion": criterion,
        "variant": item.variant,
        "place": item.place,
        "problem": item.problem,
    }
