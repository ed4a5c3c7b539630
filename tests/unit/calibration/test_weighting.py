"""Labels drawn by verdict are weighted back to the run; labels drawn by somebody else's verdicts decide nothing."""

from __future__ import annotations

from fakes.labels import label_of

from evalkit.calibration.weighting import NO_RUN, OTHER_VERDICTS, Drawn, Population, strata_of, weighting_of

RUN = Population(100, 80)


def drawn(judge_pass, probability, human_pass=True, design="by-verdict"):
    label = label_of("c", "pass", design=design, inclusion_probability=probability)
    return Drawn(human_pass, judge_pass, label)


def test_random_labels_count_once_each_whatever_their_probability():
    assert weighting_of([drawn(True, 0.1, design="random"), drawn(False, 0.2, design="random")], RUN) == ("none", "")


def test_a_probability_that_belongs_to_one_verdict_is_weighted():
    assert weighting_of([drawn(True, 0.1), drawn(False, 0.9), drawn(False, 0.9)], RUN)[0] == "begg-greenes"


def test_two_batches_within_one_verdict_are_weighted_too():
    assert weighting_of([drawn(True, 0.1), drawn(True, 0.2), drawn(False, 0.9)], RUN)[0] == "begg-greenes"


def test_random_labels_may_stand_beside_those_drawn_by_verdict():
    items = [drawn(True, 0.5, design="random"), drawn(False, 0.5, design="random"), drawn(True, 0.1), drawn(False, 0.9)]
    assert weighting_of(items, RUN)[0] == "begg-greenes"


def test_a_probability_that_occurs_with_both_verdicts_was_another_judges():
    items = [drawn(True, 0.1), drawn(False, 0.1), drawn(False, 0.9)]
    assert weighting_of(items, RUN) == ("refused", OTHER_VERDICTS)


def test_one_probability_for_all_needs_no_weights():
    assert weighting_of([drawn(True, 0.5), drawn(False, 0.5)], RUN) == ("none", "")


def test_without_the_runs_own_verdicts_there_is_nothing_to_weight_by():
    assert weighting_of([drawn(True, 0.1), drawn(False, 0.9)], None) == ("refused", NO_RUN)


def test_strata_count_labels_by_the_judges_verdict():
    items = [
        drawn(True, 0.1),
        drawn(True, 0.1, human_pass=False),
        drawn(False, 0.9),
        drawn(False, 0.9, human_pass=False),
    ]
    assert tuple(strata_of(items, RUN)) == (100, 80, 2, 1, 2, 1)
