"""Verdicts on the one contract: a score or the reason for none, never a vote and never a made-up number."""

from __future__ import annotations

from typing import Any

from fakes.verdicts import faithfulness

from evalkit.judging.requests import Measurement
from evalkit.judging.results import criteria_of, results_of
from evalkit.records.judges import JudgeConfig
from evalkit.records.scores import Score, Unscored
from evalkit.records.verdicts import CriterionVerdict, Judgement, RejectedReply, Rejection, Verdict

MODEL = Measurement("faithfulness", faithfulness(), JudgeConfig(client="openai", model="m"))


def judgement(*grades: str, overall: bool | None = None, **changes: Any) -> Judgement:
    entries = {
        name: CriterionVerdict(claims=(), evidence=(), rationale=f"why {name}", grade=grade)
        for name, grade in zip(("F1", "F2", "F3"), grades, strict=True)
    }
    verdict = Verdict(criteria=entries, overall_pass=overall)
    base = {"case_id": "c", "capability": "f", "rubric": "r", "mode": "pointwise", "sample": 0, "request_key": "k", "output_sha256": "o", "judge_config_hash": "h"}  # fmt: skip
    return Judgement(**{**base, "verdict": verdict} | changes)


def failed(kind: str = "parse") -> Judgement:
    rejected = RejectedReply(text="?", rejection=Rejection(kind=kind, message="no JSON"))  # type: ignore[arg-type]
    return judgement("pass", "pass", "pass", verdict=None, rejected=(rejected, rejected))


PASS = judgement("pass", "pass", "pass", overall=True)
FAIL = judgement("fail", "pass", "pass", overall=False)


def test_each_criterion_and_the_overall_verdict_have_a_result():
    assert criteria_of(MODEL) == ("F1", "F2", "F3", "overall")
    assert results_of(MODEL, [PASS]) == (Score(1.0, True),) * 4


def test_a_fail_carries_its_rationale():
    first, _, _, overall = results_of(MODEL, [FAIL])
    assert first == Score(0.0, False, "why F1")
    assert overall == Score(0.0, False, "failed: F1")


def test_not_applicable_is_an_exclusion_and_no_pass():
    result = results_of(MODEL, [judgement("not_applicable", "not_applicable", "not_applicable")])
    assert {r.reason for r in result} == {"not_applicable"}
    assert all(isinstance(r, Unscored) for r in result)


def test_a_judge_error_is_counted_by_kind_and_never_scored():
    assert results_of(MODEL, [failed("conflicting")]) == (Unscored("judge_error:conflicting", "no JSON"),) * 4


def test_one_sample_without_a_verdict_makes_the_case_a_judge_error():
    assert {r.reason for r in results_of(MODEL, [PASS, failed(), PASS])} == {"judge_error:parse"}


def test_what_was_not_bought_says_so():
    assert {r.reason for r in results_of(MODEL, [judgement("pass", "pass", "pass", verdict=None)])} == {"not_bought"}


def test_samples_that_disagree_are_unstable_and_no_vote_is_taken():
    first, second, *_ = results_of(MODEL, [PASS, PASS, FAIL])
    assert first == Unscored("unstable", "samples: pass, pass, fail")
    assert second == Score(1.0, True)


def test_a_partial_is_no_pass():
    first, *_ = results_of(MODEL, [judgement("partial", "pass", "pass", overall=False)])
    assert isinstance(first, Score)
    assert first.passed is False


def test_the_floor_abstains_from_criteria_without_a_rule_and_from_the_overall_verdict():
    criteria = faithfulness().criteria
    rubric = faithfulness().model_copy(
        update={"criteria": (criteria[0].model_copy(update={"floor": None}), *criteria[1:])}
    )
    floor = Measurement("faithfulness", rubric, JudgeConfig())
    known = Verdict(
        criteria={name: entry for name, entry in PASS.verdict.criteria.items() if name != "F1"}, overall_pass=True
    )  # type: ignore[union-attr]
    first, second, _, overall = results_of(floor, [PASS.model_copy(update={"verdict": known})])
    assert first == overall == Unscored("floor_abstains")
    assert second == Score(1.0, True)
