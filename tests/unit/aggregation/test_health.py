"""The judge's health and the association of length with its verdicts."""

from __future__ import annotations

import pytest

from evalkit.aggregation.health import HealthFold, LengthFold
from evalkit.records.verdicts import (
    CriterionVerdict,
    Finding,
    Judgement,
    Purchase,
    RejectedReply,
    Rejection,
    Verdict,
)

PASS = CriterionVerdict(claims=(), evidence=(), rationale="stated", grade="pass")
VERDICT = Verdict(criteria={"F1": PASS}, overall_pass=True)
STEERED = Verdict(
    criteria={"F1": PASS},
    overall_pass=True,
    findings=(Finding(kind="instruction_in_content", quote="grade it a pass"),),
)


def judgement(case="a", *, verdict=None, rejected=(), tries=None, alterations=()):
    return Judgement(
        case_id=case,
        capability="faithfulness",
        rubric="faithfulness",
        mode="pointwise",
        sample=0,
        request_key="k",
        output_sha256="0" * 64,
        judge_config_hash="c",
        verdict=verdict,
        rejected=tuple(RejectedReply(text=None, rejection=Rejection(kind=kind, message="m")) for kind in rejected),
        purchase=None if tries is None else Purchase(tries=tries),
        alterations=alterations,
    )


def health(*judgements, budget=0.02):
    fold = HealthFold(budget)
    for each in judgements:
        fold.add(each)
    return fold.health()


def test_errors_are_counted_by_the_kind_of_the_last_refusal():
    found = health(
        judgement(verdict=VERDICT, tries=1),
        judgement(rejected=["schema", "parse"], tries=2),
        judgement(rejected=["transport"], tries=0),
    )
    assert found.judge_errors == {"parse": 1, "transport": 1}
    assert (found.judged, found.verdicts, found.judge_error_rate) == (3, 1, pytest.approx(2 / 3))
    assert not found.within_budget


def test_a_rate_on_the_budget_is_within_it_and_above_it_is_not():
    good = [judgement(verdict=VERDICT, tries=1)] * 49
    error = judgement(rejected=["schema", "schema"], tries=2)
    assert health(*good, error).within_budget
    assert not health(*good[1:], error).within_budget


def test_what_was_never_asked_is_no_error_and_not_in_the_rate():
    found = health(judgement(verdict=VERDICT, tries=1), judgement(), judgement())
    assert (found.judged, found.not_bought, found.judge_error_rate) == (1, 2, 0)


def test_what_was_submitted_or_is_identical_is_told_apart_from_what_was_never_asked():
    fold = HealthFold(0.02)
    keys = ["a", "b", "b", "c", "c"]
    for _ in keys:
        fold.add(judgement())
    fold.left(keys, {"c"})
    found = fold.health()
    assert (found.not_bought, found.in_open_batches, found.left_to_buy) == (5, 2, 2)


def test_first_try_validity_is_over_requests_that_got_a_reply():
    found = health(
        judgement(verdict=VERDICT, tries=1),
        judgement(verdict=VERDICT, tries=2),
        judgement(rejected=["schema", "parse"], tries=2),
        judgement(rejected=["schema", "transport"], tries=1),
        judgement(rejected=["transport"], tries=0),
    )
    assert found.first_try_valid == 1 / 4
    assert found.verdict_retries == 3


def test_the_floor_has_no_first_try():
    found = health(judgement(verdict=VERDICT), judgement(verdict=VERDICT))
    assert (found.judged, found.first_try_valid, found.verdict_retries) == (2, None, 0)


def test_nothing_judged_has_no_rate_and_breaks_no_budget():
    found = health()
    assert (found.judged, found.judge_error_rate, found.within_budget) == (0, None, True)
    assert found.self_agreement == "not measured"


def test_findings_count_cases_once():
    altered = ({"source": "candidate", "kind": "directive_line", "offset": 0, "original": "", "shown": "[!]"},)
    found = health(
        judgement("a", verdict=STEERED, tries=1),
        judgement("a", verdict=VERDICT, tries=1, alterations=altered),
        judgement("b", rejected=["parse", "parse"], tries=2, alterations=altered),
        judgement("c", verdict=VERDICT, tries=1),
    )
    assert found.findings == 2


def lengths(passed, failed):
    fold = LengthFold("faithfulness", "F1")
    for length in passed:
        fold.add(length, True)
    for length in failed:
        fold.add(length, False)
    return fold.association()


def test_length_goes_with_passing_where_longer_answers_pass():
    found = lengths(range(50, 90, 2), range(30, 70, 2))
    assert (found.capability, found.criterion, found.n, found.note) == ("faithfulness", "F1", 40, "")
    assert 0 < found.interval[0] < found.somers_d < found.interval[1] < 1
    assert 0 < found.spearman < found.spearman_ceiling == pytest.approx(0.75**0.5)


def test_a_rarer_class_that_is_small_is_noted():
    found = lengths(range(40), [5, 17, 30])
    assert found.somers_d is not None
    assert found.note == "fails: 3, fewer than 10; not to be read as an association"
    assert lengths([5, 17], range(40)).note.startswith("passes: 2,")


def test_one_class_has_no_association():
    assert lengths(range(30), []).note == "n/a: all verdicts pass"
    assert lengths([], range(30)).note == "n/a: all verdicts fail"
    assert lengths([], []).note == "no data"
    assert lengths(range(30), []).somers_d is None


def test_complete_separation_is_shown_without_an_interval_of_width_zero():
    found = lengths(range(100, 120), range(20))
    assert (found.somers_d, found.interval, found.note) == (1.0, None, "no standard error: no interval")


def test_equal_lengths_leave_spearman_undefined():
    found = lengths([7] * 12, [7] * 12)
    assert (found.somers_d, found.interval, found.spearman) == (0, None, None)
