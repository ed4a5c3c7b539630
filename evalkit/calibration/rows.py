"""One row of a calibration: the items of one criterion, split and kind of sample, joined with what the judge said of each.

Nothing here looks at an item's place: an item without a verdict and a verdict without an item are counted, and shift nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from evalkit.calibration.agreement import (
    ac1_of,
    agreed,
    beside,
    by_chance,
    ceiling,
    counted_rate,
    kappa_of,
    rule_figures,
    weighted_rate,
)
from evalkit.calibration.corrected import refused, same_run
from evalkit.calibration.ends import End, Source
from evalkit.calibration.pair_figures import pair_figures
from evalkit.calibration.people import Labelled
from evalkit.calibration.weighting import Drawn, Population, strata_of, weighting_of
from evalkit.records.base import Json
from evalkit.records.calibrations import Beside, CalibrationRow, Cell, ClassRate, Corrected
from evalkit.records.external_verdicts import TIE
from evalkit.records.labels import LabelledItem
from evalkit.stats import judge_rates
from evalkit.stats.begg_greenes import begg_greenes
from evalkit.stats.intervals import clopper_pearson_lower, wilson
from evalkit.stats.kappa import Indices, indices
from evalkit.stats.results import Refused

PASS, FAIL, NOT_APPLICABLE = "pass", "fail", "not_applicable"
BINARY = frozenset({PASS, FAIL, "partial"})
"""Labels of a criterion that is passed or not; `partial` is no pass."""


class Compared(NamedTuple):
    """An item that people looked at and a judge was asked about."""

    labelled: Labelled
    end: End

    @property
    def reason(self) -> str:
        """Why the item is not compared; empty where it is."""
        human, judge = self.labelled.label, self.end.label
        if human is None:
            return self.labelled.reason
        if judge is None:
            return self.end.reason
        if NOT_APPLICABLE in {human, judge}:
            return (
                NOT_APPLICABLE
                if human == judge
                else f"{NOT_APPLICABLE}_{'human' if human == NOT_APPLICABLE else 'judge'}_only"
            )
        return ""

    @property
    def differs(self) -> bool:
        """Whether both said something, and not the same."""
        return self.labelled.label is not None and self.end.label is not None and self.labelled.label != self.end.label


def calibration_row(
    source: Source,
    criterion: str,
    compared: Sequence[Compared],
    *,
    seed: int,
    population: Population | None = None,
    floor: Mapping[LabelledItem, str] | None = None,
    floor_name: str = "",
) -> CalibrationRow:
    """Return the row of some items of one criterion, all of one split and kind of sample.

    `population` holds the run's verdicts, None for verdicts made elsewhere; `floor` what the floor judge says of each item; `seed`
    draws the bounds of weighted rates. Range: one item at least.
    """
    read = [one for one in compared if not one.reason]
    pairs = Counter((one.labelled.label or "", one.end.label or "") for one in read)
    missing = _unreadable(compared)
    agree, n = agreed(pairs)
    kappa, largest = kappa_of(pairs)
    first = compared[0].labelled
    binary = _binary(source, compared)
    row = CalibrationRow(
        judge=source.judge,
        capability=source.capability,
        rubric=source.rubric or "",
        criterion=criterion,
        mode=source.mode,
        judge_config_hash=source.judge_config_hash,
        split=first.split,
        sample=first.sample,
        designs=dict(sorted(Counter(one.labelled.drawn.design for one in compared).items())),
        items=len(compared),
        n=n,
        excluded=dict(sorted(Counter(one.reason for one in compared if one.reason).items())),
        binary=binary,
        agree=agree,
        agreement=agree / n if n else None,
        agreement_interval=wilson(agree, n) if n else None,
        confusion=tuple(Cell(human=one, judge=other, count=count) for (one, other), count in sorted(pairs.items())),
        rules=rule_figures(pairs, missing, ties=source.mode == "pairwise"),
        unreadable=sum(missing.values()),
        kappa=kappa,
        kappa_largest=largest,
        ac1=ac1_of(pairs),
        always=_always(pairs, binary=binary),
        floor=_floor(compared, floor, floor_name) if floor is not None else None,
        ceiling=ceiling(one.labelled for one in compared),
        pairs=pair_figures(read) if source.mode == "pairwise" else None,
        reading="" if n else "no data",
    )
    return row.model_copy(update=_rates(read, missing, population, seed)) if binary else row


def _unreadable(compared: Sequence[Compared]) -> dict[str, int]:
    """Return, by people's label, the items on which the judge gave nothing that can be read."""
    labels = (one.labelled.label for one in compared if one.end.unreadable)
    return dict(Counter(label for label in labels if label is not None and label != NOT_APPLICABLE))


def _binary(source: Source, compared: Sequence[Compared]) -> bool:
    met = {label for one in compared for label in (one.labelled.label, one.end.label)} - {None, NOT_APPLICABLE}
    return source.mode != "pairwise" and met <= BINARY


def _rates(
    read: Sequence[Compared], missing: Mapping[str, int], population: Population | None, seed: int
) -> dict[str, Json]:
    """Return the fields of a row that only pass and fail have."""
    items = [Drawn(one.labelled.label == PASS, one.end.label == PASS, one.labelled.drawn) for one in read]
    table = table_of(items)
    sampled = bool(read) and read[0].labelled.sample == "drawn"
    weighting, reading = weighting_of(items, population) if sampled else ("none", "")
    found = indices(table.both_pass, table.human_only, table.judge_only, table.both_fail)
    fields: dict[str, Json] = {
        "weighting": weighting,
        "weighting_reading": reading,
        "prevalence_index": found.prevalence if isinstance(found, Indices) else None,
        "bias_index": found.bias if isinstance(found, Indices) else None,
    }
    passes = table.both_pass, table.both_pass + table.human_only
    fails = table.both_fail, table.both_fail + table.judge_only
    if weighting == "refused":
        shown = [
            by_chance([item for item in items if item.human_pass is human], right, reading)
            for human, right in ((True, passes[0]), (False, fails[0]))
        ]
        return {**fields, "tpr": shown[0], "tnr": shown[1], "corrected": _uncorrected(population, reading)}
    if weighting == "begg-greenes" and population is not None:
        fields |= _weighted(items, population, passes, fails, seed)
    else:
        fields |= _plain(table, missing)
    if sampled and population is not None and read[0].labelled.split == "test":
        fields["corrected"] = same_run(strata_of(items, population))
    return fields | {"balanced_accuracy": _balanced(fields["tpr"], fields["tnr"])}


def _uncorrected(population: Population | None, reason: str) -> Corrected | None:
    return None if population is None else refused(population, reason)


def table_of(items: Sequence[Drawn]) -> judge_rates.VerdictTable:
    """Return items counted by both verdicts."""
    counts = Counter((item.human_pass, item.judge_pass) for item in items)
    return judge_rates.VerdictTable(counts[True, True], counts[False, True], counts[True, False], counts[False, False])


def _plain(table: judge_rates.VerdictTable, missing: Mapping[str, int]) -> dict[str, Json]:
    """Return rates of labels that count once each; at worst each missing verdict would have been wrong."""
    tpr, tnr = counted_rate(judge_rates.tpr(table)), counted_rate(judge_rates.tnr(table))
    lost_pass = missing.get(PASS, 0)
    lost_fail = sum(missing.values()) - lost_pass
    worst = [
        clopper_pearson_lower(rate.correct, rate.n + lost) if rate.n + lost else None
        for rate, lost in ((tpr, lost_pass), (tnr, lost_fail))
    ]
    return {"tpr": tpr, "tnr": tnr, "worst_tpr": worst[0], "worst_tnr": worst[1]}


def _weighted(
    items: Sequence[Drawn], population: Population, passes: tuple[int, int], fails: tuple[int, int], seed: int
) -> dict[str, Json]:
    """Return rates weighted back to the run; at worst all its missing verdicts were wrong, and of one human class."""
    strata = strata_of(items, population)
    found = begg_greenes(strata, seed)
    if isinstance(found, Refused):
        unknown = [ClassRate(correct=c, n=n, value=None, reading=found.reason) for c, n in (passes, fails)]
        return {"tpr": unknown[0], "tnr": unknown[1]}
    tpr, tnr = weighted_rate(found.tpr, *passes), weighted_rate(found.tnr, *fails)
    share = same_run(strata).corrected or 0.0
    worst = [
        None if rate.interval is None else rate.interval[0] * size / (size + population.errors) if size else 0.0
        for rate, size in ((tpr, population.n * share), (tnr, population.n * (1 - share)))
    ]
    return {"tpr": tpr, "tnr": tnr, "worst_tpr": worst[0], "worst_tnr": worst[1]}


def _balanced(tpr: ClassRate, tnr: ClassRate) -> float | None:
    return None if tpr.value is None or tnr.value is None else (tpr.value + tnr.value) / 2


def _always(pairs: Mapping[tuple[str, str], int], *, binary: bool) -> Beside:
    human: Counter[str] = Counter()
    for (label, _), count in pairs.items():
        human[label] += count
    common = PASS if binary else min(human, key=lambda label: (-human[label], label)) if human else TIE
    return beside(
        f"always {common}", Counter({(label, common): count for label, count in human.items()}), agreed(pairs)[0]
    )


def _floor(compared: Sequence[Compared], floor: Mapping[LabelledItem, str], name: str) -> Beside:
    """Return the floor judge on the items on which it and people say something; the judge's own agreement is on the same ones."""
    both = [
        (one, floor[one.labelled.item])
        for one in compared
        if one.labelled.label not in {None, NOT_APPLICABLE}
        and floor.get(one.labelled.item, NOT_APPLICABLE) != NOT_APPLICABLE
    ]
    pairs = Counter((one.labelled.label or "", label) for one, label in both)
    judge = sum(one.labelled.label == one.end.label for one, _ in both)
    agree, n = agreed(pairs)
    reading = ""
    if not n:
        reading = "abstains from this criterion"
    elif judge <= agree:
        reading = "this judge does not beat the floor on these items"
    return beside(name, pairs, judge, reading)
