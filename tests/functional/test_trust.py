"""Trust end to end: a judge of known error rates on the loopback earns it, loses it, or is told what is missing; the gate reads it."""

from __future__ import annotations

import json

import pytest
from fakes.chat_server import MODEL, completion, send_json
from fakes.known_judge import known_judge, known_labels, known_suite
from fakes.reading_judge import case_of

SIZE = 160
GATES = [{"capability": "faithfulness", "criterion": "F1", "min": 0.4}]


def measured(bench, tpr, tnr, *, share=0.8, experiments=()):
    """Run the suite with such a judge, make experiments, label a sample, calibrate; return suite and F1's row."""
    bench.server.reply = known_judge(tpr, tnr, seed=3)
    folder = known_suite(bench, SIZE, gates=GATES)
    bench.run(folder)
    for experiment in experiments:
        ended = bench.command(*experiment, folder, "--quiet")
        assert ended.status == 0, ended.out + ended.err
    labels = known_labels(bench.root / "labels.jsonl", SIZE, share, seed=5)
    return folder, calibrated(bench, labels)


def calibrated(bench, labels, *arguments, run="r"):
    ended = bench.command("calibrate", run, "--labels", labels, "--json", *arguments)
    assert ended.status == 0, ended.err
    return next(row for row in ended.json["trust"] if row["criterion"] == "F1")


def gate_of(bench, run="r"):
    ended = bench.command("gate", run, "--json")
    (threshold,) = [result for result in ended.json["results"] if result["kind"] == "threshold"]
    return ended.status, threshold


def open_conditions(row):
    return {condition["name"]: condition for condition in row["conditions"] if condition["state"] != "met"}


@pytest.fixture
def trusted(bench):
    """A suite whose judge has earned trust on F1; what a test does to trust.json or suite.yaml is its own."""
    folder, row = measured(bench, 0.99, 0.97, experiments=(("stability", "--runs", "2"), ("bias", "verbosity")))
    assert (row["state"], open_conditions(row)) == ("TRUSTED", {})
    return bench, folder


def test_a_good_judge_is_trusted_and_whatever_changes_takes_it_away(trusted):
    bench, folder = trusted
    status, threshold = gate_of(bench)
    assert (status, threshold["state"]) == (0, "passed")
    assert 0.4 < threshold["observed"] < 0.6, "the lower bound of the corrected rate, 60 % being right"
    _a_later_run_says_so(bench, folder)
    _its_rates_carry_over_to_other_outputs(bench, folder)
    _but_not_to_a_candidate_of_the_judges_own_family(bench, folder)
    _another_snapshot_makes_it_provisional(bench, folder)
    _a_raised_bar_asks_for_another_calibration(bench, folder)
    _a_part_of_the_cases_earns_nothing(bench, folder)
    _two_snapshots_earn_nothing_together(bench, folder)
    _another_model_loses_it(bench, folder)


def _a_later_run_says_so(bench, folder):
    _, again = bench.run(folder, run_id="again")
    (judged,) = [one for one in again.report["rows"] if one["criterion"] == "F1"]
    assert (judged["trust"], judged["reading"].startswith("TRUSTED")) == ("trusted", True)
    assert again.report["trust"]["sha256"]
    (conjunction,) = [one for one in again.report["rows"] if one["criterion"] == "overall"]
    assert conjunction["trust"] == "provisional", "a conjunction needs labels of its own"


def _its_rates_carry_over_to_other_outputs(bench, folder):
    first, other = folder / "outputs" / "candidate", folder / "outputs" / "other"
    other.mkdir()
    for name in ("candidate.yaml", "outputs.jsonl"):
        text = (first / name).read_text(encoding="utf-8").replace("costs", "is")
        (other / name).write_text(text, encoding="utf-8")
    bench.run(folder, "--outputs", "other", run_id="other")
    status, threshold = gate_of(bench, "other")
    assert (status, threshold["state"]) == (0, "passed"), threshold["reason"]


def _but_not_to_a_candidate_of_the_judges_own_family(bench, folder):
    said = folder / "outputs" / "other" / "candidate.yaml"
    said.write_text(said.read_text(encoding="utf-8").replace("writers", "judges"), encoding="utf-8")
    _, own = bench.run(folder, "--outputs", "other", run_id="own")
    (judged,) = [one for one in own.report["rows"] if one["criterion"] == "F1"]
    assert judged["trust"] == "provisional"
    status, threshold = gate_of(bench, "own")
    assert (status, threshold["state"]) == (3, "refused")
    assert "independence of this run" in threshold["reason"]
    assert "evalkit bias family" in threshold["reason"]


def _another_snapshot_makes_it_provisional(bench, folder):
    kept = (folder / "trust.json").read_text(encoding="utf-8")
    ledger = json.loads(kept)
    for judge in ledger["judges"].values():
        judge["snapshots"] = ["stub-of-last-year"]
    (folder / "trust.json").write_text(json.dumps(ledger), encoding="utf-8")
    _, threshold = gate_of(bench)
    assert threshold["state"] == "refused"
    assert "another snapshot answered" in threshold["reason"]
    (folder / "trust.json").write_text(kept, encoding="utf-8")


def _a_raised_bar_asks_for_another_calibration(bench, folder):
    suite = folder / "suite.yaml"
    kept = suite.read_text(encoding="utf-8")
    suite.write_text(kept.replace("tnr: 0.8", "tnr: 0.95"), encoding="utf-8")
    _, threshold = gate_of(bench)
    assert "asks for more than when it was calibrated (tnr)" in threshold["reason"]
    assert "the suite asks for more since: tnr 0.8 -> 0.95; no gate reads the row" in bench.command("trust", folder).out
    assert ["tnr 0.8 -> 0.95"] in [row["raised"] for row in bench.command("trust", folder, "--json").json["rows"]]
    suite.write_text(kept, encoding="utf-8")


def _a_part_of_the_cases_earns_nothing(bench, folder):
    bench.run(folder, "--limit", str(SIZE - 1), run_id="part")
    row = calibrated_beside_the_ledger(bench, folder, "part")
    assert (row["state"], open_conditions(row).keys()) == ("UNDECIDED", {"a whole run"})
    shown = bench.command("calibrate", "part", "--labels", bench.root / "labels.jsonl")
    assert "F1: UNDECIDED by this run (trust.json still says TRUSTED)" in shown.out
    assert "trust.json is left as it is" in shown.out


def _two_snapshots_earn_nothing_together(bench, folder):
    same = bench.server.reply
    bench.server.reply = lambda body: send_json(
        completion(same(body), model="stub-of-next-year" if case_of(body) == "c159" else MODEL)
    )
    _, mixed = bench.run(folder, "--cache", bench.root / "another", run_id="mixed", status=3)
    bench.server.reply = same
    assert mixed.report["gating"]["reasons"][0].startswith("mixed: 2 snapshots")
    row = calibrated_beside_the_ledger(bench, folder, "mixed")
    assert row["state"] == "UNDECIDED"
    assert "several snapshots answered" in open_conditions(row)["one instrument"]["figures"]
    _, threshold = gate_of(bench, "mixed")
    assert threshold["state"] == "refused"


def calibrated_beside_the_ledger(bench, folder, run):
    """Calibrate a run that can earn nothing; what a whole run earned stays, and it says so."""
    before = (folder / "trust.json").read_bytes()
    ended = bench.command("calibrate", run, "--labels", bench.root / "labels.jsonl", "--json")
    assert ended.status == 0, ended.err
    assert (ended.json["ledger"], (folder / "trust.json").read_bytes()) == (None, before)
    assert any("trust.json is left as it is" in note for note in ended.json["calibration"]["notes"])
    return next(row for row in ended.json["trust"] if row["criterion"] == "F1")


def _another_model_loses_it(bench, folder):
    judge = folder / "judge.yaml"
    judge.write_text(judge.read_text(encoding="utf-8").replace("test-judge", "other-judge"), encoding="utf-8")
    assert "lost, the suite's judge has changed: model test-judge -> other-judge" in bench.command("trust", folder).out
    bench.run(folder, run_id="changed")
    status, threshold = gate_of(bench, "changed")
    assert (status, threshold["state"]) == (3, "refused")
    assert "trust was lost: model test-judge -> other-judge" in threshold["reason"]


@pytest.mark.parametrize(("tpr", "tnr", "name"), [(0.7, 0.97, "true-pass rate"), (0.99, 0.4, "true-fail rate")])
def test_a_judge_below_a_bar_is_not_trusted_and_cannot_gate(bench, tpr, tnr, name):
    _, row = measured(bench, tpr, tnr)
    assert row["state"] == "NOT TRUSTED"
    assert open_conditions(row)[name]["state"] == "failed"
    status, threshold = gate_of(bench)
    assert (status, threshold["state"]) == (3, "refused")
    assert "NOT TRUSTED" in threshold["reason"]


def test_too_few_labels_are_undecided_with_the_number_still_needed(bench):
    _, row = measured(bench, 0.99, 0.97, share=0.15)
    assert row["state"] == "UNDECIDED"
    assert row["labels_needed"]["pass"] > 0
    assert row["labels_needed"]["fail"] > 0
    _, threshold = gate_of(bench)
    assert "labels still needed" in threshold["reason"]


def test_what_was_not_measured_is_undecided_and_names_its_command(bench):
    _, row = measured(bench, 0.99, 0.97)
    missing = open_conditions(row)
    assert (row["state"], set(missing)) == ("UNDECIDED", {"self-agreement", "padding"})
    assert missing["self-agreement"]["remedy"] == "evalkit stability SUITE"
    assert missing["padding"]["remedy"] == "evalkit bias verbosity SUITE"


def test_measuring_only_leaves_the_ledger_alone(bench):
    bench.server.reply = known_judge(1.0, 1.0, seed=3)
    folder = known_suite(bench, 8)
    bench.run(folder)
    calibrated(bench, known_labels(bench.root / "labels.jsonl", 8, 1.0, seed=5), "--no-ledger")
    assert not (folder / "trust.json").exists()
    assert bench.command("trust", folder).status == 2


def test_a_ledger_that_cannot_be_read_is_named(bench):
    bench.server.reply = known_judge(1.0, 1.0, seed=3)
    folder = known_suite(bench, 8, gates=GATES)
    bench.run(folder)
    (folder / "trust.json").write_text('{"schema_version": 1, "rows": "all trusted"}', encoding="utf-8")
    for command in (("gate", "r"), ("trust", folder), ("run", folder)):
        ended = bench.command(*command)
        assert ended.status == 2
        assert "trust.json" in ended.err
