from __future__ import annotations

import json

from evalkit.pipeline.case_record import RowRecord, TableRecord
from evalkit.records.case_scores import NO_OUTPUT, OTHER, RowScores


def test_a_row_holds_a_character_a_case_and_skips_those_that_it_does_not_cover():
    row = RowRecord(mean=False)
    for position, counted in ((1, True), (2, False), (4, "no_expectation")):
        row.add(position, counted, 1.0)
    assert row.scores(3, 6) == RowScores(row=3, codes=".pf.A.", reasons={"A": "no_expectation"})


def test_a_mean_holds_the_values_of_scored_cases_only():
    row = RowRecord(mean=True)
    for position, (counted, value) in enumerate(((None, 0.25), ("scorer_error", float("nan")), (True, 0.5))):
        row.add(position, counted, value)
    assert row.scores(0, 3) == RowScores(row=0, codes="vAp", reasons={"A": "scorer_error"}, values=(0.25, 0.5))


def test_more_reasons_than_there_are_codes_share_the_last_one():
    row = RowRecord(mean=False)
    for position in range(100):
        row.add(position, f"odd {position}", 0.0)
    found = row.scores(0, 100)
    assert found.excluded == 100
    assert len(found.reasons) == 36
    assert found.reasons[found.codes[-1]] == OTHER


def test_a_table_names_cases_hashes_and_clusters():
    table = TableRecord(judged=False)
    table.add("a", b"\x01" * 8, bytes(8), None, None)
    table.add("b", b"\x02" * 8, b"\x03" * 8, "doc", "Yes.")
    found = table.scores([RowRecord(mean=False)])
    assert json.loads(found.table.model_dump_json()) == {
        "cases": ["a", "b"],
        "golden": "01" * 8 + "02" * 8,
        "outputs": NO_OUTPUT + "03" * 8,
        "clusters": [None, "doc"],
        "lengths": None,
    }
    assert [row.codes for row in found.rows] == [".."]


def test_a_table_without_clusters_says_so_once():
    table = TableRecord(judged=False)
    table.add("a", bytes(8), bytes(8), None, None)
    assert table.scores([]).table.clusters is None


def test_lengths_are_kept_for_a_judge_and_blank_answers_have_none():
    table = TableRecord(judged=True)
    for text in ("Yes.", " \n", None):
        table.add("a", bytes(8), bytes(8), None, text)
    assert table.scores([]).table.lengths == (4, 0, 0)
