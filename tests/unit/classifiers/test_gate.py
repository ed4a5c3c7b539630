"""The gate: the order of its checks, and every cut on and beside its edge."""

from __future__ import annotations

import pytest
from fakes.classifiers import decide
from pydantic import ValidationError

from evalkit.classifiers.gate import gate
from evalkit.records.bands import Bands
from evalkit.records.policies import Policy, Rule

OPEN = Bands(low=0.5, high=0.5)
"""Bands in which nearly every noul is sure, so that a cut itself can be tried."""


def policy(*rules, **fields):
    return Policy(rules=tuple(Rule(**rule) for rule in rules), **fields)


def outcome(canned, *rules, **fields):
    found = gate(decide(canned), policy(*rules, **fields))
    assert found.escalated is (found.action is None)
    return found


BLOCK = {"question": "rude", "at_least": 0.8, "action": "block"}
SEND = {"question": "rude", "below": 0.2, "action": "send"}
BILL = {"question": "team", "is_": "billing", "action": "bill"}
WATCH = {"question": "risk", "at_least": 1.05, "action": "watch"}
CALM = {"question": "risk", "below": 1.05, "action": "calm"}


@pytest.mark.parametrize(("p", "action"), [(0.79, None), (0.8, "block"), (0.81, "block")])
def test_at_least_holds_on_its_cut(p, action):
    assert outcome({"rude": p}, BLOCK).action == action


@pytest.mark.parametrize(("p", "action"), [(0.19, "send"), (0.2, None), (0.21, None)])
def test_below_does_not_hold_on_its_cut(p, action):
    assert outcome({"rude": p}, SEND).action == action


@pytest.mark.parametrize(
    ("levels", "watch", "calm"),
    [([0.0, 0.96, 0.04], None, "calm"), ([0.0, 0.95, 0.05], "watch", None), ([0.0, 0.94, 0.06], "watch", None)],
)
def test_a_score_is_compared_by_its_value(levels, watch, calm):
    assert outcome({"risk": levels}, WATCH).action == watch
    assert outcome({"risk": levels}, CALM).action == calm


def test_a_choice_is_compared_by_its_option():
    assert outcome({"team": "billing"}, BILL).action == "bill"
    assert outcome({"team": "sales"}, BILL).reason == "no_rule"


def test_a_value_of_065_does_not_pass_at_least_06_because_it_is_not_sure():
    found = outcome({"rude": 0.65}, {**BLOCK, "at_least": 0.6})
    assert (found.action, found.reason, found.rule) == (None, "uncertain", 0)
    assert outcome({"rude": 0.65}, {**BLOCK, "at_least": 0.6}, bands=OPEN).action == "block"


def test_a_score_that_is_not_sure_escalates():
    assert outcome({"risk": [0.1, 0.45, 0.45]}, {**WATCH, "at_least": 1.0}).reason == "uncertain"
    assert outcome({"risk": [0.1, 0.1, 0.8]}, {**WATCH, "at_least": 1.0}).action is None  # confidence 0.55
    assert outcome({"risk": [0.0, 0.1, 0.9]}, {**WATCH, "at_least": 1.0}).action == "watch"


def test_the_first_match_wins():
    canned = {"rude": 0.9, "team": "billing"}
    assert (outcome(canned, BILL, BLOCK).action, outcome(canned, BILL, BLOCK).rule) == ("bill", 0)
    assert (outcome(canned, BLOCK, BILL).action, outcome(canned, BLOCK, BILL).rule) == ("block", 0)
    found = outcome(canned, SEND, {**BILL, "is_": "sales"}, BLOCK)
    assert (found.action, found.reason, found.rule) == ("block", "rule", 2)


def test_a_missing_answer_escalates_even_where_uncertain_ones_are_passed_over():
    for skip in (False, True):
        found = outcome({"team": "billing"}, BLOCK, BILL, skip_uncertain=skip, default="send")
        assert (found.action, found.reason, found.rule) == (None, "missing", 0)
        assert "'rude'" in found.detail


def test_a_missing_answer_says_why_where_that_is_known():
    decision = decide({}).model_copy(update={"unanswered": {"rude": "unknown answer type 'mood'"}})
    assert "unknown answer type 'mood'" in gate(decision, policy(BLOCK)).detail


def test_an_uncertain_answer_escalates_and_hides_the_rules_behind_it():
    found = outcome({"rude": 0.5, "team": "billing"}, BLOCK, BILL, default="send")
    assert (found.action, found.reason, found.rule) == (None, "uncertain", 0)


def test_skip_uncertain_goes_on_to_the_next_rule_and_to_the_default():
    canned = {"rude": 0.5, "team": "billing"}
    assert outcome(canned, BLOCK, BILL, skip_uncertain=True).action == "bill"
    found = outcome(canned, BLOCK, skip_uncertain=True, default="send")
    assert (found.action, found.reason, found.rule) == ("send", "default", None)
    assert outcome(canned, BLOCK, skip_uncertain=True).reason == "no_rule"


@pytest.mark.parametrize(
    ("canned", "rule"),
    [
        ({"rude": 0.9}, {"question": "rude", "is_": "yes", "action": "a"}),
        ({"risk": 2}, {"question": "risk", "is_": "2", "action": "a"}),
        ({"team": "sales"}, {"question": "team", "below": 0.5, "action": "a"}),
        ({"team": "sales"}, {"question": "team", "at_least": 0.5, "action": "a"}),
        ({"team": "sales"}, {"question": "team", "is_": "sale", "action": "a"}),
        ({"rude": 0.9}, {"question": "rude", "below": 1.01, "action": "a"}),
        ({"rude": 0.9}, {"question": "rude", "at_least": -0.01, "action": "a"}),
        ({"risk": 2}, {"question": "risk", "below": 2.01, "action": "a"}),
        ({"risk": 2}, {"question": "risk", "at_least": -0.01, "action": "a"}),
    ],
)
def test_a_condition_that_does_not_fit_its_answer_escalates(canned, rule):
    found = outcome(canned, rule, default="send")
    assert (found.action, found.reason, found.rule) == (None, "misfit", 0)


@pytest.mark.parametrize(
    ("canned", "rule", "action"),
    [
        ({"rude": 1.0}, {"question": "rude", "at_least": 1.0, "action": "a"}, "a"),
        ({"rude": 0.0}, {"question": "rude", "at_least": 0.0, "action": "a"}, "a"),
        ({"rude": 0.0}, {"question": "rude", "below": 0.0, "action": "a"}, "send"),
        ({"rude": 0.9}, {"question": "rude", "below": 1.0, "action": "a"}, "a"),
        ({"risk": 2}, {"question": "risk", "at_least": 2, "action": "a"}, "a"),
        ({"risk": 1}, {"question": "risk", "below": 2.0, "action": "a"}, "a"),
        ({"risk": 0}, {"question": "risk", "at_least": 0.0, "action": "a"}, "a"),
    ],
)
def test_a_cut_on_the_end_of_the_scale_fits(canned, rule, action):
    assert outcome(canned, rule, default="send").action == action


def test_uncertain_is_read_before_misfit():
    rule = {"question": "rude", "is_": "yes", "action": "a"}
    assert outcome({"rude": 0.5}, rule).reason == "uncertain"
    assert outcome({"rude": 0.5}, rule, skip_uncertain=True, default="send").action == "send"


def test_nothing_fired_is_the_default_or_an_escalation():
    assert outcome({"rude": 0.5, "team": "sales"}, BILL, default="send").action == "send"
    found = outcome({"team": "sales"}, BILL)
    assert (found.action, found.reason, found.rule) == (None, "no_rule", None)


@pytest.mark.parametrize("calibrated", [True, False])
def test_the_outcome_carries_the_answers_and_whether_they_are_calibrated(calibrated):
    decision = decide({"rude": 0.9, "team": "sales"}, calibrated=calibrated)
    for rules in ((BLOCK,), (BILL,), ({**BLOCK, "question": "other"},)):
        found = gate(decision, policy(*rules, default="send"))
        assert found.answers == decision.answers
        assert found.calibrated is calibrated


@pytest.mark.parametrize(
    "rule",
    [
        {"question": "q", "action": "a"},
        {"question": "q", "below": 0.1, "at_least": 0.1, "action": "a"},
        {"question": "q", "below": 0.1, "is_": "x", "action": "a"},
        {"question": "q", "at_least": 0.1, "is_": "x", "action": "a"},
        {"question": "q", "below": float("nan"), "action": "a"},
        {"question": "q", "below": 0.1, "action": ""},
    ],
)
def test_a_rule_has_one_condition_and_an_action(rule):
    with pytest.raises(ValidationError):
        Rule(**rule)


def test_a_rule_with_a_cut_of_0_has_a_condition():
    assert Rule(question="q", below=0.0, action="a").below == 0


def test_a_rule_is_written_with_is_in_files():
    rule = Rule.model_validate({"question": "team", "is": "billing", "action": "bill"})
    assert rule == Rule(**BILL)
    assert '"is":"billing"' in rule.model_dump_json()


def test_a_policy_has_rules():
    with pytest.raises(ValidationError):
        Policy(rules=())


@pytest.mark.parametrize(
    ("canned", "rules", "fields", "detail"),
    [
        ({}, [BLOCK], {}, "no answer to 'rude': it was not answered"),
        ({"rude": 0.5}, [BLOCK], {}, "the answer to 'rude' is not sure"),
        ({"rude": 0.9}, [BLOCK], {}, "rule 0 on 'rude' holds"),
        ({"rude": 0.1}, [BLOCK], {}, "no rule fired, and there is no default"),
        ({"rude": 0.1}, [BLOCK], {"default": "send"}, "no rule fired; the default holds"),
        (
            {"team": "billing"},
            [{**BLOCK, "question": "team"}],
            {},
            "the rule on 'team' does not fit: a choice has no amount to compare",
        ),
    ],
)
def test_every_outcome_says_why_in_words(canned, rules, fields, detail):
    assert outcome(canned, *rules, **fields).detail == detail
