"""`evalkit battery`: both suites on the floor, any classifier by configuration, nothing bought twice, hostile text harmless."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from fakes.battery_suites import CALL, GUARD, line, write_batteries_suite
from fakes.chat_server import fail, say
from fakes.command_line import modules_of
from fakes.small_suites import case, right, write_suite

ROOT = Path(__file__).resolve().parents[2]


def figures(ended):
    return {one["battery"]: one for one in ended.json["report"]["batteries"]}


def rates(figure):
    return {rate["name"]: rate for rate in figure["rates"] if rate["group"] == "all"}


def floor_row(figure):
    """Return a battery's line of the table in docs/batteries.md."""
    found = rates(figure)
    false = ", ".join(f"{name} {one['count']} of {one['n']}" for name, one in found.items() if name != "as_expected")
    control = figure["shuffle"]
    shares = f"{100 * control['observed']:.1f} %", f"{100 * control['low']:.1f} to {100 * control['high']:.1f} %"
    return f"| `{figure['battery']}` | {found['as_expected']['count']} of {figure['n']} | {false} | {shares[0]} | {shares[1]} |"


def documented():
    return (ROOT / "docs" / "batteries.md").read_text(encoding="utf-8").splitlines()


def test_tool_guard_on_the_floor(evalkit):
    ended = evalkit("battery", ROOT / "suites" / "tool_guard", "--json")
    assert ended.status == 0
    (figure,) = figures(ended).values()
    assert figure["n"] == figure["decisions"] >= 60
    assert not figure["calibrated"]
    found = rates(figure)
    assert found["false_allow"]["n"] + sum(figure["confusion"]["allow"].values()) == figure["n"]
    assert found["asked_needlessly"]["value"] > 0.5, "shared words say little about risk: the floor asks"
    assert not figure["shuffle"]["collapses"]
    assert floor_row(figure) in documented()
    groups = {rate["group"] for rate in figure["rates"]}
    assert {"hostile", "ambiguous", "level 0", "level 1", "level 2", "level 3"} <= groups


def test_relevance_and_routing_on_the_floor(evalkit):
    ended = evalkit("battery", ROOT / "suites" / "tool_relevance", "--json")
    assert ended.status == 0
    found = figures(ended)
    assert set(found) == {"tool_relevance", "skill_relevance", "tool_result_filter", "agent_router", "model_router"}
    for name in ("tool_relevance", "skill_relevance", "tool_result_filter"):
        offers = found[name]["offers"]
        assert offers["reached"] <= offers["offered"]
        assert offers["tokens_reached"] <= offers["tokens_offered"]
        assert offers["success_after"] <= offers["success_before"] < offers["cases"]
    assert rates(found["agent_router"])["misrouted"]["n"] == 30
    for figure in found.values():
        assert floor_row(figure) in documented()


def test_the_file_holds_what_is_printed_and_the_same_again(evalkit, tmp_path):
    suite = ROOT / "suites" / "tool_guard"
    first, second = (evalkit("battery", suite, "--limit", "10", "--json", "--out", tmp_path) for _ in range(2))
    stored = json.loads(Path(first.json["file"]).read_text(encoding="utf-8"))
    assert stored == first.json["report"]
    clock = {"made_at": ""}
    assert {**first.json["report"], **clock} == {**second.json["report"], **clock}
    assert first.json["file"] != second.json["file"]


def test_the_page_says_who_answered_what_is_not_calibrated_and_what_the_control_says(evalkit):
    out = evalkit("battery", ROOT / "suites" / "tool_guard").out
    assert "classifier: floor" in out
    assert "not calibrated" in out
    assert "shuffle control: balanced accuracy" in out
    assert "confidence 0.7, allow_below 1.5, deny_from 2.5 (in use)" in out
    assert "[hostile] as_expected" in out


def test_any_classifier_by_configuration(evalkit, tmp_path):
    from evalkit.classifiers.batteries.wording import TOOL_GUARD
    from evalkit.records.questions import score

    folder = write_batteries_suite(tmp_path / "s", decisions=[line()])
    question = score(TOOL_GUARD.question, TOOL_GUARD.levels).model_dump(mode="json")
    canned = {"state": {"role": TOOL_GUARD.role, "call": CALL}, "question": question, "answer": "2"}
    (tmp_path / "canned.jsonl").write_text(json.dumps(canned) + "\n", encoding="utf-8")
    file = tmp_path / "classifier.yaml"
    file.write_text("style: static\nanswers: canned.jsonl\n", encoding="utf-8")
    ended = evalkit("battery", folder, "--classifier", file, "--json")
    assert ended.status == 0
    assert figures(ended)["tool_guard"]["confusion"] == {"ask": {"ask": 1}}
    assert ended.json["report"]["classifier"]["style"] == "static"

    shutil.copy(file, folder / "classifier.yaml")
    shutil.copy(tmp_path / "canned.jsonl", folder)
    (folder / "battery.yaml").write_text(
        "classifier: classifier.yaml\nbatteries:\n  - {battery: tool_guard, on_error: closed}\n", encoding="utf-8"
    )
    assert evalkit("battery", folder, "--json").json["report"]["classifier"]["style"] == "static"

    other = canned | {"state": "another"}
    (tmp_path / "canned.jsonl").write_text(json.dumps(other) + "\n", encoding="utf-8")
    ended = evalkit("battery", folder, "--classifier", file, "--json")
    assert ended.status == 3, "an evaluation without an answer is no decision"
    assert figures(ended)["tool_guard"]["excluded"] == {"classifier_error": 1}
    assert "no canned answer" in next(iter(ended.json["report"]["errors"]))


def test_bought_answers_are_kept_planned_and_not_bought_again(evalkit, chat_server, tmp_path):
    folder = write_batteries_suite(tmp_path / "s", decisions=[line()])
    chat_server.reply = json.dumps({"q1": {"0": 0.0, "1": 0.05, "2": 0.9, "3": 0.05}})
    file = tmp_path / "classifier.yaml"
    file.write_text(f"style: llm\nclient: openai\nmodel: m\nbase_url: {chat_server.url}\n", encoding="utf-8")
    ask = ("battery", folder, "--classifier", file, "--json")
    planned = evalkit(*ask, "--plan")
    assert planned.json["evaluations"] == 1
    assert planned.json["tokens"] > 50
    assert chat_server.requests == []
    first = evalkit(*ask)
    asked = len(chat_server.requests)
    again = evalkit(*ask)
    assert (first.status, again.status) == (0, 0)
    assert len(chat_server.requests) == asked >= 1
    assert (first.json["report"]["bought"], again.json["report"]["bought"]) == (1, 0)
    assert first.json["report"]["batteries"] == again.json["report"]["batteries"]
    assert first.json["report"]["requests"] == again.json["report"]["requests"]
    assert evalkit(*ask, "--plan").json == {"evaluations": 0, "cached": 1, "tokens": 0}
    assert "would ask 0 evaluations" in evalkit(*ask[:-1], "--plan").out


def test_hostile_names_and_notes_cannot_forge_a_line(evalkit, tmp_path):
    evil = "c1\n::error::passed\u202e\x1b[31m"
    folder = write_batteries_suite(
        tmp_path,
        decisions=[line(evil, tags=[evil], note=evil)],
        cases=[{"id": evil, "input": "x"}],
        outputs=[{"case_id": evil, "tool_calls": [{"name": evil, "arguments": {}}]}],
    )
    ended = evalkit("battery", folder)
    assert ended.status == 0
    for character in ("\x1b", "\u202e"):
        assert character not in ended.out
    assert "\n::error::" not in ended.out


def test_faults_are_told_with_file_and_line(evalkit, tmp_path):
    folder = write_batteries_suite(tmp_path, decisions=[line(), line("c2")])
    ended = evalkit("battery", folder)
    assert ended.status == 2
    assert "decisions.jsonl:2" in ended.err
    assert evalkit("battery", tmp_path / "nowhere").status == 2
    assert evalkit("battery", folder, "--battery", "model_router").status == 2


def test_a_run_of_the_main_job_loads_no_battery(tmp_path):
    write_suite(tmp_path / "shop", golden=[case("c1")], outputs={"candidate": [right("c1")]})
    loaded, ended = modules_of("run", "shop", cwd=tmp_path)
    assert ended.status in {0, 1, 3}
    assert not [name for name in loaded if name.startswith("evalkit.classifiers") or "batteries" in name]


def many_calls(tmp_path, chat_server):
    """Return a suite of 40 different calls whose battery asks the server, one at a time."""
    names = [f"c{number}" for number in range(40)]
    calls = [{"case_id": name, "tool_calls": [{"name": "send_mail", "arguments": {"to": name}}]} for name in names]
    folder = write_batteries_suite(
        tmp_path / "s",
        decisions=[line(name) for name in names],
        cases=[{"id": name, "input": "Tell Ines."} for name in names],
        outputs=calls,
        battery="classifier: classifier.yaml\n" + GUARD,
    )
    config = f"style: llm\nclient: openai\nmodel: m\nbase_url: {chat_server.url}\nmax_in_flight: 1\n"
    (folder / "classifier.yaml").write_text(config, encoding="utf-8")
    return folder


def test_a_server_that_fails_20_times_in_a_row_is_left_alone_and_what_it_answered_is_kept(
    evalkit, chat_server, tmp_path
):
    folder = many_calls(tmp_path, chat_server)
    chat_server.script = [say(json.dumps({"q1": {"0": 0.0, "1": 0.05, "2": 0.9, "3": 0.05}}))] * 3 + [
        fail(400, "down")
    ] * 100
    ended = evalkit("battery", folder, "--json")
    assert ended.status == 3
    assert len(chat_server.requests) == 23
    found = ended.json["report"]
    assert figures(ended)["tool_guard"]["excluded"] == {"classifier_error": 20, "not_asked": 17}
    assert (figures(ended)["tool_guard"]["n"], found["not_asked"]) == (3, 17)


def test_a_server_that_refuses_the_key_is_left_alone_at_once(evalkit, chat_server, tmp_path):
    folder = many_calls(tmp_path, chat_server)
    for status in (401, 403):
        chat_server.script = [fail(status, "no")] * 100
        chat_server.requests.clear()
        ended = evalkit("battery", folder)
        assert ended.status == 3
        assert len(chat_server.requests) == 1
        assert "39 evaluations not asked: the classifier does not answer" in ended.out
