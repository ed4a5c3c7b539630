from __future__ import annotations

import pytest
from fakes.stored_runs import judge_row, report, row

from evalkit.aggregation.gates import Evidence, gated
from evalkit.records.gates import Regression, Reliance
from evalkit.records.reports import Gating, PolicyBreach
from evalkit.records.suites import Gate
from evalkit.stats.intervals import wilson

VALID = Gating(valid=True, reasons=())


def big(passed=95, n=100, **changes):
    """Return a row of many cases."""
    fields = {"n": n, "passed": passed, "value": passed / n if n else None, "excluded": {}, "total": n, "bounds": None}
    return row(**{**fields, "interval": wilson(passed, n) if n else None, "insufficient": False, **changes})


def mean(**changes):
    """Return a mean with its interval."""
    fields = {"estimate": "mean", "passed": None, "value": 0.8, "interval": (0.75, 0.85), **changes}
    return big().model_copy(update=fields)


def gate(**changes):
    return Gate(**{"capability": "short_answer", "criterion": "exact_match", **changes})


def fallen(lower, reason=""):
    return lambda _: Regression(n=100, lower=lower, reason=reason)


def relied(low, high):
    return lambda _: Reliance(bounds=(low, high))


NO_BASELINE = fallen(None, "no baseline")


def outcome(row_or_rows, a_gate, against=NO_BASELINE, **kwargs):
    rows = row_or_rows if isinstance(row_or_rows, tuple) else (row_or_rows,)
    made = report(rows=rows, gating=VALID, policy=())
    return gated("r", made, [a_gate], Evidence(against=against, **kwargs))


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({"min": 0.88}, "passed"),
        ({"min": 0.90}, "failed"),  # Wilson's lower end of 95/100 is .888
        ({"min": 0.95, "on": "value"}, "passed"),
        ({"max": 0.97}, "failed"),
        ({"max": 0.98}, "passed"),
    ],
)
def test_a_threshold_is_held_against_the_bound_unless_the_value_is_asked_for(changes, state):
    assert outcome(big(), gate(**changes)).state == state


def test_the_worse_of_the_plain_and_the_clustered_interval_decides():
    assert outcome(big(interval_clustered=(0.7, 0.99)), gate(min=0.75)).state == "failed"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"min": 0.75}, "0.7 (the interval's end over 9 clusters; cases share documents or templates) is below 0.75"),
        ({"min": 0.65}, "0.7 (the interval's end over 9 clusters; cases share documents or templates), of 100 cases"),
        ({"max": 0.9}, "0.9785 is above 0.9"),
        ({"max": 0.9, "on": "value"}, "0.95 is above 0.9"),
    ],
)
def test_a_gate_says_where_it_holds_the_bound_over_clusters(changes, said):
    assert outcome(big(interval_clustered=(0.7, 0.96), clusters=9), gate(**changes)).results[0].reason == said


@pytest.mark.parametrize("on", ["value", "lower"])
def test_a_gate_must_hold_if_every_hidden_outcome_were_a_fail(on):
    hidden = big(passed=95, n=95, excluded={"missing_output": 5}, total=100)
    assert outcome(hidden, gate(min=0.96, on=on)).state == "failed"
    asks_nothing = big(passed=95, n=95, excluded={"not_applicable": 5}, total=100)
    assert outcome(asks_nothing, gate(min=0.96, on=on)).state == "passed"


@pytest.mark.parametrize(
    ("a_row", "word"),
    [
        (big(passed=0, n=0, excluded={"missing_output": 9}, total=9), "nothing was scored"),
        (big(passed=0, n=0), "nothing was scored"),
        (big(insufficient=True), "too few"),
        (mean(excluded={"scorer_error": 1}, total=101), "no worst case"),
        (big(mode="pairwise", kind="judge"), "pairwise"),
    ],
)
def test_what_cannot_be_decided_is_refused_and_never_passed(a_row, word):
    (result,) = outcome(a_row, gate(min=0.0), trust=relied(0.9, 1.0), stability=lambda _: "").results
    assert result.state == "refused"
    assert word in result.reason


@pytest.mark.parametrize("limit", [float("nan"), float("inf"), float("-inf")])
def test_a_threshold_that_is_no_number_is_refused(limit):
    broken = gate(min=0.5).model_copy(update={"min": limit})
    assert outcome(big(), broken).state == "refused"


def judged(**changes):
    """Return a judge's row of many cases."""
    fields = ("n", "passed", "value", "interval", "excluded", "total", "insufficient")
    return judge_row(**{k: getattr(big(**changes), k) for k in fields})


F1 = gate(capability="faithfulness", criterion="F1", min=0.5)


def test_a_judges_row_is_refused_until_labels_and_stability_speak_for_it():
    (result,) = outcome(judged(), F1).results
    assert result.state == "refused"
    assert "self-agreement not measured" in result.reason
    assert "not calibrated" in result.reason
    assert outcome(judged(), F1, trust=relied(0.6, 0.9)).state == "refused"
    assert outcome(judged(), F1, stability=lambda _: "").state == "refused"
    assert outcome(judged(), F1, trust=relied(0.6, 0.9), stability=lambda _: "").state == "passed"


@pytest.mark.parametrize("on", ["value", "lower"])
@pytest.mark.parametrize(("low", "excluded", "state"), [(0.5, 0, "passed"), (0.49, 0, "failed"), (0.5, 5, "failed")])
def test_a_trusted_row_is_read_by_its_corrected_rate_at_the_worst_end(on, low, excluded, state):
    row = judged(n=100, passed=95, excluded={"judge_error:parse": excluded} if excluded else {}, total=100 + excluded)
    gate_on = F1.model_copy(update={"on": on})
    assert outcome(row, gate_on, trust=relied(low, 0.9), stability=lambda _: "").state == state


def test_labels_that_name_no_bound_and_no_reason_are_no_trust():
    (result,) = outcome(judged(), F1, trust=lambda _: Reliance(), stability=lambda _: "").results
    assert (result.state, "not calibrated" in result.reason) == ("refused", True)


def test_a_gate_without_a_row_is_refused():
    assert outcome(big(), gate(criterion="other", min=0.1)).results[0].reason == "the run has no such row"


def test_every_row_that_a_gate_names_must_hold_it():
    found = outcome((big(), big(scorer="other", passed=50)), gate(min=0.8))
    assert [result.state for result in found.results] == ["passed", "failed"]


@pytest.mark.parametrize(
    ("against", "state"),
    [
        (fallen(-0.04), "passed"),
        (fallen(-0.05), "failed"),
        (fallen(None, "no baseline"), "refused"),
        (fallen(-0.01, "too few"), "refused"),
    ],
)
def test_no_regression_holds_the_lower_bound_against_the_margin(against, state):
    assert outcome(big(), gate(on="no_regression", margin=0.05), against).state == state


@pytest.mark.parametrize(
    ("better", "lower", "observed", "words"),
    [
        ("higher", -0.02, -0.02, "at worst -0.02 against the baseline over 60 pairs"),
        ("lower", -0.02, 0.02, "at worst +0.02 against the baseline over 60 pairs, fewer is better"),
        ("lower", 0.0, 0.0, "at worst +0 against the baseline over 60 pairs, fewer is better"),
        ("higher", -0.0, 0.0, "at worst +0 against the baseline over 60 pairs"),
    ],
)
def test_the_difference_from_the_baseline_has_one_sign_in_words_and_figure(better, lower, observed, words):
    (found,) = outcome(
        mean(), gate(on="no_regression", margin=0.05), lambda _: Regression(n=60, lower=lower, better=better)
    ).results
    assert (found.state, found.observed, found.reason) == ("passed", observed, words)


def test_a_floor_beside_no_regression_holds_too():
    assert outcome(big(), gate(on="no_regression", margin=0.05, min=0.99), fallen(0.0)).state == "failed"


def test_a_mean_is_held_by_its_t_interval_and_needs_one():
    assert outcome(mean(), gate(min=0.74)).state == "passed"
    assert outcome(mean(), gate(min=0.76)).state == "failed"
    assert outcome(mean().model_copy(update={"interval": None, "note": "SD = 0"}), gate(min=0.1)).state == "refused"


def breach(**changes):
    return PolicyBreach(**{"condition": "forbidden_tools", "breaches": 0, "unknown": 0, "cases": (), **changes})


@pytest.mark.parametrize(
    ("condition", "state"),
    [(breach(), "passed"), (breach(breaches=1, cases=("c",)), "failed"), (breach(unknown=1), "refused")],
)
def test_a_condition_that_was_not_decided_in_every_case_is_no_pass(condition, state):
    assert gated("r", report(gating=VALID, policy=(condition,)), [], fallen(None)).state == state


def test_a_run_that_is_invalid_for_gating_is_refused_and_nothing_at_all_is_no_pass():
    assert gated("r", report(policy=(breach(),)), [], fallen(None)).state == "refused"
    assert gated("r", report(gating=VALID, policy=()), [], fallen(None)).state == "refused"


def test_nothing_passes_in_a_run_that_may_not_be_gated_on_and_what_fails_still_does():
    found = gated(
        "r", report(rows=(big(),), policy=(breach(),)), [gate(min=0.5), gate(min=0.99)], Evidence(against=fallen(None))
    )
    assert found.state == "failed"
    assert [(one.kind, one.state) for one in found.results] == [
        ("run", "refused"),
        ("threshold", "refused"),
        ("threshold", "failed"),
        ("policy", "refused"),
    ]
    assert "may decide nothing" in found.results[1].reason


def test_a_gate_says_which_end_it_held_where_on_does_not():
    steady = {"trust": relied(0.7, 0.9), "stability": lambda _: ""}
    judged = judge_row(n=100, passed=80, value=0.8, excluded={}, total=100, insufficient=False)
    on_value = Gate(capability="faithfulness", criterion="F1", min=0.6, on="value")
    assert (
        "0.7 (the one-sided 95 % bound of the corrected rate)" in outcome(judged, on_value, **steady).results[0].reason
    )
    hidden = big(excluded={"missing_output": 5}, total=105)
    reason = outcome(hidden, gate(min=0.5, on="value")).results[0].reason
    assert "(the value with every hidden outcome at the worse end)" in reason
    assert "(" not in outcome(big(), gate(min=0.5, on="value")).results[0].reason
