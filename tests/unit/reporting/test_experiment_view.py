"""Rows of experiments in words: counts before figures, words where there is no figure, nothing untrusted unescaped."""

from __future__ import annotations

from evalkit.experiments.agreement_rows import Repeated, agreement_row
from evalkit.experiments.outcome import new_experiment
from evalkit.records.experiments import CriteriaOrderRow, DriftRow, ExperimentJudge, FamilyRow, PairedRow
from evalkit.reporting.experiment_view import rows_in_words

PAIRED = PairedRow(
    capability="c", rubric="r", criterion="overall", variant="padding", cases=60, n=50, excluded={"judge_error:parse": 10},
    passed_original=40, passed_perturbed=44, gained=6, lost=2, difference=0.08, interval=(-0.03, 0.2), p=0.18, changed=0.16,
    changed_interval=(0.08, 0.28),
)  # fmt: skip
DRIFT = DriftRow(
    capability="c", rubric="r", criterion="F1", cases=50, n=50, excluded={}, flips=5, rate=0.1, interval=(0.04, 0.21), noise=None,
    noise_upper=None, state="not measured",
)  # fmt: skip


def words(**rows):
    return list(rows_in_words(new_experiment("stability", "s", [ExperimentJudge(judge="j")]).model_copy(update=rows)))


def test_the_design_of_an_agreement_line():
    runs = [("pass",) * 3] * 58 + [("pass", "pass", "fail")] * 9 + [("fail",) * 3] * 33
    (line,) = words(agreement=(agreement_row(Repeated("j", "F1", "c", "r", runs=runs), 3, seed=1),))
    assert line.startswith("c / r / F1: 3 runs, 100 items: fail in all 33, pass in all 58, flipped 9")
    assert "self-agreement 91.0 % (83.8 to 95.2) (all 3 runs equal) | pairwise 94.0 %" in line
    assert "flip probability 6.0 % | alpha 0.87" in line


def test_a_paired_line_shows_both_directions_and_what_was_left_out():
    (line,) = words(paired=(PAIRED,))
    assert "of 40 that passed 2 were lost, of 10 that failed 6 were gained" in line
    assert "+8.0 points (-3.0 to 20.0), mid-p 0.180" in line
    assert "excluded: judge_error:parse 10" in line


def test_of_paired_rows_the_overall_one_is_printed_and_every_one_where_there_is_none():
    other = PAIRED.model_copy(update={"criterion": "F1"})
    assert len(words(paired=(other, PAIRED))) == 1
    assert len(words(paired=(other, PAIRED.model_copy(update={"n": 0})))) == 2


def test_drift_without_a_noise_figure_says_that_it_was_not_measured():
    (line,) = words(drift=(DRIFT,))
    assert "5 of 50 flipped, 10.0 % (4.0 to 21.0); self-agreement not measured: not measured" in line


def test_a_family_row_without_cases_has_words_instead_of_a_figure():
    row = FamilyRow(
        capability="c", rubric="r", criterion="F1", cases=2, n=0, excluded={"one_candidate_only": 2}, own_home=0, own_foreign=0,
        other_home=0, other_foreign=0, difference=None, interval=None, reading="no data",
    )  # fmt: skip
    assert words(family=(row,)) == ["c / r / F1: n 0; excluded: one_candidate_only 2 [no data]"]


ORDER = CriteriaOrderRow(
    capability="c", rubric="r", criterion="F1", place=1, moved_to=3, cases=60, n=50, excluded={"not_applicable": 10}, passed_both=30,
    lost=7, gained=1, failed_both=12, difference=-0.12, interval=(-0.25, -0.01), p=0.039, flips=8, repeat_flips=2, added=0.12,
    added_interval=(0.01, 0.25), added_p=0.07,
)  # fmt: skip


def test_a_moved_criterion_says_from_where_to_where_and_sets_its_flips_beside_the_noise():
    (line,) = words(criteria_order=(ORDER,))
    assert line == (
        "c / r / F1, place 1 -> 3: n 50, passed in both orders 30, lost 7, gained 1, failed in both 12 | net -12.0 points (-25.0 "
        "to -1.0), mid-p 0.039 | 8 changed with the order, 2 when the same order was asked again; the order adds +12.0 points "
        "(1.0 to 25.0), mid-p 0.070; excluded: not_applicable 10"
    )
    (overall,) = words(criteria_order=(ORDER.model_copy(update={"criterion": "overall", "place": None, "n": 0}),))
    assert overall == "c / r / overall: no data; excluded: not_applicable 10"


def test_untrusted_names_are_escaped():
    (line,) = words(paired=(PAIRED.model_copy(update={"variant": "\x1b[31m\n::error::x"}),))
    assert "\x1b" not in line
    assert "\n" not in line
    assert "::error::" not in line
