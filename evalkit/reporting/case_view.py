"""One case of a run, as a reader judges it: what was asked, what was answered, and what each criterion rests on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from evalkit.records.base import Json
from evalkit.records.cases import Case
from evalkit.records.classified import ClassifiedCase
from evalkit.records.outputs import Output
from evalkit.records.verdicts import Claim, CriterionVerdict, Judgement, ReferenceVerdict, Span, TriageVerdict, Verdict
from evalkit.reporting import wording
from evalkit.reporting.cascade_words import tier_line
from evalkit.reporting.classified_view import print_classified
from evalkit.reporting.escape import one_line
from evalkit.reporting.page import Page
from evalkit.reporting.statement_view import print_statements

CONTEXT_CHARS = 1200
"""Characters shown of each context document."""
RAW_CHARS = 2000
"""Characters shown of a reply that was refused."""

_STYLES = {
    **dict.fromkeys(("pass", "supported", "covered"), "green"),
    **dict.fromkeys(("fail", "unsupported", "missing"), "red"),
    "contradicted": "bold red",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseView:
    """Everything that a run and its suite know about a case."""

    case_id: str
    case: Case | None
    """None where the golden set cannot be found any more."""
    output: Output | None
    judgements: tuple[Judgement, ...]
    failures: tuple[Mapping[str, Json], ...]
    """The case's lines of failures.jsonl."""
    classified: tuple[ClassifiedCase, ...] = ()
    """What the run's classifier scorers answered about it."""
    notes: tuple[str, ...] = ()
    """What a reader must know first, e.g. that the golden set has changed since the run."""


def print_case(page: Page, view: CaseView) -> None:
    """Print a case with its answer, its failures in code, and its verdicts with claims and quoted spans."""
    page.line(f"case {one_line(view.case_id)}", style="bold")
    for note in view.notes:
        page.line(f"note: {one_line(note)}", style="yellow")
    _asked(page, view)
    _answered(page, view)
    answered = {(one.capability, one.scorer) for one in view.classified}
    for line in view.failures:
        told = line.get("mode") == "classifier" and (line.get("capability"), line.get("scorer")) in answered
        if line.get("kind") in wording.TO_MEND and line.get("mode") in wording.BY_CODE and not told:
            _code_failure(page, line)
    for answer in view.classified:
        print_classified(page, answer)
    for judgement in view.judgements:
        _judgement(page, judgement)
    found = [line for line in view.failures if line.get("kind") == "finding" and line.get("by") == "code"]
    for line in found:
        _altered(page, line)
    if not (view.failures or view.judgements or view.classified):
        page.line("nothing failed in code and nothing was judged", style="dim")


def _asked(page: Page, view: CaseView) -> None:
    if view.case is None:
        stored = next((line["input"] for line in view.failures if line.get("input") is not None), None)
        if stored is not None:
            _title(page, "asked")
            page.block(_text(stored))
        return
    case = view.case
    page.line(
        f"capabilities: {one_line(', '.join(case.capabilities))}; tags: {one_line(', '.join(case.tags)) or 'none'}"
    )
    _title(page, "asked")
    page.block(_text(case.model_dump(include={"input"})["input"]))
    for document in case.context:
        _title(page, f"context {one_line(document.id)}")
        page.block(document.text, limit=CONTEXT_CHARS)
    if case.evidence is not None:
        _title(page, "evidence")
        page.block(_text(case.evidence))
    expected = case.expected.model_dump(exclude_none=True)
    if expected:
        _title(page, "expected")
        page.block(_text(expected))


def _answered(page: Page, view: CaseView) -> None:
    stored = next((line["output"] for line in view.failures if line.get("output") is not None), None)
    text = stored if view.output is None else view.output.text
    _title(page, "answer")
    if text is None:
        reason = None if view.output is None else view.output.error
        page.line(f"none{': ' + one_line(reason) if reason else ''}", indent=2, style="dim")
    else:
        page.block(str(text))
    if view.output is not None and view.output.tool_calls:
        _title(page, "tool calls")
        page.block(_text(list(view.output.tool_calls)))


def _title(page: Page, text: str) -> None:
    page.line()
    page.line(text, style="bold")


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, default=str)


def _code_failure(page: Page, line: Mapping[str, Json]) -> None:
    outcome = "fail" if line.get("kind") == "failed" else "scorer_error, neither a pass nor a fail"
    _title(page, f"{one_line(wording.place(line))}: {outcome} ({line.get('mode')})")
    page.line(one_line(str(line.get("reason") or ""), 2000), indent=2)
    if line.get("metadata"):
        page.block(_text(line["metadata"]))


def _judgement(page: Page, judgement: Judgement) -> None:
    sample = f", sample {judgement.sample + 1}" if judgement.sample else ""
    by = judgement.tiers.decided_by if judgement.tiers else "judge"
    _title(page, f"{one_line(judgement.capability)} / {one_line(judgement.rubric)} ({by}{sample})")
    if judgement.graded is None:
        what = "judge_error: no reply passed the checks" if judgement.rejected else "no verdict: nothing was asked"
        page.line(what, indent=2, style="bold red")
    else:
        _verdict(page, judgement.graded)
    if judgement.tiers is not None:
        page.line(one_line(tier_line(judgement.tiers), 1000), indent=2, style="dim")
    for criterion in judgement.abstained:
        page.line(f"{one_line(criterion)}: the floor judge has no rule for it", indent=2, style="dim")
    for number, reply in enumerate(judgement.rejected, 1):
        refused = f"refused reply {number}: {reply.rejection.kind}: {one_line(reply.rejection.message, 1000)}"
        page.line(refused, indent=2, style="yellow")
        if reply.text is not None:
            page.block(reply.text, margin="    | ", limit=RAW_CHARS)


def _verdict(page: Page, verdict: Verdict) -> None:
    if isinstance(verdict, TriageVerdict):
        print_statements(page, verdict)
    for claim in verdict.claims:
        _claim(page, claim)
    if isinstance(verdict, ReferenceVerdict):
        _facts(page, verdict)
    spans = {span.id: span for span in verdict.evidence}
    for name, entry in verdict.criteria.items():
        _criterion(page, name, entry, spans, "facts" if isinstance(verdict, ReferenceVerdict) else "claims")
    for channel, answer in verdict.channels.items():
        page.line(f"{one_line(channel)} (channel, never counted): {one_line(answer)}", indent=2, style="dim")
    overall = {True: "pass", False: "fail", None: "not applicable"}[verdict.overall_pass]
    page.line(f"overall: {overall}", indent=2, style=_STYLES.get(overall, "dim"))
    for finding in verdict.findings:
        where = f" in {one_line(finding.source)}" if finding.source else ""
        page.line(f"finding, {one_line(finding.kind)}{where}: {one_line(finding.quote)}", indent=2, style="yellow")


def _claim(page: Page, claim: Claim) -> None:
    cites = f" [cites {one_line(', '.join(claim.cites))}]" if claim.cites else ""
    page.line(
        f"claim {claim.id}  {claim.status:<12}  {one_line(claim.text, 600)}{cites}",
        indent=2,
        style=_style(claim.status),
    )
    for span in claim.evidence:
        _span(page, span)


def _facts(page: Page, verdict: ReferenceVerdict) -> None:
    for fact in verdict.facts:
        page.line(f"fact {fact.id}  {fact.status:<12}  {one_line(fact.text, 600)}", indent=2, style=_style(fact.status))
        if fact.passage is not None:
            page.line(f'split from the reference: "{one_line(fact.passage, 600)}"', indent=4, style="dim")
        for span in fact.evidence:
            _span(page, span)
    for row in verdict.contradictions:
        against = "the reference answer" if row.fact is None else f"fact {row.fact}"
        page.line(f"contradicts {against}: {one_line(row.text, 600)}", indent=2, style=_style("contradicted"))
        for span in row.evidence:
            _span(page, span)
    shares = f"coverage {verdict.coverage:.3f}, contradiction {verdict.contradiction:.3f}"
    page.line(f"{shares} (of {len(verdict.facts)} facts)", indent=2, style="dim")


def _span(page: Page, span: Span) -> None:
    place = f"{one_line(span.source)} [{span.start}:{span.end}]"
    page.line(f'{place} "{one_line(span.quote, 600)}"', indent=8, style="dim")


def _criterion(page: Page, name: str, entry: CriterionVerdict, spans: Mapping[str, Span], rows: str) -> None:
    rests = f" ({rows} {', '.join(map(str, entry.claims))})" if entry.claims else ""
    page.line(
        f"{one_line(name)}: {one_line(entry.grade)}{rests}  {one_line(entry.rationale, 1000)}",
        indent=2,
        style=_style(entry.grade),
    )
    for span_id in entry.evidence:
        if span_id in spans:
            _span(page, spans[span_id])


def _style(grade: str) -> str:
    return _STYLES.get(grade, "dim")


def _altered(page: Page, line: Mapping[str, Json]) -> None:
    what = f"{line.get('finding')} in {line.get('source')}: {line.get('count')} shown to the judge with a mark"
    page.line(f"finding (code), {one_line(what)}", style="yellow")
    places = line.get("places")
    for place in places if isinstance(places, list) else ():
        if isinstance(place, Mapping):
            shown = f"at {place.get('offset')}: {place.get('shown')!s} for {place.get('original')!r}"
            page.line(one_line(shown), indent=4, style="dim")
