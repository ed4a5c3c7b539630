from __future__ import annotations

import pytest
from fakes.classifiers import RISK, RUDE, TEAM

from evalkit.classifiers.floor import FloorClassifier
from evalkit.classifiers.replies import ONE, read_reply, reply_key, stored_reply
from evalkit.classifiers.static import answer_from
from evalkit.classifiers.styles import identity_of, make_classifier
from evalkit.errors import UsageError
from evalkit.records.classifiers import CannedAnswer, ClassifierConfig
from evalkit.records.decisions import Decision, DecisionUsage
from evalkit.records.questions import choice, score
from evalkit.records.verdicts import Reply

IDENTITY = FloorClassifier().identity


def decision(question, value):
    usage = DecisionUsage(requests=1, input_tokens=30, output_tokens=2)
    return Decision(answers={ONE: answer_from(question, value, "m")}, model="m", calibrated=True, usage=usage)


@pytest.mark.parametrize(
    ("question", "value"), [(RUDE, 0.7), (TEAM, {"billing": 0.9, "sales": 0.1}), (RISK, [0, 1, 0])]
)
def test_a_bought_answer_is_read_again_as_it_was(question, value):
    stored = stored_reply(decision(question, value))
    found = read_reply(stored.reply, question)
    assert found.answers == decision(question, value).answers
    assert (found.model, found.calibrated) == ("m", True)
    assert (found.usage.requests, found.usage.input_tokens, found.usage.output_tokens) == (0, 30, 2)
    assert (stored.purchase.input_tokens, stored.purchase.output_tokens) == (30, 2)


@pytest.mark.parametrize(
    "question",
    [
        TEAM,
        choice("Which?", {"sales": "offers", "billing": "money"}),
        choice("Which?", {"billing": "money", "legal": "law"}),
        RUDE,
        RISK,
        score("How?", ["a b", "c d"]),
    ],
)
def test_a_stored_answer_that_does_not_fit_the_question_is_none(question):
    asked = choice("Which?", {"billing": "money", "sales": "offers", "legal": "law"})
    assert read_reply(stored_reply(decision(asked, "sales")).reply, question) is None


@pytest.mark.parametrize(
    "text", [None, "", "[]", '{"answers": {"q": {"type": "noul", "p": 2}}, "model": "m", "calibrated": true}']
)
def test_a_stored_text_that_is_no_decision_is_none(text):
    assert read_reply(Reply(text=text), RUDE) is None


def test_a_stored_distribution_that_sums_to_something_else_is_none():
    stored = stored_reply(decision(TEAM, {"billing": 0.9, "sales": 0.1}))
    text = stored.reply.text.replace("0.9", "0.2", 1)
    assert read_reply(Reply(text=text), TEAM) is None


def test_the_key_covers_classifier_question_and_state():
    keys = {
        reply_key(IDENTITY, {"message": "a"}, RUDE),
        reply_key(IDENTITY, {"message": "b"}, RUDE),
        reply_key(IDENTITY, {"message": "a"}, TEAM),
        reply_key({**IDENTITY, "model": "x"}, {"message": "a"}, RUDE),
    }
    assert len(keys) == 4


@pytest.mark.parametrize("layout", ["together", "alone"])
@pytest.mark.parametrize(
    "fields", [{"style": "floor"}, {"style": "static"}, {"style": "llm", "model": "m"}, {"style": "systemone"}]
)
def test_an_identity_is_told_as_the_made_classifier_tells_it_and_without_a_key(fields, layout, monkeypatch):
    monkeypatch.delenv("TYPESAFE_API_KEY", raising=False)
    config = ClassifierConfig(**fields, layout=layout)
    canned = [CannedAnswer(state="s", question=RUDE, answer=0.9)]
    told = identity_of(config, canned)
    monkeypatch.setenv("TYPESAFE_API_KEY", "k-123456")
    assert told == make_classifier(config, canned).identity


def test_an_identity_with_an_address_that_cannot_be_used_is_refused(monkeypatch):
    monkeypatch.setenv("TYPESAFE_BASE_URL", "ftp://x")
    with pytest.raises(UsageError, match="TYPESAFE_BASE_URL"):
        identity_of(ClassifierConfig(style="systemone"))


def test_two_samples_never_share_an_answer_and_the_first_keeps_the_key_it_always_had():
    keys = [reply_key(IDENTITY, {"message": "hi"}, RUDE, sample) for sample in (0, 1, 2)]
    assert len(set(keys)) == 3
    assert keys[0] == reply_key(IDENTITY, {"message": "hi"}, RUDE)
    assert keys[0] == "aa872c7f042fa5d5e271d9ed581ff1815f4ec4d3399f4298bd8355bb756e52c1"
