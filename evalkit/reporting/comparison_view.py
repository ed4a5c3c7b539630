"""A comparison of candidates in words, for the terminal and for comparison.md: counts before figures, and what may not be read from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from evalkit.records.comparisons import Comparison, LabelledOrders, PairLine, PairRow, Ranking
from evalkit.records.experiments import PositionRow
from evalkit.records.reports import Health, Interval
from evalkit.records.verdicts import PairJudgement
from evalkit.reporting import figures
from evalkit.reporting.escape import markdown as cell
from evalkit.reporting.escape import one_line
from evalkit.reporting.page import Page

OVERALL = "overall"
NEVER_GATES = "a win rate moves when the opponent does: no gate reads these rows"

Section = tuple[str, list[str]]
"""Heading and lines; texts of candidates in them are not yet made harmless by the caller's own means."""


def print_comparison(page: Page, comparison: Comparison) -> None:
    """Print a comparison on a console."""
    for text in alarms(comparison):
        page.line(one_line(text, 400), style="bold red")
    page.line(one_line(title(comparison), 300), style="bold")
    for heading, lines in sections(comparison):
        page.line()
        page.line(heading, style="bold")
        for line in lines:
            page.line(one_line(line, 1200), indent=2, hanging=4)


def print_pair(page: Page, pair: PairLine) -> None:
    """Print one pair: what it came to, then each order's verdict with its quotes."""
    page.line(
        one_line(f"{pair.case_id}: {pair.first} against {pair.second}, {pair.capability} / {pair.rubric}", 300),
        style="bold",
    )
    for criterion, winner in pair.outcomes.items():
        who = {"first": pair.first, "second": pair.second, "tie": "tie", None: "no outcome"}[winner]
        swapped = {"primacy": "; better when shown first", "recency": "; better when shown second"}
        page.line(one_line(f"{criterion}: {who}{swapped.get(pair.positions.get(criterion, ''), '')}", 300), indent=2)
    if pair.decided_in_code:
        page.line(f"decided in code: {pair.decided_in_code}", indent=2)
    for judgement in pair.judgements:
        _print_order(page, pair, judgement)


def _print_order(page: Page, pair: PairLine, judgement: PairJudgement) -> None:
    shown = (pair.first, pair.second) if judgement.order == "ab" else (pair.second, pair.first)
    page.line(one_line(f"sample {judgement.sample}: A is {shown[0]}, B is {shown[1]}", 300), indent=2, style="bold")
    verdict = judgement.preferred
    if verdict is None:
        for refused in judgement.rejected:
            page.line(one_line(f"{refused.rejection.kind}: {refused.rejection.message}", 600), indent=4, style="red")
            page.block(refused.text or "")
        return
    for name, entry in verdict.criteria.items():
        page.line(one_line(f"{name}: {entry.winner}: {entry.rationale}", 600), indent=4)
    page.line(f"overall: {verdict.overall}", indent=4)
    for span in verdict.evidence:
        page.line(one_line(f'{span.source} [{span.start}:{span.end}] "{span.quote}"', 600), indent=6, style="dim")


def comparison_markdown(comparison: Comparison) -> str:
    """Return comparison.md."""
    return "\n".join(_markdown(comparison, lambda text: cell(text, 1200))) + "\n"


def _markdown(comparison: Comparison, escaped: Callable[[str], str]) -> Iterator[str]:
    yield f"# {escaped(title(comparison))}"
    yield from ("", *(f"**{escaped(text)}**" for text in alarms(comparison)))
    for heading, lines in sections(comparison):
        yield from ("", f"## {heading}", "", *(f"- {escaped(line)}" for line in lines))


def title(comparison: Comparison) -> str:
    """Return what was compared."""
    names = ", ".join(candidate.name for candidate in comparison.candidates)
    return f"compare: {comparison.suite.get('name', '?')}: {names}"


def alarms(comparison: Comparison) -> Iterator[str]:
    """Yield what must be read before any figure."""
    health = comparison.health
    if comparison.completeness == "incomplete" and health is not None:
        yield f"INCOMPLETE: {figures.counted(health.not_bought, 'verdict')} were not bought"
    if health is not None and not health.within_budget:
        yield f"INVALID: judge errors {_share(health.judge_error_rate)} are over the budget of {figures.percent(health.budget)}"
    for candidate in comparison.candidates:
        if candidate.independence.get("independent") is False:
            yield f"NOT INDEPENDENT of {candidate.name}: {candidate.independence.get('reason', '')}"


def sections(comparison: Comparison) -> Iterator[Section]:
    """Yield the parts of a comparison in the order in which they are to be read."""
    yield "Judge", list(_judge(comparison))
    yield f"Pairs ({NEVER_GATES})", [_row(row) for row in _ordered(comparison.rows)]
    if comparison.rankings:
        yield (
            "Ranking (Bradley-Terry, a tie as half a win, intervals over cases)",
            list(map(_ranking, comparison.rankings)),
        )
    if comparison.position:
        yield "Position", list(map(_position, comparison.position))
    if comparison.labelled:
        yield "Against labels", list(map(_labelled, comparison.labelled))
    if comparison.notes:
        yield "Notes", list(comparison.notes)


def _judge(comparison: Comparison) -> Iterator[str]:
    if not comparison.checked:
        yield "verdicts made elsewhere: not checked by evalkit, never trusted"
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


def _ordered(rows: Iterable[PairRow]) -> list[PairRow]:
    """Return the rows with the overall verdict of each judge use and pair first."""
    return sorted(rows, key=lambda row: row.criterion != OVERALL)


def _row(row: PairRow) -> str:
    about = " / ".join(part for part in (row.capability or row.judge, row.rubric, row.criterion) if part)
    name = f"{row.first} against {row.second}, {about}{'' if row.sample is None else f', sample {row.sample}'}"
    excluded = _excluded(row.excluded)
    divided = row.towards_first_shown + row.towards_second_shown
    counts = (
        f"{row.n} of {row.pairs} pairs: {row.first} in both orders {row.first_both}, {row.second} in both {row.second_both}, "
        f"tie in both {row.tie_both}, depends on the order {divided}"
        + (
            f" (towards the first shown {row.towards_first_shown}, the second {row.towards_second_shown})"
            if divided
            else ""
        )
    )
    if not row.n:
        return f"{name}: no data{excluded}"
    if row.criterion != OVERALL:
        return f"{name}: {counts} | net {_points(row.net, row.net_interval)}{_p(row.p)}{excluded}{_said(row.reading)}"
    code = f", {row.in_code} of them decided in code" if row.in_code else ""
    return (
        f"{name}: {counts}{code} | win rate {_share(row.win_rate, row.win_rate_interval)}, net {_points(row.net, row.net_interval)}"
        f"{_p(row.p)}{_clustered(row)}; average of both orders {_points(row.average_net, row.average_net_interval)}"
        f"{_bounds(row)} | {_length(row)}{excluded}{_said(row.reading)}"
    )


def _clustered(row: PairRow) -> str:
    if row.clusters is None:
        return ""
    limits = "no interval" if row.net_clustered is None else _limits(row.net_clustered).strip(" ()")
    return f", over {row.clusters} clusters {limits}"


def _bounds(row: PairRow) -> str:
    if row.net_bounds is None or row.net_bounds[0] == row.net_bounds[1]:
        return ""
    return f"; {_limits(row.net_bounds).strip(' ()')} points whatever the excluded verdicts were"


def _length(row: PairRow) -> str:
    if not row.decided:
        return "length: no decided pair of answers whose lengths are known and differ"
    longer = f"the longer answer won {row.longer_won} of {row.decided}, {_share(row.longer_share, row.longer_interval)}"
    raw = f"of decided pairs {row.first} won {_share(row.raw_rate)}"
    if row.length_controlled is None:
        return f"{longer}; {raw}, at equal length: {row.length_reading or 'n/a'}"
    return f"{longer}; {raw}, at equal length {_share(row.length_controlled, row.length_controlled_interval)}{_said(row.length_reading)}"


def _ranking(ranking: Ranking) -> str:
    name = " / ".join(part for part in (ranking.capability or ranking.judge, ranking.rubric, ranking.criterion) if part)
    standings = ", ".join(
        f"{one.rank}. {one.name} {one.strength:+.2f}"
        + (
            " (unbounded)"
            if one.unbounded
            else ""
            if one.interval is None
            else f" ({one.interval[0]:.2f} to {one.interval[1]:.2f})"
        )
        + (f" ranks {one.ranks[0]} to {one.ranks[1]}" if one.ranks[0] != one.ranks[1] else "")
        for one in ranking.standings
    )
    return f"{name}: {standings or 'none'}{_said(ranking.reading)}"


def _position(row: PositionRow) -> str:
    return (
        f"{row.judge}, {row.criterion}, sample {row.sample}: {row.pairs} pairs, {row.readable} readable in both orders: "
        f"consistent {row.consistent}, primacy {row.primacy}, recency {row.recency} "
        f"| consistency {_share(row.consistency, row.consistency_interval)}, swing {_points(row.swing, row.swing_interval)}{_p(row.p)} "
        f"| {row.first_picks} of {row.verdicts} verdicts chose the first shown; {row.unreadable} without a verdict{_excluded(row.excluded)}{_said(row.reading)}"
    )


def _labelled(row: LabelledOrders) -> str:
    return (
        f"{row.judge}, {row.criterion}, sample {row.sample}: {row.labelled} labelled pairs: correct {row.correct_ab} with the first "
        f"named shown first, {row.correct_ba} with it shown second, {row.correct_both} in both; {row.unreadable} verdicts missing"
    )


def _share(value: float | None, limits: Interval | None = None) -> str:
    return "n/a" if value is None else figures.percent(value) + _limits(limits)


def _points(value: float | None, limits: Interval | None) -> str:
    return "n/a" if value is None else f"{100 * value:+.1f} points" + _limits(limits)


def _limits(limits: Interval | None) -> str:
    return "" if limits is None else f" ({100 * limits[0]:.1f} to {100 * limits[1]:.1f})"


def _p(p: float | None) -> str:
    return "" if p is None else f", mid-p {p:.3f}" if p >= 0.001 else ", mid-p <0.001"


def _excluded(by_reason: Mapping[str, int]) -> str:
    return f"; excluded: {figures.counts(by_reason)}" if by_reason else ""


def _said(reading: str) -> str:
    return f" [{reading}]" if reading else ""
