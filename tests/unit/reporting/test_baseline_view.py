from __future__ import annotations

from evalkit.records.baselines import BaselineDiff, BaselineRow, LengthChange
from evalkit.reporting.baseline_view import baseline_lines


def change(**changes):
    fields = {"capability": "faithfulness", "scorer": "faithfulness", "criterion": "F1", "n": 90, "baseline": 0.05}
    return LengthChange(**{**fields, "value": 0.5, "interval": (0.2, 0.7), "alarm": True, **changes})


def lines(*changes):
    return list(baseline_lines(BaselineDiff(run_id="old", sha256="0", rows=(), length=changes)))


def test_an_alarm_about_length_names_both_figures_and_what_measures_it():
    (_, line) = lines(change())
    assert line.startswith("LENGTH: faithfulness/F1")
    assert "+0.05 -> +0.50 (difference +0.20 to +0.70, n 90)" in line
    assert "evalkit bias verbosity" in line


def test_a_change_without_an_alarm_is_not_printed():
    assert lines(change(alarm=False)) == ["against the baseline, run old:"]


def row(**changes):
    fields = {
        "capability": "tone",
        "scorer": "tone",
        "criterion": "F1",
        "n": 80,
        "baseline": 1.0,
        "value": 1.0,
        "difference": 0.0,
    }
    return BaselineRow(**{**fields, **changes})


def rows_in_words(*rows):
    return list(baseline_lines(BaselineDiff(run_id="old", sha256="0", rows=rows)))[1:]


def test_a_judge_that_judges_the_same_outputs_otherwise_is_no_row_without_a_difference():
    (line,) = rows_in_words(row(value=0.875, unchanged=80, drift=10))
    assert "1.000 -> 0.875, difference +0.000" in line
    assert "INSTRUMENT DRIFT 10 of 80 unchanged outputs" in line


def test_a_row_that_is_equal_and_one_that_was_not_compared_are_told_apart():
    bare = row(n=0, baseline=None, value=None, difference=None)
    other = row(n=0, baseline=None, value=None, difference=None, not_comparable=("another judge",))
    assert rows_in_words(row(), bare, other, row()) == [
        "tone/F1: NOT COMPARED: no case was scored in both runs",
        "tone/F1: NOT COMPARABLE: another judge",
        "compared and without a difference: 2 rows",
    ]
