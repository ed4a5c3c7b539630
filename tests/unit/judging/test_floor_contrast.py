"""The opposite, another measure, another word in the same place."""

from __future__ import annotations

import pytest

from evalkit.judging.floor_contrast import flips, substituted, unfounded_only, unstated_unit, wrong_measure
from evalkit.judging.floor_terms import Terms, read_terms
from evalkit.judging.floor_units import Figure


def compare(claim: str, source: str) -> set[str]:
    found = read_terms(source)
    return set(flips(read_terms(claim), found, found).words)


def exchanged(claim: str, source: str, names: frozenset[str] = frozenset()) -> tuple[str, str] | None:
    found: Terms = read_terms(source)
    return substituted(read_terms(claim), [found], found.words, names)


@pytest.mark.parametrize(
    ("claim", "source", "expected"),
    [
        ("Team does not include SSO", "Team includes SSO", {"includ", "sso"}),
        ("Team has no SSO", "SSO is not part of Team", set()),
        ("Guests can edit but not comment", "Guests can comment but not edit", {"edit", "comment"}),
        ("Storage is unlimited", "Storage is limited", {"unlimit"}),
        ("Storage is unlimited", "Storage is not limited", set()),
        ("The window closed", "A purchase opens a new window", set()),
        ("The window closes at noon", "The window opens at noon", {"clos"}),
    ],
)
def test_words_denied_on_one_side_only_are_flipped(claim, source, expected):
    assert compare(claim, source) == expected


def test_a_value_in_another_measure_is_wrong_and_one_in_none_is_not_stated():
    days, bare = read_terms("30 days"), read_terms("day and 30")
    assert wrong_measure({Figure("30", "hour")}, days) == (Figure("30", "hour"), "day")
    assert wrong_measure({Figure("30", "day")}, days) is None
    assert wrong_measure({Figure("30", "seat")}, days) is None
    assert unstated_unit({Figure("30", "hour")}, bare, bare.words) == Figure("30", "hour")
    assert unstated_unit({Figure("30", "day")}, bare, bare.words) is None
    assert unstated_unit({Figure("30", "user")}, read_terms("30 guests"), frozenset()) == Figure("30", "user")


def test_a_word_between_the_same_neighbours_is_exchanged():
    assert exchanged("Doctors work nights", "Nurses work nights") == ("doctor", "nurs")
    assert exchanged("Doctors work nights and rest on weekends", "Nurses work nights") is None
    assert exchanged("Enterprise includes SSO and an audit log", "Team includes SSO", frozenset({"team"})) == (
        "enterpris",
        "team",
    )
    assert exchanged("Nurses work nights", "Nurses work nights") is None


def test_only_needs_something_that_excludes():
    only = read_terms("Only owners may")
    assert unfounded_only(only, read_terms("Owners may"))
    assert not unfounded_only(only, read_terms("Owners may, guests may not edit"))
    assert not unfounded_only(read_terms("Owners may"), only)
