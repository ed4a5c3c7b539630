"""Contraries: partners and negated forms."""

from __future__ import annotations

import pytest

from evalkit.judging.floor_polarity import contrary_relation, negated_form, partners


@pytest.mark.parametrize(
    ("one", "other"),
    [("availabl", "unavailabl"), ("possibl", "impossibl"), ("legal", "illegal"), ("us", "unus"), ("able", "disable")],
)
def test_a_prefix_negates_either_way(one, other):
    assert negated_form(one, frozenset({other})) == other
    assert negated_form(other, frozenset({one})) == one


@pytest.mark.parametrize(
    ("one", "other"), [("port", "import"), ("form", "inform"), ("count", "discount"), ("ag", "imag")]
)
def test_words_that_only_look_negated_are_none(one, other):
    assert negated_form(one, frozenset({other})) is None
    assert negated_form(other, frozenset({one})) is None


def test_partners_are_contraries_both_ways():
    assert partners("enabl", frozenset({"disabl", "other"})) == {"disabl"}
    assert partners("disabl", frozenset({"enabl"})) == {"enabl"}
    assert partners("word", frozenset({"enabl"})) == frozenset()


def test_relations_are_contrary_before_the_same_word():
    assert contrary_relation({"before payment"}, frozenset({"after payment"})) == "before payment"
    assert contrary_relation({"before payment"}, frozenset({"after trial"})) is None
    assert contrary_relation({"before payment"}, frozenset({"after payment", "before payment"})) is None
