"""`routes` in judge.yaml: one judge per capability, each with its own prices, family and trust; one budget for all."""

from __future__ import annotations

import pytest
import yaml
from fakes.judged_suites import ids, plan_case, write_judge
from fakes.known_judge import outputs_of
from fakes.reading_judge import judge

CAPABILITIES = ["faithfulness", "helpfulness"]
SUITE = {"capabilities": [{"name": name, "judge": [{"rubric": name}]} for name in CAPABILITIES]}


@pytest.fixture
def routed(bench):
    """A suite of two judged capabilities; helpfulness is routed to a cheaper judge."""
    names = ids(4)
    folder = bench.suite(
        golden=[plan_case(name, capabilities=CAPABILITIES) for name in names],
        outputs={"candidate": outputs_of(names)},
        suite=SUITE,
        model="strong",
        prices={"input": 10.0, "output": 10.0},
        routes={"helpfulness": "cheap.yaml"},
    )
    write_judge(
        folder / "cheap.yaml", bench.server.url, model="cheap", family="b", prices={"input": 1.0, "output": 1.0}
    )
    return bench, folder


def test_each_capability_is_asked_of_its_own_judge(routed):
    bench, folder = routed
    _, run = bench.run(folder)
    assert {one["capability"]: one["judge"] for one in run.report["judges"]} == {
        "faithfulness": "strong",
        "helpfulness": "cheap",
    }
    asked = [received.body["model"] for received in bench.server.requests]
    assert (asked.count("strong"), asked.count("cheap")) == (4, 4)
    assert {one["capability"]: one["family"] for one in run.manifest["judges"]}["helpfulness"] == "b"
    assert run.bought["bought"] == 8
    # 120 tokens a call: four at 10 and four at 1 dollar a million.
    assert run.bought["cost_usd"] == pytest.approx(4 * 120 * 11 / 1e6)


def test_a_warm_rerun_buys_nothing_and_knows_what_each_judge_saved(routed):
    bench, folder = routed
    _, first = bench.run(folder)
    bench.server.reset()
    _, again = bench.run(folder, run_id="again")
    assert bench.server.requests == []
    assert again.bought["saved_cost_usd"] == pytest.approx(first.bought["cost_usd"])
    assert again.stable_bytes == first.stable_bytes


def test_a_plan_prices_each_capability_at_its_judge(routed):
    bench, folder = routed
    (plan,) = bench.command("plan", folder, "--json").json
    assert plan["judge"] == "strong, cheap"
    dear, cheap = plan["rows"]
    assert plan["cost_usd"] == pytest.approx(
        (
            10 * (sum(dear["input_tokens"].values()) + dear["output_tokens"])
            + sum(cheap["input_tokens"].values())
            + cheap["output_tokens"]
        )
        / 1e6
    )


def test_max_cost_covers_all_judges(routed):
    bench, folder = routed
    _, run = bench.run(folder, "--max-cost", "0.0001", status=3)
    assert run.bought["stopped"] == "max_cost"
    assert "cheap" not in [received.body["model"] for received in bench.server.requests]


def test_the_route_that_is_another_judge_has_another_configuration_than_without_it(routed):
    bench, folder = routed
    _, routed_run = bench.run(folder)
    _, plain = bench.run(folder, "--judge", folder / "cheap.yaml", run_id="plain")
    hashes = [
        {one["capability"]: one["judge_config_hash"] for one in run.report["judges"]} for run in (routed_run, plain)
    ]
    assert hashes[0]["helpfulness"] == hashes[1]["helpfulness"]
    assert hashes[0]["faithfulness"] != hashes[1]["faithfulness"]


def test_a_capability_may_be_routed_to_the_floor(routed):
    bench, folder = routed
    (folder / "cheap.yaml").write_text("client: floor\n", encoding="utf-8")
    _, run = bench.run(folder)
    assert {received.body["model"] for received in bench.server.requests} == {"strong"}
    assert {one["capability"]: one["client"] for one in run.manifest["judges"]}["helpfulness"] == "floor"


def test_an_experiment_asks_one_judge_and_says_so(routed):
    bench, folder = routed
    for command in (("stability", folder), ("bias", "verbosity", folder)):
        ended = bench.command(*command)
        assert ended.status == 2
        assert "name it with --judge FILE" in ended.err
    assert bench.command("stability", folder, "--judge", folder / "cheap.yaml", "--quiet").status == 0


@pytest.mark.parametrize(
    ("routes", "words"),
    [
        ({"helpfulness": "missing.yaml"}, "missing.yaml: does not exist"),
        ({"helpfulnes": "cheap.yaml"}, "did you mean 'helpfulness'"),
        ({"helpfulness": "../outside.yaml"}, "leads out of"),
        ({"helpfulness": "judge.yaml"}, "has routes of its own"),
        ({"helpfulness": ["cheap.yaml"]}, "routes.helpfulness"),
    ],
)
def test_a_route_that_cannot_be_taken_is_named(routed, routes, words):
    bench, folder = routed
    file = folder / "judge.yaml"
    (bench.root / "outside.yaml").write_text("client: floor\n", encoding="utf-8")
    settings = yaml.safe_load(file.read_text(encoding="utf-8"))
    file.write_text(yaml.safe_dump(settings | {"routes": routes}), encoding="utf-8")
    ended = bench.command("check", folder)
    assert ended.status == 2
    assert words in ended.out + ended.err


def test_what_choose_prints_can_be_written_into_judge_yaml(routed):
    bench, folder = routed
    bench.server.reply = judge
    text = '"helpfulness": "cheap.yaml"'
    file = folder / "judge.yaml"
    settings = yaml.safe_load(file.read_text(encoding="utf-8"))
    del settings["routes"]
    file.write_text(yaml.safe_dump(settings) + f"routes:\n  {text}\n", encoding="utf-8")
    assert bench.command("check", folder).status == 0
