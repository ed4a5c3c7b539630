from __future__ import annotations

import io

import pytest

from evalkit.records.diffs import Instrument, RefusedRow, RowDiff, RowName, RunDiff
from evalkit.reporting.console import make_console
from evalkit.reporting.diff_view import print_diff
from evalkit.reporting.page import Page

NAME = {"capability": "short_answer", "scorer": "exact_match", "criterion": "exact_match", "kind": "deterministic"}


@pytest.fixture(autouse=True)
def _no_width(monkeypatch):
    """Whole lines, whoever runs the tests."""
    monkeypatch.delenv("COLUMNS", raising=False)


def shown(**changes):
    fields = {
        "run_a": "old",
        "run_b": "new",
        "suite": "shop",
        "instruments": (),
        "notes": (),
        "family": 1,
        "rows": (),
        "refused": (),
        "only_a": (),
        "only_b": (),
    }
    stream = io.StringIO()
    print_diff(Page(make_console(stream)), RunDiff(**{**fields, **changes}))
    return stream.getvalue()


def diff_row(**changes):
    fields = {**NAME, "estimate": "rate", "n": 50, "value_a": 0.5, "value_b": 0.7, "difference": 0.2, "unchanged": 10}
    return RowDiff(**{**fields, **changes})


def test_the_instruments_are_said_before_any_difference():
    instrument = Instrument(
        run="new", self_agreement="not measured", judged=9, judge_errors=1, judge_error_rate=1 / 9, within_budget=False
    )
    text = shown(instruments=(instrument,), rows=(diff_row(),))
    assert text.index("1 judge errors of 9 (11.1 %), OVER THE BUDGET") < text.index("difference +20")


def test_cases_come_before_figures_and_the_family_is_named():
    text = shown(rows=(diff_row(fixed=("a",), interval=(0.05, 0.3), p=0.01, q=0.01, p_holm=0.01, moved="better"),))
    assert text.index("fixed 1: a") < text.index("n 50 (40 changed outputs): 50.0 % -> 70.0 %")
    assert "difference +20.0 points (Tango, 95 %: +5.0 points to +30.0 points)" in text
    assert "BETTER" in text
    assert "over the 1 tests" in text


def test_what_may_not_be_compared_is_said_with_every_field():
    text = shown(refused=(RefusedRow(**NAME, reasons=("model is a in A and b in B", "samples is 1 in A and 3 in B")),))
    assert "NOT COMPARABLE: short_answer/exact_match" in text
    assert "samples is 1 in A and 3 in B" in text


def test_long_lists_say_how_many_more_and_ids_cannot_forge_lines():
    text = shown(rows=(diff_row(broken=tuple(f"c{i}\n::error::x" for i in range(20))),), only_b=(RowName(**NAME),))
    assert "... (12 more)" in text
    assert "\n::error" not in text
    assert "only in B: short_answer/exact_match" in text


def test_a_row_without_pairs_has_words_instead_of_figures():
    row = diff_row(n=0, value_a=None, value_b=None, difference=None, note="no case was scored in both runs")
    assert "no case was scored in both runs" in shown(rows=(row,))


def test_a_judge_s_row_says_what_it_is_beside_better():
    row = diff_row(
        kind="judge",
        criterion="S1",
        moved="better",
        p=0.0,
        q=0.0,
        p_holm=0.0,
        caution="floor, not a model; provisional",
    )
    text = shown(rows=(row,))
    assert "short_answer/exact_match/S1 (judge: floor, not a model; provisional)  BETTER" in text
    assert "mid-p <0.001, q <0.001, Holm <0.001" in text
    assert "(judge)  BETTER" in shown(rows=(diff_row(kind="judge", moved="better"),)), "trust is earned"
