from __future__ import annotations

import random

import pytest

from evalkit.stats.association import somers_d
from evalkit.stats.association_change import Reading, somers_d_change


def drawn(chance, n, slope):
    """Return cases judged twice, the second time with `slope` more favour to length, and clusters of one."""
    before, after = [], []
    for _ in range(n):
        length = chance.gauss(0, 1)
        quality = chance.gauss(0, 1)
        before.append(Reading(length, quality + 0.3 * length + chance.gauss(0, 0.3) > 0))
        after.append(Reading(length, quality + (0.3 + slope) * length + chance.gauss(0, 0.3) > 0))
    return before, after


def test_both_ends_are_somers_d():
    before, after = drawn(random.Random(1), 80, 0.5)
    found = somers_d_change(before, after)
    for side, value in ((before, found.before), (after, found.after)):
        expected = somers_d([r.number for r in side if r.passed], [r.number for r in side if not r.passed])
        assert value == pytest.approx(expected.d)


def test_the_interval_agrees_with_a_bootstrap_over_cases():
    chance = random.Random(2)
    before, after = drawn(chance, 150, 0.6)
    found = somers_d_change(before, after)
    differences = []
    for _ in range(400):
        places = chance.choices(range(150), k=150)
        again = somers_d_change([before[i] for i in places], [after[i] for i in places])
        differences.append(again.after - again.before)
    differences.sort()
    assert found.interval == pytest.approx((differences[9], differences[389]), abs=0.05)


@pytest.mark.unmeasured
def test_without_a_change_the_interval_covers_0_as_often_as_it_says():
    chance = random.Random(3)
    covered = 0
    for _ in range(2000):
        low, high = somers_d_change(*drawn(chance, 60, 0.0)).interval
        covered += low <= 0 <= high
    assert covered / 2000 >= 0.92


def test_the_same_verdicts_on_the_same_lengths_are_no_change_and_have_no_interval():
    before, _ = drawn(random.Random(4), 30, 0.0)
    found = somers_d_change(before, before)
    assert (found.after - found.before, found.interval) == (0, None)


def test_copies_of_cases_in_one_cluster_tell_nothing_new():
    before, after = drawn(random.Random(5), 60, 0.6)
    alone = somers_d_change(before, after)
    tripled = somers_d_change(before * 3, after * 3, list(range(60)) * 3)
    assert tripled.interval == pytest.approx(alone.interval)


def test_one_class_only_has_no_association():
    readings = [Reading(1.0, passed=True), Reading(2.0, passed=True)]
    assert somers_d_change(readings, readings) is None


def test_other_cases_are_refused():
    before, after = drawn(random.Random(6), 10, 0.0)
    with pytest.raises(ValueError, match="the same cases"):
        somers_d_change(before, after[:-1])
