"""What is split and under which key; who holds an answer against the facts waits for them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fakes.references import coverage_rubric
from fakes.verdicts import faithfulness
from hypothesis import given
from hypothesis import strategies as st

from evalkit.judging.reference_material import to_split
from evalkit.judging.requests import Measurement, requests_for, split_request
from evalkit.judging.verdicts import lookup
from evalkit.records.cases import Case, Expected
from evalkit.records.judges import JudgeConfig, Params
from evalkit.records.outputs import Output
from evalkit.records.verdicts import ReferenceSplit, ReferenceVerdict

JUDGE = JudgeConfig(client="openai", model="m", base_url="http://localhost/v1")
REFERENCE = "Refunds take 30 days. Only an owner can ask."


def case(name: str = "c", **expected: Any) -> Case:
    return Case(id=name, input="How?", expected=Expected(**expected or {"answer": REFERENCE}))


def split_key(one: Case, judge: JudgeConfig = JUDGE, capability: str = "a", **rubric: Any) -> str:
    request = split_request(Measurement(capability, coverage_rubric(**rubric), judge), one)
    assert request is not None
    return request.key


@pytest.mark.parametrize(
    ("expected", "reference"),
    [
        ({"answer": REFERENCE}, REFERENCE),
        ({"facts": (" ",), "answer": REFERENCE}, REFERENCE),
        ({"answers": (REFERENCE, " ")}, REFERENCE),
        ({"answer": "北京是首都。上海很大。"}, "北京是首都。上海很大。"),
        ({"facts": ("a fact",), "answer": REFERENCE}, None),
        ({"answers": ("Paris, France", "Paris")}, None),
        ({"answer": "42"}, None),
        ({"answer": "7 €"}, None),
        ({"answer": " Zürich. "}, None),
        ({"answer": "?" * 40}, None),
        ({}, None),
    ],
)
def test_a_reference_of_several_words_is_split_unless_the_golden_set_has_facts(expected, reference):
    assert to_split(Case(id="c", input="Q", expected=Expected(**expected))) == reference


def test_the_key_of_a_split_depends_on_reference_and_judge_alone():
    key = split_key(case())
    assert split_key(case("other", answers=(REFERENCE,))) == key
    assert split_key(case(), capability="b", id="another", version="9") == key
    assert split_key(case(), JUDGE.model_copy(update={"samples": 3})) == key
    assert split_key(case(answer=REFERENCE + " Ask.")) != key
    for change in (
        {"model": "n"},
        {"params": Params(temperature=1.0)},
        {"endpoint": "elsewhere"},
        {"structured_output": not JUDGE.structured_output},
    ):
        assert split_key(case(), JUDGE.model_copy(update=change)) != key


def test_how_references_are_split_is_part_of_a_reference_judge_and_of_no_other():
    named = {"split_prompt", "split_prompt_hash", "split_schema_hash"}
    assert named <= set(Measurement("a", coverage_rubric(), JUDGE).identity)
    assert not named & set(Measurement("a", faithfulness(), JUDGE).identity)
    assert split_request(Measurement("a", faithfulness(), JUDGE), case()) is None


def test_a_request_whose_split_is_unknown_is_not_looked_up_and_must_be_bought():
    measurement = Measurement("a", coverage_rubric(), JUDGE)
    (request,) = requests_for(measurement, case(), Output(case_id="c", text="It is 30 days."))
    assert request.split is not None
    assert request.put() is request
    assert lookup([request], None) == ([None], [request])
    (own,) = requests_for(measurement, case(facts=("A fact.",)), Output(case_id="c", text="It is 30 days."))
    assert own.split is None


def test_the_prompt_of_a_split_shows_the_reference_alone():
    request = split_request(Measurement("a", coverage_rubric(), JUDGE), case())
    assert request is not None
    prompt = str(request.messages[1]["content"])
    assert REFERENCE in prompt
    assert "How?" not in prompt
    assert json.loads(prompt.rpartition("\n")[2]) == request.measurement.form.schema
    assert "Split the same reference again" in str(request.retry("x", "no JSON").messages[-1]["content"])


def floor_verdict(reference: str, answer: str) -> ReferenceVerdict:
    measurement = Measurement("a", coverage_rubric(), JudgeConfig())
    requests = requests_for(measurement, case(answer=reference), Output(case_id="c", text=answer))
    ((found,), misses) = lookup(requests, None)
    assert not misses
    assert found is not None
    assert isinstance(found.verdict, ReferenceVerdict)
    return found.verdict


def test_the_floor_splits_by_sentences_and_each_is_a_fact_of_its_own():
    found = floor_verdict(REFERENCE + " Refunds take 30 days.", "Refunds take 30 days.")
    assert [(fact.text, fact.passage, fact.status) for fact in found.facts] == [
        ("Refunds take 30 days.", "Refunds take 30 days.", "covered"),
        ("Only an owner can ask.", "Only an owner can ask.", "missing"),
    ]
    assert found.coverage == 0.5


def test_the_floor_takes_a_reference_without_end_as_one_fact():
    found = floor_verdict(" ".join(f"Step {number} is done." for number in range(200)), "Step 1 is done.")
    assert len(found.facts) == 1


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200))
def test_the_floors_split_of_any_text_passes_the_checks_of_a_models(text):
    measurement = Measurement("a", coverage_rubric(), JudgeConfig())
    request = split_request(measurement, case(answer=text))
    if request is not None:
        ((found,), _) = lookup([request], None)
        assert found is not None
        assert isinstance(found.verdict, ReferenceSplit), found.rejected
