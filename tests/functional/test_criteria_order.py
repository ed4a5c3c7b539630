"""`evalkit bias criteria`: a judge that favours the criterion shown first, and one that does not, through real HTTP."""

from __future__ import annotations

import json

import pytest
import yaml
from fakes.judged_suites import ids, plan_case, right
from fakes.known_cascade import cascade_suite, helpful_judge, known_classifier
from fakes.reading_judge import asked_in, judge
from fakes.systemone_server import SystemOneServer

CRITERIA = ("Q1", "Q2", "Q3")


@pytest.fixture
def suite(bench):
    def written(count=6, criteria=CRITERIA, **fields):
        folder = bench.suite(
            golden=[plan_case(name) for name in ids(count)],
            outputs={"candidate": [right(name) for name in ids(count)]},
            suite={"capabilities": [{"name": "faithfulness", "judge": [{"rubric": "plain"}]}]},
            **fields,
        )
        rubric = {
            "schema_version": 1,
            "id": "plain",
            "version": "1",
            "criteria": [
                {"id": name, "question": f"Is {name} so?", "pass_condition": f"The answer says {name}."}
                for name in criteria
            ],
        }
        (folder / "plain.yaml").write_text(yaml.safe_dump(rubric), encoding="utf-8")
        return folder

    return written


def graded(body, passes):
    """Grade each criterion, in the order asked, by its place."""
    asked = asked_in(body)
    names = list(asked.schema["properties"]["criteria"]["properties"])
    grades = {name: "pass" if passes(place) else "fail" for place, name in enumerate(names, 1)}
    return json.dumps(
        {
            "evidence": [{"id": "x1", "source": "candidate", "quote": asked.answer[:20]}],
            "findings": [],
            "criteria": {
                name: {"evidence": ["x1"], "rationale": "It is.", "grade": grade} for name, grade in grades.items()
            },
            "overall_pass": set(grades.values()) == {"pass"},
        }
    )


def favours_the_first(body):
    return graded(body, lambda place: place == 1)


def measured(bench, *arguments, status=0):
    ended = bench.command("bias", "criteria", *arguments, "--json")
    assert ended.status == status, ended.out + ended.err
    return ended.json["experiment"]


def rows(experiment):
    return {row["criterion"]: row for row in experiment["criteria_order"]}


def test_a_judge_that_favours_the_first_criterion_is_found_out(bench, suite):
    bench.server.reply = favours_the_first
    experiment = measured(bench, suite())
    found = rows(experiment)
    (other,) = experiment["settings"]["reordered"]
    place = {name: at for at, name in enumerate(other["order"], 1)}
    assert all(place[name] != at for at, name in enumerate(CRITERIA, 1))
    assert (found["Q1"]["place"], found["Q1"]["moved_to"]) == (1, place["Q1"])
    assert (found["Q1"]["n"], found["Q1"]["lost"], found["Q1"]["gained"]) == (6, 6, 0)
    first = found[other["order"][0]]
    assert (first["lost"], first["gained"], first["difference"], first["p"]) == (0, 6, 1.0, pytest.approx(1 / 64))
    assert (first["flips"], first["repeat_flips"], first["added"]) == (6, 0, 1.0)
    assert first["added_interval"][0] > 0
    assert found["overall"]["place"] is None
    assert {(one["case_id"], one["before"], one["again"], one["after"]) for one in experiment["cases"]} >= {
        ("c00", "pass", "pass", "fail")
    }


def test_a_fair_judge_shows_no_effect_of_the_order(bench, suite):
    bench.server.reply = judge
    for row in rows(measured(bench, suite())).values():
        assert (row["n"], row["passed_both"], row["flips"], row["repeat_flips"], row["added"]) == (6, 6, 0, 0, 0.0)
        assert "no grade changed with the order" in row["reading"]


def test_a_judge_that_is_merely_noisy_changes_as_often_when_nothing_changes(bench, suite):
    turns = {}

    def fickle(body):
        name = asked_in(body).question
        turns[name] = turns.get(name, 0) + 1
        return graded(body, lambda _place: turns[name] == 1)

    bench.server.reply = fickle
    row = rows(measured(bench, suite(max_in_flight=1)))["Q1"]
    assert (row["lost"], row["flips"], row["repeat_flips"], row["added"], row["added_p"]) == (6, 6, 6, 0.0, 1.0)


def test_two_criteria_change_places_in_prompt_and_schema_and_nothing_else_changes(bench, suite):
    measured(bench, suite(1, ("Q1", "Q2")))
    prompts = [received.body["messages"][1]["content"] for received in bench.server.requests]
    schemas = [list(asked_in(one.body).schema["properties"]["criteria"]["properties"]) for one in bench.server.requests]
    assert sorted(schemas) == [["Q1", "Q2"], ["Q1", "Q2"], ["Q2", "Q1"]]
    assert len(set(prompts)) == 2
    assert len({"".join(sorted(prompt)) for prompt in prompts}) == 1
    (moved,) = [prompt for prompt, names in zip(prompts, schemas, strict=True) if names == ["Q2", "Q1"]]
    assert moved.index("Is Q2 so?") < moved.index("Is Q1 so?")


def test_the_file_names_both_configurations_and_their_snapshots(bench, suite):
    experiment = measured(bench, suite())
    home, other = experiment["judges"]
    assert (home["role"], other["role"]) == ("home", "reordered")
    assert home["judge_config_hash"] != other["judge_config_hash"]
    assert other["judge_config_hash"] == experiment["settings"]["reordered"][0]["judge_config_hash"]
    assert home["snapshots"] == other["snapshots"] != []
    assert experiment["kind"] == "criteria"


def test_a_seed_gives_the_same_order_again_and_another_seed_others(bench, suite):
    folder = suite(1, tuple(f"Q{number}" for number in range(8)))
    orders = []
    for seed in (1, 1, 2):
        experiment = measured(bench, folder, "--seed", seed)
        orders.append(experiment["settings"]["reordered"][0]["order"])
    assert orders[0] == orders[1] != orders[2]


def test_the_plan_says_three_verdicts_a_case_and_asks_nothing(bench, suite):
    ended = bench.command("bias", "criteria", suite(), "--plan", "--json")
    assert ended.status == 0, ended.err
    assert ended.json[0]["to_buy"] == 18
    assert bench.calls() == []


def test_a_run_of_the_same_judge_shows_it_on_the_terminal_and_on_the_page(bench, suite):
    bench.server.reply = favours_the_first
    folder = suite()
    bench.run(folder)
    measured(bench, folder)
    shown = bench.command("show", "r").out
    assert "criteria of " in shown
    assert "NOT ABOUT THIS RUN" not in shown
    assert "6 changed with the order, 0 when the same order was asked again" in " ".join(shown.split())
    assert bench.command("render", "r").status == 0
    page = (bench.root / "runs" / "r" / "report.html").read_text(encoding="utf-8")
    assert "6 of 6 grades changed with the order" in page


def test_where_no_rubric_has_two_criteria_there_is_nothing_to_reorder(bench, suite):
    ended = bench.command("bias", "criteria", suite(1, ("Q1",)))
    assert ended.status == 2
    assert "every rubric has one criterion" in ended.err
    assert bench.calls() == []


def test_a_verdict_that_is_missing_excludes_the_case_under_its_reason(bench, suite):
    def no_reordered(body):
        names = list(asked_in(body).schema["properties"]["criteria"]["properties"])
        return judge(body) if names == list(CRITERIA) else "I would rather not."

    bench.server.reply = no_reordered
    row = rows(measured(bench, suite(2)))["Q1"]
    assert (row["cases"], row["n"], row["added"], row["reading"]) == (2, 0, None, "no data")
    assert list(row["excluded"].values()) == [2]


def test_a_cascade_is_asked_as_a_whole_in_both_orders(bench):
    bench.server.reply = helpful_judge(0.98, seed=7)
    with SystemOneServer(known_classifier(0.99, 0.2, seed=3)) as classifier:
        experiment = measured(bench, cascade_suite(bench, classifier, 30))
    home, other = experiment["judges"]
    assert home["classifier_snapshots"] == other["classifier_snapshots"] != []
    assert experiment["purchases"]["cascade"]["by_classifier"] > 0
    assert {row["n"] for row in experiment["criteria_order"]} == {30}
