from __future__ import annotations

from typing import Any

import pytest
from fakes.scorer_inputs import build, case, outcome, output

from evalkit.errors import InputError


def passed(accepted: str | list[str], text: str | None, **settings: Any) -> bool | str | None:
    expected = {"answer": accepted} if isinstance(accepted, str) else {"answers": accepted}
    scorer = build("exact_match", **settings)
    return outcome(scorer.score(case("billing/refunds", expected=expected), output(text))[0])


@pytest.mark.parametrize(
    ("accepted", "text", "expected"),
    [
        ("30 days", "30 Days.", True),
        ("30 days", "30 days from purchase", False),
        (["thirty", "30 days"], "the 30 days", True),
        ("The Who", "who", True),
        ("A", "B", False),
        ("A", "A", True),
        ("!!!", "???", False),
        ("314", "3.14", False),
        ("1", "1.0", False),
        ("\u4f60\u597d", "\u4f60\u597d\u3002", True),
        ("9007199254740993", "9007199254740992", False),
        ("Banana Man", "Bnn Mn", False),
    ],
)
def test_answers_are_compared_in_normal_form(accepted: str | list[str], text: str, expected: bool) -> None:
    assert passed(accepted, text) is expected


@pytest.mark.parametrize(
    ("accepted", "text", "expected"),
    [
        ("1200", "$1,200.00", True),
        ("1", "1.0", True),
        ("1e3", "1000", True),
        ("72", "The answer is 72, in total, so good.", True),
        ("72", "72, one of the largest", True),
        ("30", "thirty", True),
        ("30 days", "It is thirty days.", True),
        ("5", "no number here, sorry", False),
        ("1.000", "1000", False),
        ("0.3", "0.30000000000000004", False),
        ("9007199254740993", "9007199254740992", False),
        ("1", "1" * 5000, False),
        ("1", "1e400", False),
        ("Paris", "paris", True),
        ("Windows 11 or 10", "windows 11 or 10", True),
        ("5", "minus 5", False),
        ("-5", "It is minus five.", True),
        ("minus 5", "-5 degrees", True),
        ("5", "10 minus 5", True),
        ("2", "two-thirds", False),
        ("2/3", "two-thirds", True),
        ("two thirds", "2/3", True),
        ("3", "2/3", False),
        ("2", "2 and a half", False),
        ("1.5", "1\u00bd", True),
        ("1.5", "1 1/2 cups", True),
        ("0.5", "\u00bd", True),
        ("1", "1\u00bd", False),
        ("20", "twenty-first", False),
    ],
)
def test_numeric_mode_compares_by_exact_value(accepted: str, text: str, expected: bool) -> None:
    assert passed(accepted, text, numeric=True) is expected


def test_the_last_number_counts_unless_the_first_is_asked_for() -> None:
    assert passed("30", "about 29, or 30?", numeric=True) is True
    assert passed("29", "about 29, or 30?", numeric=True) is False
    assert passed("29", "about 29, or 30?", numeric=True, pick="first") is True


def test_citation_markers_are_part_of_the_answer_unless_they_are_stripped() -> None:
    assert passed("30 days", "30 days [1].") is False
    assert passed("30 days", "30 days [1] [billing/refunds].", strip_citations=True) is True


@pytest.mark.parametrize("text", ["", "  \n", "\u200b", "\ufeff \u00ad\ufe0f\n"])
@pytest.mark.parametrize("accepted", [".", "", "x"])
def test_an_empty_answer_fails_whatever_is_accepted(accepted: str, text: str) -> None:
    result = build("exact_match").score(case(expected={"answer": accepted}), output(text))[0]
    assert result == (0.0, False, "no_output", {})


def test_a_case_without_an_accepted_answer_is_excluded() -> None:
    assert outcome(build("exact_match").score(case(), output("x"))[0]) == "no_expectation"


def test_an_empty_list_of_answers_falls_back_to_the_answer() -> None:
    the_case = case(expected={"answers": [], "answer": "x"})
    assert outcome(build("exact_match").score(the_case, output("x"))[0]) is True


def test_a_failure_says_what_was_accepted() -> None:
    result = build("exact_match").score(case(expected={"answers": ["x", "y"]}), output("z"))[0]
    assert result[2:] == ("'z' equals no accepted answer", {"accepted": ["x", "y"]})


def test_the_signature_echoes_every_setting() -> None:
    assert build("exact_match", numeric=True).signature.as_json() == {
        "scorer": "exact_match",
        "version": "1",
        "settings": {"numeric": True, "pick": "last", "unicode": "NFKC", "strip_citations": False},
    }


@pytest.mark.parametrize("settings", [{"unicode": "NFD"}, {"numeric": "yes"}, {"pick": "any"}, {"nummeric": True}])
def test_wrong_settings_are_input_errors(settings: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="scorer exact_match"):
        build("exact_match", **settings)
