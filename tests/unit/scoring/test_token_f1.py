from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from fakes.scorer_inputs import build, case, outcome, output
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import InputError
from evalkit.scoring.token_f1 import f1
from evalkit.text.tokens import TOKENIZER


def value(accepted: list[str], text: str, **settings: Any) -> float:
    result = build("token_f1", **settings).score(case(expected={"answers": accepted}), output(text))[0]
    return float(result[0])


@pytest.mark.parametrize(
    ("accepted", "text", "expected"),
    [
        (["it was suicide"], "suicide", 2 * 1 * (1 / 3) / (1 + 1 / 3)),
        (["the cat sat"], "a cat sat down", 2 * (2 / 3) * 1 / (2 / 3 + 1)),
        (["x", "30 days"], "30 days", 1.0),
        (["a b c"], "c c c", 2 * (1 / 3) * (1 / 2) / (1 / 3 + 1 / 2)),
        (["A"], "B", 0.0),
        (["A"], "A", 1.0),
        (["314"], "3.14", 0.0),
        (["\u5317\u4eac\u5e02"], "\u5317\u4eac", 2 * 1 * (2 / 3) / (1 + 2 / 3)),
        (["\u732b"], "\u72ac", 0.0),
        (["GPT-4\u306f\u901f\u3044"], "GPT-4 \u306f \u901f\u3044", 1.0),
    ],
)
def test_f1_is_the_best_overlap(accepted: list[str], text: str, expected: float) -> None:
    assert value(accepted, text) == pytest.approx(expected)


words = st.lists(st.sampled_from("abcdefghijkl"), max_size=30)


@given(words, words)
def test_f1_is_two_pr_over_p_plus_r_however_long_the_lists(one: list[str], other: list[str]) -> None:
    common = sum((Counter(one) & Counter(other)).values())
    precision, recall = (common / len(one), common / len(other)) if common else (0.0, 0.0)
    expected = 2 * precision * recall / (precision + recall) if common else 0.0
    assert f1(one, other) == pytest.approx(expected)
    assert f1(one, other) == f1(other, one)


def test_without_a_threshold_it_is_a_bare_measurement() -> None:
    result = build("token_f1").score(case(expected={"answer": "x"}), output("y"))[0]
    assert result[:2] == (0.0, None)


def test_a_threshold_decides_and_zero_is_one() -> None:
    the_case = case(expected={"answer": "x y"})
    assert outcome(build("token_f1", min=0.6).score(the_case, output("x"))[0]) is True
    assert outcome(build("token_f1", min=0.7).score(the_case, output("x"))[0]) is False
    assert build("token_f1", min=0).score(the_case, output("z"))[0][:2] == (0.0, True)
    assert build("token_f1", min=0).signature.settings["min"] == 0


def test_a_failure_names_the_value_the_threshold_and_the_nearest_answer() -> None:
    result = build("token_f1", min=0.9).score(case(expected={"answers": ["q", "x y"]}), output("x"))[0]
    assert result[2] == "F1 0.667 is under 0.9; nearest accepted answer: 'x y'"


def test_numeric_mode_compares_number_tokens_by_value() -> None:
    assert value(["1200 seats"], "1,200.00 seats", numeric=True) == 1.0
    assert value(["1200 seats"], "1,200.00 seats") == 0.5
    assert value(["1" * 40], "1" * 39 + "2", numeric=True) == 0.0


def test_citation_markers_are_stripped_by_setting() -> None:
    assert value(["30 days"], "30 days [1]", strip_citations=True) == 1.0
    assert value(["30 days"], "30 days [1]") < 1.0


def test_the_signature_names_the_tokenizer() -> None:
    assert build("token_f1").signature.settings == {
        "min": None, "numeric": False, "unicode": "NFKC", "strip_citations": False, "tokenizer": TOKENIZER,
    }  # fmt: skip


def test_no_answer_and_no_text() -> None:
    assert outcome(build("token_f1").score(case(), output("x"))[0]) == "no_expectation"
    assert build("token_f1").score(case(expected={"answer": ""}), output(""))[0] == (0.0, False, "no_output", {})


@pytest.mark.parametrize("least", [-0.1, 1.5, "0.8", True])
def test_a_threshold_that_is_no_share_is_an_input_error(least: Any) -> None:
    with pytest.raises(InputError, match="scorer token_f1, min"):
        build("token_f1", min=least)
