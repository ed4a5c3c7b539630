from __future__ import annotations

from pathlib import Path

import pytest
from fakes.pages import material, valid
from fakes.stored_runs import JUDGE_HASH, counts, health, judge_row, report, row

from evalkit.experiments.beside_run import Beside, Swapped
from evalkit.experiments.position_rows import position_row
from evalkit.records.experiments import (
    AgreementRow,
    CriteriaOrderRow,
    DriftRow,
    Experiment,
    ExperimentJudge,
    ExperimentPurchases,
    PairedRow,
)
from evalkit.records.reports import JudgeHeader
from evalkit.reporting.html.beliefs import beliefs, headline


def experiment(kind, **fields):
    judge = ExperimentJudge(capability="faithfulness", judge="judge-1", judge_config_hash=JUDGE_HASH)
    given = {
        "kind": kind,
        "made_at": "2026-01-02T03:04:05",
        "evalkit_version": "0.1.0",
        "suite": "shop",
        "judges": (judge,),
    }
    return Experiment(**{**given, **fields})


def agreement(pairwise=0.9, **fields):
    given = {
        "judge": "judge-1", "capability": "faithfulness", "criterion": "F1", "runs": 3, "items": 10, "n": 10, "excluded": {},
        "equal": {}, "flipped": 1, "all_equal": 0.9, "all_equal_interval": (0.6, 0.98), "pairwise": pairwise,
        "pairwise_interval": (0.7, 1.0), "alpha": None, "alpha_interval": None, "ac1": None, "unreadable_equal": 0,
        "unreadable_pairwise": None, "unreadable_items": 10, "worst_case": None,
    }  # fmt: skip
    return AgreementRow(**{**given, **fields})


def paired(difference, interval, criterion="overall"):
    return PairedRow(
        capability="faithfulness", rubric="faithfulness", criterion=criterion, variant="padding", cases=40, n=40, excluded={},
        passed_original=20, passed_perturbed=24, gained=4, lost=0, difference=difference, interval=interval, p=0.1,
        changed=0.1, changed_interval=(0.04, 0.23),
    )  # fmt: skip


def beside(*experiments, mismatch=""):
    return [Beside(Path("x.json"), one, mismatch) for one in experiments]


def panel(**changes):
    return {belief.name: belief for belief in beliefs(material(**changes))}


def test_an_invalid_run_is_not_to_be_believed_and_the_reasons_are_said():
    found = headline(material())
    assert found.answer == "No"
    assert found.reasons == ("judge errors 33.3 % are over the budget of 2.0 %",)


def test_files_that_do_not_hold_together_come_before_everything():
    assert headline(material(report=valid(), faults=("n + excluded != total",))).reasons == ("n + excluded != total",)


def test_a_valid_run_with_provisional_rows_is_believed_in_part_and_one_without_wholly():
    assert headline(material(report=valid())).answer == "In part"
    assert headline(material(report=valid(rows=(row(),)))).answer == "Yes"
    assert headline(material(report=valid(rows=(judge_row(trust="trusted"),)))).answer == "Yes"


def test_what_was_not_measured_is_said_in_one_line():
    found = panel()
    assert (
        found["Also"].text
        == "stability, position bias, order of criteria, verbosity bias, family preference, style, injection, drift"
    )
    assert found["Judge errors"].state == "fails"
    assert found["Trust"].state == "not measured"
    assert "Also" not in panel(report=report(judges=(), health=None))


def test_completeness_and_outputs_say_what_is_missing():
    assert panel(report=report(completeness="incomplete"))["Completeness"].state == "fails"
    partial = panel(report=report(completeness="partial", selection={"limit": 3}))["Completeness"]
    assert (partial.state, partial.text) == ("fails", "a selection: 3 of 3 cases (--limit)")
    assert panel()["Outputs"].state == "care"
    assert panel(report=report(counts=counts(missing_outputs=0, extra_outputs=0)))["Outputs"].state == "holds"


def test_sample_size_counts_the_rows_that_are_too_small():
    assert panel()["Sample size"].text == "2 of 2 rows have too few cases to be read as a rate or a mean"
    assert panel(report=report(rows=(row(insufficient=False),)))["Sample size"].state == "holds"
    assert "Sample size" not in panel(report=report(rows=()))


def test_requests_that_were_never_asked_fail_even_within_the_budget():
    found = panel(report=report(health=health(within_budget=True, judge_errors={}, judge_error_rate=0.0, not_bought=2)))
    assert found["Judge errors"].state == "fails"
    assert found["Judge errors"].text.endswith("; 2 never asked")
    made = health(within_budget=True, judge_errors={}, judge_error_rate=0.0, not_bought=3, in_open_batches=3)
    assert panel(report=report(health=made))["Judge errors"].text.endswith("; 3 in open batches")


@pytest.mark.parametrize(("independent", "state"), [(True, "holds"), (False, "fails"), (None, "care")])
def test_independence_is_said(independent, state):
    assert panel(report=report(independence={"independent": independent, "reason": "r"}))["Independence"].state == state


def test_trust_counts_the_rows_of_a_model():
    model = JudgeHeader(
        capability="faithfulness", rubric="faithfulness", mode="pointwise", judge="judge-1", snapshots=("judge-1-a",),
        prompt="pointwise/1", judge_config_hash=JUDGE_HASH, samples=1,
    )  # fmt: skip
    trusted, provisional = judge_row(trust="trusted"), judge_row(criterion="F2")
    for rows, state in (((trusted,), "holds"), ((trusted, provisional), "care"), ((provisional,), "not measured")):
        assert panel(report=report(judges=(model,), rows=rows))["Trust"].state == state


def test_stability_names_the_row_that_agrees_least():
    found = panel(beside=beside(experiment("stability", agreement=(agreement(), agreement(0.8, criterion="F2")))))[
        "Stability"
    ]
    assert (found.state, found.text) == (
        "holds",
        "lowest self-agreement: 80.0 % (70.0 to 100.0) in faithfulness F2, 1 of 10 flipped",
    )


def test_instability_and_an_unfinished_or_empty_experiment_do_not_hold():
    unstable = experiment("stability", agreement=(agreement(),), unstable=("faithfulness",))
    assert panel(beside=beside(unstable))["Stability"].state == "fails"
    cut = experiment("stability", agreement=(agreement(),), completeness="incomplete", purchases=ExperimentPurchases())
    assert panel(beside=beside(cut))["Stability"].state == "care"
    empty = experiment("stability", agreement=(agreement(None, pairwise_interval=None),))
    assert panel(beside=beside(empty))["Stability"].state == "not measured"


def test_an_experiment_on_another_instrument_measures_nothing_here():
    found = panel(
        beside=beside(experiment("stability", agreement=(agreement(),)), mismatch="another judge configuration")
    )
    assert found["Stability"] == (
        "Stability",
        "not measured",
        "only for another instrument: another judge configuration",
    )


def test_a_bias_whose_interval_stands_apart_from_zero_asks_for_care():
    apart = experiment("verbosity", paired=(paired(0.1, (0.02, 0.2)), paired(0.0, (-0.1, 0.1), "F1")))
    found = panel(beside=beside(apart))["Verbosity bias"]
    assert found.state == "care"
    assert found.text.startswith("pass rate +10.0 points (2.0 to 20.0) at most, faithfulness overall padding, n 40")
    around = experiment("verbosity", paired=(paired(0.01, (-0.02, 0.04)),))
    assert panel(beside=beside(around))["Verbosity bias"].state == "holds"


def test_drift_asks_for_care_and_an_experiment_without_rows_measured_nothing():
    drifted = DriftRow(
        capability="faithfulness", rubric="faithfulness", criterion="F1", cases=10, n=10, excluded={}, flips=5, rate=0.5,
        interval=(0.2, 0.8), noise=0.05, noise_upper=0.1, state="drift",
    )  # fmt: skip
    assert panel(beside=beside(experiment("drift", drift=(drifted,))))["Drift"].state == "care"
    assert panel(beside=beside(experiment("family")))["Family preference"].state == "not measured"


def moved(n, flips, added, criterion="F1"):
    given = {"passed_both": n - flips, "lost": flips, "gained": 0, "failed_both": 0, "flips": flips, "repeat_flips": 1}
    figures = {
        "difference": -flips / n,
        "interval": (-0.3, -0.1),
        "p": 0.01,
        "added_interval": (0.1, 0.3),
        "added_p": 0.01,
    }
    return CriteriaOrderRow(
        capability="faithfulness", rubric="faithfulness", criterion=criterion, place=1, moved_to=2, cases=50, n=n, excluded={},
        added=added, **given, **(figures if n > flips else dict.fromkeys(figures)),
    )  # fmt: skip


def test_the_order_of_criteria_is_told_by_the_criterion_that_it_moves_most():
    found = panel(beside=beside(experiment("criteria", criteria_order=(moved(50, 2, 0.02), moved(50, 9, 0.16, "F2")))))
    belief = found["Order of criteria"]
    assert belief.state == "care"
    assert belief.text == (
        "faithfulness F2: 9 of 50 grades changed with the order, 1 when nothing changed; "
        "pass rate -18.0 points (-30.0 to -10.0); 1 more below"
    )


@pytest.mark.parametrize(
    ("kind", "rows"),
    [
        ("criteria", {"criteria_order": (moved(50, 50, None).model_copy(update={"n": 0}),)}),
        ("verbosity", {"paired": (paired(None, None).model_copy(update={"n": 0}),)}),
    ],
)
def test_rows_without_data_hold_nothing(kind, rows):
    found = panel(beside=beside(experiment(kind, **rows)))
    (belief,) = [one for name, one in found.items() if name in {"Order of criteria", "Verbosity bias"}]
    assert belief.state == "not measured"
    assert "no data" in belief.text


def swapped(*pairs):
    rows = tuple(position_row("judge-1", name, 0, list(pairs)) for name in ("P1", "overall"))
    return Swapped(Path("runs/comparisons/shop/a-vs-b"), "2026-01-02T03:04:05", rows)


@pytest.mark.parametrize(("place", "state"), [("second", "holds"), ("first", "care")])
def test_a_comparison_by_the_same_judge_tells_its_position_bias(place, state):
    found = panel(swapped=swapped(*[["first", place]] * 30))["Position bias"]
    assert found.state == state
    assert found.text.startswith("in a comparison: judge-1 / overall, sample 0: 30 pairs")


def test_an_experiment_on_position_comes_before_a_comparison():
    rows = swapped(["first", "first"]).rows
    found = panel(beside=beside(experiment("position", position=rows)), swapped=swapped(["first", "second"]))[
        "Position bias"
    ]
    assert not found.text.startswith("in a comparison")
