"""What cannot be scored at all, under which reason."""

from __future__ import annotations

import pytest

from evalkit.pipeline.scored import exclusion_of
from evalkit.records.outputs import Output
from evalkit.records.scores import Unscored


@pytest.mark.parametrize(
    ("output", "excluded"),
    [
        (None, Unscored("missing_output")),
        (Output(case_id="c", text=None), Unscored("null_text")),
        (Output(case_id="c", text="half of it", error="timeout"), Unscored("output_error", "timeout")),
        (Output(case_id="c", text=None, tool_calls=()), Unscored("null_text")),
    ],
)
def test_an_output_that_is_none_is_excluded_under_its_own_reason(output, excluded):
    assert exclusion_of(output) == excluded


@pytest.mark.parametrize(
    "output",
    [
        Output(case_id="c", text=""),
        Output(case_id="c", text="x"),
        Output(case_id="c", text=None, tool_calls=({"name": "f"},)),
    ],
)
def test_an_empty_text_and_a_pure_tool_call_are_outputs(output):
    assert exclusion_of(output) is None
