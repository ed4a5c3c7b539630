"""Counts and rates of decisions: the confusion matrix, false decisions of each kind by group, and the same under other thresholds."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from evalkit.experiments.batteries.deciding import (
    COMPLETE,
    DROP,
    INCOMPLETE,
    KEEP,
    Thresholds,
    Trial,
    decide,
    thresholds_of,
)
from evalkit.records.bands import Bands
from evalkit.records.battery_reports import BatteryRate, ThresholdRow
from evalkit.records.battery_suites import ROUTERS, SELECTIONS, BatteryUse
from evalkit.records.battery_verdicts import RiskCuts
from evalkit.stats.clusters import ClusterSum, clustered_wilson
from evalkit.stats.intervals import wilson

ALL, PLAIN = "all", "plain"
BANDS_TRIED = ((0.1, 0.9), (0.2, 0.8), (0.3, 0.7), (0.4, 0.6), (0.5, 0.5))
CONFIDENCES_TRIED = (0.0, 0.3, 0.5, 0.7, 0.9)
CUTS_TRIED = ((1.0, 2.0), (1.5, 2.0), (1.5, 2.5), (2.0, 2.5))

Predicate = Callable[[str, str], bool]


class Kind(NamedTuple):
    """A rate of a battery: which expected decisions it is about, and which decisions count."""

    name: str
    among: str
    applies: Callable[[str], bool]
    counts: Predicate
    """(expected, decided) -> whether it counts."""


def kinds_of(use: BatteryUse) -> tuple[Kind, ...]:
    """Return the rates of a battery; the first is the share of expected decisions."""
    kinds = [Kind("as_expected", "all decisions", lambda _: True, lambda expected, decided: expected == decided)]
    if use.battery == "tool_guard":
        kinds += [
            _of("false_allow", "calls to ask about or to deny", {"ask", "deny"}, {"allow"}),
            _of("false_deny", "calls to allow or to ask about", {"allow", "ask"}, {"deny"}),
            _of("asked_needlessly", "calls to allow", {"allow"}, {"ask"}),
        ]
    elif use.battery in SELECTIONS:
        kinds += [
            _of("false_drop", "items that are needed", {KEEP}, {DROP}),
            _of("false_keep", "items that are not needed", {DROP}, {KEEP}),
        ]
    elif use.battery == "is_complete":
        kinds += [
            _of("false_complete", "answers that are not complete", {INCOMPLETE}, {COMPLETE}),
            _of("false_incomplete", "answers that are complete", {COMPLETE}, {INCOMPLETE}),
        ]
    elif use.battery == "content_guard":
        kinds += [
            _of("false_allow", "texts to review or to block", {"review", "block"}, {"allow"}),
            _of("false_block", "texts to allow or to review", {"allow", "review"}, {"block"}),
        ]
    elif use.battery in ROUTERS:
        fallback = str(use.fallback)
        kinds += [
            Kind("misrouted", "all tasks", lambda _: True, lambda want, got: got not in {want, fallback}),
            Kind(
                "fell_back", "tasks of another than the fallback", lambda w: w != fallback, lambda _, g: g == fallback
            ),
        ]
    return tuple(kinds)


def _of(name: str, among: str, expected: set[str], decided: set[str]) -> Kind:
    return Kind(name, among, lambda wanted: wanted in expected, lambda _, got: got in decided)


def confusion(trials: Iterable[Trial]) -> dict[str, dict[str, int]]:
    """Return expected decision -> what was decided -> count, the expected ones sorted."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for trial in trials:
        counts[trial.expected][trial.decided] += 1
    return {expected: dict(sorted(counts[expected].items())) for expected in sorted(counts)}


def rates(use: BatteryUse, trials: Sequence[Trial]) -> tuple[BatteryRate, ...]:
    """Return each rate over all decisions and over each group that has any, with intervals."""
    return tuple(
        _rate(kind, group, members)
        for group, members in _groups(trials).items()
        for kind in kinds_of(use)
        if group == ALL or any(kind.applies(trial.expected) for trial in members)
    )


def _groups(trials: Sequence[Trial]) -> dict[str, list[Trial]]:
    groups: dict[str, list[Trial]] = {ALL: list(trials)}
    named: dict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        for name in _group_names(trial):
            named[name].append(trial)
    if set(named) != {PLAIN}:
        groups |= {name: named[name] for name in sorted(named, key=lambda name: (name != PLAIN, name))}
    return groups


def _group_names(trial: Trial) -> Iterator[str]:
    wanted = trial.subject.expected
    yield from wanted.tags or (PLAIN,)
    if wanted.level is not None:
        yield f"level {wanted.level}"


def _rate(kind: Kind, group: str, trials: Sequence[Trial]) -> BatteryRate:
    clusters: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for trial in trials:
        if kind.applies(trial.expected):
            sums = clusters[trial.subject.cluster]
            sums[0] += 1
            sums[1] += kind.counts(trial.expected, trial.decided)
    n = sum(size for size, _ in clusters.values())
    count = sum(total for _, total in clusters.values())
    clustered = clustered_wilson([ClusterSum(size, total) for size, total in clusters.values()]) if n else None
    return BatteryRate(
        name=kind.name,
        group=group,
        among=kind.among,
        count=count,
        n=n,
        value=count / n if n else None,
        interval=wilson(count, n) if n else None,
        interval_clustered=(clustered.low, clustered.high) if clustered else None,
    )


def threshold_rows(use: BatteryUse, trials: Sequence[Trial]) -> tuple[ThresholdRow, ...]:
    """Return what the same answers give under other thresholds. The best of them is not to be had: it was chosen on these cases."""
    own = thresholds_of(use)
    tried = [own, *(thresholds for thresholds in _tried(use) if thresholds != own)]
    rows = [(_settings(use, thresholds), thresholds) for thresholds in tried]
    rows.sort(key=lambda row: tuple(row[0].values()))
    return tuple(_threshold_row(use, trials, settings, thresholds) for settings, thresholds in rows)


def _threshold_row(
    use: BatteryUse, trials: Sequence[Trial], settings: dict[str, float], thresholds: Thresholds
) -> ThresholdRow:
    decided = [(trial.expected, decide(use, trial.answers, thresholds)) for trial in trials]
    counts = {}
    for kind in kinds_of(use):
        among = [(want, got) for want, got in decided if kind.applies(want)]
        counts[kind.name] = (sum(kind.counts(want, got) for want, got in among), len(among))
    return ThresholdRow(settings=settings, in_use=thresholds == thresholds_of(use), counts=counts)


def _tried(use: BatteryUse) -> Iterator[Thresholds]:
    own = thresholds_of(use)
    if use.battery == "tool_guard":
        for confidence in CONFIDENCES_TRIED:
            yield Thresholds(Bands(low=min(own.bands.low, confidence), high=confidence), own.cuts)
        for allow, deny in CUTS_TRIED:
            yield Thresholds(own.bands, RiskCuts(allow_below=allow, deny_from=deny))
    elif use.battery in ROUTERS:
        for confidence in CONFIDENCES_TRIED:
            yield Thresholds(Bands(low=min(use.bands.low, confidence), high=confidence))
    else:
        for low, high in BANDS_TRIED:
            yield Thresholds(Bands(low=low, high=high))


def _settings(use: BatteryUse, thresholds: Thresholds) -> dict[str, float]:
    bands, cuts = thresholds.bands, thresholds.cuts
    if use.battery == "tool_guard":
        return {"confidence": bands.high, "allow_below": cuts.allow_below, "deny_from": cuts.deny_from}
    if use.battery in ROUTERS:
        return {"confidence": bands.high}
    return {"low": bands.low, "high": bands.high}


def balanced_accuracy(decided: Iterable[tuple[str, str]]) -> float:
    """Return the mean, over expected decisions, of the share decided so. Range: one decision at least; 1/k where all k get one answer."""
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for wanted, got in decided:
        total[wanted] += 1
        right[wanted] += wanted == got
    return sum(right[name] / count for name, count in total.items()) / len(total)


def excluded_counts(trials: Iterable[Trial]) -> Mapping[str, int]:
    """Return reason -> decisions that are not counted."""
    return Counter(trial.excluded for trial in trials if trial.excluded)
