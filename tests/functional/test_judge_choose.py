"""`evalkit judge choose`: candidates of known error rates on the loopback, from strong to cheap."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fakes.chat_server import MODEL, completion, fail, send_json
from fakes.judged_suites import write_judge
from fakes.known_cascade import cascade_suite, helpful_judge, known_classifier
from fakes.known_judge import known_judge, known_labels, known_suite
from fakes.systemone_server import SystemOneServer

SIZE = 130
RATES = {"strong": (1.0, 1.0), "middle": (1.0, 0.98), "cheap": (0.6, 0.6), "lucky": (1.0, 1.0)}
PRICES = {"strong": 10.0, "middle": 2.0, "cheap": 0.1, "lucky": 0.05}


@pytest.fixture
def shop(bench):
    """A labelled suite and judge.yaml files whose model names say how good they are."""
    judges = {name: known_judge(*rates, seed=7) for name, rates in RATES.items()}
    bench.server.reply = lambda body: judges[body["model"]](body)
    folder = known_suite(bench, SIZE)
    for name, price in PRICES.items():
        prices = {"input": price, "output": price}
        write_judge(bench.root / f"{name}.yaml", bench.server.url, model=name, prices=prices)
    known_labels(bench.root / "labels.jsonl", SIZE, 0.9, seed=5)
    return bench, folder


def choose(bench, folder, *files, labels="labels.jsonl"):
    ended = bench.command("judge", "choose", folder, "--candidates", *files, "--labels", labels, "--json", "--quiet")
    assert ended.status == 0, ended.err
    return ended.json["choice"]


def test_the_last_candidate_that_clears_before_the_first_that_does_not_is_chosen(shop):
    bench, folder = shop
    found = choose(bench, folder, "strong.yaml", "middle.yaml", "cheap.yaml", "lucky.yaml")
    (capability,) = found["capabilities"]
    assert (capability["chosen"], found["routes"]) == ("middle.yaml", {"faithfulness": "../middle.yaml"})
    assert capability["states"]["cheap.yaml"] == "NOT TRUSTED"
    assert "was not tested" in capability["reading"], "lucky.yaml comes after the first failure and may not be taken"
    assert capability["saves_share"] == pytest.approx(0.8)
    assert capability["criteria"] == ["faithfulness/F1"]
    assert "faithfulness/overall" in capability["unlabelled"]


def test_cost_latency_and_agreement_stand_beside_each_candidate(shop):
    bench, folder = shop
    found = choose(bench, folder, "strong.yaml", "middle.yaml")
    strong, middle = found["candidates"]
    assert strong["cost_per_verdict"] == pytest.approx(120 * 10 / 1e6)
    assert strong["latency_ms"]["p50"] > 0
    assert middle["verdicts"] == middle["requests"] > 100
    figure = found["figures"][0]
    assert (figure["file"], figure["agreement"], figure["state"]) == ("strong.yaml", 1.0, "TRUSTED")
    (cross,) = found["cross"]
    assert cross["agreement"]["name"] == "strong.yaml and middle.yaml"
    assert cross["agreement"]["n"] == figure["n"]

    again = choose(bench, folder, "strong.yaml", "middle.yaml")
    assert [one["latency_ms"] for one in again["candidates"]] == [None, None], "nothing was asked again"
    assert again["candidates"][0]["cost_per_verdict"] == strong["cost_per_verdict"]
    assert again["figures"] == found["figures"]


def test_where_none_clears_people_or_code_decide(shop):
    bench, folder = shop
    found = choose(bench, folder, "cheap.yaml", "strong.yaml")
    (capability,) = found["capabilities"]
    assert (capability["chosen"], found["routes"]) == (None, {})
    assert "human or deterministic" in capability["reading"]


def test_the_floor_may_be_a_candidate_and_is_never_chosen(shop):
    bench, folder = shop
    Path("floor.yaml").write_text("client: floor\n", encoding="utf-8")
    found = choose(bench, folder, "strong.yaml", "floor.yaml")
    (capability,) = found["capabilities"]
    assert capability["chosen"] == "strong.yaml"
    assert capability["states"]["floor.yaml"] == "NOT TRUSTED"
    assert found["candidates"][1]["cost_per_verdict"] == 0.0


def test_planted_labels_choose_nobody(shop):
    bench, folder = shop
    lines = [json.loads(line) for line in Path("labels.jsonl").read_text(encoding="utf-8").splitlines()]
    planted = "".join(json.dumps({**line, "design": "planted"}) + "\n" for line in lines)
    Path("planted.jsonl").write_text(planted, encoding="utf-8")
    found = choose(bench, folder, "strong.yaml", labels="planted.jsonl")
    assert found["routes"] == {}
    assert "no labels drawn by chance" in found["capabilities"][0]["reading"]


def test_a_plan_asks_nobody_and_only_labelled_answers_are_asked_about(shop):
    bench, folder = shop
    bench.server.reset()
    asked = ("judge", "choose", folder, "--candidates", "strong.yaml", "cheap.yaml", "--labels", "labels.jsonl")
    ended = bench.command(*asked, "--plan", "--json")
    assert (ended.status, bench.server.requests) == (0, [])
    labelled = len(Path("labels.jsonl").read_text(encoding="utf-8").splitlines())
    assert [plan["to_buy"] for plan in ended.json] == [labelled, labelled]


def test_a_candidate_that_is_named_twice_is_refused(shop):
    bench, folder = shop
    asked = ("judge", "choose", folder, "--candidates", "strong.yaml", "strong.yaml", "--labels", "labels.jsonl")
    assert bench.command(*asked).status == 2


def test_the_terminal_says_what_to_write_into_judge_yaml(shop):
    bench, folder = shop
    ended = bench.command(
        "judge", "choose", folder, "--candidates", "strong.yaml", "middle.yaml", "--labels", "labels.jsonl"
    )
    assert ended.status == 0
    assert "routes:" in ended.out
    assert 'put there first "../middle.yaml"' in ended.out
    assert "Only the labels' part of trust was tested here" in ended.out
    assert "..." not in ended.out, "a pipe gets whole lines"
    assert '"faithfulness": "../middle.yaml"' in ended.out


def test_a_cascade_whose_classifier_is_down_is_not_credited_with_what_its_judge_says(bench):
    bench.server.reply = helpful_judge(1.0, seed=7)
    with SystemOneServer(known_classifier(1.0, 0.0, seed=3)) as classifier:
        folder = cascade_suite(bench, classifier, SIZE)
        known_labels(bench.root / "labels.jsonl", SIZE, 0.9, seed=5, criterion="H1", rubric="helpfulness")
        file = folder / "judge.yaml"
        asked = ("judge", "choose", folder, "--candidates", file, "--labels", "labels.jsonl", "--quiet")
        classifier.script = [fail(401, "no such key")] * 2 * SIZE
        down = bench.command(*asked, "--json")
        assert down.status == 3
        found = down.json["choice"]
        (figure,) = [one for one in found["figures"] if one["criterion"] == "H1"]
        assert (found["completeness"], found["routes"], figure["state"]) == ("incomplete", {}, "UNDECIDED")
        assert "the classifier gave no answer for" in figure["reading"]
        assert found["candidates"][0]["cascade"]["by_classifier"] == 0
        assert "because the classifier failed" in bench.command(*asked).out
        classifier.script = []
        found = bench.command(*asked, "--json").json["choice"]
        assert (found["completeness"], found["routes"]) == ("complete", {}), "judge.yaml needs no route to itself"
        (folder / "cheap.yaml").write_text("style: floor\n", encoding="utf-8")
        (floor,) = bench.command(*asked, "--json").json["choice"]["capabilities"]
        assert set(floor["states"].values()) == {"NOT TRUSTED"}, "a rule before the judge decides as a rule"


def test_a_candidate_that_two_snapshots_answered_is_no_one_instrument(shop):
    bench, folder = shop
    same = bench.server.reply
    turns = iter(["another-snapshot"])
    bench.server.reply = lambda body: send_json(completion(same(body), model=next(turns, MODEL)))
    (figure,) = choose(bench, folder, "strong.yaml")["figures"]
    assert figure["state"] == "UNDECIDED"
    assert "mixed: several snapshots answered (another-snapshot, stub-2025-01-01)" in figure["reading"]


def test_printed_routes_are_relative_to_the_judge_yaml_of_the_suite_and_can_be_written_there(shop):
    bench, folder = shop
    (folder / "judges").mkdir()
    for name in ("strong", "middle"):
        (bench.root / f"{name}.yaml").rename(folder / "judges" / f"{name}.yaml")
    files = [f"{folder.name}/judges/{name}.yaml" for name in ("strong", "middle")]
    found = choose(bench, folder, *files)
    assert found["routes"] == {"faithfulness": "judges/middle.yaml"}
    shown = bench.command("judge", "choose", folder, "--candidates", *files, "--labels", "labels.jsonl", "--quiet").out
    assert "put there first" not in shown
    judge = (folder / "judge.yaml").read_text()
    (folder / "judge.yaml").write_text(f"{judge}\n{shown[shown.index('routes:') : shown.index('written:')]}")
    ended = bench.command("plan", folder, "--json")
    assert ended.status == 0, ended.err
    assert "middle" in ended.json[0]["judge"]
