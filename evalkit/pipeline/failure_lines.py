"""Lines of failures.jsonl: enough to fix a failure without opening anything else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from evalkit.judging.requests import JudgeRequest
from evalkit.records.base import Json
from evalkit.records.cases import Case
from evalkit.records.identity import text_sha256
from evalkit.records.outputs import Output
from evalkit.records.rubrics import Criterion
from evalkit.records.scores import Score, Unscored
from evalkit.records.verdicts import CriterionVerdict, Judgement, ReferenceVerdict, Span, TriageVerdict, Verdict

PREVIEW_CHARS = 4000
"""Characters of a text that a line repeats; a longer one ends with a mark that says how long it is."""
FINDINGS_PER_TEXT = 20
"""Directive-like lines listed per text; more are counted."""

Line = dict[str, Any]


def preview(text: str | None) -> str | None:
    """Return a text, cut with a visible mark where it is long."""
    if text is None or len(text) <= PREVIEW_CHARS:
        return text
    return f"{text[:PREVIEW_CHARS]} [... truncated: {len(text)} characters in all]"


def code_failure(case: Case, output: Output, column: tuple[str, str, str], score: Score, mode: str = "code") -> Line:
    """Return the line of a criterion that code found failed; `column` is capability, scorer, criterion."""
    line = _in_code("failed", case, output, column, {"mode": mode, "reason": score.reason, "value": score.value})
    if score.metadata:
        line["metadata"] = dict(score.metadata)
    return line


def scorer_error(
    case: Case, output: Output, column: tuple[str, str, str], result: Unscored, mode: str = "code"
) -> Line:
    """Return the line of a criterion whose scorer could not decide: neither a pass nor a fail, but somebody's to mend."""
    return _in_code("scorer_error", case, output, column, {"mode": mode, "reason": result.detail})


def _in_code(kind: str, case: Case, output: Output, column: tuple[str, str, str], said: Line) -> Line:
    capability, scorer, criterion = column
    line: Line = {
        "kind": kind,
        "case_id": case.id,
        "capability": capability,
        "scorer": scorer,
        "criterion": criterion,
        **said,
        "attempt": output.attempt,
        "input": _input(case),
        "output": preview(output.text),
        "output_sha256": text_sha256(output.text or ""),
        "expected": case.expected.model_dump(mode="json", exclude_none=True),
    }
    if output.tool_calls:
        line["tool_calls"] = list(output.tool_calls)
    return line


def _input(case: Case) -> Json:
    if isinstance(case.input, str):
        return preview(case.input)
    return case.model_dump(mode="json", include={"input"})["input"]


def judge_lines(case: Case, output: Output, request: JudgeRequest, judgement: Judgement) -> Iterator[Line]:
    """Yield the lines of one judgement: a judge_error, or each failed criterion; then each finding, also the altered texts."""
    about: Line = {
        "case_id": case.id,
        "capability": judgement.capability,
        "scorer": judgement.rubric,
        "mode": judgement.mode,
        "sample": judgement.sample,
        "attempt": output.attempt,
    }
    material: Line = {
        "input": _input(case),
        "output": preview(output.text),
        "output_sha256": judgement.output_sha256,
        "expected": case.expected.model_dump(mode="json", exclude_none=True),
    }
    if judgement.graded is not None:
        yield from _failed_criteria(about, material, request, judgement.graded)
    elif judgement.rejected:
        yield _judge_error(about, material, judgement)
    yield from _findings(about, judgement)


def _judge_error(about: Line, material: Line, judgement: Judgement) -> Line:
    rejected = [
        {"kind": r.rejection.kind, "message": r.rejection.message, "raw_reply": r.text} for r in judgement.rejected
    ]
    last = judgement.rejected[-1].rejection
    return {
        "kind": "judge_error",
        **about,
        "reason": f"{last.kind}: {last.message}",
        "rejected": rejected,
        "request_key": judgement.request_key,
        "snapshot": judgement.purchase.model if judgement.purchase else None,
        **material,
    }


def _failed_criteria(about: Line, material: Line, request: JudgeRequest, verdict: Verdict) -> Iterator[Line]:
    for criterion in request.measurement.form.rubric.criteria:
        entry = verdict.criteria[criterion.id]
        if entry.grade not in ("fail", "partial"):
            continue
        spans = {span.id: span for span in verdict.evidence}
        yield {
            "kind": "failed",
            **about,
            "criterion": criterion.id,
            "reason": entry.rationale,
            "grade": entry.grade,
            "question": criterion.question,
            "pass_condition": criterion.pass_condition,
            **_table(verdict, criterion, entry),
            "evidence": [_span(spans[name]) for name in entry.evidence if name in spans],
            **material,
        }


def _table(verdict: Verdict, criterion: Criterion, entry: CriterionVerdict) -> Line:
    """Return what decides a criterion in the table that the verdict's mode has."""
    if isinstance(verdict, ReferenceVerdict):
        return _held_against(verdict, criterion)
    return _statements(verdict, entry) if isinstance(verdict, TriageVerdict) else _claims(verdict, entry)


def _statements(verdict: TriageVerdict, entry: CriterionVerdict) -> Line:
    """Return the statements of a triage that fail a criterion, with the evidence that was looked at."""
    return {
        "statements": [
            {
                "quote": preview(one.quote),
                "start": one.start,
                "end": one.end,
                "scope": one.scope,
                "ruling": one.ruling,
                "why": preview(one.why),
                "owner_stated": one.owner_stated,
                "owner_true": one.owner_true,
                "looked_at": [
                    *({"path": part.path, "value": part.value} for part in one.paths),
                    *({"source": part.source, "quote": preview(part.quote)} for part in one.evidence),
                ],
            }
            for one in verdict.statements
            if one.id in entry.claims
        ]
    }


def _claims(verdict: Verdict, entry: CriterionVerdict) -> Line:
    named = set(entry.claims)
    claims = [c for c in verdict.claims if c.id in named or not named]
    decisive = [c for c in claims if c.status != "supported"] or claims
    return {
        "claims": [
            {"text": c.text, "status": c.status, "cites": list(c.cites), "evidence": [_span(s) for s in c.evidence]}
            for c in decisive
        ]
    }


def _held_against(verdict: ReferenceVerdict, criterion: Criterion) -> Line:
    """Return the facts that fail a criterion, and what else in the answer goes against the reference."""
    faulty = {"contradicted"} if criterion.claims_rule == "none_contradicted" else {"contradicted", "missing"}
    return {
        "facts": [
            {"id": f.id, "text": preview(f.text), "status": f.status, "evidence": [_span(s) for s in f.evidence]}
            for f in verdict.facts
            if f.status in faulty
        ],
        "contradictions": [
            {"text": preview(c.text), "fact": c.fact, "evidence": [_span(s) for s in c.evidence]}
            for c in verdict.contradictions
        ],
    }


def _span(span: Span) -> Line:
    return {"source": span.source, "quote": preview(span.quote), "start": span.start, "end": span.end}


def _findings(about: Line, judgement: Judgement) -> Iterator[Line]:
    for finding in judgement.verdict.findings if judgement.verdict else ():
        yield {
            "kind": "finding",
            **about,
            "finding": finding.kind,
            "by": "judge",
            "source": finding.source,
            "quote": preview(finding.quote),
        }
    yield from _altered(about, judgement.alterations)


def _altered(about: Line, alterations: tuple[Mapping[str, Json], ...]) -> Iterator[Line]:
    by_place: dict[tuple[str, str], list[Mapping[str, Json]]] = {}
    for alteration in alterations:
        by_place.setdefault((alteration["source"], alteration["kind"]), []).append(alteration)
    for (source, kind), found in by_place.items():
        yield {
            "kind": "finding",
            **about,
            "finding": kind,
            "by": "code",
            "source": source,
            "count": len(found),
            "places": [dict(a) for a in islice(found, FINDINGS_PER_TEXT)],
        }
