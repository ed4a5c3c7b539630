"""battery.yaml and the expected decisions: what does not fit is refused, each fault with file, line and field."""

from __future__ import annotations

import pytest
from fakes.battery_suites import line, write_batteries_suite

from evalkit.errors import InputError
from evalkit.loading.battery_suites import load_batteries

ROUTER = "batteries:\n  - {battery: model_router, fallback: small, models: {large: Hard., small: Easy.}}\n"
TREE = """\
batteries:
  - battery: agent_router
    fallback: desk
    agents:
      money: {description: Payments., agents: {billing: Invoices.}}
      bugs: Crashes.
"""


def refusal(folder, **fields):
    with pytest.raises(InputError) as caught:
        load_batteries(write_batteries_suite(folder, **{"decisions": [line()], **fields}))
    return str(caught.value)


def test_a_sound_suite_is_read_with_the_lines_of_its_decisions(tmp_path):
    found = load_batteries(write_batteries_suite(tmp_path, decisions=[line(), line(item="1", expected="deny")]))
    assert [(one.line, one.decision.expected) for one in found.expected["c1"]] == [(1, "ask"), (2, "deny")]
    assert found.classifier is None


def test_a_suite_without_battery_yaml_says_what_is_missing(tmp_path):
    with pytest.raises(InputError, match=r"battery\.yaml: does not exist"):
        load_batteries(tmp_path)


@pytest.mark.parametrize(
    ("battery", "problem"),
    [
        ("batteries: []\n", "batteries"),
        ("batteries:\n  - {battery: tool_guard}\n", "tool_guard needs on_error"),
        ("batteries:\n  - {battery: tool_guard, on_error: closed, models: {a: x}}\n", "tool_guard has no models"),
        ("batteries:\n  - {battery: model_router, models: {a: x, b: y}}\n", "model_router needs fallback"),
        ("batteries:\n  - {battery: agent_router, fallback: a}\n", "agent_router needs agents"),
        ("batteries:\n  - {battery: skill_relevance, on_error: open}\n", "skill_relevance needs skills"),
        (ROUTER.replace("}}", "}, on_error: open}"), "model_router has no on_error"),
        ("batteries:\n  - {battery: tool_guard, on_error: maybe}\n", "on_error"),
        ("batteries:\n  - {battery: guard_tool, on_error: open}\n", "battery"),
        ("batteries:\n" + 2 * "  - {battery: tool_guard, on_error: open}\n", "tool_guard stands twice"),
        ("decisions: ../other.jsonl\nbatteries:\n  - {battery: tool_guard, on_error: open}\n", "decisions"),
        ("classifier: none.yaml\nbatteries:\n  - {battery: tool_guard, on_error: open}\n", "there is no file"),
        (
            "batteries:\n  - {battery: tool_guard, on_error: open, cuts: {allow_below: 2, deny_from: 1}}\n",
            "`allow_below` lies above `deny_from`",
        ),
    ],
)
def test_a_battery_that_cannot_be_built_is_refused(tmp_path, battery, problem):
    found = refusal(tmp_path, battery=battery)
    assert "battery.yaml" in found
    assert problem in found


@pytest.mark.parametrize(
    ("decision", "field", "problem"),
    [
        (line(expected="maybe"), "expected", "one of allow, ask, deny was expected"),
        (line(item=None), "item", "is missing"),
        (line(item="01"), "item", "is '01'"),
        (line(item="-1"), "item", "is '-1'"),
        (line(item="²"), "item", "`0` is the first"),
        (line(battery="is_complete", expected="complete"), "battery", "is not in battery.yaml"),
        (line(keep=["a"]), "keep", "tool_guard has no `keep`"),
        (line(expected=None), "expected", "is missing"),
        (line(level=4), "level", "expected at most 3"),
        (line(colour="red"), "colour", "unknown field"),
    ],
)
def test_a_decision_that_does_not_fit_its_battery_is_refused(tmp_path, decision, field, problem):
    found = refusal(tmp_path, decisions=[decision])
    assert f"decisions.jsonl:1: {field}" in found
    assert problem in found


def test_the_same_decision_twice_is_a_fault(tmp_path):
    assert "the same decision stands on line 1" in refusal(tmp_path, decisions=[line(), line(expected="deny")])


def test_no_decision_at_all_is_a_fault(tmp_path):
    assert "holds no expected decision" in refusal(tmp_path, decisions=[])


@pytest.mark.parametrize(("expected", "sound"), [("large", True), ("small", True), ("huge", False)])
def test_a_routers_decisions_are_its_options_and_its_fallback(tmp_path, expected, sound):
    decisions = [line(battery="model_router", expected=expected)]
    if sound:
        assert load_batteries(write_batteries_suite(tmp_path, decisions=decisions, battery=ROUTER)).expected
    else:
        assert "one of large, small was expected" in refusal(tmp_path, decisions=decisions, battery=ROUTER)


def test_agents_of_groups_and_the_fallback_may_be_expected_and_groups_may_not(tmp_path):
    decisions = [line(f"c{n}", "agent_router", expected=agent) for n, agent in enumerate(["billing", "bugs", "desk"])]
    assert load_batteries(write_batteries_suite(tmp_path, decisions=decisions, battery=TREE)).expected
    decisions = [line(battery="agent_router", expected="money")]
    assert "one of billing, bugs, desk" in refusal(tmp_path, decisions=decisions, battery=TREE)


def test_a_selection_names_what_it_keeps_and_has_no_item(tmp_path):
    battery = "batteries:\n  - {battery: tool_relevance, on_error: open}\n"
    assert "`keep`" in refusal(tmp_path, battery=battery, decisions=[line(battery="tool_relevance", expected="a")])
    decisions = [line(battery="tool_relevance", keep=[], item="0")]
    assert "has one decision a case" in refusal(tmp_path, battery=battery, decisions=decisions)


def test_the_content_guard_reads_the_input_or_the_output(tmp_path):
    battery = "batteries:\n  - {battery: content_guard, on_error: open}\n"
    decisions = [line(battery="content_guard", item="context", expected="block")]
    assert "`input` or `output` was expected" in refusal(tmp_path, battery=battery, decisions=decisions)
