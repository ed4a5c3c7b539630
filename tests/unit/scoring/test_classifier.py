from __future__ import annotations

from pathlib import Path

import pytest
from fakes.scorer_inputs import build, case, outcome, output, scores

from evalkit.errors import InputError
from evalkit.records.classifiers import ClassifierConfig
from evalkit.records.decisions import NoulAnswer, choice_answer, score_answer
from evalkit.records.suites import ScorerUse
from evalkit.scoring.catalogue import build_scorer
from evalkit.scoring.settings import Resources

NOUL = {"type": "noul", "instructions": "Does `answer` promise store credit?"}
CHOICE = {"type": "choice", "instructions": "What is `answer`?", "criteria": {"refund": "money back", "credit": None}}
LEVELS = {"type": "score", "instructions": "How rude is `answer`?", "criteria": ["not at all", "a little", "very much"]}


def result(answer, **settings):
    return build("classifier", **settings).result_of(answer)


@pytest.mark.parametrize(
    ("p", "passes", "expected"),
    [
        (0.71, True, True),
        (0.29, True, False),
        (0.71, False, False),
        (0.29, False, True),
        (0.70, True, "uncertain"),
        (0.30, True, "uncertain"),
        (0.50, False, "uncertain"),
    ],
)
def test_a_noul_passes_or_fails_strictly_outside_the_bands_and_is_uncertain_on_them(p, passes, expected):
    assert outcome(result(NoulAnswer(p=p), question=NOUL, passes=passes)) == expected


def test_the_suite_can_move_the_bands():
    bands = {"low": 0.1, "high": 0.6}
    assert outcome(result(NoulAnswer(p=0.65), question=NOUL, bands=bands)) is True
    assert outcome(result(NoulAnswer(p=0.2), question=NOUL, bands=bands)) == "uncertain"


@pytest.mark.parametrize(
    ("refund", "expected"), [(0.9, True), (0.1, False), (0.85, "uncertain"), (0.51, "uncertain"), (0.15, "uncertain")]
)
def test_a_choice_passes_by_its_option_where_it_is_sure(refund, expected):
    answer = choice_answer({"refund": refund, "credit": 1 - refund})
    assert outcome(result(answer, question=CHOICE, passes=["refund"])) == expected


@pytest.mark.parametrize(
    ("probabilities", "limits", "expected"),
    [
        ([0.0, 0.0, 1.0], {"at_least": 2}, True),
        ([0.0, 1.0, 0.0], {"at_least": 1}, True),
        ([0.0, 1.0, 0.0], {"at_least": 2}, False),
        ([0.0, 1.0, 0.0], {"at_most": 1}, True),
        ([0.0, 0.0, 1.0], {"at_most": 1}, False),
        ([1.0, 0.0, 0.0], {"at_least": 1, "at_most": 2}, False),
        ([0.3, 0.4, 0.3], {"at_least": 1}, "uncertain"),
    ],
)
def test_a_score_passes_by_its_expectation_where_it_is_sure(probabilities, limits, expected):
    assert outcome(result(score_answer(probabilities), question=LEVELS, **limits)) == expected


def test_an_uncertain_result_says_the_answer_and_what_sure_would_be():
    found = result(NoulAnswer(p=0.5), question=NOUL)
    assert found.detail == "the probability of yes is 0.5: not below 0.3 nor above 0.7"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"question": NOUL, "passes": ["yes"]}, "`passes` of a noul is true"),
        ({"question": NOUL, "at_least": 1}, "are for a score"),
        ({"question": CHOICE}, "lists the options that pass"),
        ({"question": CHOICE, "passes": []}, "lists the options that pass"),
        ({"question": CHOICE, "passes": ["store"]}, "'store' is none of the options"),
        ({"question": CHOICE, "passes": ["refund", "credit"]}, "no answer could fail"),
        ({"question": LEVELS}, "needs `at_least` or `at_most`"),
        ({"question": LEVELS, "at_least": 1, "passes": True}, "and no `passes`"),
        ({"question": LEVELS, "at_least": 3}, "go from 0 to 2"),
        ({"question": LEVELS, "at_least": 2, "at_most": 1}, "no answer could pass"),
        ({"question": NOUL, "state": ["answer", "answer"]}, "stands twice"),
        ({"question": NOUL, "state": []}, "state"),
        ({"question": NOUL, "state": ["expected"]}, "state"),
        ({"question": {"type": "noul"}}, "a noul needs instructions"),
        ({"question": {**CHOICE, "criteria": {"refund": None}}, "passes": ["refund"]}, "at least 2 entries"),
        ({"question": {**CHOICE, "criteria": dict.fromkeys(map(str, range(256)))}, "passes": ["1"]}, "at most 255"),
        ({"question": {**LEVELS, "criteria": ["rude"]}, "at_least": 0}, "at least 2 entries"),
        ({"question": {**LEVELS, "criteria": ["rude"] * 11}, "at_least": 1}, "at most 10 entries"),
        ({"question": CHOICE, "passes": ["refund", "refund"]}, "`passes` lists an option twice"),
        ({"question": NOUL, "classifier": "other.yaml"}, "cannot be used here"),
        ({}, "question"),
    ],
)
def test_settings_that_could_decide_nothing_are_refused(settings, said):
    with pytest.raises(InputError, match="classifier") as refused:
        build("classifier", **settings)
    assert said in str(refused.value)


def test_the_state_holds_the_fields_that_are_named_in_their_order():
    scorer = build("classifier", question=NOUL, state=["tool_calls", "input", "context", "answer"])
    found = scorer.state_of(case("a"), output("Yes.", tool_calls=[{"name": "pay"}]))
    assert list(found.items()) == [
        ("tool_calls", [{"name": "pay"}]),
        ("input", "How long?"),
        ("context", [{"id": "a", "text": "About a."}]),
        ("answer", "Yes."),
    ]


def test_an_answer_without_text_is_no_matter_for_a_classifier():
    scorer = build("classifier", question=NOUL)
    assert outcome(scorer.state_of(case(), output(" "))) is False
    assert outcome(scorer.state_of(case(), output(None))) == "null_text"
    assert build("classifier", question=NOUL, state=["input"]).state_of(case(), output(None)) == {"input": "How long?"}


def test_alone_it_asks_at_once():
    scorer = build("classifier", question={"type": "noul", "criteria": {"true": "store credit", "false": "refund"}})
    found = scores(scorer, case(), output("Only store credit."))
    assert outcome(found["classifier"]) is True
    assert outcome(scorer.score(case(), output(""))[0]) is False


@pytest.mark.parametrize(
    "change",
    [
        {"question": {**NOUL, "instructions": "Does `answer` offer store credit?"}},
        {"passes": False},
        {"state": ["answer", "input"]},
        {"bands": {"low": 0.2, "high": 0.8}},
    ],
)
def test_whatever_decides_is_part_of_the_configuration(change):
    one, other = build("classifier", question=NOUL), build("classifier", **{"question": NOUL, **change})
    assert one.configuration_hash != other.configuration_hash
    assert one.signature != other.signature
    assert one.signature.settings["configuration_hash"] == one.configuration_hash


def test_a_question_that_is_known_to_work_badly_is_warned_of():
    doubted = build(
        "classifier", question={"type": "noul", "instructions": "Was it not polite?"}, state=["answer", "input"]
    )
    assert any("names no field" in text for text in doubted.warnings)
    assert any("negatively" in text for text in doubted.warnings)
    assert not build("classifier", question=NOUL).warnings


@pytest.mark.parametrize(
    ("answer", "settings", "expected"),
    [
        (NoulAnswer(p=0.8), {"question": NOUL}, 0.8),
        (NoulAnswer(p=0.8), {"question": NOUL, "passes": False}, 0.2),
        (choice_answer({"refund": 0.75, "credit": 0.25}), {"question": CHOICE, "passes": ["credit"]}, 0.25),
        (choice_answer({"refund": 0.99, "credit": 0.03}), {"question": CHOICE, "passes": ["refund"]}, 0.99),
        (score_answer([0.2, 0.5, 0.3]), {"question": LEVELS, "at_least": 1}, 0.8),
        (score_answer([0.2, 0.5, 0.3]), {"question": LEVELS, "at_most": 1}, 0.7),
        (score_answer([0.2, 0.5, 0.3]), {"question": LEVELS, "at_least": 1, "at_most": 1}, 0.5),
    ],
)
def test_the_probability_of_a_pass_follows_the_pass_rule_and_no_band(answer, settings, expected):
    assert build("classifier", **settings).p_pass(answer) == pytest.approx(expected)


def test_the_probability_of_a_pass_lies_in_the_bin_of_the_number_that_a_person_would_compute():
    assert build("classifier", question=NOUL, passes=False).p_pass(NoulAnswer(p=0.7)) == 0.3


def test_where_nobody_answers_the_case_is_an_error():
    static = ClassifierConfig(style="static"), ()
    resources = Resources(folder=Path(), classifiers={"canned.yaml": static})
    scorer = build_scorer(
        ScorerUse(scorer="classifier", settings={"question": NOUL, "classifier": "canned.yaml"}), resources
    )
    (found,) = scorer.score(case(), output())
    assert found.reason == "scorer_error"
    assert "no canned answer" in found.detail
