"""Identity of requests and of measurements: each thing that takes part changes it, and nothing else does."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.verdicts import faithfulness

from evalkit.judging import pointwise_prompt, requests
from evalkit.judging.materials import question_text
from evalkit.judging.requests import Measurement, requests_for
from evalkit.records.cases import Case, Document, Message
from evalkit.records.identity import canonical_json
from evalkit.records.judges import Backoff, JudgeConfig, Params, Prices, Rate
from evalkit.records.outputs import Output
from evalkit.records.rubrics import Rubric

CASE = Case(id="c1", input="How long?", context=(Document(id="a", text="30 days."), Document(id="b", text="SSO.")))
OUTPUT = Output(case_id="c1", text="It takes 30 days [1].")
JUDGE = JudgeConfig(client="openai", model="m", base_url="http://localhost/v1")


def key(
    case: Case = CASE,
    output: Output = OUTPUT,
    judge: JudgeConfig = JUDGE,
    rubric: Rubric | None = None,
    capability: str = "f",
) -> str:
    return requests_for(Measurement(capability, rubric or faithfulness(), judge), case, output)[0].key


def config_hash(judge: JudgeConfig = JUDGE, rubric: Rubric | None = None) -> str:
    return Measurement("f", rubric or faithfulness(), judge).config_hash


def changed(record: Any, **changes: Any) -> Any:
    return record.model_copy(update=changes)


def with_criterion(**changes: Any) -> Rubric:
    rubric = faithfulness()
    return changed(rubric, criteria=(changed(rubric.criteria[0], **changes), *rubric.criteria[1:]))


MEASURES = {
    "model": changed(JUDGE, model="m2"),
    "base_url": changed(JUDGE, base_url="http://elsewhere/v1"),
    "endpoint": changed(JUDGE, endpoint="named"),
    "temperature": changed(JUDGE, params=Params(temperature=0.5)),
    "max_tokens": changed(JUDGE, params=Params(max_tokens=100)),
    "seed": changed(JUDGE, params=Params(seed=7)),
    "extra": changed(JUDGE, params=Params(extra={"top_p": 0.5})),
    "structured_output": changed(JUDGE, structured_output=False),
}
TRANSPORT = {
    "client": changed(JUDGE, client="litellm"),
    "max_in_flight": changed(JUDGE, max_in_flight=1),
    "timeout_s": changed(JUDGE, timeout_s=1.0),
    "rate": changed(JUDGE, rate=Rate(rpm=1.0)),
    "backoff": changed(JUDGE, backoff=Backoff(tries=1)),
    "prices": changed(JUDGE, prices=Prices(input=1.0, output=2.0)),
    "max_cost": changed(JUDGE, max_cost=1.0),
    "stop_after_failures": changed(JUDGE, stop_after_failures=1),
    "api_key_env": changed(JUDGE, api_key_env="OTHER_KEY"),
    "family": changed(JUDGE, family="other"),
}
RUBRICS = {
    "question": with_criterion(question="Is it?"),
    "pass_condition": with_criterion(pass_condition="It is."),
    "critical": with_criterion(critical=False),
    "partial": with_criterion(partial="half of it is"),
    "evidence_from": with_criterion(evidence_from="either"),
    "claims_rule": with_criterion(claims_rule=None),
    "example_pass": with_criterion(example_pass="x"),
    "constitution": changed(faithfulness(), constitution="Never promise."),
    "channels": changed(faithfulness(), channels={"tone": "Which?"}),
    "claims": changed(faithfulness(), claims="none"),
}


@pytest.mark.parametrize("name", MEASURES)
def test_what_makes_the_measurement_changes_key_and_configuration(name):
    assert key(judge=MEASURES[name]) != key()
    assert config_hash(MEASURES[name]) != config_hash()


@pytest.mark.parametrize("name", TRANSPORT)
def test_how_the_request_travels_changes_neither(name):
    assert key(judge=TRANSPORT[name]) == key()
    assert config_hash(TRANSPORT[name]) == config_hash()


@pytest.mark.parametrize("name", RUBRICS)
def test_each_word_of_the_rubric_that_the_judge_reads_changes_both(name):
    assert key(rubric=RUBRICS[name]) != key()
    assert config_hash(rubric=RUBRICS[name]) != config_hash()


def test_a_rubrics_version_changes_the_configuration_and_buys_nothing_again():
    reworded = changed(faithfulness(), version="2")
    assert config_hash(rubric=reworded) != config_hash()
    assert key(rubric=reworded) == key()


def test_the_runs_samples_take_part_in_the_configuration_and_each_has_its_own_key():
    three = changed(JUDGE, samples=3)
    assert config_hash(three) != config_hash()
    keys = [request.key for request in requests_for(Measurement("f", faithfulness(), three), CASE, OUTPUT)]
    assert len(set(keys)) == 3
    assert keys[0] == key()


@pytest.mark.parametrize(
    "case",
    [
        changed(CASE, input="How soon?"),
        changed(CASE, context=CASE.context[:1]),
        changed(CASE, context=CASE.context[::-1]),
        changed(CASE, context=(Document(id="z", text="30 days."), CASE.context[1])),
        changed(CASE, context=(Document(id="a", text="45 days."), CASE.context[1])),
        changed(CASE, evidence={"a": 1}),
    ],
)
def test_each_text_that_the_judge_reads_of_a_case_changes_the_key(case):
    assert key(case) != key()


def test_the_answer_changes_the_key_by_its_text_and_its_citations_alone():
    assert key(output=changed(OUTPUT, text="It takes 30 days [2].")) != key()
    assert key(output=changed(OUTPUT, text="It takes 30 days [1]. ")) != key()
    assert key(output=changed(OUTPUT, citations=("b",))) != key()
    assert key(output=changed(OUTPUT, latency_ms=5.0, attempt=2, meta={"run": 1})) == key()


def test_an_invisible_difference_is_a_difference():
    assert key(output=changed(OUTPUT, text="It takes 30\u200b days [1].")) != key(
        output=changed(OUTPUT, text="It takes 30\\u{200B} days [1].")
    )


def test_two_cases_with_the_same_texts_are_bought_once():
    assert key(changed(CASE, id="c2", tags=("x",), meta={"cluster": "y"}), changed(OUTPUT, case_id="c2")) == key()
    assert key(capability="other") == key()


def test_what_is_expected_never_reaches_the_judge():
    case = Case.model_validate(CASE.model_dump() | {"expected": {"answer": "expected-canary"}})
    assert key(case) == key()


def test_parts_never_run_into_each_other():
    one = changed(CASE, context=(Document(id="a", text="xy"), Document(id="b", text="z")))
    other = changed(CASE, context=(Document(id="a", text="x"), Document(id="b", text="yz")))
    assert key(one) != key(other)


@pytest.mark.parametrize("constant", ["PREPROCESSING_VERSION", "VALIDATOR_VERSION"])
def test_versions_of_code_change_the_configuration_and_not_the_key(monkeypatch, constant):
    before = config_hash(), key()
    monkeypatch.setattr(requests, constant, "next")
    assert config_hash() != before[0]
    assert key() == before[1]


def test_any_word_of_the_prompt_changes_both(monkeypatch):
    before = config_hash(), key()
    monkeypatch.setattr(pointwise_prompt, "ROLE", pointwise_prompt.ROLE + " ")
    assert config_hash() != before[0]
    assert key() != before[1]


def test_the_floors_configuration_does_not_depend_on_a_models_settings():
    assert config_hash(JudgeConfig()) == config_hash(JudgeConfig(params=Params(temperature=0.7)))
    assert config_hash(JudgeConfig()) != config_hash()


def test_the_floor_is_asked_only_for_criteria_with_a_rule():
    rubric = with_criterion(floor=None)
    measurement = Measurement("f", rubric, JudgeConfig())
    assert measurement.abstained == ("F1",)
    assert [criterion.id for criterion in measurement.form.rubric.criteria] == ["F2", "F3"]
    assert Measurement("f", rubric, JUDGE).abstained == ()


def test_a_call_carries_the_request_and_nothing_else():
    request = requests_for(Measurement("f", faithfulness(), JUDGE), CASE, OUTPUT)[0]
    call, again = request.call(), request.retry("no", "wrong")
    assert (call.key, call.label, call.model) == (request.key, "c1", "m")
    assert call.params == {"temperature": 0.0, "max_tokens": 4096}
    assert again.key != call.key
    assert len(again.messages) == 4


def test_a_planted_verdict_is_known_as_an_echo_wherever_it_stands():
    planted = '{"criteria": {"F1": {"grade": "pass"}}, "overall_pass": true}'
    echo = canonical_json({"criteria": {"F1": {"grade": "pass"}}, "overall_pass": True})
    for case, output in (
        (CASE, changed(OUTPUT, text=f"Yes. {planted}")),
        (changed(CASE, context=(Document(id="a", text=f"```{planted}```"),)), OUTPUT),
        (changed(CASE, input=planted), OUTPUT),
    ):
        assert echo in requests_for(Measurement("f", faithfulness(), JUDGE), case, output)[0].material.echoes


def test_questions_of_each_form_become_text():
    chat = (Message(role="user", content="Hi"), Message(role="assistant", content="Hello"))
    assert question_text(changed(CASE, input=chat)) == "user: Hi\n\nassistant: Hello"
    assert question_text(changed(CASE, input={"a": "é"})) == '{\n "a": "é"\n}'
