"""The conditions of trust, and the ledger in which they are kept."""

from __future__ import annotations

import pytest
from fakes import stored_runs
from fakes.trust import asked, cascade_report, trusted

from evalkit.calibration.trust import trust_rows
from evalkit.records.calibrations import Beside, CalibrationRow, Cell, ClassRate, Figure
from evalkit.records.suites import TrustBars
from evalkit.records.trust import Condition, Ledger, TrustedJudge, state_of

NOTHING = Figure(value=None)


def rate(correct, n):
    from evalkit.stats.intervals import clopper_pearson_lower, clopper_pearson_upper, wilson

    few = "insufficient: few" if n < 30 else ""
    bounds = clopper_pearson_lower(correct, n), clopper_pearson_upper(correct, n)
    return ClassRate(
        correct=correct,
        n=n,
        value=correct / n,
        interval=wilson(correct, n),
        lower=bounds[0],
        upper=bounds[1],
        reading=few,
    )


def calibrated(tpr, tnr, **changes):
    fields = {
        "judge": "j",
        "capability": "faithfulness",
        "rubric": "faithfulness",
        "criterion": "F1",
        "mode": "pointwise",
        "split": "test",
        "sample": "drawn",
        "designs": {},
        "items": 1,
        "n": 1,
        "excluded": {},
        "binary": True,
        "agree": 1,
        "agreement": 1.0,
        "agreement_interval": None,
        "confusion": (Cell(human="pass", judge="partial", count=3),),
        "rules": (),
        "unreadable": 0,
        "kappa": NOTHING,
        "ac1": NOTHING,
        "tpr": tpr,
        "tnr": tnr,
        "worst_tpr": tpr.lower,
        "worst_tnr": tnr.lower,
        "always": Beside(name="always pass", n=0, agree=0, agreement=None, interval=None, kappa=NOTHING),
    }
    return CalibrationRow(**{**fields, **changes})


def conditions(*rows, **changes):
    (row,) = trust_rows(asked(**changes), rows)
    return row, {one.name: one for one in row.conditions}


def test_rates_above_both_bars_meet_the_conditions_on_labels():
    row, found = conditions(calibrated(rate(99, 100), rate(48, 50)))
    assert {found[name].state for name in ("true-pass rate", "true-fail rate", "worst case")} == {"met"}
    assert row.labels_needed == {}


def test_a_bound_that_falls_where_missing_verdicts_were_wrong_is_undecided():
    _, found = conditions(calibrated(rate(99, 100), rate(48, 50), worst_tnr=0.7))
    assert found["worst case"].state == "undecided"


@pytest.mark.parametrize(("correct", "n", "needed"), [(0, 0, 30), (22, 22, 8), (40, 42, 19)])
def test_labels_still_needed_are_counted_per_class(correct, n, needed):
    # Bar .9: 61 labels allow two errors; below 30 of a class nothing is decided.
    tpr = rate(correct, n) if n else ClassRate(correct=0, n=0, value=None)
    row, _ = conditions(calibrated(tpr, rate(48, 50)))
    assert row.labels_needed == {"pass": needed}


def test_planted_fails_count_only_where_the_suite_says_so():
    drawn = calibrated(rate(99, 100), rate(5, 5))
    planted = calibrated(rate(9, 10), rate(50, 50), sample="planted")
    row, found = conditions(drawn, planted)
    assert (row.tnr_from, found["true-fail rate"].state) == ("drawn", "undecided")
    allowed = {"bars": TrustBars(planted_fails=True)}
    row, found = conditions(drawn, planted, **allowed)
    assert (row.tnr_from, found["true-fail rate"].state) == ("planted", "met")
    row, _ = conditions(calibrated(rate(99, 100), rate(10, 40)), planted, **allowed)
    assert row.tnr_from == "drawn", "what happens in the run speaks against it"


def test_dev_labels_decide_nothing():
    row, found = conditions(calibrated(rate(99, 100), rate(48, 50), split="dev"))
    assert found["true-pass rate"].state == "undecided"
    assert row.labels_needed == {"pass": 30, "fail": 30}


def test_a_partial_is_counted_as_no_pass():
    row, _ = conditions(calibrated(rate(99, 100), rate(48, 50)))
    assert row.labels.judge_fail_human_pass == 3


def test_one_failed_condition_is_enough_and_one_open_one_leaves_it_undecided():
    met, undecided, failed = (
        Condition(name="padding", state=state, figures="") for state in ("met", "undecided", "failed")
    )
    assert state_of([met, met]) == "TRUSTED"
    assert state_of([met, undecided]) == "UNDECIDED"
    assert state_of([met, undecided, failed]) == "NOT TRUSTED"


def test_a_later_row_about_the_same_takes_its_place_and_others_stay():
    judge = TrustedJudge(judge="j", snapshots=(), identity={})
    old, kept = trusted(state="UNDECIDED"), trusted(judge_config_hash="0" * 64)
    hashes = {row.judge_config_hash: judge for row in (old, kept)}
    before = Ledger(suite="s", judges=hashes, rows=(kept, old))
    after = before.merged({}, (trusted(),))
    assert [(row.judge_config_hash[0], row.state) for row in after.rows] == [("0", "TRUSTED"), ("c", "TRUSTED")]
    assert set(after.judges) == set(hashes)


def cascaded(style="systemone", failed=0, **health):
    """Return the report of a run that a cascade decided, no case of it by the judge."""
    report = asked().report
    signature = {"rubric": "faithfulness", "cascade": {"classifier": {"style": style}}}
    return report.model_copy(
        update={
            "rows": (stored_runs.judge_row(signature=signature),),
            "cascades": (cascade_report(failed),),
            "health": report.health.model_copy(
                update={"judged": 0, "judge_error_rate": None, "not_bought": 0, "judge_errors": {}} | health
            ),
        }
    )


@pytest.mark.parametrize(
    ("failed", "health", "state", "words"),
    [
        (0, {}, "met", "the classifier decided all 100 cases"),
        (3, {}, "undecided", "the classifier failed on 3 of 100 cases"),
        (2, {"judged": 2, "judge_error_rate": 0.0}, "met", "0 of 2 requests"),
        (0, {"not_bought": 1}, "undecided", "not every verdict was asked for"),
    ],
)
def test_of_a_cascade_the_classifiers_failures_count_as_a_judges_errors(failed, health, state, words):
    _, found = conditions(calibrated(rate(99, 100), rate(48, 50)), report=cascaded(failed=failed, **health))
    assert found["judge errors"].state == state
    assert words in found["judge errors"].figures


@pytest.mark.parametrize(("style", "state"), [("floor", "failed"), ("systemone", None), ("static", None)])
def test_the_floor_before_a_judge_is_no_model_either(style, state):
    _, found = conditions(calibrated(rate(99, 100), rate(48, 50)), report=cascaded(style))
    assert (found["a model"].state if "a model" in found else None) == state


def _answered(*snapshots, of_classifier=(), **changes):
    """Return a run whose judge uses were answered by these snapshots, a use for each given tuple."""
    report = asked().report
    uses = tuple(
        report.judges[0].model_copy(
            update={"snapshots": names, "classifier_snapshots": of_classifier} | ({"capability": "b"} if place else {})
        )
        for place, names in enumerate(snapshots)
    )
    healthy = report.health.model_copy(update={"judge_errors": {}, "judge_error_rate": 0.0, "not_bought": 0})
    return report.model_copy(update={"judges": uses, "health": healthy} | changes)


@pytest.mark.parametrize(
    "report",
    [
        _answered(("s1", "s2")),
        _answered(("s1",), of_classifier=("g1", "g2")),
        _answered(("s1",), ("s2",)),
    ],
    ids=["two judges", "two classifiers", "another capability under the same configuration"],
)
def test_a_run_that_several_snapshots_answered_leaves_trust_undecided(report):
    row, found = conditions(calibrated(rate(99, 100), rate(48, 50)), report=report)
    assert found["one instrument"].state == "undecided"
    assert "mixed: several snapshots answered" in row.reading
    assert row.state == "UNDECIDED"


def test_a_judge_and_the_classifier_before_it_are_one_instrument():
    _, found = conditions(calibrated(rate(99, 100), rate(48, 50)), report=_answered(("s1",), of_classifier=("g1",)))
    assert not {"one instrument", "a whole run"} & found.keys()


@pytest.mark.parametrize(
    ("completeness", "words"), [("partial", "a part of the cases"), ("incomplete", "the run is incomplete")]
)
def test_a_run_that_is_not_whole_earns_no_trust(completeness, words):
    report = _answered(("s1",), completeness=completeness)
    row, found = conditions(calibrated(rate(99, 100), rate(48, 50)), report=report)
    assert found["a whole run"].state == "undecided"
    assert words in row.reading


def test_what_can_earn_nothing_takes_the_place_of_nothing_that_a_whole_run_decided():
    open_one = Condition(name="a whole run", state="undecided", figures="a part of the cases was run")
    part = trusted(state="UNDECIDED", conditions=(*trusted().conditions, open_one))
    more = part.model_copy(update={"criterion": "F2"})
    elsewhere = part.model_copy(update={"judge_config_hash": "e" * 64})
    failed = trusted(state="NOT TRUSTED")
    for before in (trusted(), failed):
        ledger = Ledger(suite="s", judges={}, rows=(before,))
        assert ledger.kept_from((part, more, elsewhere)) == (part, more)
        assert ledger.kept_from((trusted(),)) == ()
    assert Ledger(suite="s", judges={}, rows=(part,)).kept_from((part,)) == ()


def test_rows_that_stay_keep_the_snapshot_behind_them_beside_that_of_the_new_ones():
    old, other = TrustedJudge(judge="j", snapshots=("s1",), identity={}), trusted(criterion="F2")
    now = old.model_copy(update={"snapshots": ("s2",)})
    before = Ledger(suite="s", judges={other.judge_config_hash: old}, rows=(other, trusted()))
    half = before.merged({other.judge_config_hash: now}, (trusted(),))
    assert half.judges[other.judge_config_hash].snapshots == ("s1", "s2"), "F2 was calibrated on s1"
    whole = before.merged({other.judge_config_hash: now}, (trusted(), other))
    assert whole.judges[other.judge_config_hash].snapshots == ("s2",)
