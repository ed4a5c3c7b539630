"""Planning labels: the numbers of the bars, what to draw, and what cannot be planned."""

from __future__ import annotations

import pytest

from evalkit.calibration.planning import label_plan
from evalkit.errors import UsageError
from evalkit.records.suites import TrustBars


def plan(tpr=0.9, tnr=0.8, fail_share=0.12, **cases):
    return label_plan("shop", TrustBars(tpr=tpr, tnr=tnr), fail_share, cases)


def test_labels_per_errors_are_those_of_the_exact_bound_and_never_under_thirty():
    passes, fails = plan().bars
    assert passes.by_errors == {0: 30, 1: 46, 2: 61, 3: 76, 5: 103}
    assert fails.by_errors == {0: 30, 1: 30, 2: 30, 3: 37, 5: 50}


def test_labels_for_eighty_percent_power_hang_on_the_true_rate():
    passes, fails = plan().bars
    assert {one.true_rate: one.labels for one in passes.with_power} == {0.95: 203, 0.98: 61}
    assert {one.true_rate: one.labels for one in fails.with_power}[0.9] == 94
    assert {one.true_rate: one.labels for one in fails.with_power}[0.95] == 37


def test_what_to_draw_grows_as_fails_get_rare():
    draws = {one.design: one.labels for one in plan().draws}
    assert draws == {"random": 250, "by-verdict": 92, "planted": 30}
    assert next(one.labels for one in plan(fail_share=0.5).draws) == 92


def test_a_comparison_says_the_least_difference_it_shows():
    (found,) = plan(faithfulness=303).comparisons
    assert found.least_difference["0.14"] == pytest.approx(0.06, abs=0.001)
    assert found.half_width < 0.05
    (nothing,) = plan(empty=0).comparisons
    assert (nothing.least_difference["0.14"], nothing.half_width) == (None, None)
    assert (plan().cases_for_5_points, plan().pairs_for_example) == (141, 303)


@pytest.mark.parametrize("changes", [{"fail_share": 0.0}, {"fail_share": 1.0}, {"tpr": 1.0}, {"tnr": 0.0}])
def test_what_no_label_can_decide_is_refused(changes):
    with pytest.raises(UsageError):
        plan(**changes)


def test_no_difference_is_detectable_that_is_larger_than_the_share_that_differs():
    (few,) = plan(faithfulness=60).comparisons
    assert few.least_difference["0.05"] is None
    assert all(value is None or value <= float(share) for share, value in few.least_difference.items())
    assert few.least_difference["0.2"] is not None


def test_a_draw_says_what_it_holds_what_is_needed_and_what_export_keeps_for_dev():
    random = plan(fail_share=0.12).draws[0]
    assert random.labels == 250
    assert "holds about 220 human passes and 30 human fails; 46 and 30 clear both bars" in random.reading
    assert "label export --n 358 gives about so many: it keeps 30 % for dev" in random.reading
