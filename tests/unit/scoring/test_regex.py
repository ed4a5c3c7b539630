from __future__ import annotations

import time
from typing import Any

import pytest
from fakes.scorer_inputs import build, case, outcome, output

from evalkit.errors import InputError


def result(text: str, **settings: Any) -> Any:
    return build("regex", **settings).score(case(), output(text))[0]


@pytest.mark.parametrize(
    ("text", "settings", "expected"),
    [
        ("order A-17", {"pattern": r"[A-Z]-\d+"}, True),
        ("order", {"pattern": r"\d"}, False),
        ("ab", {"all": ["a", "b"]}, True),
        ("ab", {"all": ["a", "c"]}, False),
        ("ab", {"any": ["c", "b"]}, True),
        ("ab", {"any": ["c", "d"]}, False),
        ("ab", {"none": ["b"]}, False),
        ("ab", {"pattern": "a|b", "whole": True}, False),
        (" b\n", {"pattern": "a|b", "whole": True}, True),
        ("Banana", {"pattern": "an|a|the", "words": True}, False),
        ("an apple", {"pattern": "an|a|the", "words": True}, True),
        ("HELLO", {"pattern": "hello"}, False),
        ("HELLO", {"pattern": "hello", "ignore_case": True}, True),
        ("a\nb", {"pattern": "^b", "multiline": True}, True),
        ("a\nb", {"pattern": "a.b", "dotall": True}, True),
    ],
)
def test_patterns_decide(text: str, settings: dict[str, Any], expected: bool) -> None:
    assert outcome(result(text, **settings)) is expected


def test_a_failure_names_the_pattern_and_the_place() -> None:
    assert result("so bad", all=["x"], none=["b.d"])[2] == "does not match 'x'; matches 'b.d': 'bad' at 3 (so bad)"


def test_a_pattern_that_runs_away_is_a_scorer_error_and_the_next_case_is_scored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("evalkit.scoring.regex.TIMEOUT_S", 0.2)
    scorer = build("regex", none=["(x+x+)+y"])
    began = time.monotonic()
    slow = scorer.score(case(), output("x" * 60_000))[0]
    assert slow[0] == "scorer_error"
    assert "regex timeout" in str(slow[1])
    assert time.monotonic() - began < 60  # without the limit it would not end in a life
    monkeypatch.setattr("evalkit.scoring.regex.TIMEOUT_S", 60.0)
    assert outcome(scorer.score(case(), output("fine"))[0]) is True


@pytest.mark.parametrize(
    ("settings", "words"),
    [({}, "name a pattern"), ({"pattern": "("}, "no regular expression"), ({"pattern": "a)(b", "words": True}, "no regular expression"), ({"pattern": ""}, "must not be empty")],
)  # fmt: skip
def test_unusable_patterns_are_input_errors(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        build("regex", **settings)


def test_suspicious_patterns_leave_warnings_on_the_scorer() -> None:
    assert "backspace" in " ".join(getattr(build("regex", pattern="\bword"), "warnings", ()))
    assert getattr(build("regex", pattern=r"\bword\b"), "warnings", None) == ()
