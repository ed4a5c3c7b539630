from __future__ import annotations

from typing import Any

import pytest
from fakes.scorer_inputs import build, case, outcome, output

from evalkit.errors import InputError
from evalkit.text.tokens import TOKENIZER


def result(scorer: str, text: str | None = "x", fields: dict[str, Any] | None = None, **settings: Any) -> Any:
    return build(scorer, **settings).score(case(), output(text, **(fields or {})))[0]


@pytest.mark.parametrize(
    ("text", "settings", "expected"),
    [
        ("a b c", {"max": 3}, True),
        ("a b c d", {"max": 3}, False),
        ("a", {"min": 2}, False),
        ("a b", {"min": 2, "max": 2}, True),
        ("abc", {"max": 3, "unit": "chars"}, True),
        ("a bc", {"max": 3, "unit": "chars"}, False),
        ("\u65e5\u672c\u8a9e\u306e", {"max": 3}, True),
        ("\u65e5\u672c\u8a9e\u306e", {"max": 3, "unit": "tokens"}, False),
        ("", {"min": 0}, False),
        ("x", {"max": 0}, False),
    ],
)
def test_length_is_limited_on_both_sides(text: str, settings: dict[str, Any], expected: bool) -> None:
    assert outcome(result("length_limit", text, **settings)) is expected


def test_a_length_failure_says_by_how_much() -> None:
    score = result("length_limit", "a b c d", max=3)
    assert score[2:] == ("4 words, at most 3", {"measured": 4})


def test_the_tokenizer_is_named_where_it_counts() -> None:
    assert build("length_limit", max=1, unit="tokens").signature.settings["tokenizer"] == TOKENIZER
    assert build("length_limit", max=1).signature.settings == {"min": None, "max": 1, "unit": "words"}


@pytest.mark.parametrize(
    ("scorer", "setting", "field", "unknown"),
    [
        ("latency_limit", "max_ms", "latency_ms", "unknown_latency"),
        ("cost_limit", "max_usd", "cost_usd", "unknown_cost"),
    ],
)
def test_latency_and_cost_are_limited_and_unknown_is_not_zero(
    scorer: str, setting: str, field: str, unknown: str
) -> None:
    def run(limit: float, measured: float | None) -> Any:
        return outcome(result(scorer, fields={} if measured is None else {field: measured}, **{setting: limit}))

    assert run(2, 2) is True
    assert run(2, 2.5) is False
    assert run(0, 0.001) is False
    assert run(0, 0) is True
    assert run(2, None) == unknown


def test_an_output_without_text_still_has_a_latency() -> None:
    assert outcome(result("latency_limit", None, {"latency_ms": 5, "tool_calls": [{}]}, max_ms=1)) is False


@pytest.mark.parametrize(
    ("scorer", "settings"),
    [
        ("length_limit", {}),
        ("length_limit", {"min": 5, "max": 1}),
        ("length_limit", {"max": -1}),
        ("length_limit", {"max": 1, "unit": "lines"}),
        ("latency_limit", {}),
        ("latency_limit", {"max_ms": -1}),
        ("cost_limit", {"max_usd": "free"}),
    ],
)
def test_limits_that_make_no_sense_are_input_errors(scorer: str, settings: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=f"scorer {scorer}"):
        build(scorer, **settings)
