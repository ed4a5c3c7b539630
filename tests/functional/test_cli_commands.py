"""init, check, schema, plan and cache, as a user drives them."""

from __future__ import annotations

import json

import pytest
from fakes.command_line import CommandLine
from fakes.small_suites import SUITE, case, write_suite


@pytest.fixture
def evalkit(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    return CommandLine(monkeypatch, capsys)


def test_init_writes_a_suite_that_checks_and_runs(evalkit, tmp_path):
    ended = evalkit("init", "mine")
    assert ended.status == 0
    assert "next: evalkit check mine, then evalkit run mine" in ended.out
    assert evalkit("check", "mine").status == 0
    assert evalkit("run", "mine", "--run-id", "r").status in {0, 1, 3}


def test_init_leaves_a_folder_with_something_in_it_alone(evalkit, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("x", encoding="utf-8")
    assert evalkit("init", "mine").status == 2
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.tex"]


def test_check_says_that_a_suite_is_sound(evalkit, tmp_path):
    suite = write_suite(tmp_path / "shop")
    ended = evalkit("check", suite)
    assert ended.status == 0
    assert "sound: no faults" in ended.out
    assert "cases: 2" in ended.out


def test_check_lists_faults_and_exits_2(evalkit, tmp_path):
    suite = write_suite(tmp_path / "shop", golden=[case("c1", inptu="x"), case("c1")])
    ended = evalkit("check", suite)
    assert ended.status == 2
    assert "golden.jsonl:1" in ended.out
    found = evalkit("check", suite, "--json")
    assert found.status == 2
    assert found.json["sound"] is False
    assert found.json["faults"][0]["line"] == 1


def test_check_of_a_suite_that_does_not_exist(evalkit):
    ended = evalkit("check", "nowhere")
    assert ended.status == 2
    assert "nowhere" in ended.out + ended.err


def test_schema_names_the_formats_and_prints_one(evalkit):
    names = evalkit("schema").out.split()
    assert {"golden", "outputs", "suite", "rubric", "judge"} <= set(names)
    for name in names:
        assert evalkit("schema", name).json["$schema"].endswith("2020-12/schema")


def test_an_unknown_schema_is_bad_usage(evalkit):
    ended = evalkit("schema", "goldn")
    assert ended.status == 2
    assert "golden" in ended.err


def test_plan_says_what_would_be_bought_without_a_call(evalkit, tmp_path):
    suite = write_suite(tmp_path / "shop", suite=SUITE + "judge: judge.yaml\n")
    (suite / "judge.yaml").write_text("client: openai\nmodel: m\nbase_url: http://127.0.0.1:9/v1\n", encoding="utf-8")
    ended = evalkit("plan", suite)
    assert ended.status == 0
    assert "2 verdicts to buy, cost unknown" in ended.out
    (planned,) = evalkit("plan", suite, "--json").json
    assert (planned["to_buy"], planned["cost_usd"]) == (2, None)


def test_a_plan_for_the_floor_judge_credits_no_cache(evalkit, tmp_path):
    (planned,) = evalkit("plan", write_suite(tmp_path / "shop"), "--json").json
    (row,) = planned["rows"]
    assert (row["requests"], row["at_once"], row["cached"], row["to_buy"]) == (2, 2, 0, 0)
    assert [lever["name"] for lever in planned["levers"]] == ["judge only what needs it"]


def test_one_of_a_thing_is_said_in_the_singular(evalkit, tmp_path):
    suite = write_suite(tmp_path / "shop", golden=[case("c1", inptu="x")])
    assert "1 fault, " in evalkit("check", suite).out


def test_cache_of_a_folder_without_one_is_empty_and_stays_absent(evalkit, tmp_path):
    assert "0 replies" in evalkit("cache", "info", "--cache", tmp_path / "none").out
    assert evalkit("cache", "verify", "--cache", tmp_path / "none").status == 0
    assert not (tmp_path / "none").exists()


def test_what_was_bought_can_be_exported_and_imported_elsewhere(evalkit, tmp_path, monkeypatch):
    from evalkit.providers.reply_cache import open_cache
    from evalkit.records.verdicts import Purchase, Reply, StoredReply

    opened = open_cache(tmp_path / "one", print)
    opened.put("a" * 64, StoredReply(reply=Reply(text="{}"), purchase=Purchase(tries=1)))
    opened.close()
    assert evalkit("cache", "export", "replies.jsonl", "--cache", tmp_path / "one").status == 0
    monkeypatch.setenv("EVALKIT_CACHE_DIR", str(tmp_path / "two"))
    assert "1 reply added, 0 were there already" in evalkit("cache", "import", "replies.jsonl").out
    assert evalkit("cache", "info", "--json").json["entries"] == 1
    assert evalkit("cache", "verify", "--json").json["sound"] == 1
    (tmp_path / "torn.jsonl").write_text('{"key": "x', encoding="utf-8")
    assert evalkit("cache", "import", "torn.jsonl").status == 2


def test_there_is_nobody_to_ping_behind_the_floor(evalkit, tmp_path):
    ended = evalkit("judge", "ping", write_suite(tmp_path / "shop"))
    assert ended.status == 2
    assert "floor" in ended.err


def test_ping_says_who_answered(evalkit, tmp_path, chat_server):
    chat_server.reply = json.dumps({"ok": True})
    (tmp_path / "judge.yaml").write_text(f"client: openai\nmodel: m\nbase_url: {chat_server.url}\n", encoding="utf-8")
    ended = evalkit("judge", "ping", "--judge", "judge.yaml")
    assert ended.status == 0, ended.err
    assert "asked for m" in ended.out
    assert "reply schema: followed" in ended.out
    assert evalkit("judge", "ping", "--judge", "judge.yaml", "--json").json["asked_for"] == "m"


def test_ping_of_a_server_that_is_down_is_exit_status_69(evalkit, tmp_path):
    (tmp_path / "judge.yaml").write_text(
        "client: openai\nmodel: m\nbase_url: http://127.0.0.1:9/v1\n", encoding="utf-8"
    )
    ended = evalkit("judge", "ping", "--judge", "judge.yaml")
    assert ended.status == 69
    assert "Traceback" not in ended.err
