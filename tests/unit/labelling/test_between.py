from __future__ import annotations

import pytest
from fakes.label_sheets import label

from evalkit.labelling.between import between_labellers


def pair(case_id, first, second, **changes):
    return [label(case_id, label=first, **changes), label(case_id, label=second, labeller="ben", **changes)]


def test_two_labellers_agree_by_item_and_kappa_corrects_for_chance():
    said = [("pass", "pass")] * 4 + [("fail", "fail")] * 4 + [("pass", "fail")] * 2
    labels = [one for n, (first, second) in enumerate(said) for one in pair(f"c{n}", first, second)]
    (found,) = between_labellers(reversed(labels))
    (figures,) = found.pairs
    assert (figures.name, figures.n, figures.agree) == ("ada and ben", 10, 8)
    # po = .8, pe = .6 x .4 + .4 x .6 = .48
    assert figures.kappa.value == pytest.approx((0.8 - 0.48) / (1 - 0.48))
    assert [item[0] for item in found.differ] == ["c9", "c8"]


def test_skipped_items_and_items_of_one_labeller_do_not_count():
    labels = [*pair("c1", "pass", "pass"), *pair("c2", None, "pass"), label("c3")]
    (found,) = between_labellers(labels)
    assert found.pairs[0].n == 1
    assert found.pairs[0].kappa.value is None
    assert found.differ == ()


def test_criteria_are_never_mixed_and_a_third_labeller_is_compared_with_both():
    labels = [
        *pair("c1", "pass", "fail"),
        label("c1", labeller="cleo"),
        *pair("c1", "pass", "pass", criterion="F2"),
    ]
    found = [(one.criterion, two.name, two.agree) for one in between_labellers(labels) for two in one.pairs]
    assert found == [
        ("F1", "ada and ben", 0),
        ("F1", "ada and cleo", 1),
        ("F1", "ben and cleo", 0),
        ("F2", "ada and ben", 1),
    ]


def test_without_two_labellers_there_is_nothing_to_say():
    assert between_labellers([label("c1"), label("c2")]) == []
