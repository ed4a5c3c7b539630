from __future__ import annotations

from typing import Any

import pytest
from fakes.scorer_inputs import build, case, output

from evalkit.errors import InputError


def result(text: str, **settings: Any) -> Any:
    return build("contains", **settings).score(case(), output(text))[0]


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("STRASSE I can\u2019t", {"all": ["Stra\u00dfe", "can't"]}),
        ("A\n  B", {"all": ["a b"]}),
        ("only y here", {"any": ["x", "y"]}),
        ("fine", {"none": ["bad"]}),
        ("Ab", {"all": ["Ab"], "ignore_case": False}),
        ("f\u200bine", {"all": ["fine"]}),
        ("{x} %s [", {"all": ["{x} %s ["]}),
    ],
)
def test_it_passes(text: str, settings: dict[str, Any]) -> None:
    assert result(text, **settings)[:2] == (1.0, True)


def test_a_failure_names_everything_that_is_wrong() -> None:
    score = result("A bad day", all=["good", "day"], any=["x", "z"], none=["bad"])
    assert score[1] is False
    assert score[2] == "does not contain 'good'; contains none of 'x', 'z'; contains 'bad'"


def test_case_and_form_count_where_settings_say_so() -> None:
    assert result("ab", all=["Ab"], ignore_case=False)[1] is False
    assert result("can\u2019t", all=["can't"], normalise=False)[1] is False


def test_an_empty_answer_fails_even_where_nothing_is_asked_for_but_absence() -> None:
    assert result("", none=["bad"]) == (0.0, False, "no_output", {})


@pytest.mark.parametrize(
    "settings", [{}, {"all": []}, {"all": [""]}, {"any": ["\u200b"]}, {"all": "text"}, {"al": ["x"]}]
)
def test_settings_that_ask_nothing_are_input_errors(settings: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="scorer contains"):
        build("contains", **settings)
