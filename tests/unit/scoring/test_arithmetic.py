"""Arithmetic that an answer writes out or draws from its evidence, computed again."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.scorer_inputs import build, case, output
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import InputError
from evalkit.records.scores import Result, Score, Unscored

STONE = {"price": {"usd": 5050, "paid": True, "name": "fair"}, "certificate": {"carat": 1.01, "none": 0}}
A_CARAT = {"says": "a carat", "of": "/price/usd", "by": "/certificate/carat"}


def counted(text: str | None, *quotients: dict[str, str], **fields: Any) -> Result:
    scorer = build("arithmetic", quotients=list(quotients))
    (found,) = scorer.score(case(evidence=STONE), output(text, **fields))
    return found


@pytest.mark.parametrize(
    "text",
    [
        "5 plus 3 is 8.",
        "12 + 30 = 42",
        "10 minus 4 leaves 6.",
        "2 x 1,200 = 2,400",
        "6.45 divided by 6.42 is 1.005.",
        "10 / 3 = 3.33",
        "10% of 500 makes 50.",
        "$1,000 plus $250 comes to $1,250.",
        "4,998 plus 1 is about 5,000.",
    ],
)
def test_what_is_right_passes(text: str) -> None:
    assert counted(text) == Score(0.0, passed=True)


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("5 plus 3 is 9.", "8"),
        ("10 / 3 = 3.43", "3.333333333"),
        ("10% of 500 makes 5.", "50"),
        ("$1,000 plus $250 comes to $1,350.", "1250"),
        ("4,700 plus 1 is about 5,000.", "4701"),
    ],
)
def test_what_is_wrong_is_counted_with_what_is_due(text: str, due: str) -> None:
    found = counted(text)
    assert isinstance(found, Score)
    assert (found.value, found.passed) == (1.0, False)
    assert found.reason.endswith(f"should be {due}")
    assert found.metadata["errors"][0]["due"] == due


def test_every_wrong_result_counts() -> None:
    found = counted("5 plus 3 is 9, and 2 x 2 = 5, and 1 + 1 = 2.")
    assert isinstance(found, Score)
    assert found.value == 2.0


@pytest.mark.parametrize(
    ("said", "errors"), [("$5,000 a carat", 0), ("5,000 dollars A  carat", 0), ("$5,500 a carat", 1)]
)
def test_quotients_of_the_evidence(said: str, errors: int) -> None:
    found = counted(f"That makes {said} for this one.", A_CARAT)
    assert isinstance(found, Score)
    assert found.value == errors


@pytest.mark.parametrize(
    "paths",
    [
        {"of": "/price/none"},
        {"by": "/certificate/none"},
        {"of": "/price/paid"},
        {"of": "/price/name"},
        {"by": "/price/usd/0"},
    ],
)
def test_evidence_that_cannot_be_divided_decides_nothing(paths: dict[str, str]) -> None:
    assert isinstance(counted("$5,000 a carat", A_CARAT | paths), Unscored)


@pytest.mark.parametrize(
    "text", ["It costs $5,050.", "5 plus 3, then 8", "5 divided by 0 is 0", "between 5 and 8", "No numbers."]
)
def test_what_cannot_be_computed_again_is_not_applicable(text: str) -> None:
    found = counted(text)
    assert isinstance(found, Unscored)
    assert found.reason == "not_applicable"


def test_an_empty_text_is_not_counted_as_free_of_errors() -> None:
    assert counted(" ") == Unscored("no_output")
    assert counted(None) == Unscored("null_text")


def test_a_path_must_be_one() -> None:
    with pytest.raises(InputError):
        build("arithmetic", quotients=[A_CARAT | {"of": "price"}])


@given(st.text(max_size=80))
def test_nothing_that_is_written_raises(text: str) -> None:
    assert isinstance(counted(f"{text} 1 + 1 = {text}"), Score | Unscored)
