"""Stability and position bias of verdicts that were made elsewhere: figures only, nothing asked, nothing trusted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from evalkit.errors import UsageError
from evalkit.experiments.agreement_rows import Repeated, agreement_row
from evalkit.experiments.outcome import new_experiment
from evalkit.experiments.position_rows import position_row, repeat_row
from evalkit.loading.external_verdicts import ExternalVerdicts, read_external_verdicts
from evalkit.records.experiments import Experiment, ExperimentJudge, Kind
from evalkit.records.external_verdicts import TIE, ExternalVerdict
from evalkit.stats.positions import Outcome

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
            places = [[_place(one) for one in p[sample].values()] for p in pairs.values() if sample in p]
            rows.append(position_row(judge, criterion, sample, places))
        repeats.append(repeat_row(judge, criterion, [_winners(by_sample.values()) for by_sample in pairs.values()]))
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


def _winners(repetitions: Iterable[Orders]) -> dict[str, list[str]]:
    """Return the readable winners of a pair by the candidate that was shown first."""
    by_order: dict[str, list[str]] = defaultdict(list)
    for orders in repetitions:
        for first, one in orders.items():
            if one.winner is not None:
                by_order[first].append(one.winner)
    return by_order


def _experiment(kind: Kind, path: Path, read: ExternalVerdicts, settings: dict[str, object]) -> Experiment:
    judges = _judges(read.verdicts)
    return new_experiment(kind, path.stem, judges).model_copy(
        update={"checked": False, "outputs_sha256": (read.sha256,), "settings": {"verdicts": path.name, **settings}}
    )


def _judges(verdicts: Iterable[ExternalVerdict]) -> tuple[ExperimentJudge, ...]:
    names = dict.fromkeys(one.judge for one in verdicts)
    return tuple(ExperimentJudge(role="elsewhere", judge=name) for name in names)
