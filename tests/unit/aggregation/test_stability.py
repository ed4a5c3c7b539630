from __future__ import annotations

import pytest
from fakes.stored_runs import JUDGE_HASH, judge_row, report

from evalkit.aggregation.stability import NO_FLOOR, NOT_MEASURED, agreement_of, stability_of
from evalkit.records.experiments import AgreementRow, Experiment, ExperimentJudge

NOTHING = {"not_applicable": 60}


def agreement(criterion="F1", low=0.9, **changes):
    """Return the agreement of 60 items; `low` is the lower bound of pairwise agreement, None where there is none."""
    fields = {
        "judge": "m",
        "capability": "faithfulness",
        "rubric": "faithfulness",
        "criterion": criterion,
        "runs": 3,
        "items": 60,
        "n": 60,
        "excluded": {},
        "equal": {"pass": 60},
        "flipped": 0,
        "all_equal": 1.0,
        "all_equal_interval": (0.9, 1.0),
        "pairwise": 1.0,
        "pairwise_interval": None if low is None else (low, 1.0),
        "alpha": None,
        "alpha_interval": None,
        "ac1": None,
        "unreadable_equal": 60,
        "unreadable_pairwise": 1.0,
        "unreadable_items": 60,
        "worst_case": 1.0,
    }
    return AgreementRow(**{**fields, **changes})


def measured(*rows, judge_config_hash=JUDGE_HASH, snapshots=(), **changes):
    judge = ExperimentJudge(
        capability="faithfulness", judge="m", judge_config_hash=judge_config_hash, snapshots=snapshots
    )
    fields = {"kind": "stability", "made_at": "2026-01-01T00:00:00Z", "evalkit_version": "1", "suite": "shop"}
    return Experiment(**{**fields, "judges": (judge,), "agreement": rows or (agreement(),), **changes})


def reason(*experiments, floor=0.85):
    return stability_of(report(), experiments, floor)(judge_row())


def test_a_judge_whose_lower_bound_reaches_the_floor_is_stable():
    assert reason(measured(agreement(low=0.85))) == ""


@pytest.mark.parametrize("low", [0.849, None])
def test_a_judge_under_the_floor_or_without_a_bound_is_unstable(low):
    assert "unstable: self-agreement on F1" in reason(measured(agreement(low=low)))


def test_the_floor_of_today_decides_not_the_one_the_file_was_made_under():
    was_stable = agreement(low=0.9, floor=0.8, state="stable")
    assert "the floor is 0.95" in reason(measured(was_stable), floor=0.95)


def test_one_unstable_criterion_makes_the_capability_unstable():
    assert "on F2" in reason(measured(agreement(), agreement("F2", low=0.5)))


def test_a_criterion_on_which_the_judge_never_had_a_word_makes_nothing_unstable():
    assert reason(measured(agreement(), agreement("F2", low=None, n=0, excluded=NOTHING))) == ""


@pytest.mark.parametrize(
    "experiment",
    [
        measured(judge_config_hash="0" * 64),
        measured(checked=False),
        measured(completeness="incomplete"),
        measured(completeness="partial", selection={"case": ["c1"]}),
        measured(kind="drift"),
        measured(agreement("F2")),
        measured(agreement(rubric="another")),
        measured(agreement(n=0, excluded=NOTHING)),
    ],
)
def test_what_was_measured_elsewhere_or_on_chosen_cases_is_not_measured(experiment):
    assert reason(experiment) == NOT_MEASURED
    assert reason() == NOT_MEASURED


def test_a_limit_is_no_choice_by_result():
    assert reason(measured(completeness="partial", selection={"limit": 60})) == ""


def test_without_a_floor_nothing_is_stable_enough():
    assert reason(measured(), floor=None) == NO_FLOOR


def test_the_newest_experiment_that_fits_is_read():
    newest, older = measured(agreement(low=0.5)), measured(agreement(low=0.9))
    assert reason(newest, older)
    (found,) = agreement_of(report().judges[0], [measured(judge_config_hash="0" * 64), older])
    assert found.pairwise_interval == (0.9, 1.0)


def test_a_stability_of_another_snapshot_is_said_to_be_one():
    said = reason(measured(snapshots=("another",)))
    assert said.startswith(
        "self-agreement was measured under another snapshot (another) than the run's (nobody): evalkit stability"
    )


def test_a_capability_does_not_borrow_the_stability_of_another_one_under_the_same_configuration():
    other = judge_row().model_copy(update={"capability": "honesty"})
    assert stability_of(report(), [measured()], 0.85)(other) == NOT_MEASURED
