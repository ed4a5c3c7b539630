"""An experiment on the terminal: what was asked of whom, then rows in which the counts stand before the figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from evalkit.records.answered import answered_by
from evalkit.records.base import Json
from evalkit.records.experiments import (
    AgreementRow,
    CriteriaOrderRow,
    DriftRow,
    Experiment,
    ExperimentPurchases,
    FamilyRow,
    PairedRow,
    PositionRow,
    RepeatRow,
    SelfTestRow,
)
from evalkit.records.judges import FLOOR_NAME
from evalkit.records.reports import Interval
from evalkit.reporting import figures
from evalkit.reporting.cascade_words import experiment_cascade
from evalkit.reporting.escape import one_line
from evalkit.reporting.page import Page

if TYPE_CHECKING:
    from evalkit.experiments.beside_run import Beside, Swapped

OVERALL = "overall"
PART = " | "
"""Stands between the parts of a row's line; where lines are short, a part begins a new one."""
FAILURES = 40
"""Failures of a self-test that are named on the terminal; all of them stand in its file."""


def print_experiment(page: Page, experiment: Experiment) -> None:
    """Print an experiment: head, judges, rows, notes."""
    for capability in experiment.unstable:
        page.line(f"UNSTABLE: {one_line(capability)} is under the floor and supports no gate", style="bold red")
    for line in _other_snapshots(experiment):
        page.line(line, style="bold red")
    page.line(f"{experiment.kind}: {one_line(experiment.suite)}{_candidates(experiment)}", style="bold")
    for line in _judges(experiment):
        page.line(line, indent=2)
    if experiment.completeness == "incomplete":
        page.line(f"INCOMPLETE: {one_line(_incomplete(experiment.purchases))}", style="red")
    if "round" in experiment.settings and any(judge.judge != FLOOR_NAME for judge in experiment.judges):
        page.line(_bought(experiment), indent=2, hanging=4)
    if experiment.purchases.cascade is not None:
        page.line(f"cascade: {experiment_cascade(experiment.purchases.cascade)}", indent=2, hanging=4)
    for line in rows_in_words(experiment):
        page.parts(line.split(PART), indent=2)
    for line in _criteria_of(experiment):
        page.line(line, indent=4, hanging=4)
    _failures(page, experiment.cases if experiment.self_test else ())
    for note in () if experiment.kind == "drift" else experiment.notes:
        page.line(f"note: {one_line(note, 400)}", indent=2)


def _other_snapshots(experiment: Experiment) -> Iterator[str]:
    """Yield what a drift notes: other snapshots answered. That outweighs rows within noise, so it is said before them."""
    if experiment.kind == "drift":
        yield from (f"ANOTHER SNAPSHOT: {one_line(note, 400)}" for note in experiment.notes)


def _failures(page: Page, failed: Sequence[dict[str, Json]]) -> None:
    for case in failed[:FAILURES]:
        page.line(_failed_item(case), indent=2, hanging=4, style="red")
    if len(failed) > FAILURES:
        page.line(f"{len(failed) - FAILURES} more failures by name in the file", indent=2)


def print_beside(page: Page, beside: Sequence[Beside], swapped: Swapped | None, unread: str) -> None:
    """Print the experiments of a run's suite, each with the reason where it says nothing about this run.

    `swapped` is of a comparison that the run's judge decided: who won there says nothing about its position bias and is not shown.
    """
    page.line()
    page.line("Experiments on this judge", style="bold")
    if unread:
        page.line(f"not shown: {one_line(unread, 400)}", indent=2, style="red")
    if not any(one.experiment.kind == "stability" and not one.mismatch for one in beside):
        page.line("stability: not measured under this configuration; its judge rows support no gate", indent=2)
    for one in beside:
        head = f"{one.experiment.kind} of {one.experiment.made_at[:10]}"
        if one.mismatch:
            page.line(f"{head}: NOT ABOUT THIS RUN: {one_line(one.mismatch)}", indent=2, style="yellow")
        else:
            page.line(head, indent=2)
        for line in _other_snapshots(one.experiment):
            page.line(line, indent=4, style="red")
        for line in rows_in_words(one.experiment):
            page.parts(line.split(PART), indent=4)
    if swapped is not None:
        page.line(one_line(swap_head(swapped), 160), indent=2)
        for line in swap_in_words(swapped):
            page.parts(line.split(PART), indent=4)


def swap_head(swapped: Swapped) -> str:
    """Return which comparison it was, in words that are not yet harmless."""
    return f"position in the comparison {swapped.folder.name} of {swapped.made_at[:10]}"


def swap_in_words(swapped: Swapped) -> Iterator[str]:
    """Yield a harmless line per row of the overall preference; of every criterion where there is none."""
    yield from (_position(row) for row in [row for row in swapped.rows if row.criterion == OVERALL] or swapped.rows)


def rows_in_words(experiment: Experiment) -> Iterator[str]:
    """Yield a harmless line per row; of perturbations the overall verdict where it was graded, else every criterion."""
    yield from (_agreement(row) for row in experiment.agreement)
    yield from (_position(row) for row in experiment.position)
    yield from (_repeat(row) for row in experiment.repeats)
    yield from (_criterion_moved(row) for row in experiment.criteria_order)
    yield from (_paired(row) for row in _overall_first(experiment.paired))
    yield from (_family(row) for row in experiment.family)
    yield from (_drift(row) for row in experiment.drift)
    yield from (_self_test(row) for row in experiment.self_test)


def _bought(experiment: Experiment) -> str:
    """Return how many verdicts of a round were bought now, and from when the others are."""
    took = experiment.purchases
    number = experiment.settings["round"]
    held = ""
    if took.cached:
        since = f" on {' or '.join(took.cached_from)}" if took.cached_from else " earlier"
        held = f"; {took.cached} were there already, bought{since}"
    return f"round {number}: {took.bought} of {took.requests} verdicts bought now{held}"


def _incomplete(purchases: ExperimentPurchases) -> str:
    if purchases.not_bought or purchases.cascade is None:
        return f"{purchases.stopped or 'not everything was bought'}; {purchases.not_bought} verdicts are missing"
    failed = purchases.cascade.classifier_failed
    return f"the classifier gave no answer for {failed} verdicts, which the judge gave instead: ask again, failures are not kept"


def _candidates(experiment: Experiment) -> str:
    return f" / {one_line(', '.join(experiment.outputs))}" if experiment.outputs else ""


def _judges(experiment: Experiment) -> Iterator[str]:
    if not experiment.checked:
        yield "verdicts made elsewhere: not checked by evalkit, never trusted, no ground for a gate"
    seen = set()
    for judge in experiment.judges:
        snapshots = ", ".join(answered_by(judge))
        answered = f", answered by {snapshots}" if snapshots else ""
        configuration = f", configuration {judge.judge_config_hash[:12]}" if judge.judge_config_hash else ""
        role = {"second": "second judge", "reordered": "judge, criteria reordered"}.get(judge.role, "judge")
        line = f"{role}: {one_line(judge.judge + answered)}{configuration}"
        if line not in seen:
            yield line
        seen.add(line)


def _name(*parts: str) -> str:
    return one_line(" / ".join(part for part in parts if part), 120)


def _share(value: float | None, limits: Interval | None = None) -> str:
    return "n/a" if value is None else figures.percent(value) + _limits(limits)


def _points(value: float | None, limits: Interval | None) -> str:
    return "n/a" if value is None else f"{100 * value:+z.1f} points" + _limits(limits)


def _limits(limits: Interval | None) -> str:
    return "" if limits is None else f" ({100 * limits[0]:.1f} to {100 * limits[1]:.1f})"


def _p(p: float | None) -> str:
    return "" if p is None else f", mid-p {p:.3f}" if p >= 0.001 else ", mid-p <0.001"


def _excluded(counts: dict[str, int]) -> str:
    return f"; excluded: {one_line(figures.counts(counts))}" if counts else ""


def _said(reading: str) -> str:
    return f" [{one_line(reading, 300)}]" if reading else ""


def _agreement(row: AgreementRow) -> str:
    name = _name(row.capability or row.judge, row.rubric, row.criterion)
    equal = ", ".join(f"{label} in all {count}" for label, count in row.equal.items())
    counts = f"{row.runs} runs, {row.n} items: {one_line(equal)}{', ' if equal else ''}flipped {row.flipped}"
    if row.all_equal is None or row.pairwise is None:
        return f"{name}: {counts}{_excluded(row.excluded)}{_said(row.reading)}"
    alpha = row.alpha_reading if row.alpha is None else f"{row.alpha:.2f}" + _span(row.alpha_interval)
    ac1 = "" if row.ac1 is None else f" | AC1 {row.ac1:.2f}"
    missing = row.unreadable_items - row.n
    own = (
        f"; with {missing} items that lack a verdict: {row.unreadable_equal} of {row.unreadable_items} equal "
        f"({figures.percent(row.unreadable_equal / row.unreadable_items)}, pairwise {_share(row.unreadable_pairwise)}) "
        f"where it counts as a label of its own, {_share(row.worst_case)} where it counts as a flip"
        if missing
        else ""
    )
    return (
        f"{name}: {counts} | self-agreement {_share(row.all_equal, row.all_equal_interval)} (all {row.runs} runs equal) "
        f"| pairwise {_share(row.pairwise, row.pairwise_interval)} | flip probability {_share(1 - row.pairwise)} "
        f"| alpha {one_line(alpha)}{ac1}{_excluded(row.excluded)}{own}{_said(row.reading)}"
    )


def _span(limits: Interval | None) -> str:
    return "" if limits is None else f" ({limits[0]:.2f} to {limits[1]:.2f})"


def _position(row: PositionRow) -> str:
    ties = f" ({row.ties} ties)" if row.ties else ""
    return (
        f"{_name(row.judge, row.criterion)}, sample {row.sample}: {row.pairs} pairs, {row.readable} readable in both orders: "
        f"consistent {row.consistent}{ties}, primacy {row.primacy}, recency {row.recency} "
        f"| consistency {_share(row.consistency, row.consistency_interval)} "
        f"| swing {_points(row.swing, row.swing_interval)}{_p(row.p)} "
        f"| first-slot share {_share(row.first_share, row.first_share_interval)} "
        f"| {row.first_picks} of {row.verdicts} verdicts chose the first shown; {row.unreadable} unreadable"
        f"{_excluded(row.excluded)}{_worst(row)}{_said(row.reading)}"
    )


def _worst(row: PositionRow) -> str:
    return f"; consistency with these as conflicts {_share(row.worst_case)}" if row.excluded else ""


def _repeat(row: RepeatRow) -> str:
    return (
        f"{_name(row.judge, row.criterion)}: noise baseline over {row.n} pairs: the same order again agrees "
        f"{_share(row.same_order)}, the other order {_share(row.swapped)}; the order adds "
        f"{_points(row.difference, row.difference_interval)}{_said(row.reading)}"
    )


def _criterion_moved(row: CriteriaOrderRow) -> str:
    moved = "" if row.place is None else f", place {row.place} -> {row.moved_to}"
    name = f"{_name(row.capability, row.rubric, row.criterion)}{moved}"
    if not row.n:
        return f"{name}: no data{_excluded(row.excluded)}{_said(row.reading)}"
    return (
        f"{name}: n {row.n}, passed in both orders {row.passed_both}, lost {row.lost}, gained {row.gained}, failed in both "
        f"{row.failed_both} | net {_points(row.difference, row.interval)}{_p(row.p)} | {row.flips} changed with the order, "
        f"{row.repeat_flips} when the same order was asked again; the order adds {_points(row.added, row.added_interval)}"
        f"{_p(row.added_p)}{_excluded(row.excluded)}{_said(row.reading)}"
    )


def _overall_first(rows: Iterable[PairedRow]) -> Iterator[PairedRow]:
    kept = list(rows)
    graded = {(row.capability, row.rubric) for row in kept if row.criterion == OVERALL and row.n}
    yield from (row for row in kept if row.criterion == OVERALL or (row.capability, row.rubric) not in graded)


def _criteria_of(experiment: Experiment) -> Iterator[str]:
    """Yield a short line per criterion of a verbosity experiment whose overall row speaks for it: trust asks criterion by criterion."""
    if experiment.kind != "verbosity":
        return
    told = {id(row) for row in _overall_first(experiment.paired)}
    for row in experiment.paired:
        if id(row) not in told:
            counts = f"n {row.n}, lost {row.lost}, gained {row.gained} | {_points(row.difference, row.interval)}"
            yield f"{_name(row.capability, row.rubric, row.criterion)}: {counts if row.n else 'no data'}{_excluded(row.excluded)}"


def _paired(row: PairedRow) -> str:
    name = _name(row.capability, row.rubric, row.criterion, row.variant, row.place)
    if not row.n:
        return f"{name}: no data{_excluded(row.excluded)}{_said(row.reading)}"
    flags = (
        ""
        if row.flagged_by_judge is None
        else f"; flagged by the judge {row.flagged_by_judge}, by code {row.flagged_by_code}, "
        f"changed and flagged by nobody {row.changed_unflagged}"
    )
    failed = row.n - row.passed_original
    return (
        f"{name}: n {row.n}, passed {row.passed_original} as they are, {row.passed_perturbed} perturbed; "
        f"of {row.passed_original} that passed {row.lost} were lost, of {failed} that failed {row.gained} were gained "
        f"| {_points(row.difference, row.interval)}{_p(row.p)} | changed {_share(row.changed, row.changed_interval)}"
        f"{flags}{_excluded(row.excluded)}{_said(row.reading)}"
    )


def _family(row: FamilyRow) -> str:
    name = _name(row.capability, row.rubric, row.criterion)
    if row.difference is None:
        return f"{name}: n {row.n}{_excluded(row.excluded)}{_said(row.reading)}"
    return (
        f"{name}: n {row.n}; own family: home judge passes {row.own_home}, second {row.own_foreign}; "
        f"other family: home {row.other_home}, second {row.other_foreign} "
        f"| difference in differences {_points(row.difference, row.interval)}{_excluded(row.excluded)}{_said(row.reading)}"
    )


def _self_test(row: SelfTestRow) -> str:
    who = "second judge, " if row.role == "second" else ""
    share = f", {_share(row.passed / row.n, row.interval)}" if row.n else ""
    counts = f"{row.passed} of {row.n} passed{share}, {row.failed} failed" if row.n else "nothing to decide"
    return f"{who}{row.test}: {_name(row.capability, row.rubric, row.criterion)}: {counts}{_excluded(row.excluded)}"


def _failed_item(case: Mapping[str, Json]) -> str:
    who = "second judge, " if case.get("role") == "second" else ""
    words = (str(case.get(name) or "") for name in ("test", "case_id", "rubric", "criterion", "variant", "place"))
    return f"failed: {who}{_name(*words)}: {one_line(str(case.get('problem')), 300)}"


def _drift(row: DriftRow) -> str:
    name = _name(row.capability, row.rubric, row.criterion)
    noise = (
        "self-agreement not measured" if row.noise is None else f"the judge's own flip probability {_share(row.noise)}"
    )
    upper = "" if row.noise_upper is None else f" (at most {figures.percent(row.noise_upper)})"
    return (
        f"{name}: {row.flips} of {row.n} flipped, {_share(row.rate, row.interval)}; {noise}{upper}: {row.state}"
        f"{_excluded(row.excluded)}{_said(row.reading)}"
    )
