"""Pairs on which the swap changed the verdict, by each rule; weights; a judge that looks at places alone."""

from __future__ import annotations

import pytest
from fakes.labels import label_of
from hypothesis import given
from hypothesis import strategies as st

from evalkit.calibration.ends import End
from evalkit.calibration.pair_figures import pair_figures
from evalkit.calibration.people import labelled_items

SIDES = st.sampled_from(["A", "B", "tie"])


def read(*said, **changes):
    """Return items: (people's label, the judge's, whether it depends on the order)."""
    found = []
    for number, (human, judge, divided) in enumerate(said):
        (labelled,) = labelled_items([label_of(f"c{number}", human, **changes)])
        found.append((labelled, End(judge, depends_on_order=divided)))
    return found


def test_a_pair_that_depends_on_the_order_is_a_tie_left_out_or_wrong():
    found = pair_figures(read(("A", "A", False), ("tie", "tie", True), ("B", "tie", True), ("tie", "tie", False)))
    assert found.depends_on_order == 2
    assert {one.rule: (one.agree, one.n) for one in found.rules} == {"tie": (3, 4), "dropped": (2, 2), "wrong": (2, 4)}


@given(st.lists(st.tuples(SIDES, SIDES, st.booleans()), min_size=1, max_size=30))
def test_left_out_and_wrong_agree_on_as_many_and_ties_never_on_fewer(said):
    items = read(*[(human, "tie" if divided else judge, divided) for human, judge, divided in said])
    rules = {one.rule: one for one in pair_figures(items).rules}
    assert rules["dropped"].agree == rules["wrong"].agree <= rules["tie"].agree
    assert rules["dropped"].n == rules["wrong"].n - sum(divided for *_, divided in said)
    assert rules["tie"].n == len(said)


def test_always_the_first_place_ties_everywhere_and_is_unknown_where_one_order_was_shown():
    found = pair_figures(read(("A", "A", False), ("tie", "tie", True))).always_first
    assert found is not None
    assert (found.agree, found.n, found.judge_agree) == (1, 2, 2)
    assert pair_figures(read(("A", "A", None))).always_first is None


def test_labels_by_verdict_weigh_what_their_chance_says_and_others_are_not_weighted():
    drawn = [
        *read(("A", "A", False), ("A", "A", False), design="by-verdict", inclusion_probability=1.0),
        *read(("A", "tie", True), ("A", "tie", True), design="by-verdict", inclusion_probability=0.25),
    ]
    found = pair_figures(drawn)
    assert found.weighted is not None
    assert found.weighted.value == pytest.approx(2 / 10)
    assert pair_figures(read(("A", "A", False), ("B", "A", False))).weighted is None


def test_one_label_alone_is_not_weighted_and_says_why():
    found = pair_figures(read(("A", "A", False), design="by-verdict", inclusion_probability=0.5)).weighted
    assert found is not None
    assert (found.value, found.reading) == (None, "a weighted rate needs two labelled answers at least")
