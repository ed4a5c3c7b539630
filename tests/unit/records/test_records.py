"""Records are frozen, strict and refuse what they do not know."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from evalkit.records.cases import Case, Document
from evalkit.records.judges import JudgeConfig
from evalkit.records.outputs import Output
from evalkit.records.rubrics import Criterion, Rubric
from evalkit.records.suites import ScorerUse, Suite


def test_a_record_cannot_be_changed():
    case = Case(id="a", input="q")
    with pytest.raises(ValidationError):
        case.id = "b"


@pytest.mark.parametrize(
    ("model", "data"),
    [
        (Case, {"id": "a", "input": "q", "contxt": []}),
        (Case, {"id": "", "input": "q"}),
        (Case, {"id": 1, "input": "q"}),
        (Document, {"id": "d", "text": None}),
        (Output, {"case_id": "a", "attempt": 0}),
        (Output, {"case_id": "a", "latency_ms": -1.0}),
        (Output, {"case_id": "a", "cost_usd": float("nan")}),
        (JudgeConfig, {"client": "eval"}),
        (JudgeConfig, {"samples": 0}),
        (JudgeConfig, {"api_key": "sk-canary"}),
        (JudgeConfig, {"structured_output": "false"}),
        (Suite, {"name": "s", "capabilities": ()}),
    ],
)
def test_what_a_format_does_not_allow_is_refused(model, data):
    with pytest.raises(ValidationError):
        model.model_validate(data)


def test_a_rubric_needs_a_criterion_and_criteria_plain_ids():
    criterion = Criterion(id="F1", question="q", pass_condition="p")
    with pytest.raises(ValidationError):
        Rubric(id="r", version="1", criteria=())
    for name in ("", "1F", "F 1", "../F", "F" * 41):
        with pytest.raises(ValidationError):
            criterion.model_validate(criterion.model_dump() | {"id": name})


def test_a_scorer_use_gathers_the_other_keys_as_settings():
    use = ScorerUse.model_validate({"scorer": "token_f1", "min": 0.8})
    assert use.settings == {"min": 0.8}


def test_null_and_empty_texts_are_different_outputs():
    assert Output(case_id="a").text is None
    assert not Output(case_id="a", text="").text


def test_a_cluster_is_text_whatever_was_written():
    assert Case(id="a", input="q", meta={"cluster": 7}).cluster == "7"
    assert Case(id="a", input="q").cluster is None
