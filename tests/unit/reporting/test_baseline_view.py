from __future__ import annotations

from evalkit.records.baselines import BaselineDiff, LengthChange
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
