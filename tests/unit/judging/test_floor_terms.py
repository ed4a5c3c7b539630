"""What the floor judge reads in a sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.judging.floor_terms import Figure, canonical_number, read_names, read_stems, read_terms, stem


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1,000", "1000"),
        ("30", "030"),
        ("1.50", "1.5"),
        ("10.0", "10"),
        ("1,234,567.80", "1234567.8"),
        ("0", "00"),
        ("3.", "3"),
    ],
)
def test_one_number_has_one_spelling(one, other):
    assert canonical_number(one) == canonical_number(other)


@pytest.mark.parametrize(
    ("one", "other"), [("3.14", "314"), ("1.5", "15"), ("1,5", "15"), ("100", "10"), ("1.2.3", "1.23")]
)
def test_different_numbers_stay_different(one, other):
    assert canonical_number(one) != canonical_number(other)


@pytest.mark.parametrize(
    "words",
    [
        "plan plans",
        "refund refunds refunded refunding",
        "cancel cancelled cancelling cancels",
        "copy copies",
        "bill billing billed bills",
        "include includes included including",
    ],
)
def test_forms_of_a_word_share_a_stem(words):
    assert len({stem(word) for word in words.split()}) == 1


def test_figures_know_what_they_count():
    figures = read_terms("It costs $9 per user, 40% off, within thirty days; 2023-07-01 or 1 July 2023.").figures
    assert {Figure("9", "$"), Figure("40", "%"), Figure("30", "day"), Figure("2023", ""), Figure("1", "")} <= figures


def test_a_date_reads_the_same_in_two_notations():
    one, other = read_terms("on 2023-07-01"), read_terms("on 1 July 2023")
    assert one.values == other.values == {"2023", "1"}
    assert "month 7" in one.words & other.words


def test_codes_are_words_and_no_figures():
    terms = read_terms("An S3 bucket or a P1 ticket.")
    assert terms.figures == frozenset()
    assert {"s3", "p1"} <= terms.names


def test_names_are_capitals_inside_a_sentence_shouts_and_addresses():
    terms = read_terms("Write to billing@shop.example or ask Anna about SAML at trust.shop.example.")
    assert terms.names == {"billing@shop.example", "anna", "saml", "trust.shop.example"}
    assert terms.openers == {"writ"}


def test_names_of_a_text_are_capitalised_inside_or_always():
    assert read_names("Team costs more. Team is big. Open the Settings page. Ask the team.") == {stem("settings")}
    assert "enterpris" in read_names("Enterprise is sold. Enterprise includes SSO.")


def test_a_negation_reaches_a_few_words_within_its_clause():
    assert read_terms("It is not included in Team, but sold to others.").negated == {"includ", "team"}
    assert read_terms("It isn't included.").negated == {"includ"}
    assert read_terms("Not included: timeline view").negated == {"includ", "timelin", "view"}


@pytest.mark.parametrize(
    ("text", "figure"),
    [
        ("14 business days", Figure("14", "day")),
        ("4 hrs", Figure("4", "hour")),
        ("9 USD", Figure("9", "$")),
        ("50MB", Figure("50", "mb")),
        ("120 requests per minute", Figure("120", "/minut")),
        ("600 a minute", Figure("600", "/minut")),
        ("$19 per user per month", Figure("19", "/month")),
        ("$19/user/month", Figure("19", "/month")),
    ],
)
def test_units_have_one_spelling_and_rates_are_told_from_counts(text, figure):
    assert figure in read_terms(text).figures


def test_a_rate_counts_nothing():
    assert read_terms("600 a minute").figures == {Figure("600", ""), Figure("600", "/minut")}


def test_a_word_is_negated_plain_or_neither():
    terms = read_terms("Guests comment, admins do not edit.")
    assert "guest" in terms.plain
    assert terms.negated == terms.heads == {"edit"}
    assert "admin" not in terms.plain | terms.negated


@pytest.mark.parametrize(
    "text", ["Pay no later than Monday.", "It is not only fast.", "No more than ten guests.", "Not even guests."]
)
def test_a_negator_that_sets_a_bound_or_stresses_negates_nothing(text):
    assert not read_terms(text).negated


def test_what_is_said_of_a_label_is_said_of_its_words():
    assert "sso" in read_terms("SSO: not available").negated
    assert read_terms("Deleted rather than hidden").negated == {"hidden"}
    assert read_terms("A non-removable battery").negated == {"removabl", "battery"}


@pytest.mark.parametrize("text", ["Only owners.", "Sold exclusively here.", "Nothing but glass."])
def test_only_excludes(text):
    assert read_terms(text).exclusive


@pytest.mark.parametrize("text", ["Only 30 days.", "Not only owners.", "Owners."])
def test_only_of_a_number_excludes_nobody(text):
    assert not read_terms(text).exclusive


def test_small_words_are_known_by_what_follows():
    assert read_terms("before the payment, at most 3 seats").relations == {"before payment", "most 3"}


def test_scripts_without_spaces_are_read_by_pairs():
    assert {"返金", "30"} <= read_terms("返金は30日").words | read_terms("返金は30日").values


def test_stop_words_carry_nothing():
    assert read_terms("You can have it, and so can we.").words == frozenset()


@given(st.text())
def test_the_quick_reading_finds_no_more_than_the_full_one(text):
    quick, full = read_stems(text), read_terms(text).words
    assert isinstance(quick, frozenset)
    assert isinstance(full, frozenset)
