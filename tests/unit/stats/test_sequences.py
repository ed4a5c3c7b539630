"""Fixed sequences: where they stop, and that the risk that was allowed is held in a simulation."""

from __future__ import annotations

from random import Random

import pytest
from scipy.stats import beta

from evalkit.stats.results import Refused
from evalkit.stats.sequences import Level, fixed_sequence, labels_to_start, levels_of, selective_threshold


@pytest.mark.parametrize(("passed", "last"), [([True, True, False, True], 1), ([True], 0), ([True, True, True], 2)])
def test_the_cheapest_before_the_first_failure_is_taken(passed, last):
    assert fixed_sequence(passed) == last


@pytest.mark.parametrize("passed", [[], [False, True, True]])
def test_where_the_strongest_fails_nothing_is_taken(passed):
    assert fixed_sequence(passed) == Refused("none clears: human or deterministic")


def test_the_loosest_threshold_whose_bound_holds_is_taken():
    levels = [Level(1.0, 140, 3), Level(0.667, 200, 15)]
    found = selective_threshold(levels, 200, 0.1)
    assert (found.threshold, found.coverage, found.error) == (1.0, 0.7, 3 / 140)
    assert found.upper == pytest.approx(beta.ppf(0.95, 4, 137))
    assert beta.ppf(0.95, 16, 185) > 0.1
    assert selective_threshold(levels, 200, 0.12).threshold == 0.667


def test_nothing_behind_a_failure_is_looked_at():
    levels = [Level(1.0, 40, 2), Level(0.8, 400, 3)]
    assert selective_threshold(levels, 400, 0.1) == Refused(
        "no threshold holds the risk of 10 %: of the 40 surest labelled answers 2 are wrong, which may be up to 14.9 %"
    )


def test_a_threshold_with_few_labels_is_passed_over():
    assert selective_threshold([Level(1.0, 29, 5), Level(0.8, 200, 8)], 250, 0.1).threshold == 0.8
    found = selective_threshold([Level(1.0, 29, 0)], 29, 0.1)
    assert found == Refused(
        "too few labels for a risk of 10 %: it takes 30, with the answers right on all of them; there are 29, so 1 more"
    )
    assert isinstance(selective_threshold([], 10, 0.1), Refused)


@pytest.mark.parametrize(("risk", "labels"), [(0.5, 30), (0.1, 30), (0.09, 32), (0.05, 59), (0.02, 149), (0.01, 299)])
def test_the_first_test_is_one_that_can_pass(risk, labels):
    assert labels_to_start(risk) == labels
    assert labels == 30 or beta.ppf(0.95, 1, labels) <= risk < beta.ppf(0.95, 1, labels - 1)


@pytest.mark.parametrize(("risk", "missing"), [(0.09, 0), (0.05, 0), (0.03, 0), (0.02, 44), (0.01, 194)])
def test_whoever_is_never_wrong_decides_all_or_learns_how_many_labels_are_missing(risk, missing):
    levels = [Level(1 - place / 1000, place, 0) for place in range(1, 106)]
    found = selective_threshold(levels, 160, risk)
    if missing:
        assert found.reason.endswith(f"there are 105, so {missing} more")
    else:
        assert (found.coverage, found.error) == (105 / 160, 0)


def test_a_level_holds_every_decision_at_or_above_its_confidence():
    decisions = [(0.6, False), (1.0, True), (0.8, True), (0.8, False), (1.0, True)]
    assert levels_of(decisions) == [Level(1.0, 2, 0), Level(0.8, 4, 1), Level(0.6, 5, 2)]
    assert levels_of([]) == []


@pytest.mark.parametrize(
    ("levels", "total", "risk"),
    [
        ([Level(0.8, 40, 2), Level(1.0, 50, 2)], 50, 0.1),
        ([Level(1.0, 40, 2), Level(0.8, 30, 2)], 50, 0.1),
        ([Level(1.0, 40, 2), Level(0.8, 41, 4)], 50, 0.1),
        ([Level(1.0, 40, 41)], 50, 0.1),
        ([Level(1.0, 51, 2)], 50, 0.1),
        ([Level(1.0, 40, 2)], 50, 0.0),
    ],
)
def test_levels_that_are_not_cumulative_are_no_sequence(levels, total, risk):
    with pytest.raises(ValueError, match=r"cumulative|risk"):
        selective_threshold(levels, total, risk)


def test_the_risk_is_exceeded_in_about_five_of_a_hundred_samples_at_most():
    """Every threshold errs at .12 where .1 is allowed, so whatever is accepted is wrong."""
    rng = Random("selective")
    accepted = 0
    for _ in range(2000):
        errors, levels, labels = 0, [], 0
        for threshold, more in ((1.0, 60), (0.8, 40), (0.6, 40)):
            errors += sum(rng.random() < 0.12 for _ in range(more))
            labels += more
            levels.append(Level(threshold, labels, errors))
        accepted += not isinstance(selective_threshold(levels, 140, 0.1), Refused)
    assert accepted / 2000 <= 0.05


@pytest.mark.parametrize("risk", [0.05, 0.1])
def test_the_risk_is_held_too_where_every_label_is_a_threshold_of_its_own(risk):
    """The surest 40 are right and the others err more the less sure they are; accepted beyond its true risk is wrong."""
    rng = Random(f"fine {risk}")
    chances = [max(0, place - 40) * risk / 40 for place in range(160)]
    true = [sum(chances[:n]) / n for n in range(1, 161)]
    broken = 0
    for _ in range(1000):
        decisions = [(1 - place / 1000, rng.random() >= chance) for place, chance in enumerate(chances)]
        found = selective_threshold(levels_of(decisions), 160, risk)
        broken += not isinstance(found, Refused) and true[round(found.coverage * 160) - 1] > risk
    assert broken / 1000 <= 0.05
