"""Acceptance under `require_trust`: the suite's trust.json decides between `complete` and `complete_provisional`, call by call."""

from __future__ import annotations

import asyncio
import json

import pytest
from fakes.acceptance import FAITHFUL, TERMS, endings_of, live, write_spec
from fakes.known_judge import known_suite
from fakes.trust import trusted

from evalkit.acceptance import accept, suite_trust
from evalkit.errors import InputError, RunStoreError
from evalkit.records.trust import Ledger, TrustedJudge
from evalkit.runstore.ledger import write_ledger

RIGHT = "c02"
"""A case whose output is right."""


@pytest.fixture
def desk(bench):
    """A suite whose judge is trusted on F1 as its ledger says; a specification that asks for trust in F1."""
    suite = known_suite(bench, 4)
    spec = write_spec(suite, FAITHFUL, judge="judge.yaml", terms={**TERMS, "require_trust": True})
    _, run = bench.run(suite)
    (use,) = run.manifest["judges"]
    row = trusted(judge_config_hash=use["judge_config_hash"])
    judge = TrustedJudge(judge="test-judge", snapshots=tuple(use["snapshots"]), identity=use["identity"])
    write_ledger(suite, Ledger(suite="wire", judges={row.judge_config_hash: judge}, rows=(row,)))
    return bench, suite, spec


def ending(desk, *arguments):
    bench, suite, spec = desk
    _, lines, _ = live(bench.command, suite, "--spec", spec, "--case", RIGHT, *arguments)
    return endings_of(lines)[RIGHT]


def edited(file, old, new):
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_a_trusted_judge_completes(desk):
    assert ending(desk) == "complete: criteria_met"


def test_without_a_ledger_completion_is_provisional(desk):
    (desk[1] / "trust.json").unlink()
    assert ending(desk) == "complete_provisional: untrusted_judge"


@pytest.mark.parametrize("changed", ["model: other-judge", "model: test-judge\nparams: {temperature: 0.5}"])
def test_a_changed_configuration_is_provisional_again(desk, changed):
    bench, suite, _ = desk
    edited(suite / "judge.yaml", "model: test-judge", changed)
    bench.server.reset()
    assert ending(desk) == "complete_provisional: untrusted_judge"
    assert bench.server.requests, "another configuration is asked anew"


def test_another_snapshot_is_provisional(desk):
    ledger = desk[1] / "trust.json"
    fields = json.loads(ledger.read_text(encoding="utf-8"))
    for judge in fields["judges"].values():
        judge["snapshots"] = ["of-last-year"]
    ledger.write_text(json.dumps(fields), encoding="utf-8")
    assert ending(desk) == "complete_provisional: untrusted_judge"


@pytest.mark.parametrize(("old", "new"), [("tnr: 0.8", "tnr: 0.95"), ("self_agreement: 0.9", "self_agreement: 0.99")])
def test_a_bar_that_was_raised_since_is_provisional(desk, old, new):
    edited(desk[1] / "suite.yaml", old, new)
    assert ending(desk) == "complete_provisional: untrusted_judge"


@pytest.mark.parametrize(("state", "condition"), [("UNDECIDED", "undecided"), ("NOT TRUSTED", "failed")])
def test_only_trusted_is_trusted(desk, state, condition):
    edited(desk[1] / "trust.json", '"TRUSTED"', json.dumps(state))
    edited(desk[1] / "trust.json", '"met"', json.dumps(condition))
    assert ending(desk) == "complete_provisional: untrusted_judge"


def test_trust_in_one_criterion_is_none_in_another(desk):
    edited(desk[1] / "trust.json", '"F1"', '"F2"')
    assert ending(desk) == "complete_provisional: untrusted_judge"


def test_a_specification_that_asks_for_no_trust_completes_without(desk):
    (desk[1] / "trust.json").unlink()
    edited(desk[2], "require_trust: true", "require_trust: false")
    assert ending(desk) == "complete: criteria_met"


def test_a_ledger_that_cannot_be_read_ends_it_before_anything_is_asked(desk):
    bench, suite, spec = desk
    (suite / "trust.json").write_text('{"rows": "all of them"}', encoding="utf-8")
    bench.server.reset()
    ended = bench.command("accept", suite, "--spec", spec)
    assert ended.status == 2
    assert "trust.json" in ended.err
    assert not bench.server.requests


def same_model(desk, observed=None):
    """Let the answers be the judge's own; `observed` is how far the ledger knows it to favour them, None that it does not know."""
    _, suite, _ = desk
    edited(suite / "outputs" / "candidate" / "candidate.yaml", "model: writer-1", "model: test-judge")
    ledger = suite / "trust.json"
    fields = json.loads(ledger.read_text(encoding="utf-8"))
    for condition in fields["rows"][0]["conditions"]:
        condition["observed"] = observed if condition["name"] == "independence" else condition["observed"]
    ledger.write_text(json.dumps(fields), encoding="utf-8")


def test_answers_of_the_judges_own_model_are_provisional_and_a_warning_says_so(desk):
    same_model(desk)
    assert ending(desk) == "complete_provisional: untrusted_judge"
    bench, suite, spec = desk
    ended = bench.command("accept", suite, "--spec", spec, "--case", RIGHT)
    assert (
        "NOT INDEPENDENT: judge and candidate are the same model (test-judge); trust.json does not know that it does not favour its own: "
        "1 request complete provisionally only"
    ) in " ".join(ended.out.split())
    assert "complete_provisional: 1 because: independence of this run" in " ".join(ended.out.split())
    report, (line, *_), folder = live(bench.command, suite, "--spec", spec, "--case", RIGHT)
    assert report["independence"]["independent"] is False
    assert (line["independent"], line["trusted"]) == (False, False)
    assert list(report["untrusted"].values()) == [1]
    assert line["detail"].startswith("independence of this run: judge and candidate are the same model (test-judge)")
    assert "**NOT INDEPENDENT" in (folder / "acceptance.md").read_text(encoding="utf-8")


def test_a_warning_says_where_trust_json_knows_that_a_judge_does_not_favour_its_own(desk):
    bench, suite, spec = desk
    same_model(desk, observed=0.01)
    assert ending(desk) == "complete: criteria_met"
    text = " ".join(bench.command("accept", suite, "--spec", spec, "--case", RIGHT).out.split())
    assert (
        "trust.json knows that it does not favour its own by more than the tolerance: 1 request complete for good"
        in text
    )
    report, _, _ = live(bench.command, suite, "--spec", spec, "--case", RIGHT)
    assert report["by_trusted_judge"] == 1
    assert "untrusted" not in report


def test_why_completion_is_provisional_is_said_as_the_ledger_says_it(desk):
    bench, suite, spec = desk
    (suite / "trust.json").unlink()
    text = " ".join(bench.command("accept", suite, "--spec", spec, "--case", RIGHT).out.split())
    assert "1 because: not calibrated against human labels: the suite has no trust.json" in text


def test_where_no_trust_is_asked_for_the_warning_stands_and_the_ending_too(desk):
    same_model(desk)
    edited(desk[2], "require_trust: true", "require_trust: false")
    assert ending(desk) == "complete: criteria_met"
    ended = desk[0].command("accept", desk[1], "--spec", desk[2], "--case", RIGHT)
    assert "NOT INDEPENDENT: judge and candidate are the same model (test-judge)\n" in ended.out


def test_another_judge_takes_no_other_replays_place(desk):
    bench, suite, _ = desk
    edited(
        suite / "suite.yaml",
        "name: wire",
        "name: wire\nacceptance: {threshold: 1.0, on_skipped: block, require_trust: false}",
    )
    other = bench.root / "other.yaml"
    other.write_text(
        (suite / "judge.yaml").read_text(encoding="utf-8").replace("test-judge", "other-judge"), encoding="utf-8"
    )
    (bench.root / "same.yaml").write_text((suite / "judge.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    names = [live(bench.command, suite, *extra)[2].name for extra in ((), ("--judge", other), ("--judge", "same.yaml"))]
    assert names[0] == names[2] == "candidate"
    assert names[1].startswith("candidate-judge-")
    assert live(bench.command, suite, "--judge", other)[2].name == names[1]
    for file in (bench.root / "same.yaml", other):
        with file.open("a", encoding="utf-8") as handle:
            handle.write("prices: {input: 1.0, output: 2.0}\nstop_after_failures: 9\n")
    assert live(bench.command, suite, "--judge", "same.yaml")[2].name == "candidate"
    assert live(bench.command, suite, "--judge", other)[2].name == names[1]


def test_python_reads_the_same_ledger(desk):
    _, suite, spec = desk
    request = {
        "input": "c02: What does plan c02 cost?",
        "context": [{"id": "plans/c02", "text": "Plan c02 costs 10 dollars a month. Plan c02 has 5 seats."}],
    }

    def ends(trust):
        generate = lambda *_: "Plan c02 costs 10 dollars a month [plans/c02]."  # noqa: E731
        return asyncio.run(accept(request, generate, suite / "judge.yaml", spec, trust=trust)).state

    assert ends(suite_trust(suite)) == "complete"
    (suite / "trust.json").unlink()
    assert ends(suite_trust(suite / "suite.yaml")) == "complete_provisional"
    with pytest.raises(InputError, match="does not exist"):
        suite_trust(suite / "nowhere")
    (suite / "trust.json").write_text("{", encoding="utf-8")
    with pytest.raises(RunStoreError, match=r"trust\.json"):
        suite_trust(suite)
