from __future__ import annotations

import pytest
from fakes.stored_runs import judge_row

from evalkit.records.case_scores import CaseScores, CaseTable, RowScores
from evalkit.rundiff.lengths import length_change
from evalkit.rundiff.outcomes import RunOutcomes

N = 120
MIXED = "pffp" * (N // 4)


def run(codes, lengths=None):
    cases = tuple(f"c{i}" for i in range(N))
    digits = "1" * (16 * N)
    table = CaseTable(cases=cases, golden=digits, outputs=digits, lengths=lengths or tuple(range(10, 10 + N)))
    return RunOutcomes((judge_row(),), CaseScores(table, (RowScores(row=0, codes=codes),)))


def change(before, after):
    return length_change(judge_row(), before, 0, after, 0)


def test_a_judge_that_comes_to_pass_the_longer_answers_sets_off_the_alarm():
    found = change(run(MIXED), run("f" * (N // 2) + "p" * (N // 2)))
    assert found.alarm
    assert found.baseline == pytest.approx(0, abs=0.05)
    assert found.value == 1.0
    assert found.interval[0] > 0


def test_the_same_verdicts_are_silent():
    found = change(run(MIXED), run(MIXED))
    assert (found.alarm, found.interval, found.n) == (False, None, N)


def test_few_fails_are_not_read():
    found = change(run(MIXED), run("f" * 9 + "p" * (N - 9)))
    assert (found.alarm, "fewer than 10" in found.note) == (False, True)


def test_blank_answers_have_no_length_and_are_left_out():
    lengths = (0, *range(11, 10 + N))
    assert change(run(MIXED), run(MIXED, lengths)).n == N - 1
