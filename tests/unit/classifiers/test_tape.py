"""Tape: what was recorded is played back by the name of the call, and only to the same question."""

from __future__ import annotations

import asyncio

import pytest
from fakes.classifiers import RISK, RUDE, ByName

from evalkit.classifiers.tape import Tape
from evalkit.errors import UsageError


def ask(tape, call, state="hi", questions=None):
    return asyncio.run(tape.ask(call, state, questions or {"rude": RUDE}))


STORED = (
    '{"schema_version":1,"call":"triage","request_sha256":"a72e744a001726bcafee8b906acf1f5b98d540ccdfef7b0e4cc9020c771470ab",'
    '"decision":{"answers":{"rude":{"type":"noul","p":0.9,"source":"","disagrees":false}},"model":"by-name","calibrated":true,'
    '"usage":{"requests":1,"input_tokens":10,"output_tokens":1},"unanswered":{}}}\n'
)
"""A tape as a host has stored it: what is asked must keep its hash, or nobody's recordings can be played any more."""


@pytest.fixture
def recorded():
    live = ByName({"rude": 0.9, "risk": 1})
    tape = Tape(live=live)
    assert tape.identity == live.identity
    asyncio.run(tape.named("triage").evaluate("hi", {"rude": RUDE}))
    live.canned = {"rude": 0.1}
    ask(tape, "triage")
    ask(tape, "guard")
    return tape.dumps()


def test_a_tape_plays_each_calls_recordings_in_order(recorded):
    tape = Tape.loads(recorded)
    assert ask(tape, "guard").answers["rude"].value() == 0.1
    assert asyncio.run(tape.named("triage").evaluate("hi", {"rude": RUDE})).answers["rude"].value() == 0.9
    assert ask(tape, "triage").answers["rude"].value() == 0.1
    assert tape.dumps() == recorded


@pytest.mark.parametrize("call", ["triage", "other"])
def test_a_miss_names_the_call(recorded, call):
    tape = Tape.loads(recorded)
    if call == "triage":
        ask(tape, call)
        ask(tape, call)
    with pytest.raises(UsageError, match=f"'{call}'"):
        ask(tape, call)


@pytest.mark.parametrize(("state", "questions"), [("hello", None), ("hi", {"risk": RISK}), ("hi", {"r": RUDE})])
def test_an_old_answer_is_not_given_to_a_new_question(recorded, state, questions):
    tape = Tape.loads(recorded)
    with pytest.raises(UsageError, match="'guard' asked something else"):
        ask(tape, "guard", state, questions)
    assert ask(tape, "guard").answers["rude"].value() == 0.1


def test_a_replay_is_its_content(recorded):
    first, second = Tape.loads(recorded), Tape.loads(recorded.replace("triage", "sort"))
    assert first.named("x").identity == Tape.loads(recorded).identity
    assert first.identity != second.identity


def test_a_broken_line_is_named(recorded):
    with pytest.raises(UsageError, match=r"line 5: .*Recording; record the tape again"):
        Tape.loads(recorded + "\n{}\n")


def test_a_line_separator_within_a_text_is_no_end_of_a_line():
    live = ByName({"rude": 0.9}, model="jev\u2028\x85one")
    tape = Tape(live=live)
    ask(tape, "triage")
    assert ask(Tape.loads(tape.dumps()), "triage").model == "jev\u2028\x85one"


def test_a_tape_that_was_stored_long_ago_is_still_played():
    assert ask(Tape.loads(STORED), "triage").answers["rude"].value() == 0.9


def test_the_live_classifier_is_asked_what_the_call_asks():
    live = ByName({"rude": 0.9})
    ask(Tape(live=live), "triage", state={"message": "hi"})
    assert live.asked == [({"message": "hi"}, ("rude",))]
