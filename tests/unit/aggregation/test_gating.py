"""When a run may not be gated on, and that every reason is named."""

from __future__ import annotations

import pytest

from evalkit.aggregation.gating import gating
from evalkit.aggregation.rows import RowFold, RowKey
from evalkit.records.reports import Health, PolicyBreach
from evalkit.records.scores import Score, Unscored


def row(result, kind="deterministic"):
    fold = RowFold(
        RowKey(capability="c", scorer="s", criterion="x", mode="code", kind=kind, estimate="rate", signature={})
    )
    fold.add(result)
    return fold.row()


SCORED = row(Score(1.0, True))


def judge(errors=0, judged=100, not_bought=0):
    rate = errors / judged if judged else None
    return Health(
        judged=judged,
        verdicts=judged - errors,
        judge_errors={"schema": errors} if errors else {},
        judge_error_rate=rate,
        budget=0.02,
        within_budget=rate is None or rate <= 0.02,
        not_bought=not_bought,
        first_try_valid=1.0,
        verdict_retries=0,
        findings=0,
    )


def gate(rows=(SCORED,), health=None, completeness="complete", selection=None, stopped=None):
    return gating(rows=rows, health=health, completeness=completeness, selection=selection or {}, stopped=stopped)


@pytest.mark.parametrize("health", [None, judge(), judge(errors=2)])
def test_a_whole_run_within_its_budget_is_valid_though_self_agreement_was_not_measured(health):
    assert gate(health=health).valid
    assert gate(health=health).reasons == ()


def test_judge_errors_over_the_budget_are_named_with_their_count():
    found = gate(health=judge(errors=3))
    assert not found.valid
    assert found.reasons == ("3 of 100 judge requests ended without a verdict (3.00%), over the budget of 2.00%",)


@pytest.mark.parametrize(
    "rows", [(), (row(Unscored("missing_output")),), (row(Unscored("null_text")), row(Score(1.0, True), kind="policy"))]
)
def test_a_run_that_measured_nothing_is_invalid(rows):
    assert gate(rows=rows).reasons == ("nothing was scored: no row has a case that could be measured",)


def test_a_selection_is_named():
    assert gate(completeness="partial").reasons == ("a selection of cases was run",)
    assert gate(completeness="partial", selection={"tag": ["x"], "limit": 3}).reasons == (
        "a selection of cases was run (--limit, --tag)",
    )


@pytest.mark.parametrize(
    ("stopped", "words"),
    [
        ("max_cost", "max_cost"),
        ("judge_answers_nothing", "stopped answering"),
        ("interrupted", "interrupted"),
        ("power cut", "power cut"),
    ],
)
def test_an_early_stop_is_named(stopped, words):
    (reason,) = gate(completeness="incomplete", stopped=stopped).reasons
    assert words in reason


def test_an_incomplete_run_without_a_reason_is_still_invalid():
    assert gate(completeness="incomplete").reasons == ("the run is incomplete",)


def test_all_reasons_stand_together():
    found = gate(
        rows=(),
        health=judge(errors=50, not_bought=7),
        completeness="incomplete",
        selection={"case": ["a"]},
        stopped="max_cost",
    )
    assert len(found.reasons) == 5
    assert "7 judge requests were never asked" in found.reasons


def test_a_policy_condition_that_could_not_be_decided_makes_the_run_invalid():
    condition = PolicyBreach(condition="cost_limit", breaches=0, unknown=3, cases=())
    found = gating(rows=[SCORED], health=None, completeness="complete", selection={}, policy=[condition])
    assert not found.valid
    assert found.reasons == ("the policy condition cost_limit could not be decided in 3 cases",)
