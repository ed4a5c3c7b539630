"""A cascade is measured, trusted and gated on as a whole: both tiers answer each sample, and whatever changes in either takes trust away."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from fakes.chat_server import fail, send_json, silence
from fakes.judged_suites import plan_case
from fakes.known_cascade import cascade_suite, helpful_judge, known_classifier
from fakes.known_judge import known_labels
from fakes.systemone_server import SystemOneServer, decision

SIZE = 160
GATES = [{"capability": "helpfulness", "criterion": "H1", "min": 0.4}]


@pytest.fixture
def classifier():
    with SystemOneServer(known_classifier(0.99, 0.2, seed=3)) as running:
        yield running


def gate_of(bench, run="r"):
    ended = bench.command("gate", run, "--json")
    (threshold,) = [result for result in ended.json["results"] if result["kind"] == "threshold"]
    return ended.status, threshold


TOO_FEW = 3
"""How a stability of fewer cases than a floor asks for ends."""


def experiment_of(bench, *arguments, status=0):
    ended = bench.command(*arguments, "--quiet", "--json")
    assert ended.status == status, ended.out + ended.err
    return ended.json["experiment"]


def calibrated(bench, labels):
    ended = bench.command("calibrate", "r", "--labels", labels, "--json")
    assert ended.status == 0, ended.err
    return next(row for row in ended.json["trust"] if row["criterion"] == "H1")


def edited(file, change):
    """Change a YAML file; return its old text."""
    kept = file.read_text(encoding="utf-8")
    value = yaml.safe_load(kept)
    change(value)
    file.write_text(yaml.safe_dump(value, sort_keys=False), encoding="utf-8")
    return kept


def test_a_good_cascade_is_trusted_and_gates_and_whatever_changes_in_it_takes_that_away(bench, classifier):
    bench.server.reply = helpful_judge(0.98, seed=7)
    folder = cascade_suite(bench, classifier, SIZE, gates=GATES)
    _, run = bench.run(folder)
    assert 20 < run.report["health"]["judged"] < 50
    assert "different families: classifier jev" in run.report["independence"]["reason"]
    labels = known_labels(bench.root / "labels.jsonl", SIZE, 0.8, seed=5, criterion="H1", rubric="helpfulness")
    row = calibrated(bench, labels)
    assert (row["state"], _open(row)) == ("UNDECIDED", {"self-agreement", "padding"})
    stable = experiment_of(bench, "stability", folder, "--runs", "2")
    (header,) = run.report["judges"]
    (home,) = stable["judges"]
    assert home["judge_config_hash"] == header["judge_config_hash"]
    assert home["classifier_snapshots"] == header["classifier_snapshots"] == ["jev-1.13.0"]
    experiment_of(bench, "bias", "verbosity", folder)
    row = calibrated(bench, labels)
    assert (row["state"], _open(row)) == ("TRUSTED", set())
    status, threshold = gate_of(bench)
    assert (status, threshold["state"]) == (0, "passed"), threshold["reason"]
    _a_classifier_that_failed_is_not_the_one_that_was_calibrated(bench, folder, classifier)
    _another_snapshot_of_the_classifier_makes_it_provisional(bench, folder)
    _every_change_is_named(bench, folder)
    _a_run_under_another_cut_says_what_was_lost(bench, folder)


def _open(row):
    return {condition["name"] for condition in row["conditions"] if condition["state"] != "met"}


def _a_classifier_that_failed_is_not_the_one_that_was_calibrated(bench, folder, classifier):
    classifier.script = [fail(400, "down")] * 20
    bench.run(folder, "--cache", bench.root / "empty", run_id="failed")
    classifier.script = []
    status, threshold = gate_of(bench, "failed")
    assert (status, threshold["state"]) == (3, "refused")
    assert "the classifier failed on" in threshold["reason"]


def _another_snapshot_of_the_classifier_makes_it_provisional(bench, folder):
    kept = (folder / "trust.json").read_text(encoding="utf-8")
    ledger = json.loads(kept)
    for judge in ledger["judges"].values():
        assert judge["classifier_snapshots"] == ["jev-1.13.0"]
        judge["classifier_snapshots"] = ["jev-1.12.0"]
    (folder / "trust.json").write_text(json.dumps(ledger), encoding="utf-8")
    _, threshold = gate_of(bench)
    assert "another snapshot answered (jev-1.13.0 (classifier))" in threshold["reason"]
    (folder / "trust.json").write_text(kept, encoding="utf-8")


def _every_change_is_named(bench, folder):
    rubric = folder / "rubrics" / "helpfulness.yaml"
    for file, change, said in (
        ("judge.yaml", lambda judge: judge["cascade"].update(high=0.8), "changed: cascade.high 0.7 -> 0.8\n"),
        ("cheap.yaml", lambda cheap: cheap.update(model="jev-2"), "changed: cascade.classifier.model jev-1 -> jev-2\n"),
        ("judge.yaml", lambda judge: judge.update(model="other"), "changed: model test-judge -> other\n"),
        ("judge.yaml", lambda judge: judge.pop("cascade"), "changed: cascade removed\n"),
    ):
        kept = edited(folder / file, change)
        assert said in bench.command("trust", folder).out
        (folder / file).write_text(kept, encoding="utf-8")
    shipped = yaml.safe_load(_shipped_rubric())
    shipped["criteria"][0]["question"] = "Does it answer?"
    rubric.parent.mkdir()
    rubric.write_text(yaml.safe_dump(shipped, sort_keys=False), encoding="utf-8")
    lost = " ".join(bench.command("trust", folder).out.split())
    assert "lost, the suite's judge has changed: " in lost
    assert "rubric_hash " in lost
    assert "cascade.questions " in lost
    rubric.unlink()
    assert "lost" not in bench.command("trust", folder).out


def _shipped_rubric():
    from evalkit.loading.places import shipped_folder

    return (shipped_folder("rubrics") / "helpfulness.yaml").read_text(encoding="utf-8")


def _a_run_under_another_cut_says_what_was_lost(bench, folder):
    edited(folder / "judge.yaml", lambda judge: judge["cascade"].update(low=0.2))
    bench.run(folder, run_id="cut")
    status, threshold = gate_of(bench, "cut")
    assert (status, threshold["state"]) == (3, "refused")
    assert "trust was lost: cascade.low 0.3 -> 0.2; calibrate again" in threshold["reason"]


def test_stability_asks_both_tiers_afresh_for_each_sample_and_nothing_twice(bench, classifier):
    bench.server.reply = helpful_judge(1.0, seed=4)
    folder = cascade_suite(bench, classifier, 10)
    bench.run(folder)
    unsure = len(bench.calls())
    assert unsure > 0
    assert len(classifier.requests) == 20
    classifier.reset()
    (plan,) = bench.command("stability", folder, "--runs", "3", "--plan", "--json").json
    assert (plan["classifiers"][0]["to_ask"], plan["to_buy"]) == (40, 20), "of sample 0 everything is known"
    told = bench.command("stability", folder, "--runs", "3", "--plan").out
    assert "30 verdicts (to ask 40, from the cache 10)" in told
    assert bench.server.requests == classifier.requests == []
    found = experiment_of(bench, "stability", folder, "--runs", "3", status=TOO_FEW)
    assert len(classifier.requests) == 40
    assert len(bench.calls()) == 2 * unsure
    use = found["purchases"]["cascade"]
    assert (use["verdicts"], use["by_classifier"]) == (30, 30 - 3 * unsure)
    assert (use["classifier"]["asked"], use["classifier"]["cache_hits"]) == (40, 20)
    assert found["purchases"]["cached"] == unsure
    classifier.reset()
    experiment_of(bench, "stability", folder, "--runs", "3", status=TOO_FEW)
    assert classifier.requests == bench.server.requests == []


def test_a_classifier_that_wavers_shows_in_the_stability_of_the_cascade(bench):
    turns: dict[str, int] = {}

    def wavering(body):
        """Answer c00 otherwise each time that all its questions are asked."""
        key = json.dumps([body["state"], body["questions"]])
        turns[key] = turns.get(key, 0) + 1
        p = 0.95 if "c00" not in key or turns[key] % 2 else 0.05
        return {name: {"type": "noul", "noul": p} for name in body["questions"]}

    with SystemOneServer(wavering) as classifier:
        folder = cascade_suite(bench, classifier, 6)
        ended = bench.command("stability", folder, "--runs", "2", "--quiet", "--json")
        rows = {row["criterion"]: row for row in ended.json["experiment"]["agreement"]}
        assert (rows["H1"]["n"], rows["H1"]["flipped"]) == (6, 1)
        assert bench.server.requests == []
        queue = Path(ended.json["review_queue"]).read_text(encoding="utf-8")
        queued = [json.loads(line) for line in queue.splitlines()]
        assert {item["case_id"] for item in queued} == {"c00"}


def test_a_stability_whose_classifier_failed_is_incomplete_and_asks_again(bench, classifier):
    bench.server.reply = helpful_judge(1.0, seed=4)
    folder = cascade_suite(bench, classifier, 4)
    classifier.script = [fail(400, "down")] * 3
    ended = bench.command("stability", folder, "--runs", "2", "--quiet")
    assert ended.status == 3
    assert "INCOMPLETE: the classifier gave no answer for" in ended.out
    classifier.reset()
    whole = experiment_of(bench, "stability", folder, "--runs", "2", status=TOO_FEW)
    assert whole["completeness"] == "complete"
    assert len(classifier.requests) == 3


def test_a_stability_that_the_limit_stops_is_taken_up_where_it_stopped(bench, classifier):
    prices = {"input": 1000.0, "output": 1000.0}  # 0.322 dollars a question
    folder = cascade_suite(bench, classifier, 4, cascade={"prices": prices})
    edited(folder / "judge.yaml", lambda judge: judge.update(prices={"input": 1.0, "output": 1.0}))
    found = experiment_of(bench, "stability", folder, "--runs", "2", "--max-cost", "1.5", status=3)
    asked = len(classifier.requests)
    assert 0 < asked <= 4
    assert (found["completeness"], found["purchases"]["stopped"]) == ("incomplete", "max_cost")
    assert found["purchases"]["cost_usd"] == pytest.approx(asked * 0.322)
    assert found["purchases"]["not_bought"] >= 6
    assert bench.server.requests == []
    whole = experiment_of(bench, "stability", folder, "--runs", "2", status=TOO_FEW)
    assert (whole["completeness"], len(classifier.requests)) == ("complete", 16)


def test_an_interrupted_stability_keeps_what_the_classifier_answered(bench, classifier):
    folder = cascade_suite(bench, classifier, 4)
    edited(folder / "cheap.yaml", lambda cheap: cheap.update(max_in_flight=1, timeout_s=300.0))
    classifier.script = [_answered_by("jev-1.13.0")] * 3 + [silence(60)]
    command = [sys.executable, "-m", "evalkit", "stability", str(folder), "--runs", "2", "--json", "--quiet"]
    child = subprocess.Popen(command, cwd=bench.root, stdout=subprocess.PIPE)
    while len(classifier.requests) < 4:
        time.sleep(0.05)
        assert child.poll() is None
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert child.returncode == 130
    assert json.loads(out)["experiment"]["completeness"] == "incomplete"
    assert bench.server.requests == []
    classifier.reset()
    experiment_of(bench, "stability", folder, "--runs", "2", status=TOO_FEW)
    assert len(classifier.requests) == 16 - 3


def test_every_version_of_a_text_goes_through_both_tiers(bench):
    """This classifier passes whatever is long, and this judge fails everything: what a payload or padding brings about is the tier's doing."""

    def by_length(body):
        p = 0.95 if len(body["state"]["answer"]) > 60 else 0.05
        return {name: {"type": "noul", "noul": p} for name in body["questions"]}

    with SystemOneServer(by_length) as classifier:
        bench.server.reply = helpful_judge(0.0, seed=1)
        folder = cascade_suite(bench, classifier, 5)
        padded = experiment_of(bench, "bias", "verbosity", folder, "--round", "2000")
        (row,) = [row for row in padded["paired"] if row["criterion"] == "H1"]
        assert (row["n"], row["gained"], row["lost"]) == (5, 5, 0)
        assert padded["purchases"]["cascade"]["by_classifier"] == 10
        attacked = experiment_of(bench, "bias", "injection", folder, "--round", "2000")
        use = attacked["purchases"]["cascade"]
        assert use["verdicts"] == attacked["purchases"]["requests"] > use["by_classifier"] > 0, (
            "a marked line is the judge's"
        )
        changed = {case["case_id"] for case in attacked["cases"]}
        assert changed


def test_a_family_experiment_counts_the_classifiers_family_as_the_cascades_own(bench, classifier):
    bench.server.reply = helpful_judge(1.0, seed=4)
    folder = cascade_suite(bench, classifier, 6)
    own = folder / "outputs" / "own"
    own.mkdir()
    lines = (folder / "outputs" / "candidate" / "outputs.jsonl").read_text(encoding="utf-8")
    (own / "outputs.jsonl").write_text(lines, encoding="utf-8")
    (own / "candidate.yaml").write_text("name: own\nmodel: jev-writer\n", encoding="utf-8")
    settings = yaml.safe_load((folder / "judge.yaml").read_text(encoding="utf-8"))
    del settings["cascade"]
    (folder / "second.yaml").write_text(
        yaml.safe_dump(settings | {"model": "other", "family": "others"}), encoding="utf-8"
    )
    asked = (
        "bias",
        "family",
        folder,
        "--second-judge",
        folder / "second.yaml",
        "--outputs",
        "candidate",
        "--outputs",
        "own",
    )
    found = experiment_of(bench, *asked)
    (row,) = [row for row in found["family"] if row["criterion"] == "H1"]
    assert (row["n"], row["own_home"], row["difference"] is not None) == (6, row["other_home"], True)
    assert {judge["role"] for judge in found["judges"] if judge.get("classifier_snapshots")} == {"home"}
    settings["cascade"] = {"classifier": "cheap.yaml"}
    (folder / "second.yaml").write_text(
        yaml.safe_dump(settings | {"model": "other", "family": "others"}), encoding="utf-8"
    )
    told = experiment_of(bench, *asked)["notes"]
    assert told == ["not identifiable: both judges are of one family (jev)"]


@pytest.mark.parametrize(
    ("cheap", "candidate", "said"),
    [
        ("", "jev-1.13.0", "false: classifier and candidate are of the same family (jev)"),
        ("family: writers\n", "writer-1", "false: classifier and candidate are of the same family (writers)"),
        ("model: oracle\n", "writer-1", "unknown: the family of the classifier is unknown; say it in classifier.yaml"),
        (
            "",
            "writer-1",
            "true: different families: judge judges, candidate writers; different families: classifier jev",
        ),
    ],
)
def test_a_run_is_as_independent_as_the_less_independent_tier(bench, classifier, cheap, candidate, said):
    folder = cascade_suite(bench, classifier, 3)
    file = folder / "cheap.yaml"
    file.write_text(file.read_text().replace("model: jev-1\n", cheap or "model: jev-1\n"), encoding="utf-8")
    fields = f"name: candidate\nmodel: {candidate}\n" + ("family: writers\n" if candidate == "writer-1" else "")
    (folder / "outputs" / "candidate" / "candidate.yaml").write_text(fields, encoding="utf-8")
    _, run = bench.run(folder, status=None)
    found = run.report["independence"]
    assert f"{found['family_differs']}: {found['reason']}".startswith(said)


def test_two_models_that_answer_one_classifier_make_a_run_mixed(bench, classifier):
    folder = cascade_suite(bench, classifier, 3)
    classifier.script = [_answered_by("jev-1.12.0")]
    _, run = bench.run(folder, status=3)
    assert any(
        "2 models answered" in reason or "snapshots answered" in reason for reason in run.report["gating"]["reasons"]
    )


def _answered_by(model):
    return send_json(decision({"q": {"type": "noul", "noul": 0.95}}, model=model))


def test_what_two_judge_uses_ask_alike_is_planned_and_asked_once(bench, classifier):
    suite = {"capabilities": [{"name": name, "judge": [{"rubric": "helpfulness"}]} for name in ("one", "two")]}
    folder = cascade_suite(bench, classifier, 4, **suite)
    lines = [json.dumps(plan_case(f"c{number:02}", capabilities=["one", "two"])) for number in range(4)]
    (folder / "golden.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (plan,) = bench.command("plan", folder, "--json").json
    assert [row["to_ask"] for row in plan["classifiers"]] == [8, 0]
    bench.run(folder)
    assert len(classifier.requests) == 8
    (plan,) = bench.command("stability", folder, "--runs", "2", "--plan", "--json").json
    assert [row["to_ask"] for row in plan["classifiers"]] == [8, 0]


def test_the_layout_of_several_questions_is_no_part_of_a_cascade_that_asks_one_at_a_time(bench, classifier):
    folder = cascade_suite(bench, classifier, 4)
    _, first = bench.run(folder, status=None)
    asked = len(classifier.requests)
    edited(folder / "cheap.yaml", lambda cheap: cheap.update(layout="alone"))
    _, second = bench.run(folder, run_id="alone", status=None)
    assert second.report["judges"] == first.report["judges"]
    assert len(classifier.requests) == asked, "every answer is in the cache"
