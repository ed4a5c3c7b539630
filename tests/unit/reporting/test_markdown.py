from __future__ import annotations

import re

from fakes.stored_runs import failure, judge_failure, manifest, report, row

from evalkit.records.reports import Gating
from evalkit.reporting.markdown import FAILURES_SHOWN, MOST_CHARS, report_markdown

HOSTILE = "a|b\n@here <details><script>alert(1)</script> ::error::x"


def test_the_report_says_first_whether_it_may_be_used_and_what_failed():
    text = report_markdown(report(), manifest())
    assert text.startswith("# shop: candidate\n\n**INVALID FOR GATING**\n\n- judge errors 33.3 %")
    assert "- policy: 1 of 2 conditions BREACHED, 1 could not be decided; 1 of 1 code criterion has failures;" in text
    assert "- undecided: latency\\_limit could not be decided in 2 cases" in text


def test_the_report_of_a_valid_run_says_what_failed_before_it_says_valid():
    text = report_markdown(report(gating=Gating(valid=True, reasons=())), manifest())
    assert text.startswith("# shop: candidate\n\n**policy: 1 of 2 conditions BREACHED")
    assert "- valid for gating, by the rows decided in code only; this is no word on quality" in text


def test_every_table_row_has_the_cells_of_its_header_whatever_the_data():
    rows = (row(capability=HOSTILE, note=HOSTILE, reading=HOSTILE, excluded={HOSTILE: 1}),)
    text = report_markdown(report(rows=rows), manifest(), [failure(HOSTILE, reason=HOSTILE, capability=HOSTILE)])
    tables = [line for line in text.splitlines() if line.startswith("|")]
    cells = [len(re.findall(r"(?<!\\)\|", line)) for line in tables]
    assert set(cells) == {10, 5}
    assert "<details>" not in text
    assert "<script>" not in text
    assert "@here" not in text


def test_failures_are_listed_up_to_a_bound_and_it_is_said_that_there_are_more():
    lines = [failure(f"c{number}") for number in range(FAILURES_SHOWN + 7)]
    text = report_markdown(report(), manifest(), lines)
    assert f"c{FAILURES_SHOWN - 1}" in text
    assert f"c{FAILURES_SHOWN}" not in text
    assert "... and more in failures.jsonl (truncated)" in text
    assert "more in failures.jsonl" not in report_markdown(report(), manifest(), lines[:FAILURES_SHOWN])


def test_no_more_lines_are_read_than_are_needed():
    lines = (failure(f"c{number}") for number in range(FAILURES_SHOWN + 7))
    report_markdown(report(), manifest(), lines)
    assert sum(1 for _ in lines) == 6


def test_findings_are_no_failures():
    assert "## Failures" not in report_markdown(report(), manifest(), [failure("c1", kind="finding")])


def test_a_judge_error_is_listed_as_one():
    assert "judge error: schema" in report_markdown(
        report(), manifest(), [judge_failure("c3", kind="judge_error", criterion=None, reason="schema: F1 is missing")]
    )


def test_a_scorer_error_is_listed_as_one():
    text = report_markdown(report(), manifest(), [failure("c3", kind="scorer_error", reason="regex timeout")])
    assert "scorer error: regex timeout" in text


def test_the_file_never_outgrows_what_a_host_shows():
    rows = tuple(row(capability=f"capability {number}") for number in range(2000))
    text = report_markdown(report(rows=rows), manifest(), [failure("c1", reason="x" * 70_000)])
    assert len(text) <= MOST_CHARS
    assert "truncated" in text.splitlines()[-1]


def test_what_the_figures_may_not_be_used_for_and_where_they_come_from_is_in_it():
    text = report_markdown(report(), manifest())
    assert "not calibrated against human labels" in text
    assert "floor judge is rules, not a model" in text
    assert f"golden set: {'b' * 64}" in text
    assert "clustered" in text
