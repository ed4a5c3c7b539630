"""The System One wire without a network: what is sent, and what an answer must be to be one."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import ProviderError, UsageError
from evalkit.providers.systemone_wire import body_of, decision_of
from evalkit.records.questions import choice, noul, score

QUESTIONS = {
    "is_urgent": noul("Is `message` urgent?", yes="now", no="later"),
    "department": choice("Whose is `message`?", {"sales": None, "billing": "what it means"}),
    "risk": score("How risky?", ["lowest", "middle", "highest"]),
}
GOOD = {
    "is_urgent": {"type": "noul", "noul": 0.95},
    "department": {
        "type": "choice",
        "choice": "billing",
        "probabilities": {"billing": 0.88, "sales": 0.12},
        "confidence": 0.76,
    },
    "risk": {
        "type": "score",
        "score": 1.05,
        "legend": {"0": "lowest"},
        "probabilities": {"0": 0.0, "1": 0.95, "2": 0.05},
        "confidence": 0.92,
    },
}


def read(answers, **fields):
    data = {"model": "jev-1.13.0", "answers": answers, "usage": {"input_tokens": 304, "output_tokens": 18}, **fields}
    return decision_of(data, QUESTIONS, calibrated=True)


def with_answer(name, **fields):
    return {**GOOD, name: {**GOOD[name], **fields}}


def test_a_request_is_what_the_wire_wants():
    body = body_of("jev-latest", {"message": "hi"}, QUESTIONS)
    assert json.dumps(body) == json.dumps(
        {
            "model": "jev-latest",
            "state": {"message": "hi"},
            "questions": {
                "is_urgent": {
                    "type": "noul",
                    "instructions": "Is `message` urgent?",
                    "criteria": {"true": "now", "false": "later"},
                },
                "department": {
                    "type": "choice",
                    "instructions": "Whose is `message`?",
                    "criteria": {"sales": None, "billing": "what it means"},
                },
                "risk": {"type": "score", "instructions": "How risky?", "criteria": ["lowest", "middle", "highest"]},
            },
        }
    )


def test_what_a_question_lacks_is_not_sent():
    questions = {"a": noul("Is it?"), "b": noul(yes="it is"), "c": choice(None, {"x": None, "y": None})}
    assert body_of("m", "s", questions)["questions"] == {
        "a": {"type": "noul", "instructions": "Is it?"},
        "b": {"type": "noul", "criteria": {"true": "it is"}},
        "c": {"type": "choice", "criteria": {"x": None, "y": None}},
    }


def test_an_answer_keeps_the_servers_confidence_beside_ours():
    found = read(with_answer("department", confidence=0.4))
    assert found.answers["department"].confidence == 0.76
    assert found.answers["department"].server_confidence == 0.4
    assert found.answers["risk"].confidence == 0.925
    assert found.answers["risk"].server_confidence == 0.92
    assert found.answers["is_urgent"].value() == 0.95
    assert found.model == "jev-1.13.0"
    assert {answer.source for answer in found.answers.values()} == {"jev-1.13.0"}
    assert (found.usage.requests, found.usage.input_tokens, found.usage.output_tokens) == (1, 304, 18)
    assert list(found.answers["department"].probabilities) == ["sales", "billing"]


def test_a_compatible_server_may_give_no_confidence_model_or_usage():
    bare = {name: {k: v for k, v in answer.items() if k != "confidence"} for name, answer in GOOD.items()}
    found = read(bare, model=None, usage=None)
    assert found.answers["risk"].server_confidence is None
    assert found.model == "unnamed"
    assert found.usage.input_tokens is None


@pytest.mark.parametrize(
    "usage", [{"input_tokens": 0, "output_tokens": 0}, {"input_tokens": "9"}, {"input_tokens": True}, []]
)
def test_usage_that_says_nothing_is_unknown(usage):
    assert read(GOOD, usage=usage).usage.input_tokens is None


def test_an_unknown_answer_type_is_skipped_and_named():
    found = read({**GOOD, "risk": {"type": "mood", "mood": "x"}})
    assert list(found.answers) == ["is_urgent", "department"]
    assert "mood" in found.unanswered["risk"]


def test_a_missing_answer_is_missing_and_one_that_nobody_asked_for_is_ignored():
    found = read({"is_urgent": GOOD["is_urgent"], "risk": None, "other": {"type": "noul", "noul": 7}})
    assert list(found.answers) == ["is_urgent"]
    assert set(found.unanswered) == {"department", "risk"}


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("is_urgent", {"noul": math.nan}),
        ("is_urgent", {"noul": math.inf}),
        ("is_urgent", {"noul": 10**400}),
        ("is_urgent", {"noul": 1.01}),
        ("is_urgent", {"noul": -0.01}),
        ("is_urgent", {"noul": "0.9"}),
        ("is_urgent", {"noul": True}),
        ("is_urgent", {"noul": None}),
        ("is_urgent", {"type": "choice"}),
        ("department", {"probabilities": {"billing": 1.0}}),
        ("department", {"probabilities": {"billing": 0.88, "sales": 0.12, "legal": 0.0}}),
        ("department", {"probabilities": {"billing": math.nan, "sales": 0.12}}),
        ("department", {"probabilities": {"billing": 0.88, "sales": 0.18001}}),
        ("department", {"probabilities": None}),
        ("department", {"probabilities": [0.88, 0.12]}),
        ("department", {"choice": "sales"}),
        ("department", {"choice": "legal"}),
        ("department", {"choice": 1}),
        ("department", {"choice": None}),
        ("department", {"confidence": "high"}),
        ("department", {"type": "noul"}),
        ("risk", {"probabilities": {"0": 0.0, "1": 1.0}}),
        ("risk", {"probabilities": {"0": 0.0, "1": 0.95, "2": 0.05, "3": 0.0}}),
        ("risk", {"probabilities": {"0": 0.0, "1": 0.95, "2.0": 0.05}}),
        ("risk", {"score": 2.01}),
        ("risk", {"score": -0.01}),
        ("risk", {"score": math.nan}),
        ("risk", {"score": 0.2}),
        ("risk", {"score": None}),
    ],
)
def test_an_answer_that_cannot_be_right_is_an_error_that_names_its_question(name, fields):
    with pytest.raises(ProviderError, match=f"'{name}'") as raised:
        read(with_answer(name, **fields))
    assert raised.value.kind == "bad_response"


@pytest.mark.parametrize("answer", ["text", 0.9, ["noul"]])
def test_an_answer_that_is_no_object_is_an_error(answer):
    with pytest.raises(ProviderError, match="'risk'"):
        read({**GOOD, "risk": answer})


@pytest.mark.parametrize(("billing", "refused"), [(0.5, False), (0.4975, False), (0.495, True)])
def test_a_choice_may_lie_within_rounding_under_the_largest(billing, refused):
    answers = with_answer("department", probabilities={"billing": billing, "sales": 0.5025})
    if refused:
        with pytest.raises(ProviderError, match="most probable"):
            read(answers)
    else:
        assert read(answers).answers["department"].value() == "billing"


@pytest.mark.parametrize(("value", "refused"), [(1.16, False), (0.94, False), (1.18, True), (0.92, True)])
def test_a_score_is_the_expectation_within_rounding(value, refused):
    if refused:
        with pytest.raises(ProviderError, match="expectation"):
            read(with_answer("risk", score=value))
    else:
        assert read(with_answer("risk", score=value)).answers["risk"].value() == value


@pytest.mark.parametrize("data", [None, [], "x", {}, {"answers": None}, {"answers": []}])
def test_what_is_no_decision_is_a_bad_response(data):
    with pytest.raises(ProviderError) as raised:
        decision_of(data, QUESTIONS, calibrated=True)
    assert raised.value.kind == "bad_response"


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "noul", "score", "0", "1"]), inner)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*QUESTIONS, "x"]), JSON))
def test_any_json_is_a_decision_or_a_bad_response(answers):
    try:
        found = read(answers)
    except ProviderError:
        return
    assert set(found.answers) | set(found.unanswered) == set(QUESTIONS)


def test_a_state_that_is_too_long_is_refused_before_it_is_sent():
    questions = {"short": noul("Is it?"), "long": noul("Is it " + "really " * 50 + "so?")}
    body_of("m", "x" * 190_000, questions)
    with pytest.raises(UsageError, match=r"'long'.*32000"):
        body_of("m", "x" * 192_000, questions)


def test_a_request_that_is_too_long_as_a_whole_is_refused():
    questions = {f"q{number}": noul("Is it " + "really " * 1000 + "so?") for number in range(60)}
    with pytest.raises(UsageError, match="64000"):
        body_of("m", "x", questions)
    body_of("m", "x", dict(list(questions.items())[:40]))
