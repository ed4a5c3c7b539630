"""What stands around a cascade: acceptance, ping, routes, drift, and the choice between judges."""

from __future__ import annotations

import pytest
import yaml
from fakes.cascades import PRICES, cascaded, probabilities
from fakes.chat_server import fail, send_json
from fakes.labels import label_line, write_labels
from fakes.systemone_server import SystemOneServer, decision

from evalkit.runstore.reader import open_run
from evalkit.runstore.verify import verify


@pytest.fixture
def classifier():
    with SystemOneServer(probabilities) as running:
        yield running


def test_acceptance_asks_the_judge_alone_and_says_so(bench, classifier):
    folder = cascaded(bench, classifier)
    refused = bench.command("accept", folder, "--plan")
    assert refused.status == 2
    assert "judge.yaml has a `cascade`, and acceptance asks the judge alone" in " ".join(refused.err.split())


def test_a_ping_asks_both_tiers(bench, classifier):
    classifier.answers = lambda body: {name: {"type": "noul", "noul": 0.97} for name in body["questions"]}
    folder = cascaded(bench, classifier)
    for named in (("--judge", folder / "judge.yaml"), (folder,)):
        told = bench.command("judge", "ping", *named).out
        assert "classifier before it: jev-1.13.0 answered; asked for its default; says 0.97 where yes is right" in told
    found = bench.command("judge", "ping", folder, "--json").json
    assert (found["asked_for"], found["classifier"]["model"]) == ("test-judge", "jev-1.13.0")
    (folder / "cheap.yaml").write_text("style: floor\n")
    assert "classifier" not in bench.command("judge", "ping", folder, "--json").json
    (folder / "cheap.yaml").unlink()
    gone = bench.command("judge", "ping", "--judge", folder / "judge.yaml")
    assert (gone.status, "cheap.yaml" in gone.err) == (2, True)


def test_a_ping_whose_classifier_does_not_answer_fails(bench, classifier):
    classifier.script = [fail(401, "who are you")]
    ended = bench.command("judge", "ping", cascaded(bench, classifier))
    assert ended.status != 0
    assert "the classifier before the judge: " in ended.err
    assert "401" in ended.err
    assert bench.server.requests == []


TWO = {"capabilities": [{"name": name, "judge": [{"rubric": "helpfulness"}]} for name in ("one", "two")]}


def routed(bench, server, **cascade):
    """Return a suite whose capability `two` is routed to a judge with a cascade, and `one` to a judge alone."""
    folder = cascaded(bench, server, suite=TWO, count=3)
    settings = yaml.safe_load((folder / "judge.yaml").read_text())
    tier = settings.pop("cascade") | cascade
    (folder / "judge.yaml").write_text(yaml.safe_dump(settings | {"routes": {"two": "other.yaml"}}))
    (folder / "other.yaml").write_text(yaml.safe_dump(settings | {"model": "other-judge", "cascade": tier}))
    return folder


def test_a_route_may_lead_to_a_judge_with_a_cascade_of_its_own(bench, classifier):
    _, run = bench.run(routed(bench, classifier))
    (found,) = run.report["cascades"]
    assert (found["capability"], found["by_classifier"], found["escalated"]) == ("two", 2, {"uncertain": 1})
    assert [received.body["model"] for received in bench.server.requests].count("other-judge") == 1
    by_use = {use["capability"]: use["identity"] for use in run.manifest["judges"]}
    assert ("cascade" in by_use["one"], "cascade" in by_use["two"]) == (False, True)
    assert verify(open_run(str(run.folder), bench.root)) == ()


def test_a_route_whose_classifier_cannot_be_read_is_a_fault(bench, classifier):
    ended = bench.command("check", routed(bench, classifier, classifier="../cheap.yaml"))
    assert ended.status == 2
    assert "cascade.classifier" in " ".join((ended.out + ended.err).split())


def test_drift_of_a_cascade_asks_both_tiers_again(bench, classifier):
    folder = cascaded(bench, classifier)
    bench.run(folder)
    bench.server.reset()
    classifier.reset()
    found = bench.command("drift", folder, "--round", "2000", "--quiet", "--json").json["experiment"]
    assert (len(classifier.requests), len(bench.calls())) == (12, 2)
    assert found["settings"]["cached"] == 6
    assert found["settings"]["classifier_snapshots_now"] == ["jev-1.13.0"]
    classifier.script = [
        send_json(decision({"q": {"type": "noul", "noul": 0.9}}, model="jev-1.14.0")) for _ in range(12)
    ]
    moved = bench.command("drift", folder, "--round", "2001", "--quiet")
    assert moved.status != 0
    assert "the classifier: answered by jev-1.13.0 when bought, by jev-1.14.0 now" in moved.out


def test_without_a_round_a_drift_of_a_cascade_asks_both_tiers_again_each_time(bench, classifier):
    folder = cascaded(bench, classifier)
    bench.run(folder)
    first = bench.command("drift", folder, "--quiet", "--json").json["experiment"]
    bench.server.reset()
    classifier.reset()
    second = bench.command("drift", folder, "--out", "elsewhere", "--quiet", "--json").json["experiment"]
    assert (len(classifier.requests), len(bench.calls())) == (12, 2)
    assert second["settings"]["round"] == first["settings"]["round"] + 1


def test_a_cascade_is_a_candidate_like_any_judge_and_its_verdicts_cost_what_both_tiers_took(bench, classifier):
    folder = cascaded(bench, classifier, prices=PRICES)
    settings = yaml.safe_load((folder / "judge.yaml").read_text())
    del settings["cascade"]
    (folder / "alone.yaml").write_text(yaml.safe_dump(settings))
    _, run = bench.run(folder)
    labels = [
        label_line(
            case_id=line["case_id"],
            output_sha256=line["output_sha256"],
            criterion="H1",
            label="pass",
            rubric="helpfulness",
        )
        for line in run.verdicts
    ]
    write_labels(folder / "labels.jsonl", labels)
    candidates = ("--candidates", folder / "alone.yaml", folder / "judge.yaml")
    ended = bench.command(
        "judge", "choose", folder, *candidates, "--labels", folder / "labels.jsonl", "--json", "--quiet"
    )
    assert ended.status == 0, ended.err
    alone, both = ended.json["choice"]["candidates"]
    assert alone["cost_per_verdict"] == pytest.approx(120 / 1e6)
    assert both["cost_per_verdict"] == pytest.approx((12 * 322 + 2 * 120) / 6 / 1e6)
