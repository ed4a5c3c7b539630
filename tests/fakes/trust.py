"""What trust is asked about and what a ledger says, made by hand: records that a test changes in one place."""

from __future__ import annotations

from typing import Any

from evalkit.calibration.trust import Asked
from evalkit.records.calibrations import ClassRate
from evalkit.records.reports import JudgeHeader
from evalkit.records.suites import Budgets, TrustBars
from evalkit.records.tiers import CascadeReport
from evalkit.records.trust import Bars, Condition, ConditionName, LabelCounts, TrustRow
from fakes import stored_runs

BARS = Bars(tpr=0.9, tnr=0.8, tolerance=0.05, judge_error=0.02, self_agreement=0.9, planted_fails=False)
CONDITIONS: tuple[ConditionName, ...] = (
    "true-pass rate",
    "true-fail rate",
    "worst case",
    "self-agreement",
    "judge errors",
    "independence",
    "padding",
)
MET = tuple(Condition(name=name, state="met", figures="measured", observed=0.01) for name in CONDITIONS)
"""Every condition; of independence the favour for the own family is known to be within a point."""


def trusted(**changes: Any) -> TrustRow:
    """Return a row about F1 of `stored_runs.report`, trusted on 150 labels."""
    rate = ClassRate(correct=96, n=100, value=0.96, interval=(0.9, 0.98), lower=0.91, upper=0.99)
    fields: dict[str, Any] = {
        "capability": "faithfulness",
        "rubric": "faithfulness",
        "criterion": "F1",
        "judge_config_hash": stored_runs.JUDGE_HASH,
        "state": "TRUSTED",
        "reading": "every condition is met",
        "conditions": MET,
        "tpr": rate,
        "tnr": ClassRate(correct=46, n=50, value=0.92, interval=(0.8, 0.97), lower=0.82, upper=0.97),
        "weighting": "none",
        "labels": LabelCounts(
            judge_pass_human_pass=96, judge_pass_human_fail=4, judge_fail_human_pass=4, judge_fail_human_fail=46
        ),
        "agreement": 0.9,
        "kappa": 0.8,
        "floor_agreement": None,
        "bars": BARS,
        "run": "r",
        "outputs_sha256": "d" * 64,
        "golden_sha256": "b" * 64,
        "labels_sha256": "e" * 64,
        "calibrated_at": "2026-11-30T00:00:00+00:00",
    }
    return TrustRow(**{**fields, **changes})


def asked(**changes: Any) -> Asked:
    """Return what a model judge of F1 is held against: bars .9 and .8, no experiment."""
    header = JudgeHeader(
        capability="faithfulness",
        rubric="faithfulness",
        mode="pointwise",
        judge="test-judge",
        snapshots=(),
        prompt="pointwise/1",
        judge_config_hash=stored_runs.JUDGE_HASH,
        samples=1,
    )
    fields: dict[str, Any] = {
        "run": "r",
        "report": stored_runs.report(judges=(header,), rows=(stored_runs.judge_row(),)),
        "bars": TrustBars(tpr=0.9, tnr=0.8),
        "budgets": Budgets(),
        "experiments": [],
        "labels_sha256": "e" * 64,
        "calibrated_at": "2026-11-30T00:00:00+00:00",
    }
    return Asked(**{**fields, **changes})


def cascade_report(failed: int, cases: int = 100) -> CascadeReport:
    """Return what a report says of a cascade before the judge of F1 whose classifier failed so often and else decided."""
    return CascadeReport(
        capability="faithfulness",
        rubric="faithfulness",
        judge_config_hash=stored_runs.JUDGE_HASH,
        classifier="jev-1",
        configuration_hash="0" * 64,
        low=0.3,
        high=0.7,
        cases=cases,
        by_classifier=cases - failed,
        escalated={"classifier_failed": failed},
        share_escalated=failed / cases,
        sampled=0,
        seed=0,
        rows=(),
    )
