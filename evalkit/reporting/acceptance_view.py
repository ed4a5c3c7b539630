"""An acceptance run on the terminal and as markdown: endings first, then what retries came to. Nothing is blended into one figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evalkit.calibration.reliance import OWN_FAMILY
from evalkit.records.acceptance_log import AcceptanceLine, AcceptanceReport, FeedbackEffect, Named
from evalkit.records.manifests import Purchases
from evalkit.reporting import figures
from evalkit.reporting.escape import markdown, one_line
from evalkit.reporting.page import Page

MEANINGS = {
    "complete": "every required criterion passes and the score reaches the threshold",
    "complete_provisional": "the same, but trust is asked for and the judge's does not reach so far",
    "accepted_unjudged": "let through without a verdict, as the terms say",
    "blocked_by_policy": "a condition decided in code, whatever the quality",
    "judgment_skipped": "nobody could judge; there is no score",
    "exhausted": "a limit was reached",
    "error": "there is no candidate to look at",
}
"""Ending -> what it means, in the order in which endings are listed."""


LINE_CHARS = 700
SHOWN = 20
"""Requests that the terminal lists."""


def print_acceptance(page: Page, report: AcceptanceReport, bought: Purchases, last: Sequence[AcceptanceLine]) -> None:
    """Print a run: endings, retries, the first requests that are not complete."""
    head = f"{report.suite} / {report.outputs}: {report.endings.get('complete', 0)} of {report.cases} complete"
    page.line(one_line(head), style="bold")
    if report.completeness == "incomplete":
        page.line(
            f"INTERRUPTED: {report.unfinished} of {report.cases} requests looked at are open; the same command goes on",
            style="bold red",
        )
    for line in _warnings(report):
        page.line(one_line(line, LINE_CHARS), style="bold yellow", indent=2)
    for line in _heads(report):
        page.line(one_line(line, LINE_CHARS), indent=2)
    page.line()
    page.columns([(cells, "") for cells in _ending_cells(report)], indent=2)
    page.line()
    for line in _findings(report):
        page.line(one_line(line, LINE_CHARS), indent=2, hanging=4)
    if last:
        page.line()
        page.line("Not complete", style="bold")
    for ended in last[:SHOWN]:
        page.line(_last(ended), indent=2, hanging=4)
    if last and (more := _not_complete(report) - len(last[:SHOWN])):
        page.line(f"... and {more:,} more, in acceptance.jsonl", indent=2)
    page.line()
    if bought.calls or bought.failed or bought.cache_hits:
        page.line(
            f"judge: {figures.counted(bought.bought, 'verdict')} bought ({figures.dollars(bought.cost_usd)}), "
            f"{bought.cache_hits} from the cache, {bought.failed} without a verdict"
        )


def acceptance_markdown(report: AcceptanceReport, last: Sequence[AcceptanceLine]) -> str:
    """Return acceptance.md; `last` are the last lines of the first requests that are not complete."""
    title = f"# Acceptance: {markdown(report.suite)} / {markdown(report.outputs)}"
    warnings = [f"- **{markdown(line, LINE_CHARS)}**" for line in _warnings(report)]
    heads = "\n".join([*warnings, *(f"- {markdown(line, LINE_CHARS)}" for line in _heads(report))])
    endings = "\n".join(
        f"| {markdown(name)} | {count} | {markdown(words)} |" for name, count, words in _ending_cells(report)
    )
    attempts = "\n".join(
        f"| {at.attempt} | {at.candidates} | {at.complete} | {at.complete_provisional} | {at.accepted_unjudged} |"
        for at in report.accepted
    )
    effects = "\n".join(_effect_row(effect) for effect in report.feedback)
    findings = "\n".join(f"- {markdown(line, LINE_CHARS)}" for line in _findings(report))
    parts = [
        title,
        heads,
        f"| ending | requests | reasons |\n|---|---|---|\n{endings}",
        findings,
        "## Acceptance by attempt\n\n| attempt | candidates | complete | provisional | unjudged |\n|---|---|---|---|---|\n"
        + attempts,
    ]
    if effects:
        table = "| criterion | named | decided again | gone | 95 % | passed before | broken |\n|---|---|---|---|---|---|---|\n"
        parts.append(f"## What feedback was followed by\n\n{table}{effects}")
    if last:
        parts.append(_list(report, last))
    return "\n\n".join(parts) + "\n"


def _list(report: AcceptanceReport, last: Sequence[AcceptanceLine]) -> str:
    """Return the requests that are not complete as a table, and how many more there are."""
    rows = "\n".join(
        f"| {markdown(line.case_id, 80)} | {line.state_after} | {markdown(_why(line), 400)} | {'' if line.attempt is None else line.attempt} |"
        for line in last
    )
    table = f"## Not complete\n\n| request | ending | reason | attempt |\n|---|---|---|---|\n{rows}"
    more = _not_complete(report) - len(last)
    return f"{table}\n\n... and {more:,} more, in acceptance.jsonl" if more else table


def _not_complete(report: AcceptanceReport) -> int:
    """Return how many of the requests looked at are not complete, open ones included."""
    return report.cases - report.endings.get("complete", 0)


def _warnings(report: AcceptanceReport) -> Iterator[str]:
    """Yield what must be read before any ending."""
    if report.independence["independent"] is False:
        yield f"NOT INDEPENDENT: {report.independence['reason']}{_kept(report) if report.terms.require_trust else ''}"


def _kept(report: AcceptanceReport) -> str:
    """Return what came of a judge that is not independent, where the terms ask for trust."""
    held = sum(count for why, count in report.untrusted.items() if OWN_FAMILY in why)
    if held:
        return f"; trust.json does not know that it does not favour its own: {figures.counted(held, 'request')} complete provisionally only"
    if report.by_trusted_judge:
        return (
            "; trust.json knows that it does not favour its own by more than the tolerance: "
            f"{figures.counted(report.by_trusted_judge, 'request')} complete for good"
        )
    return ""


def _heads(report: AcceptanceReport) -> Iterator[str]:
    terms = report.terms
    limits = ", ".join(f"{name} {count}" for name, count in terms.limits.model_dump().items())
    yield (
        f"specification {report.specification} {report.specification_version} ({report.specification_sha256[:12]}): "
        f"threshold {terms.threshold:g}, on_skipped {terms.on_skipped}, require_trust {str(terms.require_trust).lower()}"
    )
    yield f"limits: {limits}"
    independent = {True: "true", False: "false", None: "unknown"}[report.independence["independent"]]
    yield (
        f"judge {report.judge or 'none'}, generator {report.generator['model'] or report.generator['name'] or 'unknown'}; "
        f"independent: {independent} ({report.independence['reason']})"
    )
    if report.selection:
        yield f"a selection of cases: {', '.join(f'--{name}' for name in report.selection)}"
    yield from (f"note: {note}" for note in report.notes)


def _ending_cells(report: AcceptanceReport) -> Iterator[tuple[str, str, str]]:
    for ending, meaning in MEANINGS.items():
        reasons = [
            f"{reason.partition(': ')[2] or ending} {count}"
            for reason, count in report.reasons.items()
            if reason.partition(": ")[0] == ending
        ]
        words = meaning if ending in {"complete", "complete_provisional"} else ", ".join(reasons)
        yield ending, str(report.endings.get(ending, 0)), one_line(words or meaning, 200)


def _findings(report: AcceptanceReport) -> Iterator[str]:
    for why, count in report.untrusted.items():
        yield f"complete_provisional: {count} because: {why}"
    for at in report.accepted:
        accepted = at.complete + at.complete_provisional + at.accepted_unjudged
        yield f"attempt {at.attempt}: {figures.counted(at.candidates, 'candidate')}, {accepted} accepted"
    yield f"safe but insufficient: {_named(report.safe_but_insufficient)}"
    blocked = (
        _named(report.good_but_blocked) if report.blocked_judged else "not known, blocked candidates were not judged"
    )
    yield f"good but blocked: {blocked}"
    retries = report.retries
    yield (
        f"{figures.counted(retries.retries, 'retry', 'retries')} with feedback: wasted {retries.wasted} "
        f"(unchanged text {retries.unchanged}), broke something else {retries.broke_something}; "
        f"cached attempts nobody needed {retries.unread_attempts}"
    )
    for effect in report.feedback[:1]:
        yield f"feedback was followed by a change in a faulted item in {_share(effect)}"


def _share(effect: FeedbackEffect) -> str:
    if effect.rate is None or effect.interval is None:
        return "no retry that could be compared"
    low, high = effect.interval
    excluded = f", {effect.excluded} not comparable" if effect.excluded else ""
    return (
        f"{effect.changed} of {effect.n} retries ({figures.percent(effect.rate)}, "
        f"{100 * low:.1f} to {100 * high:.1f} %){excluded}"
    )


def _effect_row(effect: FeedbackEffect) -> str:
    low, high = effect.interval or (0.0, 0.0)
    limits = f"{100 * low:.1f} to {100 * high:.1f} %" if effect.interval else ""
    rate = "no data" if effect.rate is None else f"{effect.changed} ({figures.percent(effect.rate)})"
    return f"| {markdown(effect.criterion)} | {effect.named} | {effect.n} | {rate} | {limits} | {effect.kept} | {effect.broken} |"


def _named(some: Named) -> str:
    if not some.n:
        return "0"
    more = f" and {some.n - len(some.cases)} more" if some.n > len(some.cases) else ""
    return f"{some.n} ({', '.join(some.cases)}{more})"


def _last(line: AcceptanceLine) -> str:
    at = "no attempt" if line.attempt is None else f"attempt {line.attempt}"
    return f"{one_line(line.case_id, 80)}: {line.state_after}: {one_line(_why(line), 400)}, {at}"


def _why(line: AcceptanceLine) -> str:
    counted = line.state_after == "complete_provisional"  # whose reasons stand above, once
    detail = f" ({line.detail})" if line.detail and not counted else ""
    return line.reason + detail
