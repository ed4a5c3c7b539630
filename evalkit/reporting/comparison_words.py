"""A comparison of candidates as sections of words and small tables, for whatever prints it: counts before figures.

A row of a table has the same few short cells in every place; what is said of one row alone stands beneath it. Texts of candidates are
not yet made harmless here: the terminal, Markdown and the page each do it by their own means.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from evalkit.records.comparisons import Comparison, LabelledOrders, PairRow, Ranking, Standing
from evalkit.records.experiments import PositionRow
from evalkit.records.reports import Health, Interval
from evalkit.reporting import figures

OVERALL = "overall"
NEVER_GATES = "a win rate moves when the opponent does: no gate reads these rows"
ELSEWHERE = "verdicts made elsewhere: not checked by evalkit, never trusted"
NO_FIGURE = "n/a"


class TableRow(NamedTuple):
    """One row: its name and figures, and what must be read beneath it."""

    cells: tuple[str, ...]
    notes: tuple[str, ...] = ()


class Group(NamedTuple):
    """Rows about one thing; the title says what they share."""

    title: str
    rows: tuple[TableRow, ...]


class Section(NamedTuple):
    """A part of a comparison: a heading, sentences, then rows under one head."""

    heading: str
    lines: tuple[str, ...] = ()
    head: tuple[str, ...] = ()
    groups: tuple[Group, ...] = ()


def title(comparison: Comparison) -> str:
    """Return what was compared."""
    names = ", ".join(candidate.name for candidate in comparison.candidates)
    return f"compare: {comparison.suite.get('name', '?')}: {names}"


def alarms(comparison: Comparison) -> Iterator[str]:
    """Yield what must be read before any figure."""
    health = comparison.health
    if comparison.completeness == "incomplete" and health is not None:
        yield f"INCOMPLETE: {figures.counted(health.not_bought, 'verdict')} are missing"
    if health is not None and not health.within_budget:
        yield f"INVALID: judge errors {share(health.judge_error_rate)} are over the budget of {figures.percent(health.budget)}"
    for candidate in comparison.candidates:
        if candidate.independence.get("independent") is False:
            yield f"NOT INDEPENDENT of {candidate.name}: {candidate.independence.get('reason', '')}"


def sections(comparison: Comparison) -> Iterator[Section]:
    """Yield the parts of a comparison in the order in which they are to be read."""
    yield Section("Judge", tuple(_judge(comparison)))
    yield _pairs(comparison.rows)
    if comparison.rankings:
        yield _rankings(comparison.rankings)
    if comparison.position:
        yield _positions(comparison.position)
    if comparison.labelled:
        yield _labelled(comparison.labelled)
    if comparison.notes:
        yield Section("Notes", comparison.notes)


def _judge(comparison: Comparison) -> Iterator[str]:
    if not comparison.checked:
        yield ELSEWHERE
    seen = set()
    for judge in comparison.judges:
        answered = f", answered by {', '.join(judge.snapshots)}" if judge.snapshots else ""
        line = f"{judge.judge}{answered}, rubric {judge.rubric}, prompt {judge.prompt}, samples {judge.samples}"
        if line not in seen:
            yield line
        seen.add(line)
    if comparison.health is not None:
        yield _health(comparison.health)
    if comparison.completeness == "partial":
        yield "partial: a selection of the cases"


def _health(health: Health) -> str:
    errors = f"judge errors {sum(health.judge_errors.values())} of {health.judged} verdicts asked for"
    kinds = f" ({figures.counts(health.judge_errors)})" if health.judge_errors else ""
    return f"{errors}{kinds}, budget {figures.percent(health.budget)}; both orders of each pair were judged: twice the cost of one"


def _pairs(rows: Iterable[PairRow]) -> Section:
    kept = list(rows)
    place = {name: index for index, name in enumerate(dict.fromkeys(map(_about, kept)))}
    ordered = sorted(kept, key=lambda row: (place[_about(row)], row.criterion != OVERALL))
    return Section(
        "Pairs",
        (
            NEVER_GATES,
            "won, lost, tied: for the first named, in both orders; order: depends on it, and counts as a tie",
        ),
        ("", "pairs", "won", "lost", "tied", "order", "net win, points", "mid-p"),
        tuple(Group(name, tuple(map(_pair, group))) for name, group in groupby(ordered, key=_about)),
    )


def _about(row: PairRow) -> str:
    names = _parts(row.capability or row.judge, row.rubric)
    return f"{row.first} against {row.second}: {names}{'' if row.sample is None else f', sample {row.sample}'}"


def _pair(row: PairRow) -> TableRow:
    pairs = f"{row.n}" if row.n == row.pairs else f"{row.n} of {row.pairs}"
    divided = row.towards_first_shown + row.towards_second_shown
    split = (row.first_both, row.second_both, row.tie_both, divided) if row.n else ("",) * 4
    net = f"{points(row.net, net_limits(row))}{over_clusters(row)}" if row.n else "no data"
    return TableRow((row.criterion, pairs, *map(str, split), net, midp(row.p)), tuple(filter(None, _pair_notes(row))))


def _pair_notes(row: PairRow) -> Iterator[str]:
    if row.towards_first_shown + row.towards_second_shown:
        yield (
            f"order-dependent: {row.towards_first_shown} towards the first shown, {row.towards_second_shown} towards the second"
        )
    if row.n and row.criterion == OVERALL:
        code = f"; {row.in_code} of the pairs decided in code" if row.in_code else ""
        yield f"win rate, a tie as half a win: {share(row.win_rate, row.win_rate_interval)}{code}"
        yield as_if_apart(row)
        yield f"net win with both orders averaged: {points(row.average_net, row.average_net_interval)}"
        yield _bounds(row)
        yield from _length(row)
    yield _excluded(row.excluded)
    yield row.reading


def net_limits(row: PairRow) -> Interval | None:
    """Return the interval that is shown with a net win: over clusters where cases share documents or templates."""
    return row.net_clustered if row.clusters is not None else row.net_interval


def over_clusters(row: PairRow) -> str:
    """Return, to stand behind the interval of a net win, that it is over clusters; empty where cases share nothing."""
    if row.clusters is None:
        return ""
    clusters = figures.counted(row.clusters, "cluster")
    return f", no interval over {clusters}" if row.net_clustered is None else f" over {clusters}"


def as_if_apart(row: PairRow) -> str:
    """Return what a net win's interval would be if cases shared nothing, where another one is shown."""
    if row.clusters is None or row.net_interval is None:
        return ""
    return f"net win and mid-p as if cases shared nothing: {_span(row.net_interval)}, {midp(row.p) or NO_FIGURE}"


def _bounds(row: PairRow) -> str:
    if row.net_bounds is None or row.net_bounds[0] == row.net_bounds[1]:
        return ""
    return f"net win whatever the excluded verdicts were: {_span(row.net_bounds)}"


def _length(row: PairRow) -> Iterator[str]:
    if not row.decided:
        yield "length: no decided pair of answers whose numbers of words are known and differ"
        return
    longer = f"the answer with more words won {row.longer_won} of {row.decided} decided pairs, {share(row.longer_share, row.longer_interval)}"
    others = row.wins + row.losses - row.decided
    yield (
        f"{longer}; {others} more, with as many words or lengths not known, are not counted there" if others else longer
    )
    raw = f"of decided pairs {row.first} won {share(row.raw_rate)}"
    if row.length_controlled is None:
        yield f"{raw}; at equal length: {row.length_reading or NO_FIGURE}"
    else:
        told = f"; {row.length_reading}" if row.length_reading else ""
        yield f"{raw}; at equal length {share(row.length_controlled, row.length_controlled_interval)}{told}"


def _rankings(found: Iterable[Ranking]) -> Section:
    return Section(
        "Ranking",
        ("Bradley-Terry, a tie as half a win; intervals and ranges of ranks over cases",),
        ("", "rank", "ranks", "log strength"),
        tuple(Group(_ranked(one), _standings(one)) for one in found),
    )


def _ranked(ranking: Ranking) -> str:
    name = _parts(ranking.capability or ranking.judge, ranking.rubric, ranking.criterion)
    sample = "" if ranking.sample is None else f", sample {ranking.sample}"
    return f"{name}{sample}" + (f" [{ranking.reading}]" if ranking.reading else "")


def _standings(ranking: Ranking) -> tuple[TableRow, ...]:
    return tuple(
        TableRow((one.name, f"{one.rank}", f"{one.ranks[0]} to {one.ranks[1]}", _strength(one)))
        for one in ranking.standings
    ) or (TableRow(("nobody ranked", "", "", NO_FIGURE)),)


def _strength(one: Standing) -> str:
    if one.unbounded:
        return f"{one.strength:+z.2f} (unbounded)"
    return f"{one.strength:+z.2f}" + (f" ({one.interval[0]:.2f} to {one.interval[1]:.2f})" if one.interval else "")


def _positions(rows: Iterable[PositionRow]) -> Section:
    ordered = sorted(rows, key=lambda row: (row.judge, row.sample, row.criterion != OVERALL))
    return Section(
        "Position",
        ("what the swap did: primacy, better when shown first; recency, better when shown second",),
        ("", "pairs", "consistent", "primacy", "recency", "consistency", "swing, points"),
        tuple(
            Group(name, tuple(map(_position, group)))
            for name, group in groupby(ordered, key=lambda row: f"{row.judge}, sample {row.sample}")
        ),
    )


def _position(row: PositionRow) -> TableRow:
    readable = f"{row.readable}" if row.readable == row.pairs else f"{row.readable} of {row.pairs}"
    missing = f"; {row.unreadable} without a verdict" if row.unreadable else ""
    tested = "" if row.p is None else f"; mid-p of the swing {midp(row.p)}"
    notes = (
        f"{row.first_picks} of {row.verdicts} verdicts chose the first shown{missing}{tested}",
        _excluded(row.excluded),
        row.reading,
    )
    counts = (str(row.consistent), str(row.primacy), str(row.recency))
    shown = (share(row.consistency, row.consistency_interval), points(row.swing, row.swing_interval))
    return TableRow((row.criterion, readable, *counts, *shown), tuple(filter(None, notes)))


def _labelled(rows: Iterable[LabelledOrders]) -> Section:
    return Section(
        "Against labels",
        (
            "verdicts that are the label: with the first named candidate shown first, with it shown second, in both orders",
        ),
        ("", "labelled", "shown first", "shown second", "both", "verdicts missing"),
        tuple(
            Group(f"{row.judge}, sample {row.sample}", (TableRow((row.criterion, *map(str, _correct(row)))),))
            for row in rows
        ),
    )


def _correct(row: LabelledOrders) -> tuple[int, ...]:
    return row.labelled, row.correct_ab, row.correct_ba, row.correct_both, row.unreadable


def _parts(*names: str) -> str:
    return " / ".join(name for name in names if name)


def share(value: float | None, limits: Interval | None = None) -> str:
    """Return a share in per cent, with its interval."""
    return NO_FIGURE if value is None else figures.percent(value) + (f" ({_span(limits)})" if limits else "")


def points(value: float | None, limits: Interval | None) -> str:
    """Return a difference in percentage points, with its interval; the head of its column names the unit."""
    return (
        NO_FIGURE
        if value is None
        else f"{100 * figures.written(value):+z.1f}" + (f" ({_span(limits)})" if limits else "")
    )


def midp(p: float | None) -> str:
    """Return a p value; empty where there is none."""
    return "" if p is None else f"{p:.3f}" if p >= 0.001 else "<0.001"


def _span(limits: Interval) -> str:
    low, high = map(figures.written, limits)
    return f"{100 * low:.1f} to {100 * high:.1f}"


def _excluded(by_reason: dict[str, int]) -> str:
    return f"excluded: {figures.counts(by_reason)}" if by_reason else ""
