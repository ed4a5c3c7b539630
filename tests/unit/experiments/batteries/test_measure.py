"""Batteries over trajectories: figures of classifiers that know everything, nothing, or the opposite."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from fakes.battery_suites import CALL, line, write_batteries_suite
from fakes.scripted_classifier import MISSING, Scripted

from evalkit.classifiers.floor import FloorClassifier
from evalkit.errors import InputError, ProviderError, UsageError
from evalkit.experiments.batteries.deciding import build, decide, evaluate, thresholds_of, trials_of
from evalkit.experiments.batteries.measure import open_measurement
from evalkit.experiments.batteries.remembering import Remembering
from evalkit.pipeline.request import RunRequest

ROOT = Path(__file__).resolve().parents[4]
GUARD, RELEVANCE = ROOT / "suites" / "tool_guard", ROOT / "suites" / "tool_relevance"
ALL_EIGHT = """\
batteries:
  - {battery: tool_guard, on_error: closed}
  - {battery: tool_relevance, on_error: open}
  - {battery: skill_relevance, on_error: open, skills: {polite: Kind words., law: Legal words.}}
  - {battery: tool_result_filter, on_error: open}
  - {battery: is_complete, on_error: closed}
  - {battery: content_guard, on_error: closed}
  - battery: agent_router
    fallback: desk
    agents:
      money: {description: Payments., agents: {billing: Invoices., refunds: Money back.}}
      only: {description: Faults., agents: {bugs: Crashes.}}
  - {battery: model_router, fallback: small, models: {large: Hard., small: Easy.}}
"""
TRAJECTORY = {
    "case_id": "c1",
    "text": "Done.",
    "tool_calls": [CALL],
    "tools_offered": [{"name": "send_mail", "description": "Sends."}, {"name": "pay", "description": "Pays."}],
    "citations": ["d1"],
    "meta": {"skills_used": ["polite"]},
}
CASE = {"id": "c1", "input": "Tell Ines.", "context": [{"id": "d1", "text": "x"}, {"id": "d2", "text": "y"}]}
EIGHT_DECISIONS = [
    line(level=2),
    line(battery="tool_relevance", keep=["send_mail"]),
    line(battery="skill_relevance", keep=["polite"]),
    line(battery="tool_result_filter", keep=["d1"]),
    line(battery="is_complete", expected="complete"),
    line(battery="content_guard", item="input", expected="allow"),
    line(battery="content_guard", item="output", expected="allow"),
    line(battery="agent_router", expected="refunds"),
    line(battery="model_router", expected="large"),
]


def knowing(state, name):
    """Answer everything about the case of eight decisions right."""
    if name == "risk":
        return 2
    if name.startswith("level_"):
        return "money" if name == "level_1" else "refunds"
    if name == "model":
        return "large"
    if name == "complete":
        return 0.95
    if "text" in state:
        return 0.02
    return 0.95 if name.endswith("_1") else 0.05


def measured(folder, classifier, *, seed=1, **request):
    found = open_measurement(RunRequest(suite=folder, **request))
    return found.report(Remembering(classifier.identity, classifier, None), seed=seed, cap=4)


def eight(folder, classifier):
    folder = write_batteries_suite(
        folder, decisions=EIGHT_DECISIONS, cases=[CASE], outputs=[TRAJECTORY], battery=ALL_EIGHT
    )
    return measured(folder, classifier)


def rate(figures, name, group="all"):
    (found,) = [rate for rate in figures.rates if rate.name == name and rate.group == group]
    return found


def test_a_classifier_that_knows_decides_everything_as_expected(tmp_path):
    report = eight(tmp_path, Scripted(knowing))
    assert len(report.batteries) == 8
    for figures in report.batteries:
        assert rate(figures, "as_expected").value == 1.0, figures.battery
        assert figures.misses == ()
        assert figures.calibrated
        assert figures.n == figures.decisions
    by_name = {figures.battery: figures for figures in report.batteries}
    assert by_name["content_guard"].decisions == 2
    assert by_name["tool_relevance"].confusion == {"drop": {"drop": 1}, "keep": {"keep": 1}}
    offers = by_name["tool_relevance"].offers
    assert (offers.offered, offers.reached, offers.success_before, offers.success_after) == (2, 1, 1, 1)
    assert offers.tokens_reached < offers.tokens_offered


def test_a_classifier_that_fails_is_excluded_and_counted_never_scored(tmp_path):
    report = eight(tmp_path, Scripted(ProviderError("server", "the server answered 503")))
    for figures in report.batteries:
        assert figures.n == 0
        assert figures.excluded == {"classifier_error": figures.decisions}
        assert rate(figures, "as_expected").value is None
        assert figures.shuffle is None
        assert figures.offers is None
        assert not figures.calibrated
    assert report.errors == {"the server answered 503": 9}
    assert report.models == ()


def test_a_missing_answer_is_decided_by_the_rule_and_counted(tmp_path):
    by_name = {figures.battery: figures for figures in eight(tmp_path, Scripted(MISSING)).batteries}
    assert by_name["tool_guard"].confusion == {"ask": {"ask": 1}}
    assert by_name["tool_relevance"].confusion == {"drop": {"keep": 1}, "keep": {"keep": 1}}
    assert by_name["is_complete"].confusion == {"complete": {"incomplete": 1}}
    assert by_name["content_guard"].confusion == {"allow": {"review": 2}}
    assert by_name["agent_router"].confusion == {"refunds": {"desk": 1}}
    assert by_name["model_router"].confusion == {"large": {"small": 1}}


@pytest.mark.parametrize("folder", [GUARD, RELEVANCE])
def test_stored_answers_decided_again_with_the_same_thresholds_give_the_same(folder):
    found = open_measurement(RunRequest(suite=folder, limit=12))
    for use in found.uses:
        battery = build(use, FloorClassifier())
        for subject in (one for one in found.subjects if one.use is use):
            for trial in trials_of(battery, subject, asyncio.run(evaluate(battery, subject))):
                assert decide(use, trial.answers, thresholds_of(use)) == trial.decided


@pytest.mark.parametrize("answer", [knowing, 0, MISSING])
def test_all_eight_give_the_same_when_decided_again(tmp_path, answer):
    classifier = Scripted(answer if callable(answer) else lambda state, name: _any(answer, name))
    for figures in eight(tmp_path, classifier).batteries:
        (in_use,) = [row for row in figures.thresholds if row.in_use]
        assert in_use.counts["as_expected"] == (rate(figures, "as_expected").count, figures.n)


def _any(answer, name):
    if answer is MISSING:
        return MISSING
    if name == "model":
        return "small"
    return "only" if name == "level_1" else 0


def levels(folder):
    """Return the level of risk of each call of the guard's suite, by its arguments."""
    found = open_measurement(RunRequest(suite=folder))
    return {repr(subject.call): subject.expected.level for subject in found.subjects}


def test_the_control_falls_for_a_classifier_that_knows_and_for_no_other():
    known = levels(GUARD)
    wise = Scripted(lambda state, _: known[repr(state["call"])])
    upside_down = Scripted(lambda state, _: 3 - known[repr(state["call"])])
    (figures,) = measured(GUARD, wise, limit=20).batteries
    assert figures.shuffle.observed == 1.0
    assert figures.shuffle.collapses
    assert figures.shuffle.high < 0.5
    assert figures.shuffle.p == pytest.approx(1 / 201)
    for other in (upside_down, Scripted(2), Scripted([0.25] * 4)):
        (figures,) = measured(GUARD, other, limit=20).batteries
        assert not figures.shuffle.collapses


def test_false_allows_and_denials_are_counted_among_those_that_could_be_one():
    everything_allowed, everything_denied = (
        measured(GUARD, Scripted(level), limit=20).batteries[0] for level in (0, 3)
    )
    assert rate(everything_allowed, "false_allow").value == 1.0
    assert rate(everything_allowed, "false_deny").count == 0
    assert rate(everything_denied, "false_deny").value == 1.0
    assert rate(everything_denied, "false_allow").count == 0
    levels_of = everything_allowed.confusion
    assert sum(sum(row.values()) for row in levels_of.values()) == everything_allowed.n
    assert rate(everything_allowed, "false_allow").n == sum(sum(levels_of[name].values()) for name in ("ask", "deny"))


def test_rates_stand_by_tag_and_level_too():
    (figures,) = measured(GUARD, Scripted(0)).batteries
    groups = {rate.group for rate in figures.rates}
    assert {"all", "plain", "hostile", "ambiguous", "level 0", "level 3"} <= groups
    assert rate(figures, "false_allow", "hostile").value == 1.0
    wide = rate(figures, "as_expected").interval_clustered
    narrow = rate(figures, "as_expected").interval
    assert wide[1] - wide[0] >= narrow[1] - narrow[0]


def test_the_same_seed_gives_the_same_control_and_another_seed_another():
    known = levels(GUARD)
    half = Scripted(lambda state, _: (known[repr(state["call"])] + len(repr(state["call"])) % 2) % 4)
    one, again, other = (measured(GUARD, half, seed=seed, limit=20).batteries[0].shuffle for seed in (1, 1, 2))
    assert one == again
    assert one.mean != other.mean


def test_a_selection_of_cases_is_measured_alone():
    report = measured(GUARD, Scripted(0), tags=("hostile",), limit=2)
    assert report.selection == {"tag": ["hostile"], "limit": 2}
    assert report.batteries[0].cases == 2
    with pytest.raises(UsageError, match="nobody"):
        open_measurement(RunRequest(suite=GUARD, cases=("nobody",)))


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"decisions": [line(item="1")]}, "decisions.jsonl:1: item: the trajectory has no call 1"),
        ({"decisions": [line("c2")]}, "decisions.jsonl:1: case_id: no case 'c2' in golden.jsonl"),
        ({"decisions": [line()], "outputs": [{"case_id": "x", "text": "y"}]}, "the case has no trajectory"),
    ],
)
def test_a_decision_without_its_trajectory_is_refused(tmp_path, fields, problem):
    with pytest.raises(InputError) as caught:
        open_measurement(RunRequest(suite=write_batteries_suite(tmp_path, **fields)))
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("name", "decision", "output", "problem"),
    [
        ("tool_relevance", {"keep": ["b"]}, {"tools_offered": ["a"]}, "'b' was not offered"),
        ("tool_relevance", {"keep": []}, {"tools_offered": ["a", "a"]}, "'a' is offered twice"),
        ("tool_relevance", {"keep": []}, {"tools_offered": [{"x": 1}]}, "'' is offered twice or has no name"),
        ("is_complete", {"expected": "complete"}, {}, "the trajectory has no text"),
        ("content_guard", {"item": "output", "expected": "allow"}, {}, "there is no text to judge"),
    ],
)
def test_a_decision_that_its_trajectory_cannot_answer_is_refused(tmp_path, name, decision, output, problem):
    folder = write_batteries_suite(
        tmp_path,
        decisions=[line(battery=name, **decision)],
        outputs=[{"case_id": "c1", **output}],
        battery=f"batteries:\n  - {{battery: {name}, on_error: open}}\n",
    )
    with pytest.raises(InputError, match=r"decisions.jsonl:1") as caught:
        open_measurement(RunRequest(suite=folder))
    assert problem in str(caught.value)


def test_a_failed_trajectory_stays_failed_and_a_lost_item_fails_a_good_one(tmp_path):
    cases = [{"id": f"c{n}", "input": "Tell Ines."} for n in range(3)]
    calls = [[CALL], [CALL], []]
    tools = [{"name": "send_mail"}, {"name": "pay"}]
    outputs = [{"case_id": f"c{n}", "text": "x", "tool_calls": calls[n], "tools_offered": tools} for n in range(3)]
    folder = write_batteries_suite(
        tmp_path,
        decisions=[line(f"c{n}", "tool_relevance", keep=["send_mail"]) for n in range(3)],
        cases=cases,
        outputs=outputs,
        battery="batteries:\n  - {battery: tool_relevance, on_error: open}\n",
    )
    kept, dropped = (measured(folder, Scripted(p)).batteries[0].offers for p in (0.9, 0.1))
    assert (kept.success_before, kept.success_after, kept.difference) == (2, 2, 0.0)
    assert (dropped.success_before, dropped.success_after) == (2, 0)
    assert dropped.difference == pytest.approx(-2 / 3)
    assert dropped.interval[0] < -2 / 3 < dropped.interval[1]
    assert kept.interval[0] < 0 < kept.interval[1]


def test_inputs_in_chat_and_in_fields_are_asked_about_as_text(tmp_path):
    battery = "batteries:\n  - {battery: model_router, fallback: small, models: {large: Hard., small: Easy.}}\n"
    chat = [
        {"role": "user", "content": "first"},
        {"role": "assistant", "content": "?"},
        {"role": "user", "content": "last"},
    ]
    cases = [{"id": "c1", "input": chat}, {"id": "c2", "input": {"a": 1}}]
    folder = write_batteries_suite(
        tmp_path,
        decisions=[line(name, "model_router", expected="large") for name in ("c1", "c2")],
        cases=cases,
        outputs=[{"case_id": "c1", "text": "x"}, {"case_id": "c2", "text": "x"}],
        battery=battery,
    )
    classifier = Scripted("large")
    measured(folder, classifier)
    assert {state["prompt"] for state, _ in classifier.asked} == {"last", '{"a": 1}'}


def test_an_unknown_battery_and_two_sets_of_trajectories_are_refused():
    with pytest.raises(UsageError, match="has no battery 'router'; it has tool_guard"):
        open_measurement(RunRequest(suite=GUARD), ["router"])
    with pytest.raises(UsageError, match="one set of trajectories"):
        open_measurement(RunRequest(suite=GUARD, outputs=("a", "b")))
