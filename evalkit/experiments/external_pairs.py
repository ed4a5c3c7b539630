"""Pairs that were judged elsewhere, read like our own: the same swap rule, the same rows, and labels beside them where there are some."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from evalkit.calibration.pair_labels import labels_as_named
from evalkit.calibration.people import Labelled, labelled_items
from evalkit.errors import UsageError
from evalkit.experiments.pair_outcomes import PairOutcome, outcome_of
from evalkit.experiments.pair_rows import PairFold
from evalkit.experiments.position_rows import position_row
from evalkit.experiments.rankings import rankings
from evalkit.loading.external_verdicts import read_external_verdicts
from evalkit.loading.labels import read_labels
from evalkit.records.comparisons import Compared, Comparison, LabelledOrders, PairSide, Ranking
from evalkit.records.external_verdicts import TIE, ExternalVerdict
from evalkit.stats.bradley_terry import Game
from evalkit.stats.positions import Outcome

Group = tuple[str, str, int]
"""Judge, criterion, repetition."""
PairKey = tuple[str, str, str]
"""Case id and the two candidates, in the order in which the file first names them."""
Orders = dict[str, ExternalVerdict]
"""`ab` or `ba` -> verdict."""


class ExternalPair(NamedTuple):
    """One pair as one judge saw it in one repetition."""

    judge: str
    criterion: str
    sample: int
    case_id: str
    first: str
    second: str
    orders: tuple[ExternalVerdict, ...]
    """What was said, of one order or both, in the order of the file."""
    outcome: PairOutcome | None
    """By the swap rule; None where an order has no verdict."""

    def preferred(self, said: ExternalVerdict) -> PairSide | None:
        """Return which candidate one order's verdict prefers; None where there is no verdict."""
        return _side(said, (self.case_id, self.first, self.second))


def comparison_of_verdicts(path: Path, labels: Path | None, seed: int) -> Comparison:
    """Return the comparison that a file of verdicts made elsewhere comes to; `labels` say who should have won.

    Rows are per judge, criterion and repetition. Raises InputError with the files' faults and for a label on a case with several pairs, UsageError where no pair stands in them.
    """
    read = read_external_verdicts(path)
    groups = _grouped(read.verdicts)
    if not groups:
        raise UsageError(f"{path}: holds no pair; a verdict on a pair says `mode: pairwise` and names two candidates")
    names = dict.fromkeys(name for pairs in groups.values() for key in pairs for name in key[1:])
    items = labelled_items(labels_as_named(path, read, read_labels(labels).labels)) if labels else []
    expected = _winners(items)
    return Comparison(
        suite={"name": path.stem, "sha256": read.sha256},
        checked=False,
        candidates=tuple(Compared(name=name, outputs_sha256="") for name in names),
        seed=seed,
        rows=tuple(fold.row() for group, pairs in groups.items() for fold in _folds(group, pairs)),
        rankings=_ranked(groups, seed) if len(names) > 2 else (),
        position=tuple(position_row(*group, _places(pairs.values())) for group, pairs in groups.items()),
        labelled=tuple(_labelled(group, pairs, expected) for group, pairs in groups.items()) if labels else (),
        notes=(
            "nothing about these verdicts was checked by evalkit; lengths of the answers are not known",
            *_unread(read.verdicts),
            *_unused(items, expected, groups),
        ),
    )


def pairs_made_elsewhere(path: Path) -> list[ExternalPair]:
    """Return every pair of a file of verdicts with what was said of it, in the order of the file. Raises InputError with the file's faults."""
    return [
        ExternalPair(*group, *key, tuple(orders.values()), _outcome(key, orders))
        for group, pairs in _grouped(read_external_verdicts(path).verdicts).items()
        for key, orders in pairs.items()
    ]


def _outcome(key: PairKey, orders: Orders) -> PairOutcome | None:
    """Return what both orders come to; None where one of them has no verdict."""
    ab, ba = (_side(orders.get(order), key) for order in ("ab", "ba"))
    return None if ab is None or ba is None else outcome_of(ab, ba)


def _grouped(verdicts: Sequence[ExternalVerdict]) -> dict[Group, dict[PairKey, Orders]]:
    groups: dict[Group, dict[PairKey, Orders]] = {}
    for one in verdicts:
        if one.mode != "pairwise":
            continue
        first, second = one.candidates
        order = "ab" if one.first_shown == first else "ba"
        pairs = groups.setdefault((one.judge, one.criterion, one.sample), {})
        pairs.setdefault((one.case_id, first, second), {})[order] = one
    return groups


def _side(one: ExternalVerdict | None, key: PairKey) -> PairSide | None:
    if one is None or one.winner is None:
        return None
    return "tie" if one.winner == TIE else "first" if one.winner == key[1] else "second"


def _folds(group: Group, pairs: Mapping[PairKey, Orders]) -> list[PairFold]:
    judge, criterion, sample = group
    folds: dict[tuple[str, str], PairFold] = {}
    for key, orders in pairs.items():
        named = {"first": key[1], "second": key[2], "judge": judge, "criterion": criterion, "sample": sample}
        fold = folds.setdefault(key[1:], PairFold(named))
        outcome = _outcome(key, orders)
        if outcome is not None:
            fold.add(outcome, None, None)
        else:
            unreadable = any(one.unreadable for one in orders.values())
            why = "judge_error:unreadable" if unreadable else "no_verdict"
            fold.exclude("one_order_only" if len(orders) < 2 else why)
    return list(folds.values())


def _places(pairs: Iterable[Orders]) -> list[list[Outcome | None]]:
    return [[_place(one) for one in orders.values()] for orders in pairs]


def _place(one: ExternalVerdict) -> Outcome | None:
    if one.winner is None:
        return None
    return "tie" if one.winner == TIE else "first" if one.winner == one.first_shown else "second"


def _ranked(groups: Mapping[Group, Mapping[PairKey, Orders]], seed: int) -> tuple[Ranking, ...]:
    """Return a ranking per judge, criterion and repetition, over the pairs with a verdict in both orders."""
    found: list[Ranking] = []
    for (judge, criterion, sample), pairs in groups.items():
        cases: dict[str, list[Game]] = defaultdict(list)
        for key, orders in pairs.items():
            outcome = _outcome(key, orders)
            if outcome is not None:
                score = {"first": 1.0, "tie": 0.5, "second": 0.0}[outcome.winner]
                cases[key[0]].append(Game(key[1], key[2], score))
        found += rankings({("", "", criterion): cases}, judge, seed, sample)
    return tuple(found)


def _winners(items: Iterable[Labelled]) -> dict[tuple[str, str], PairSide]:
    """Return who should have won, by case and criterion."""
    sides: Mapping[str | None, PairSide] = {"A": "first", "B": "second", "tie": "tie"}
    return {(one.item[0], one.item[3]): sides[one.label] for one in items if one.label in sides}


def _unread(verdicts: Sequence[ExternalVerdict]) -> Iterator[str]:
    others = sum(one.mode != "pairwise" for one in verdicts)
    if others:
        yield f"{others} verdicts of another mode than pairwise were left aside"


def _unused(
    items: Sequence[Labelled], expected: Mapping[tuple[str, str], PairSide], groups: Mapping[Group, Iterable[PairKey]]
) -> Iterator[str]:
    """Yield what became of labels that say nothing about a pair."""
    undecided = Counter(one.reason for one in items if one.reason)
    words = sum(not one.reason and (one.item[0], one.item[3]) not in expected for one in items)
    known = {(key[0], criterion) for (_, criterion, _), pairs in groups.items() for key in pairs}
    elsewhere = sum(key not in known for key in expected)
    yield from (f"labels: {count} items left aside: {reason}" for reason, count in sorted(undecided.items()))
    if words:
        yield f"labels: {words} items left aside: labelled with something else than A, B or tie"
    if elsewhere:
        yield f"labels: {elsewhere} items left aside: no pair in the verdicts has their case and criterion"


def _labelled(
    group: Group, pairs: Mapping[PairKey, Orders], expected: Mapping[tuple[str, str], PairSide]
) -> LabelledOrders:
    judge, criterion, sample = group
    correct: Counter[str] = Counter()
    unreadable = labelled = 0
    for key, orders in pairs.items():
        right = expected.get((key[0], criterion))
        if right is None:
            continue
        labelled += 1
        said = {order: _side(orders.get(order), key) for order in ("ab", "ba")}
        unreadable += sum(side is None for side in said.values())
        correct.update(order for order, side in said.items() if side == right)
        correct["both"] += set(said.values()) == {right}
    return LabelledOrders(
        judge=judge,
        criterion=criterion,
        sample=sample,
        labelled=labelled,
        correct_ab=correct["ab"],
        correct_ba=correct["ba"],
        correct_both=correct["both"],
        unreadable=unreadable,
    )
