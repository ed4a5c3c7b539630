"""What a row may be relied on for: the ledger's word, its corrected rate, or what changed since."""

from __future__ import annotations

import pytest
from fakes import stored_runs
from fakes.trust import BARS, MET, cascade_report, trusted

from evalkit.aggregation.independence import independence as independence_between
from evalkit.calibration.reliance import (
    CONJUNCTION,
    NO_LEDGER,
    NOT_THIS,
    OWN_FAMILY,
    UNCALIBRATED,
    corrected_rate,
    differing,
    doubts_of,
    reliance_on,
)
from evalkit.records.calibrations import ClassRate
from evalkit.records.manifests import JudgeUseManifest
from evalkit.records.trust import LabelCounts, Ledger, TrustedJudge

IDENTITY = {"model": "m1", "rubric_hash": "a" * 64}
ROW = stored_runs.judge_row(n=500, passed=400, value=0.8, excluded={}, total=500, insufficient=False)
OTHER = stored_runs.report(rows=(ROW,), outputs={"name": "candidate", "sha256": "0" * 64})
SAME = stored_runs.report(rows=(ROW,))


def ledger(*rows, snapshots=(), identity=None):
    judges = {
        row.judge_config_hash: TrustedJudge(judge="j", snapshots=snapshots, identity=identity or IDENTITY)
        for row in rows
    }
    return Ledger(suite="shop", judges=judges, rows=rows)


def relied(found, *, row=ROW, report=SAME, bars=BARS, identity=None):
    judge = JudgeUseManifest(
        capability="faithfulness",
        judge_config_hash=stored_runs.JUDGE_HASH,
        identity=identity or IDENTITY,
        client="openai",
        snapshots=(),
        family=None,
        structured_output_sent=True,
    )
    return reliance_on(found, report, (judge,), bars)(row)


def test_labels_of_the_same_run_correct_by_post_stratification():
    found = corrected_rate(trusted(), SAME, ROW)
    assert found.method == "post-stratified, MOVER-Jeffreys"
    assert found.corrected == pytest.approx(0.8 * 0.96 + 0.2 * 4 / 50)
    assert relied(ledger(trusted())).bounds == (found.lower, found.upper)


def test_labels_of_another_run_carry_the_rates_over():
    found = corrected_rate(trusted(), OTHER, ROW)
    assert found.method == "Rogan-Gladen, Lang-Reiczigel"
    assert found.corrected == pytest.approx((0.8 + 0.92 - 1) / (0.96 + 0.92 - 1))


def test_labels_drawn_by_the_verdicts_of_another_run_do_not_carry_over():
    found = relied(ledger(trusted(weighting="begg-greenes")), report=OTHER)
    assert found.bounds is None
    assert "verdicts of another run" in found.reason


def test_a_judge_no_better_than_chance_is_not_correctable():
    coin = ClassRate(correct=20, n=40, value=0.5)
    assert "no better than chance" in corrected_rate(trusted(tpr=coin, tnr=coin), OTHER, ROW).reading


def test_without_a_ledger_a_row_is_uncalibrated():
    assert relied(None).reason == UNCALIBRATED


@pytest.mark.parametrize("state", ["UNDECIDED", "NOT TRUSTED"])
def test_only_what_is_trusted_is_relied_on(state):
    assert relied(ledger(trusted(state=state, reading="why"))).reason == f"{state}: why"


def test_a_conjunction_needs_labels_of_its_own():
    row = ROW.model_copy(update={"criterion": "overall"})
    assert relied(ledger(trusted()), row=row).reason == CONJUNCTION


def test_another_configuration_loses_trust_and_says_what_changed():
    old = trusted(judge_config_hash="f" * 64)
    found = relied(ledger(old), identity={"model": "m2", "rubric_hash": "b" * 64})
    assert found.reason == f"trust was lost: model m1 -> m2; rubric_hash {'a' * 12} -> {'b' * 12}; calibrate again"


def test_another_snapshot_makes_a_row_provisional():
    answered = SAME.model_copy(update={"judges": (SAME.judges[0].model_copy(update={"snapshots": ("new",)}),)})
    assert "another snapshot answered (new)" in relied(ledger(trusted(), snapshots=("old",)), report=answered).reason


def test_trust_that_a_ledger_holds_on_several_snapshots_is_that_of_none():
    answered = SAME.model_copy(update={"judges": (SAME.judges[0].model_copy(update={"snapshots": ("new",)}),)})
    found = relied(ledger(trusted(), snapshots=("new", "old")), report=answered)
    assert found.bounds is None
    assert "trust was earned on several snapshots (new, old)" in found.reason


@pytest.mark.parametrize(
    "changes", [{"tpr": 0.95}, {"tnr": 0.9}, {"tolerance": 0.01}, {"judge_error": 0.01}, {"self_agreement": 0.95}]
)
def test_a_stricter_suite_asks_for_another_calibration(changes):
    assert "asks for more" in relied(ledger(trusted()), bars=BARS.model_copy(update=changes)).reason


def test_a_milder_suite_does_not():
    assert relied(ledger(trusted()), bars=BARS.model_copy(update={"tpr": 0.8, "tolerance": 0.1})).reason == ""


def run_of(family_differs, reason="judge and candidate share the family acme"):
    return SAME.model_copy(update={"independence": {"family_differs": family_differs, "reason": reason}})


def independence(**fields):
    """Return every condition, with these fields of independence."""
    return tuple(one.model_copy(update=fields) if one.name == "independence" else one for one in MET)


@pytest.mark.parametrize("family_differs", ["false", "unknown"])
def test_trust_earned_on_another_family_is_none_for_the_judges_own(family_differs):
    earned = ledger(trusted(conditions=independence(observed=None)))
    found = relied(earned, report=run_of(family_differs))
    assert found.bounds is None
    assert found.reason.startswith("independence of this run: judge and candidate share the family acme, and trust was")
    assert "evalkit bias family SUITE --second-judge FILE" in found.reason
    assert relied(earned, report=run_of("true")).bounds is not None


@pytest.mark.parametrize(("upper", "relied_on"), [(0.05, True), (0.051, False)])
def test_the_favour_for_the_own_family_decides_where_it_was_measured(upper, relied_on):
    found = relied(ledger(trusted(conditions=independence(observed=upper))), report=run_of("false"))
    assert (found.bounds is not None) is relied_on
    assert ("favours its own by up to 5.1 points, tolerance 5" in found.reason) is not relied_on


def test_too_few_labels_of_a_verdict_decide_nothing():
    few = LabelCounts(judge_pass_human_pass=96, judge_pass_human_fail=4, judge_fail_human_fail=5)
    assert "cannot be corrected: insufficient" in relied(ledger(trusted(labels=few))).reason


def test_more_labels_of_a_verdict_than_the_run_has_are_not_of_this_run():
    many = LabelCounts(judge_pass_human_pass=450)
    assert corrected_rate(trusted(labels=many), SAME, ROW).method == "Rogan-Gladen, Lang-Reiczigel"


APART = independence_between("m", "one", "n", "another")


def test_what_differs_is_named_field_by_field_in_both_directions():
    assert differing({"a": 1, "b": 2}, {"b": 3, "c": 4}) == ["a 1 -> None", "b 2 -> 3", "c None -> 4"]


def test_single_verdicts_are_trusted_by_configuration_criterion_and_snapshot():
    doubts = doubts_of(ledger(trusted(), snapshots=("s1",)), BARS)
    assert doubts(stored_runs.JUDGE_HASH, "F1", frozenset({"s1"}), APART) == ""
    assert "another snapshot answered (s2)" in doubts(stored_runs.JUDGE_HASH, "F1", frozenset({"s2"}), APART)
    assert doubts(stored_runs.JUDGE_HASH, "F2", frozenset({"s1"}), APART) == NOT_THIS
    assert doubts("f" * 64, "F1", frozenset({"s1"}), APART) == NOT_THIS
    undecided = doubts_of(ledger(trusted(state="UNDECIDED", reading="few labels")), BARS)
    assert undecided(stored_runs.JUDGE_HASH, "F1", frozenset(), APART) == "UNDECIDED: few labels"
    assert doubts_of(None, BARS)(stored_runs.JUDGE_HASH, "F1", frozenset(), APART) == NO_LEDGER


@pytest.mark.parametrize(
    ("observed", "differs", "counts"),
    [
        (None, "true", True),
        (None, "false", False),
        (None, "unknown", False),
        (0.01, "false", True),
        (0.2, "false", False),
    ],
)
def test_of_its_own_kind_a_judge_is_trusted_only_where_its_favour_is_known_to_be_small(observed, differs, counts):
    doubts = doubts_of(ledger(trusted(conditions=independence(observed=observed)), snapshots=("s1",)), BARS)
    said = independence_between("m", "a", "n", {"true": "b", "false": "a", "unknown": None}[differs])
    doubt = doubts(stored_runs.JUDGE_HASH, "F1", frozenset({"s1"}), said)
    assert doubt.startswith("" if counts else OWN_FAMILY)
    assert (doubt == "") is counts


def test_what_changed_within_a_part_of_the_configuration_is_named_with_its_path():
    before = {"model": "m", "cascade": {"low": 0.3, "classifier": {"model": "jev-1", "style": "systemone"}}}
    now = {"model": "m", "cascade": {"low": 0.2, "classifier": {"model": "jev-2", "style": "systemone"}}}
    assert differing(before, now) == ["cascade.low 0.3 -> 0.2", "cascade.classifier.model jev-1 -> jev-2"]
    assert differing({"model": "m"}, {"model": "m", "cascade": None}) == []
    assert differing({}, before) == ["model None -> m", "cascade added"]
    assert differing(before, {"model": "m"}) == ["cascade removed"]


@pytest.mark.parametrize(("failed", "refused"), [(2, False), (3, True)])
def test_a_run_whose_classifier_failed_beyond_the_budget_was_not_decided_by_the_cascade_that_is_trusted(
    failed, refused
):
    report = SAME.model_copy(update={"cascades": (cascade_report(failed),)})
    found = relied(ledger(trusted()), report=report)
    assert (found.bounds is None) is refused
    assert ("the classifier failed on 3 of 100 cases" in found.reason) is refused


def test_another_snapshot_of_the_classifier_is_another_instrument_too():
    header = SAME.judges[0].model_copy(update={"classifier_snapshots": ("jev-2",)})
    report = SAME.model_copy(update={"judges": (header,)})
    assert "another snapshot answered (jev-2 (classifier))" in relied(ledger(trusted()), report=report).reason
