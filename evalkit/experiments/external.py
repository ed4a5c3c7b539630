"""Stability and position bias of verdicts that were made elsewhere: figures only, nothing asked, nothing trusted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from evalkit.errors import UsageError
from evalkit.experiments.agreement_rows import Repeated, agreement_row
from evalkit.experiments.outcome import new_experiment
from evalkit.loading.external_verdicts import ExternalVerdicts, read_external_verdicts
from evalkit.records.experiments import Experiment, ExperimentJudge, Kind, PositionRow, RepeatRow
from evalkit.records.external_verdicts import TIE, ExternalVerdict
from evalkit.stats.agreement import pair_agreement
from evalkit.stats.means import t_interval_of
from evalkit.stats.positions import Outcome, position_bias, swap

ENOUGH_PAIRS = 50
ENOUGH_DIVIDED = 5
"""Order-dependent pairs below which no test of their direction can decide."""

Orders = Mapping[str, ExternalVerdict]
"""The candidate shown first -> the verdict; of one pair in one repetition."""


def stability_of_verdicts(path: Path, seed: int) -> Experiment:
    """Return the agreement of repeated verdicts in a file, per judge and criterion.

    An item is a question in one order; of a pair the label is the place that won. Raises InputError with the file's faults, UsageError where nothing was asked twice.
    """
    read = read_external_verdicts(path)
    groups: dict[tuple[str, str], dict[object, dict[int, str | None]]] = defaultdict(lambda: defaultdict(dict))
    for one in read.verdicts:
        item = (one.mode, one.case_id, tuple(sorted(one.candidates)), one.first_shown)
        label = _place(one) if one.mode == "pairwise" else one.verdict
        groups[one.judge, one.criterion][item][one.sample] = label
    rows = []
    for (judge, criterion), items in groups.items():
        samples = sorted({sample for labels in items.values() for sample in labels})
        if len(samples) < 2:
            continue
        gathered = Repeated(judge, criterion, runs=[_in_order(labels, samples) for labels in items.values()])
        rows.append(agreement_row(gathered, len(samples), seed))
    if not rows:
        raise UsageError(f"{path}: no judge was asked the same twice; repetitions are told apart by `sample` (0, 1, 2)")
    return _experiment("stability", path, read, {"seed": seed}).model_copy(update={"agreement": tuple(rows)})


def _in_order(labels: Mapping[int, str | None], samples: Sequence[int]) -> tuple[str | None, ...]:
    """Return an item's labels in the order of the samples; a sample that is missing from the file is no verdict."""
    return tuple(labels.get(sample) for sample in samples)


def position_of_verdicts(path: Path) -> Experiment:
    """Return what became of pairs when their answers changed places, per judge, criterion and repetition.

    Raises InputError with the file's faults, UsageError where no pair was judged in both orders.
    """
    read = read_external_verdicts(path)
    groups: dict[tuple[str, str], dict[object, dict[int, dict[str, ExternalVerdict]]]] = {}
    for one in read.verdicts:
        if one.mode == "pairwise":
            pairs = groups.setdefault((one.judge, one.criterion), {})
            orders = pairs.setdefault((one.case_id, tuple(sorted(one.candidates))), {}).setdefault(one.sample, {})
            orders[str(one.first_shown)] = one
    rows, repeats = [], []
    for (judge, criterion), pairs in groups.items():
        for sample in sorted({sample for by_sample in pairs.values() for sample in by_sample}):
            row = _position_row(judge, criterion, sample, [p[sample] for p in pairs.values() if sample in p])
            rows.append(row)
        repeats.append(_repeat_row(judge, criterion, [list(by_sample.values()) for by_sample in pairs.values()]))
    if not any(row.pairs for row in rows):
        raise UsageError(f"{path}: no pair was judged in both orders; the orders are told apart by `first_shown`")
    return _experiment("position", path, read, {}).model_copy(
        update={"position": tuple(rows), "repeats": tuple(row for row in repeats if row.n)}
    )


def _place(one: ExternalVerdict) -> Outcome | None:
    """Return which place won, or None where no verdict could be read."""
    if one.winner is None:
        return None
    if one.winner == TIE:
        return "tie"
    return "first" if one.winner == one.first_shown else "second"


def _position_row(judge: str, criterion: str, sample: int, pairs: Sequence[Orders]) -> PositionRow:
    places = [[_place(one) for one in orders.values()] for orders in pairs]
    read = [place for outcomes in places for place in outcomes if place is not None]
    both = [outcomes for outcomes in places if len(outcomes) == 2]
    swaps: Counter[str] = Counter()
    ties = 0
    for one, other in both:
        if one is not None and other is not None:
            swaps[swap(one, other)] += 1
            ties += one == other == "tie"
    readable = swaps.total()
    found = position_bias(swaps["consistent"], swaps["primacy"], swaps["recency"]) if readable else None
    excluded = {"no_verdict_in_an_order": len(both) - readable, "one_order_only": len(pairs) - len(both)}
    return PositionRow(
        judge=judge,
        criterion=criterion,
        sample=sample,
        pairs=len(pairs),
        readable=readable,
        excluded={reason: count for reason, count in excluded.items() if count},
        consistent=swaps["consistent"],
        ties=ties,
        primacy=swaps["primacy"],
        recency=swaps["recency"],
        consistency=found.consistency if found else None,
        consistency_interval=found.consistency_interval if found else None,
        swing=found.swing if found else None,
        swing_interval=found.swing_interval if found else None,
        p=found.p if found else None,
        first_share=found.first_share if found else None,
        first_share_interval=found.first_share_interval if found else None,
        first_picks=read.count("first"),
        verdicts=len(read),
        unreadable=sum(map(len, places)) - len(read),
        worst_case=swaps["consistent"] / len(both) if both else None,
        reading=_reading(readable, swaps["primacy"] + swaps["recency"]),
    )


def _reading(pairs: int, divided: int) -> str:
    if not pairs:
        return "no data"
    if not divided:
        return f"no order-dependent verdict in {pairs} pairs; rate at most {100 * min(1.0, 3 / pairs):.1f} %"
    words = [f"insufficient: {pairs} of the {ENOUGH_PAIRS} pairs that it takes"] if pairs < ENOUGH_PAIRS else []
    if divided < ENOUGH_DIVIDED:
        words.append(f"{divided} order-dependent pairs cannot show a direction")
    return "; ".join(words)


def _repeat_row(judge: str, criterion: str, pairs: Sequence[Sequence[Orders]]) -> RepeatRow:
    """Return how well repetitions of one order agree, beside verdicts of the two orders, over the same pairs."""
    same, swapped = [], []
    for repetitions in pairs:
        by_order: dict[str, list[str]] = defaultdict(list)
        for orders in repetitions:
            for first, one in orders.items():
                if one.winner is not None:
                    by_order[first].append(one.winner)
        if len(by_order) == 2 and all(len(winners) >= 2 for winners in by_order.values()):
            one_order, other = by_order.values()
            same.append(fmean([pair_agreement(one_order), pair_agreement(other)]))
            swapped.append(fmean(a == b for a in one_order for b in other))
    differences = [a - b for a, b in zip(same, swapped, strict=True)]
    interval = t_interval_of(differences)
    reading = "" if interval else "no interval: SD = 0, or fewer than two pairs"
    return RepeatRow(
        judge=judge,
        criterion=criterion,
        n=len(same),
        same_order=fmean(same) if same else None,
        swapped=fmean(swapped) if swapped else None,
        difference=fmean(differences) if differences else None,
        difference_interval=interval,
        reading=reading,
    )


def _experiment(kind: Kind, path: Path, read: ExternalVerdicts, settings: dict[str, object]) -> Experiment:
    judges = _judges(read.verdicts)
    return new_experiment(kind, path.stem, judges).model_copy(
        update={"checked": False, "outputs_sha256": (read.sha256,), "settings": {"verdicts": path.name, **settings}}
    )


def _judges(verdicts: Iterable[ExternalVerdict]) -> tuple[ExperimentJudge, ...]:
    names = dict.fromkeys(one.judge for one in verdicts)
    return tuple(ExperimentJudge(role="elsewhere", judge=name) for name in names)
