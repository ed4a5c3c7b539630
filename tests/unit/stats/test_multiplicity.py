from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from evalkit.stats.multiplicity import benjamini_hochberg, benjamini_yekutieli, holm

P_VALUES = st.lists(st.floats(0, 1), max_size=12)


def test_holm_multiplies_the_smallest_by_all_and_the_next_by_one_less():
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])


@given(P_VALUES)
def test_holm_is_the_definition_step_by_step(p_values):
    ordered = sorted(p_values)
    m = len(ordered)
    expected = [max(min(1.0, ordered[j] * (m - j)) for j in range(k + 1)) for k in range(m)]
    assert sorted(holm(p_values)) == pytest.approx(expected)


@given(P_VALUES.filter(bool))
def test_benjamini_hochberg_agrees_with_scipy(p_values):
    assert benjamini_hochberg(p_values) == pytest.approx(list(false_discovery_control(p_values)))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_benjamini_yekutieli_agrees_with_scipy(p_values):
    assert benjamini_yekutieli(p_values) == pytest.approx(false_discovery_control(p_values, method="by"))


def test_an_empty_family_has_nothing_to_correct():
    assert holm([]) == benjamini_hochberg([]) == []


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_what_is_no_p_value_is_refused(wrong):
    with pytest.raises(ValueError, match="p values"):
        holm([0.5, wrong])
