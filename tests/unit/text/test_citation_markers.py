from __future__ import annotations

import pytest

from evalkit.text.citation_markers import marker_spans, without_markers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("30 days [1].", "30 days."),
        ("30 days [1, 2][3-5] [^6].", "30 days."),
        ("30 days [doc:billing/refunds].", "30 days."),
        ("30 days [billing/refunds, plans].", "30 days."),
        ("30 days\u30101\u2020source\u3011.", "30 days."),
        ("30 [days](https://example.org)", "30 [days](https://example.org)"),
        ("an [optional] step, [30 days]", "an [optional] step, [30 days]"),
        ("no marker", "no marker"),
        ("[[[", "[[["),
    ],
)
def test_markers_go_and_everything_else_stays(text: str, expected: str) -> None:
    assert without_markers(text, ("billing/refunds", "plans")) == expected


def test_spans_are_offsets() -> None:
    assert marker_spans("a [1] b [2]") == [(2, 5), (8, 11)]
