"""Small finished runs, made by hand: records that a test changes in one place, and whole run folders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evalkit.records.case_scores import NO_OUTPUT, CaseScores, CaseTable, RowScores
from evalkit.records.manifests import JudgeUseManifest, Manifest, Purchases
from evalkit.records.reports import Counts, Gating, Health, JudgeHeader, PolicyBreach, Report, Row
from evalkit.records.verdicts import Claim, CriterionVerdict, Judgement, RejectedReply, Rejection, Span, Verdict
from evalkit.runstore.writer import RunWriter
from evalkit.stats.intervals import wilson

JUDGE_HASH = "c" * 64
QUOTE = "within 30 days of purchase"


def row(**changes: Any) -> Row:
    """Return a deterministic row, 1 of 2 passed."""
    fields: dict[str, Any] = {
        "capability": "short_answer",
        "scorer": "exact_match",
        "criterion": "exact_match",
        "mode": "code",
        "kind": "deterministic",
        "estimate": "rate",
        "n": 2,
        "excluded": {"missing_output": 1},
        "total": 3,
        "passed": 1,
        "value": 0.5,
        "interval": wilson(1, 2),
        "bounds": (1 / 3, 2 / 3),
        "insufficient": True,
        "signature": {"scorer": "exact_match", "version": "1", "settings": {}},
    }
    return Row(**{**fields, **changes})


def judge_row(**changes: Any) -> Row:
    """Return a judge's row, 1 of 2 passed and one judge_error."""
    fields: dict[str, Any] = {
        "capability": "faithfulness",
        "scorer": "faithfulness",
        "criterion": "F1",
        "mode": "pointwise",
        "kind": "judge",
        "excluded": {"judge_error:schema": 1},
        "judge_config_hash": JUDGE_HASH,
        "trust": "provisional",
        "signature": {"rubric": "faithfulness"},
    }
    return row(**{**fields, **changes})


def report(**changes: Any) -> Report:
    """Return the report that `write_run` writes."""
    fields: dict[str, Any] = {
        "suite": {"name": "shop", "version": "1", "sha256": "a" * 64},
        "golden_sha256": "b" * 64,
        "outputs": {"name": "candidate", "sha256": "d" * 64},
        "candidate": {"name": "candidate", "model": "writer-1", "family": None},
        "judges": (
            JudgeHeader(
                capability="faithfulness",
                rubric="faithfulness",
                mode="pointwise",
                judge="floor, not a model",
                snapshots=(),
                prompt="pointwise/1",
                judge_config_hash=JUDGE_HASH,
                samples=1,
            ),
        ),
        "independence": {
            "family_differs": "unknown",
            "independent": None,
            "reason": "the candidate's family is unknown",
        },
        "completeness": "complete",
        "selection": {},
        "gating": Gating(valid=False, reasons=("judge errors 33.3 % are over the budget of 2.0 %",)),
        "counts": counts(),
        "rows": (row(), judge_row()),
        "health": health(),
        "policy": (
            PolicyBreach(condition="forbidden_tools", breaches=1, unknown=0, cases=("c2",)),
            PolicyBreach(condition="latency_limit", breaches=0, unknown=2, cases=()),
        ),
    }
    return Report(**{**fields, **changes})


def counts(**changes: Any) -> Counts:
    """Return the counts of three cases, one without an output."""
    fields: dict[str, Any] = {
        "cases": 3,
        "golden": 3,
        "missing_outputs": 1,
        "null_texts": 0,
        "empty_texts": 0,
        "output_errors": 0,
        "extra_outputs": 1,
        "extra_ids": ("stray",),
        "earlier_attempts": 0,
    }
    return Counts(**{**fields, **changes})


def health(**changes: Any) -> Health:
    """Return the health of three requests with one judge_error."""
    fields: dict[str, Any] = {
        "judged": 3,
        "verdicts": 2,
        "judge_errors": {"schema": 1},
        "judge_error_rate": 1 / 3,
        "budget": 0.02,
        "within_budget": False,
        "not_bought": 0,
        "first_try_valid": 0.5,
        "verdict_retries": 1,
        "findings": 1,
    }
    return Health(**{**fields, **changes})


def manifest(**changes: Any) -> Manifest:
    """Return the manifest that goes with `report`."""
    fields: dict[str, Any] = {
        "run_id": "r1",
        "suite": "shop",
        "completeness": "complete",
        "started_at": "2026-01-02T03:04:05+00:00",
        "finished_at": "2026-01-02T03:04:06+00:00",
        "evalkit_version": "0.1.0",
        "python": "3.11",
        "machine": "test",
        "packages": {},
        "suite_sha256": "a" * 64,
        "golden_sha256": "b" * 64,
        "outputs_sha256": "d" * 64,
        "outputs": "candidate",
        "candidate": {},
        "judges": (
            JudgeUseManifest(
                capability="faithfulness",
                judge_config_hash=JUDGE_HASH,
                identity={},
                client="floor",
                snapshots=(),
                family=None,
                structured_output_sent=False,
            ),
        ),
        "family_differs": "unknown",
        "independent": None,
        "independence_reason": "",
        "budgets": {},
        "purchases": Purchases(),
    }
    return Manifest(**{**fields, **changes})


def judgement(case_id: str, grade: str | None, *, text: str = "You have 30 days.", sample: int = 0) -> Judgement:
    """Return a judgement of F1; a grade of None is a judge_error with two refused replies."""
    refused = RejectedReply(text='{"criteria": {}}', rejection=Rejection(kind="schema", message="F1 is missing"))
    return Judgement(
        case_id=case_id,
        capability="faithfulness",
        rubric="faithfulness",
        mode="pointwise",
        sample=sample,
        request_key="e" * 64,
        output_sha256="f" * 64,
        judge_config_hash=JUDGE_HASH,
        verdict=None if grade is None else _verdict(grade, text),
        rejected=() if grade is not None else (refused, refused),
    )


def _verdict(grade: str, text: str) -> Verdict:
    found = grade == "pass"
    spans = (Span(id="e1", source="billing/refunds", quote=QUOTE, start=12, end=12 + len(QUOTE)),) if found else ()
    claim = Claim(id=1, text=text, evidence=spans, cites=(), status="supported" if found else "unsupported")
    entry = CriterionVerdict(claims=(1,), evidence=(), rationale="claim 1 decides", grade=grade)
    return Verdict(claims=(claim,), criteria={"F1": entry}, overall_pass=found)


def failure(case_id: str, **changes: Any) -> dict[str, Any]:
    """Return a line of failures.jsonl: exact match failed."""
    fields = {
        "kind": "failed",
        "case_id": case_id,
        "capability": "short_answer",
        "scorer": "exact_match",
        "criterion": "exact_match",
        "mode": "code",
        "reason": "got '14 days', expected '30 days'",
        "input": "How long?",
        "output": "14 days",
    }
    return {**fields, **changes}


def judge_failure(case_id: str, **changes: Any) -> dict[str, Any]:
    """Return a line of failures.jsonl: F1 failed by the judge."""
    by_judge = {"capability": "faithfulness", "scorer": "faithfulness", "criterion": "F1", "mode": "pointwise"}
    return failure(case_id, **{**by_judge, "reason": "claim 1 decides", **changes})


def scores(*codes: str) -> CaseScores:
    """Return scores.jsonl for c1 to c3: what exact match gave, and that code decided nothing for the judge's row."""
    cases = ("c1", "c2", "c3")
    table = CaseTable(cases=cases, golden="1" * 48, outputs="2" * 32 + NO_OUTPUT)
    reasons = {"A": "missing_output"}
    rows = (RowScores(row=index, codes=code, reasons=reasons) for index, code in enumerate(codes or ("pfA", "...")))
    return CaseScores(table, tuple(rows))


def write_run(out: Path, run_id: str = "r1", **changes: Any) -> Path:
    """Write a sound run: c1 passes everything, c2 fails everything, c3 has no output and a judge_error."""
    writer = RunWriter(out, run_id, "shop")
    made = manifest(run_id=run_id, **changes)
    writer.begin(made)
    for judged in (judgement("c1", "pass"), judgement("c2", "fail"), judgement("c3", None)):
        writer.judgement(judged)
    writer.scores(scores())
    for line in (failure("c2"), judge_failure("c2"), judge_failure("c3", kind="judge_error", criterion=None)):
        writer.failure(line)
    return writer.finish(report(), made, "# shop\n")
