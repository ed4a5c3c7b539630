from __future__ import annotations

from typing import Any

import pytest
from fakes.scorer_inputs import build, case, outcome, output

from evalkit.errors import InputError

DECLINES = "I can\u2019t find that in the documents."
ANSWERS = "Within 30 days [1]."


def score(text: str, expected: bool | None, settings: dict[str, Any] | None = None, **fields: Any) -> Any:
    the_case = case(expected={} if expected is None else {"refusal": expected})
    return build("refusal", **(settings or {})).score(the_case, output(text, **fields))[0]


@pytest.mark.parametrize(
    ("text", "expected", "passed"),
    [(DECLINES, True, True), (DECLINES, False, False), (ANSWERS, True, False), (ANSWERS, False, True)],
)
def test_declining_passes_exactly_where_it_is_expected(text: str, expected: bool, passed: bool) -> None:
    assert outcome(score(text, expected)) is passed


def test_a_case_without_the_expectation_is_not_scored() -> None:
    assert outcome(score(ANSWERS, None)) == "no_expectation"


@pytest.mark.parametrize("expected", [True, False])
def test_an_empty_text_is_no_refusal_and_fails_as_no_output(expected: bool) -> None:
    assert score(" ", expected).reason == "no_output"


def test_a_bare_tool_call_does_not_decline() -> None:
    assert outcome(score("", False, tool_calls=[{"name": "f"}])) is True
    assert outcome(score("", True, tool_calls=[{"name": "f"}])) is False


def test_the_metadata_says_what_decided_and_what_speaks_against_it() -> None:
    result = score("Refunds take 30 days [1]. The documents do not say whether fees are paid back.", False)
    assert result.passed is True
    assert result.metadata == {
        "declines": False,
        "statement": "The documents do not say whether fees are paid back",
        "conflict": "answers first, then declines or names a gap",
    }


def test_a_failure_quotes_the_statement() -> None:
    assert score(DECLINES, False).reason == "should answer, but declines: I can't find that in the documents"
    assert score(ANSWERS, True).reason == "should decline, but answers"


def test_the_products_own_refusal_can_be_named() -> None:
    own = {"phrases": ["A colleague will come back to you."]}
    assert outcome(score("A colleague will come back to you.", True)) is False
    assert outcome(score("A colleague will come back to you. Have a nice day!", True, own)) is True


def test_languages_can_be_narrowed() -> None:
    assert outcome(score("Lo siento, no puedo ayudar con eso.", True)) is True
    assert outcome(score("Lo siento, no puedo ayudar con eso.", True, {"languages": ["en"]})) is False
    with pytest.raises(InputError, match="languages"):
        build("refusal", languages=["xx"])


def test_every_setting_stands_in_the_signature() -> None:
    assert build("refusal").signature.settings == {
        "languages": ["en", "de", "fr", "es", "pt", "it", "ja"],
        "phrases": [],
    }
