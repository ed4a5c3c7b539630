"""One case as the page shows it: what was asked, the sources, the answer, and what each verdict rests on, with places to mark."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from evalkit.records.base import Json
from evalkit.records.cases import Case
from evalkit.records.outputs import Output
from evalkit.records.verdicts import Claim, Judgement, ReferenceVerdict, Span, TriageVerdict, Verdict
from evalkit.reporting import wording
from evalkit.reporting.html.marks import claim_place, place_of, span_place
from evalkit.reporting.html.material import CaseLines, PageMaterial, case_lines
from evalkit.reporting.html.packing import cut
from evalkit.reporting.statement_view import answers

Detail = dict[str, Json]


def details(material: PageMaterial) -> Iterator[Detail]:
    """Yield the cases of the list in full, in its order."""
    for case_id, lines in case_lines(material).items():
        yield detail(case_id, lines, material.texts.cases.get(case_id), material.texts.outputs.get(case_id))


def criteria_asked(material: PageMaterial) -> Detail:
    """Return question and pass condition of each criterion that failed somewhere; the run's files hold no others."""
    found: Detail = {}
    for line in material.failures:
        if line.get("question"):
            key = f"{line.get('scorer')}/{line.get('criterion')}"
            found.setdefault(key, [str(line["question"]), str(line.get("pass_condition") or "")])
    return found


def detail(case_id: str, lines: CaseLines, case: Case | None, output: Output | None) -> Detail:
    """Return a case in full, from its lines and, where they are known, its texts."""
    answer = _answer(lines, output)
    sources = {document.id: document.text for document in case.context} if case else {}
    if answer is not None:
        sources["candidate"] = answer
    return {
        "id": case_id,
        "capabilities": list(case.capabilities) if case else [],
        "tags": list(case.tags) if case else [],
        "asked": _asked(case, lines),
        "context": [[document.id, cut(document.text)] for document in case.context] if case else None,
        "evidence": _text(case.evidence) if case and case.evidence is not None else None,
        "expected": _expected(case, lines),
        "answer": None if answer is None else cut(answer),
        "no_answer": _no_answer(lines, output),
        "tool_calls": _text(list(output.tool_calls)) if output and output.tool_calls else None,
        "code": [_code(line) for line in lines.failures if line.get("mode") in wording.BY_CODE and _to_mend(line)],
        "decided": list(_decided(lines)),
        "judged": [_judged(judgement, sources) for judgement in lines.judgements],
        "altered": [
            _altered(line) for line in lines.failures if line.get("kind") == "finding" and line.get("by") == "code"
        ],
    }


def _to_mend(line: Mapping[str, Json]) -> bool:
    return line.get("kind") in wording.TO_MEND


def _asked(case: Case | None, lines: CaseLines) -> list[list[str]]:
    if case is None:
        stored = next((line["input"] for line in lines.failures if line.get("input") is not None), None)
        return [] if stored is None else [["", _text(stored)]]
    return asked_parts(case)


def asked_parts(case: Case | None) -> list[list[str]]:
    """Return what was asked as pairs of speaker and text; the speaker is empty for a plain question."""
    if case is None:
        return []
    if isinstance(case.input, tuple):
        return [[message.role, cut(message.content)] for message in case.input]
    return [["", _text(case.input)]]


def _answer(lines: CaseLines, output: Output | None) -> str | None:
    if output is not None:
        return output.text
    stored = next((line["output"] for line in lines.failures if line.get("output") is not None), None)
    return None if stored is None else str(stored)


def _no_answer(lines: CaseLines, output: Output | None) -> str:
    if output is None and any(result.reason == "missing_output" for result in lines.code):
        return "none: the candidate has no output for this case"
    if output is None:
        return "not in the run's files"
    return f"none: {cut(output.error)}" if output.error else "none"


def _expected(case: Case | None, lines: CaseLines) -> str | None:
    if case is not None:
        expected = case.expected.model_dump(mode="json", exclude_none=True)
    else:
        expected = next((line["expected"] for line in lines.failures if line.get("expected")), {})
    return _text(expected) if expected else None


def _text(value: Json) -> str:
    return cut(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, default=str))


def _code(line: Mapping[str, Json]) -> Detail:
    return {
        "place": wording.place(line),
        "outcome": "fail" if line.get("kind") == "failed" else "scorer error",
        "reason": cut(str(line.get("reason") or "")),
        "metadata": _text(line["metadata"]) if line.get("metadata") else None,
    }


def _decided(lines: CaseLines) -> Iterator[list[Json]]:
    """Yield what code decided and no failure tells: outcome, place, and the value or why there is none."""
    told = {wording.place(line) for line in lines.failures if _to_mend(line)}
    for result in lines.code:
        capability, scorer, criterion = result.place
        place = wording.place({"capability": capability, "scorer": scorer, "criterion": criterion})
        if place not in told:
            value = "" if result.value is None else f"{result.value:.4g}"
            yield [result.outcome, place, value or result.reason.replace("_", " ")]


def _judged(judgement: Judgement, sources: Mapping[str, str]) -> Detail:
    return {
        "capability": judgement.capability,
        "rubric": judgement.rubric,
        "sample": judgement.sample,
        "snapshot": judgement.purchase.model if judgement.purchase else None,
        "verdict": _verdict(judgement.verdict, sources) if isinstance(judgement.verdict, Verdict) else None,
        "abstained": list(judgement.abstained),
        "refused": [
            {
                "kind": reply.rejection.kind,
                "message": cut(reply.rejection.message),
                "text": None if reply.text is None else cut(reply.text),
            }
            for reply in judgement.rejected
        ],
    }


def _verdict(verdict: Verdict, sources: Mapping[str, str]) -> Detail:
    spans = {span.id: span for span in verdict.evidence}
    kind, rows = _table(verdict, sources)
    return {
        "rows": kind,
        "claims": list(rows),
        "criteria": [
            {
                "name": name,
                "grade": entry.grade,
                "rationale": cut(entry.rationale),
                "claims": list(entry.claims),
                "evidence": [_span(spans[span_id], sources) for span_id in entry.evidence if span_id in spans],
            }
            for name, entry in verdict.criteria.items()
        ],
        "channels": [[name, cut(answer)] for name, answer in verdict.channels.items()],
        "overall": {True: "pass", False: "fail", None: "not_applicable"}[verdict.overall_pass],
        "findings": [[finding.kind, finding.source, cut(finding.quote)] for finding in verdict.findings],
    }


def _claims(claims: tuple[Claim, ...], sources: Mapping[str, str]) -> Iterator[Detail]:
    answer, after = sources.get("candidate", ""), 0
    for claim in claims:
        found = claim_place(answer, claim.text, after)
        after = found[1] if found else after
        yield {
            "id": claim.id,
            "text": cut(claim.text),
            "status": claim.status,
            "cites": list(claim.cites),
            "at": place_of(answer, *found) if found else None,
            "evidence": [_span(span, sources) for span in claim.evidence],
        }


def _table(verdict: Verdict, sources: Mapping[str, str]) -> tuple[str, Iterator[Detail]]:
    """Return what the rows of a verdict's table are called, and the rows."""
    if isinstance(verdict, ReferenceVerdict):
        return "fact", _facts(verdict, sources)
    if isinstance(verdict, TriageVerdict):
        return "statement", _statements(verdict, sources)
    return "claim", _claims(verdict.claims, sources)


def _statements(verdict: TriageVerdict, sources: Mapping[str, str]) -> Iterator[Detail]:
    """Yield the statements with their class, cleared ones too; a violation is marked like an unsupported claim."""
    answer = sources.get("candidate", "")
    for one in verdict.statements:
        ruling = one.ruling.replace("_", " ")
        parts = [{"source": part.path, "quote": cut(part.value), "at": None} for part in one.paths]
        quotes = [{"source": part.source, "quote": cut(part.quote), "at": None} for part in one.evidence]
        yield {
            "id": one.id,
            "text": cut(f"{ruling}, {one.scope} ({answers(one)}): {one.quote} {one.why}"),
            "status": "unsupported" if one.ruling == "violation" else ruling,
            "cites": [],
            "at": place_of(answer, one.start, one.end) if answer else None,
            "evidence": [*parts, *quotes],
        }


def _facts(verdict: ReferenceVerdict, sources: Mapping[str, str]) -> Iterator[Detail]:
    """Yield the facts, then what else goes against the reference, as rows of the table of claims."""
    rows = [(str(fact.id), fact.text, fact.status, fact.evidence) for fact in verdict.facts]
    passages = {str(fact.id): fact.passage for fact in verdict.facts if fact.passage is not None}
    for number, row in enumerate(verdict.contradictions, 1):
        against = "the reference answer" if row.fact is None else f"fact {row.fact}"
        rows.append((f"+{number}", f"against {against}: {row.text}", "contradicted", row.evidence))
    for name, text, status, evidence in rows:
        split = [{"source": "reference", "quote": cut(passages[name]), "at": None}] if name in passages else []
        quoted = [*split, *(_span(span, sources) for span in evidence)]
        yield {"id": name, "text": cut(text), "status": status, "cites": [], "at": None, "evidence": quoted}


def _span(span: Span, sources: Mapping[str, str]) -> Detail:
    text = sources.get(span.source)
    return {
        "source": span.source,
        "quote": cut(span.quote),
        "at": None if text is None else span_place(text, span),
    }


def _altered(line: Mapping[str, Json]) -> Detail:
    places = line.get("places")
    return {
        "finding": str(line.get("finding")),
        "source": str(line.get("source")),
        "count": str(line.get("count")),
        "places": [
            [str(place.get("offset")), cut(str(place.get("shown"))), cut(str(place.get("original")))]
            for place in (places if isinstance(places, list) else ())
            if isinstance(place, Mapping)
        ],
    }
