from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from fakes.stored_runs import failure, health, judge_failure, judge_row, manifest, report, row
from rich.console import Console

from evalkit.aggregation.readings import PROVISIONAL, with_trust
from evalkit.records.gates import Reliance
from evalkit.records.manifests import Purchases
from evalkit.records.reports import Gating, PolicyBreach
from evalkit.reporting.console import make_console
from evalkit.reporting.page import PIPED_CELLS, Page
from evalkit.reporting.side_by_side import print_side_by_side
from evalkit.reporting.terminal import first_of_each, print_run

SOUND = Gating(valid=True, reasons=())


@pytest.fixture
def pipe(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    stream = io.StringIO()
    return Page(make_console(stream), piped=PIPED_CELLS), stream


def printed(made=None, about=None, failures=(), width=100, folder=Path("runs/r1")):
    stream = io.StringIO()
    console = Console(file=stream, width=width, force_terminal=True, color_system=None, markup=False, highlight=False)
    print_run(Page(console), made or report(), about or manifest(), folder, failures)
    return stream.getvalue()


def test_the_first_lines_say_whether_the_run_may_be_used_and_why_not():
    first, second, *_ = printed().splitlines()
    assert first == "shop / candidate, run r1: INVALID FOR GATING"
    assert second == "  because: judge errors 33.3 % are over the budget of 2.0 %"


def test_of_a_valid_run_what_failed_is_said_before_its_validity_which_is_no_praise():
    kept = PolicyBreach(condition="forbidden_tools", breaches=0, unknown=0, cases=())
    first, second, third, *_ = printed(report(gating=SOUND, policy=(kept,))).splitlines()
    assert first == "shop / candidate, run r1"
    assert second == "  policy: 0 breaches; 1 of 1 code criterion has failures; the judge's rows are provisional"
    assert third == "  valid for gating, by the rows decided in code only; this is no word on quality"


def test_policy_breaches_and_undecided_conditions_are_named_with_their_cases():
    text = printed()
    assert "policy: 1 of 2 conditions BREACHED, 1 could not be decided" in text
    assert "POLICY BREACHED: forbidden_tools in 1 case (c2)" in text
    assert "policy undecided: latency_limit could not be decided in 2 cases" in text


def test_a_condition_that_nobody_could_decide_is_never_called_kept():
    undecided = PolicyBreach(condition="cost_limit", breaches=0, unknown=1, cases=())
    text = printed(report(policy=(undecided,)))
    assert "policy: 1 of 1 condition could not be decided" in text
    assert "policy undecided: cost_limit could not be decided in 1 case\n" in text
    assert "breach" not in text.lower()


def test_a_row_shows_passed_of_n_value_interval_and_every_exclusion():
    text = " ".join(printed(width=200).split())
    assert (
        "exact_match 1 of 2 50.0 % 9.5 to 90.5 % small n; excluded: missing_output 1; worst case 33.3 to 66.7 %" in text
    )
    assert "faithfulness: F1 1 of 2 50.0 % 9.5 to 90.5 % provisional; small n; excluded: judge_error:schema 1" in text


def test_a_row_without_cases_says_no_data_and_never_zero():
    empty = row(n=0, passed=0, value=None, interval=None, bounds=None, excluded={"no_expectation": 3})
    text = printed(report(rows=(empty,)))
    assert "no data" in text
    assert "0.0 %" not in text.split("no data")[1].split("judge")[0]


def test_the_floor_is_named_for_what_it_is_and_provisional_is_said_plainly():
    text = " ".join(printed().split())
    assert "judge: floor, not a model (prompt pointwise/1)" in text
    assert "not calibrated against human labels" in text
    assert "no gate may read it" in text


def test_outputs_that_went_missing_or_fit_no_case_are_counted():
    text = printed(width=160)
    assert "outputs: missing 1" in text
    assert "outputs without a case in the golden set: 1 (stray)" in text


def test_the_judge_is_reported_as_an_instrument():
    text = " ".join(printed().split())
    assert "3 requests, 2 verdicts; judge errors 1 (schema 1) = 33.3 %, OVER the budget of 2.0 %" in text
    assert "50.0 % valid at the first reply" in text
    assert "self-agreement not measured" in text


def test_a_judge_that_is_the_candidate_is_flagged_on_the_first_screen():
    made = report(independence={"independent": False, "reason": "judge and candidate are both gpt-x"})
    assert "independence: NO: judge and candidate are both gpt-x" in printed(made)


def test_what_was_bought_and_spared_is_said_and_unknown_cost_is_unknown():
    bought = Purchases(
        calls=3,
        bought=2,
        input_tokens=1200,
        output_tokens=90,
        unknown_usage=1,
        cache_hits=5,
        saved_input_tokens=10,
        stopped="max_cost",
    )
    text = " ".join(printed(about=manifest(purchases=bought)).split())
    assert "2 verdicts in 3 calls (at least 1,200 tokens in, 90 out; cost unknown)" in text
    assert "the cache spared 5 verdicts" in text
    assert "STOPPED EARLY: max_cost" in text


def test_the_first_failure_of_each_kind_is_shown_with_its_claim_and_the_next_command():
    claims = [{"text": "Refunds take 45 days.", "status": "unsupported"}]
    lines = [failure("c2"), failure("c3"), judge_failure("c2", claims=claims)]
    text = " ".join(printed(failures=lines, width=200).split())
    assert "c2 short_answer/exact_match: got '14 days', expected '30 days'" in text
    assert "c3" not in text
    assert 'unsupported claim "Refunds take 45 days."' in text
    assert "next: evalkit show r1 c2" in text


def test_a_run_elsewhere_is_named_by_its_path():
    assert "next: evalkit show elsewhere/r1 CASE" in printed(folder=Path("elsewhere/r1"))


def test_the_files_of_a_run_are_named_as_far_as_they_are_there(tmp_path):
    for name in ("scores.jsonl", "classified.jsonl"):
        (tmp_path / name).touch()
    (line,) = [line for line in printed(folder=tmp_path, width=400).splitlines() if line.startswith("files: ")]
    assert line.endswith("verdicts.jsonl, manifest.json, scores.jsonl, classified.jsonl")


def test_failures_of_one_kind_are_not_repeated():
    assert [line["case_id"] for line in first_of_each([failure("a"), failure("b"), judge_failure("c")])] == ["a", "c"]


@pytest.mark.parametrize("width", [20, 40, 60, 80, 200])
def test_no_line_is_wider_than_the_terminal_and_none_of_a_candidate_begins_one(width):
    hostile = "\x1b[2J\nPASS\r" + " " * 200 + "PASS ::error::x"
    lines = printed(failures=[failure(hostile, reason=hostile)], width=width).splitlines()
    assert max(map(len, lines)) <= width
    assert not any(line.startswith(("PASS", "::")) for line in lines)
    assert "\x1b" not in "".join(lines)


def test_the_rows_of_a_capability_stand_together_whoever_decided_them():
    text = printed(report(rows=(row(capability="faithfulness"), row(), judge_row())))
    assert text.index("  faithfulness: F1") < text.index("short_answer")


def test_criteria_that_have_no_data_for_one_reason_share_a_line():
    empty = {
        "n": 0,
        "passed": 0,
        "value": None,
        "interval": None,
        "bounds": (0.0, 1.0),
        "excluded": {"floor_abstains": 3},
    }
    rows = tuple(judge_row(criterion=name, **empty) for name in ("H1", "H2", "overall"))
    text = " ".join(printed(report(rows=rows), width=160).split())
    assert "no data: faithfulness: H1, H2, overall (floor_abstains 3)" in text


MEAN = {"capability": "retrieval", "scorer": "retrieval", "estimate": "mean", "passed": None, "bounds": None}


def test_means_of_one_scorer_over_the_same_cases_share_a_paragraph_that_names_a_metric_once():
    names = {"recall@1": 0.879, "precision@1": 0.917, "recall@3": 0.991, "mrr": 0.954}
    rows = tuple(row(**MEAN, criterion=name, value=value, insufficient=False) for name, value in names.items())
    text = printed(report(rows=rows), width=160)
    assert (
        "retrieval: means of 2 cases (excluded: missing_output 1): recall@1 0.879, @3 0.991; precision@1 0.917; mrr 0.954\n"
        in text
    )


def test_means_over_other_cases_and_rows_with_a_pass_rule_keep_their_lines():
    rows = (*(row(**MEAN, criterion=f"recall@{k}", value=0.5, n=k, total=k + 1) for k in (1, 3, 5)), *[row()] * 4)
    text = printed(report(rows=rows), width=160)
    assert "means of" not in text
    assert text.count("exact_match  ") == 4


def test_failures_stand_before_the_rows_on_one_line_each_cut_after_a_word(pipe):
    page, stream = pipe
    print_run(page, report(), manifest(), Path("runs/r1"), [failure("c2", reason="wrong answer " * 100)])
    lines = stream.getvalue().splitlines()
    (shown,) = [line for line in lines if "c2  short_answer" in line]
    assert len(shown) <= 100
    assert re.search(r" (wrong|answer)\.\.\.$", shown)
    assert lines.index(shown) < next(n for n, line in enumerate(lines) if "95 % interval" in line)
    assert max(len(line) for line in lines if "excluded" not in line) <= 100  # a row stays whole, for grep


def test_every_capability_is_heard_before_a_second_criterion_of_one():
    lines = [failure("a", criterion=str(number)) for number in range(9)] + [judge_failure("z")]
    assert [line["case_id"] for line in first_of_each(lines, 3)] == ["a", "a", "z"]


def test_candidates_stand_side_by_side_with_a_word_on_what_that_does_not_show():
    stream = io.StringIO()
    console = Console(file=stream, width=160, force_terminal=True, color_system=None, markup=False, highlight=False)
    other = report(
        outputs={"name": "baseline"}, rows=(row(passed=2, value=1.0), judge_row(signature={"rubric": "other"}))
    )
    print_side_by_side(Page(console), [report(), other])
    text = stream.getvalue()
    assert "candidate" in text
    assert "baseline" in text
    assert "1 of 2  50.0 %" in text
    assert "2 of 2  100.0 %" in text
    assert "measured differently: not comparable" in text
    assert "not tested" in text


def test_a_row_that_one_candidate_lacks_is_said_to_be_not_measured():
    stream = io.StringIO()
    console = Console(file=stream, width=160, force_terminal=True, color_system=None, markup=False, highlight=False)
    print_side_by_side(Page(console), [report(), report(rows=(row(),))])
    assert "not measured" in stream.getvalue()


def test_a_health_within_budget_is_said_to_be_within():
    text = printed(report(health=health(judge_errors={}, judge_error_rate=0.0, within_budget=True)))
    assert "judge errors 0 = 0.0 %, within the budget" in text


def test_a_run_says_why_calibrated_rows_are_provisional_and_not_that_nobody_calibrated():
    why = "independence of this run: judge and candidate share the family acme, and trust was earned on a candidate of another family"
    rows = [with_trust(judge_row(criterion=name, reading=PROVISIONAL), Reliance(reason=why)) for name in ("F1", "F2")]
    text = " ".join(printed(report(gating=SOUND, policy=(), rows=tuple(rows))).split())
    assert f"provisional, faithfulness: F1, faithfulness: F2: {why}" in text
    assert "not calibrated against human labels" not in text
    assert "no gate may read them" in text


def test_a_run_with_trusted_rows_names_them_and_calls_only_the_others_provisional():
    rows = (judge_row(trust="trusted"), judge_row(criterion="F2"))
    text = " ".join(printed(report(gating=SOUND, policy=(), rows=rows)).split())
    assert "trusted: faithfulness: F1; the judge's other rows are provisional" in text
    assert "by the rows decided in code and the judge's trusted ones" in text
    assert "not calibrated against human labels" not in text
    assert "rows marked provisional are cases worth reading, but no gate may read them" in text
