from __future__ import annotations

import pytest

from evalkit.records.questions import choice, noul, score
from evalkit.scoring.classifier_wording import people_asked

TEAMS = {"billing": "charges\nand refunds", "technical": None, "sales": "offers"}


def asked(question, *, passes=True, at_least=None, at_most=None):
    return people_asked(question, passes, at_least, at_most)


@pytest.mark.parametrize(
    ("question", "passes", "condition"),
    [
        (noul("Is `answer` rude?"), True, "the answer is yes"),
        (noul("Is `answer` rude?"), False, "the answer is no"),
        (noul("Is `answer` rude?", yes="insults"), True, "the answer is yes: insults"),
        (noul("Is `answer` rude?", yes="insults"), False, "the answer is no\nyes: insults"),
        (noul("Is `answer` rude?", yes="insults", no="thanks"), False, "the answer is no: thanks\nyes: insults"),
    ],
)
def test_of_a_noul_people_read_which_answer_passes_and_what_both_mean(question, passes, condition):
    found = asked(question, passes=passes)
    assert (found.question, found.pass_condition) == ("Is `answer` rude?", condition)
    assert found.labels == {"pass": True, "fail": False}


def test_of_a_choice_people_name_the_option_and_are_not_told_which_of_them_pass():
    found = asked(choice("Whose is `answer`?", TEAMS), passes=("sales",))
    assert found.pass_condition == "billing: charges and refunds\ntechnical\nsales: offers"
    assert found.labels == {"billing": False, "technical": False, "sales": True}
    assert found.sha256 == asked(choice("Whose is `answer`?", TEAMS), passes=("billing",)).sha256


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"at_least": 1}, "at least 1"),
        ({"at_most": 0.5}, "at most 0.5"),
        ({"at_least": 1, "at_most": 2}, "at least 1 and at most 2"),
    ],
)
def test_of_a_score_people_read_the_levels_that_pass_and_what_each_means(limits, said):
    found = asked(score("How polite is `answer`?", ["rude", "plain", "kind"]), **limits)
    assert found.pass_condition == f"the level is {said}\n0: rude\n1: plain\n2: kind"
    assert list(found.labels) == ["pass", "fail"]


def test_a_question_without_a_sentence_of_its_own_is_asked_in_words():
    assert asked(noul(yes="insults")).question == "Which of the two holds?"
    assert asked(choice(None, {"a": None, "b": None}), passes=("a",)).question == "Which of these holds?"
    assert asked(score(None, ["low", "high"]), at_least=1).question == "Which level holds?"


def test_another_wording_or_another_pass_rule_of_pass_and_fail_is_another_question():
    rude, polite = noul("Is `answer` rude?"), noul("Is `answer` polite?")
    level = score("How polite is `answer`?", ["rude", "plain", "kind"])
    hashes = {
        asked(rude).sha256,
        asked(rude, passes=False).sha256,
        asked(polite).sha256,
        asked(level, at_least=1).sha256,
        asked(level, at_least=2).sha256,
        asked(level, at_most=1).sha256,
    }
    assert len(hashes) == 6
