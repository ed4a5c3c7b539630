from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.judging.reordered import order_of, reordered
from evalkit.judging.requests import Measurement
from evalkit.records.judges import JudgeConfig
from evalkit.records.rubrics import Criterion, Rubric

JUDGE = JudgeConfig(client="openai", model="m", base_url="http://localhost:1/v1")


def measurement(count, **fields):
    criteria = tuple(Criterion(id=f"C{n}", question="Is it?", pass_condition="It is.") for n in range(count))
    return Measurement("faith", Rubric(id="r", version="1", criteria=criteria, **fields), JUDGE)


@given(st.integers(2, 9), st.integers(0, 999))
def test_no_criterion_stays_and_none_is_lost(count, seed):
    was = measurement(count)
    now = reordered(was, seed)
    before, after = order_of(was), order_of(now)
    assert before.keys() == after.keys()
    assert all(before[name] != after[name] for name in before)
    assert reordered(was, seed) == now


def test_two_criteria_change_places_whatever_the_seed():
    assert {tuple(order_of(reordered(measurement(2), seed))) for seed in range(9)} == {("C1", "C0")}


def test_every_cycle_of_four_comes_up():
    assert len({tuple(order_of(reordered(measurement(4), seed))) for seed in range(200)}) == 6


def test_one_criterion_has_no_other_order():
    assert reordered(measurement(1), 1) is None


def test_it_is_another_configuration_with_the_same_answerer_parts():
    was, now = measurement(3), reordered(measurement(3), 1)
    assert was.config_hash != now.config_hash
    same = {name for name in was.identity if was.identity[name] == now.identity[name]}
    assert was.identity.keys() - same == {"prompt_hash", "rubric_hash", "schema_hash"}


@pytest.mark.parametrize("mode", ["pointwise", "reference"])
def test_the_schema_asks_in_the_new_order(mode):
    now = reordered(measurement(3, mode=mode), 1)
    assert list(now.form.schema["properties"]["criteria"]["properties"]) == list(order_of(now))
