"""Escalation: only what is not sure goes on, to a classifier or to a person."""

from __future__ import annotations

import asyncio
import json

import pytest
from fakes.classifiers import QUESTIONS, ByName

from evalkit.classifiers import Bands
from evalkit.classifiers.escalation import Cascade, Escalated, Person, escalate, resume
from evalkit.errors import ProviderError, UsageError

STATE = {"message": "hi"}
SURE = {"rude": 0.05, "team": "sales", "risk": 0}


def run(primary, fallback, **fields):
    return asyncio.run(escalate(primary, fallback, STATE, QUESTIONS, **fields))


def sources(found):
    return {name: answer.source for name, answer in found.decision.answers.items()}


def test_a_sure_primary_asks_nobody_else():
    cheap, dear = ByName(SURE, model="cheap"), ByName(SURE, model="dear", calibrated=False)
    found = run(cheap, dear)
    assert dear.asked == []
    assert sources(found) == dict.fromkeys(QUESTIONS, "cheap")
    assert found.escalated == ()
    assert found.decision.calibrated
    assert found.request is None


def test_only_the_answers_under_the_gate_go_to_the_fallback():
    cheap = ByName({**SURE, "rude": 0.30}, model="cheap")
    dear = ByName({"rude": 0.95}, model="dear")
    found = run(cheap, dear)
    assert dear.asked == [(STATE, ("rude",))]
    assert sources(found) == {"rude": "dear", "team": "cheap", "risk": "cheap"}
    assert list(found.decision.answers) == list(QUESTIONS)
    assert found.decision.answers["rude"].value() == 0.95
    assert found.escalated == ("rude",)
    assert found.decision.model == "cheap + dear"
    assert found.decision.usage.requests == 2
    assert found.decision.usage.input_tokens == 20


@pytest.mark.parametrize(("p", "asked"), [(0.29, 0), (0.30, 1), (0.70, 1), (0.71, 0)])
def test_a_value_on_a_cut_goes_on(p, asked):
    dear = ByName(SURE)
    run(ByName({**SURE, "rude": p}), dear)
    assert len(dear.asked) == asked


def test_the_cuts_are_the_callers():
    dear = ByName(SURE)
    run(ByName({**SURE, "rude": 0.4}), dear, bands=Bands(low=0.5, high=0.6))
    assert dear.asked == []


def test_a_missing_answer_goes_on_and_stays_missing_where_nobody_has_it():
    found = run(ByName({"team": "sales", "risk": 0}), ByName({}))
    assert found.escalated == ("rude",)
    assert list(found.decision.answers) == ["team", "risk"]
    assert found.decision.unanswered == {"rude": "not canned"}
    found = run(ByName({"team": "sales", "risk": 0}), ByName({"rude": 0.9}))
    assert list(found.decision.answers) == list(QUESTIONS)
    assert found.decision.unanswered == {}


def test_an_unsure_answer_that_the_fallback_lacks_stays_the_primarys():
    found = run(ByName({**SURE, "rude": 0.5}, model="cheap"), ByName({}, model="dear"))
    assert sources(found)["rude"] == "cheap"
    assert found.decision.unanswered == {}


@pytest.mark.parametrize("cheap", [True, False])
@pytest.mark.parametrize("dear", [True, False])
def test_calibrated_is_and(cheap, dear):
    found = run(ByName({**SURE, "rude": 0.5}, calibrated=cheap), ByName(SURE, calibrated=dear))
    assert found.decision.calibrated is (cheap and dear)


def test_a_tier_that_fails_is_the_callers_business():
    broken = ByName({}, error=ProviderError("server", "down"))
    with pytest.raises(ProviderError):
        run(broken, ByName(SURE))
    with pytest.raises(ProviderError):
        run(ByName({**SURE, "rude": 0.5}), broken)


def test_usage_that_one_tier_did_not_say_is_unknown():
    found = run(ByName({**SURE, "rude": 0.5}, tokens=None), ByName(SURE))
    assert found.decision.usage.requests == 2
    assert found.decision.usage.input_tokens is None
    assert found.decision.usage.output_tokens is None


def test_a_person_is_asked_and_the_result_waits_for_the_requests_id():
    suspended = run(ByName({**SURE, "rude": 0.5}, model="cheap"), Person("Is this rude?"))
    request = suspended.request
    assert request.kind == "judgment"
    assert request.prompt == "Is this rude?"
    assert request.data["state"] == STATE
    assert request.data["questions"] == {"rude": {"type": "noul", "instructions": "Is `message` rude?"}}
    assert request.data["answers"]["rude"]["p"] == 0.5
    assert suspended.decision.answers["rude"].source == "cheap"

    stored = Escalated.model_validate_json(suspended.model_dump_json())
    settled = resume(stored, request.id, {"rude": True})
    assert settled.request is None
    assert settled.decision.answers["rude"].value() == 1.0
    assert sources(settled) == {"rude": "person", "team": "cheap", "risk": "cheap"}
    assert list(settled.decision.answers) == list(QUESTIONS)
    assert settled.decision.calibrated
    assert settled.escalated == ("rude",)


def test_a_person_is_not_asked_what_the_primary_is_sure_of():
    found = run(ByName(SURE), Person("?"))
    assert found.request is None
    assert found.escalated == ()


def test_a_person_answers_every_kind_of_question_or_cannot_tell():
    suspended = run(ByName({"team": {"billing": 0.5, "sales": 0.5}, "risk": [0.3, 0.3, 0.4]}), Person("?"))
    assert suspended.escalated == ("rude", "team", "risk")
    settled = resume(suspended, suspended.request.id, {"rude": None, "team": "billing", "risk": 2}, by="ann")
    assert "rude" not in settled.decision.answers
    assert settled.decision.unanswered == {"rude": "not canned"}
    assert settled.decision.answers["team"].value() == "billing"
    assert settled.decision.answers["risk"].value() == 2.0
    assert settled.decision.answers["risk"].source == "ann"


@pytest.mark.parametrize(
    ("request_id", "replies"),
    [("another", {"rude": True}), (None, {}), (None, {"rude": True, "team": "sales"}), (None, {"rude": "maybe"})],
)
def test_a_reply_that_does_not_fit_settles_nothing(request_id, replies):
    suspended = run(ByName({**SURE, "rude": 0.5}), Person("?"))
    with pytest.raises(UsageError):
        resume(suspended, request_id or suspended.request.id, replies)


def test_a_settled_result_cannot_be_resumed_again():
    suspended = run(ByName({**SURE, "rude": 0.5}), Person("?"))
    settled = resume(suspended, suspended.request.id, {"rude": False})
    with pytest.raises(UsageError, match="settled"):
        resume(settled, suspended.request.id, {"rude": False})


def test_the_same_case_on_another_occasion_is_another_request():
    unsure = ByName({**SURE, "rude": 0.5})
    once, again, later = (run(unsure, Person("?", occasion=turn)).request for turn in ("", "", "turn 2"))
    assert once.id == again.id != later.id
    assert "occasion" not in once.data
    assert later.data["occasion"] == "turn 2"


def test_a_cascade_is_one_classifier_of_both_tiers():
    cascade = Cascade(ByName({**SURE, "rude": 0.5}, model="cheap"), ByName({"rude": 0.9}, model="dear"))
    decision = asyncio.run(cascade.evaluate(STATE, QUESTIONS))
    assert decision.answers["rude"].source == "dear"
    moved = Cascade(ByName(SURE, model="cheap"), ByName(SURE, model="dear"), bands=Bands(low=0.2))
    swapped = Cascade(ByName(SURE, model="dear"), ByName(SURE, model="cheap"))
    assert cascade.identity["primary"] == {"style": "by-name", "model": "cheap"}
    assert cascade.identity != moved.identity
    assert cascade.identity != swapped.identity


def test_a_cascades_cuts_are_used():
    dear = ByName(SURE)
    asyncio.run(Cascade(ByName({**SURE, "rude": 0.25}), dear, bands=Bands(low=0.2)).evaluate(STATE, QUESTIONS))
    assert dear.asked == [(STATE, ("rude",))]


def test_both_tiers_are_asked_about_the_state():
    cheap, dear = ByName({**SURE, "rude": 0.5}), ByName({"rude": 0.9})
    run(cheap, dear)
    assert [state for state, _ in (*cheap.asked, *dear.asked)] == [STATE, STATE]


def test_what_a_request_shows_is_json_as_it_stands():
    found = run(ByName({"risk": [0.3, 0.4, 0.3]}), Person("Which?"))
    data = found.request.data
    assert json.loads(json.dumps(data)) == data
    assert data["questions"]["risk"]["criteria"] == ["harmless", "some", "high"]
    assert data["answers"]["risk"]["probabilities"] == [0.3, 0.4, 0.3]


def test_every_refusal_to_resume_says_what_was_expected():
    suspended = run(ByName({**SURE, "rude": 0.5}), Person("Is it?"))
    with pytest.raises(UsageError, match=rf"^this result waits for the request {suspended.request.id}, not for 'x'$"):
        resume(suspended, "x", {"rude": True})
    with pytest.raises(UsageError, match=r"^replies are wanted for \['rude'\], and came for \['team'\]$"):
        resume(suspended, suspended.request.id, {"team": "sales"})
    settled = resume(suspended, suspended.request.id, {"rude": True})
    with pytest.raises(UsageError, match=r"^this result waits for no request: it is settled$"):
        resume(settled, suspended.request.id, {"rude": True})
