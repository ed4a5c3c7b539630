from __future__ import annotations

import pytest
from fakes.scorer_inputs import build, case, outcome, output

from evalkit.records.scores import NO_OUTPUT
from evalkit.scoring.answer import without_text


@pytest.mark.parametrize("text", ["", " \n", "\u200b", "\ufeff", " \u00ad\ufe0f\u2060\n"])
def test_a_text_that_shows_nothing_is_no_output_beside_calls_too(text: str) -> None:
    assert without_text(output(text)) == NO_OUTPUT
    assert without_text(output(text, tool_calls=[{"name": "f"}])) == NO_OUTPUT
    calls_only = without_text(output(text, tool_calls=[{"name": "f"}]), calls_suffice=True)
    assert calls_only is not None
    assert outcome(calls_only) == "not_applicable"


def test_a_null_text_is_unscored_and_a_visible_one_is_read() -> None:
    null = without_text(output(None))
    assert null is not None
    assert outcome(null) == "null_text"
    assert without_text(output("\u200b.")) is None


@pytest.mark.parametrize(
    ("scorer", "settings"),
    [
        ("contains", {"none": ["zzz"]}),
        ("length_limit", {"max": 5}),
        ("regex", {"none": ["z"]}),
        ("personal_data", {}),
        ("no_invented_numbers", {}),
        ("token_f1", {}),
        ("json_schema", {"schema": True}),
        ("required_fields", {"fields": ["/a"]}),
        ("refusal", {}),
    ],
)
def test_scorers_that_read_the_text_fail_an_invisible_one(scorer: str, settings: dict[str, object]) -> None:
    the_case = case(expected={"answer": "x", "refusal": False})
    assert build(scorer, **settings).score(the_case, output("\u200b \ufeff"))[0] == NO_OUTPUT
