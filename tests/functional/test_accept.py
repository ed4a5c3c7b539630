"""`evalkit accept` over cached attempts: every ending of the shipped suite, byte for byte again, from the suite and from a file alike."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
import yaml
from fakes.acceptance import FAITHFUL, SHORT, SUITE, TERMS, endings_of, lines_of, write_spec
from fakes.chat_server import closed_port, say
from fakes.judged_suites import judged_suite, right, write_judge, wrong
from fakes.small_suites import case, write_suite

ENDINGS = {
    "ticket-right-at-once": "complete: criteria_met",
    "ticket-field-left-out": "complete: criteria_met",
    "window-right-at-once": "complete_provisional: untrusted_judge",
    "window-invented-number": "complete_provisional: untrusted_judge",
    "timing-feedback-ignored": "exhausted: quality_retries",
    "timing-recording-ends": "exhausted: cached_attempts",
    "window-mends-one-breaks-other": "complete_provisional: untrusted_judge",
    "window-iban-shown": "blocked_by_policy: personal_data",
    "timing-pays-out": "blocked_by_policy: forbidden_tools",
    "tone-nobody-can-judge": "judgment_skipped: floor_abstains",
    "timing-too-many-turns": "exhausted: tool_turns",
    "timing-generator-gave-up": "exhausted: transport_retries",
    "window-generator-failed": "error: output_error",
    "window-no-attempt": "error: missing_output",
    "window-needless-attempt": "complete_provisional: untrusted_judge",
}


@pytest.fixture
def replies(evalkit, tmp_path):
    return shutil.copytree(SUITE, tmp_path / "refund_replies")


def accepted(evalkit, *arguments, status):
    ended = evalkit("accept", *arguments, "--json")
    assert ended.status == status, ended.out + ended.err
    return ended.json["report"], lines_of(Path(ended.json["folder"]))


def test_the_shipped_suite_holds_every_ending(evalkit, replies):
    report, lines = accepted(evalkit, replies, status=3)
    assert endings_of(lines) == ENDINGS
    lenient, more = accepted(evalkit, replies, "--spec", replies / "lenient.yaml", "--run-id", "lenient", status=1)
    assert endings_of(more)["tone-nobody-can-judge"] == "accepted_unjudged: floor_abstains"
    assert {*report["endings"], *lenient["endings"]} == {
        "complete",
        "complete_provisional",
        "accepted_unjudged",
        "blocked_by_policy",
        "judgment_skipped",
        "exhausted",
        "error",
    }


def many(tmp_path, count):
    """Return a suite of so many requests, of which only the first is answered in few words, and its specification."""
    names = [f"r{number:03}" for number in range(count)]
    texts = ["Yes.", *["one two three four five six seven eight nine"] * (count - 1)]
    outputs = [{"case_id": name, "attempt": 1, "text": text} for name, text in zip(names, texts, strict=True)]
    suite = write_suite(tmp_path / "many", golden=[case(name) for name in names], outputs={"candidate": outputs})
    return suite, write_spec(tmp_path / "spec", SHORT)


def test_what_is_not_complete_is_listed_in_the_report_and_counted_where_a_list_ends(evalkit, tmp_path):
    suite, spec = many(tmp_path, 240)
    ended = evalkit("accept", suite, "--spec", spec)
    assert "r020: exhausted" in ended.out
    assert "r021" not in ended.out
    assert "... and 219 more, in acceptance.jsonl" in ended.out
    (file,) = (tmp_path / "runs" / "acceptance").rglob("acceptance.md")
    text = file.read_text(encoding="utf-8")
    assert "## Not complete" in text
    assert "| r001 | exhausted | " in text
    assert "| r200 | exhausted | " in text
    assert "r201" not in text
    assert text.endswith("... and 39 more, in acceptance.jsonl\n")


def test_a_list_that_holds_all_says_nothing_of_more(evalkit, tmp_path):
    suite, spec = many(tmp_path, 3)
    ended = evalkit("accept", suite, "--spec", spec)
    assert "r002: exhausted" in ended.out
    (file,) = (tmp_path / "runs" / "acceptance").rglob("acceptance.md")
    assert "more, in acceptance.jsonl" not in ended.out + file.read_text(encoding="utf-8")


def test_what_the_report_counts(evalkit, replies):
    report, _ = accepted(evalkit, replies, status=3)
    assert report["endings"] == {
        "blocked_by_policy": 2,
        "complete": 2,
        "complete_provisional": 4,
        "error": 2,
        "exhausted": 4,
        "judgment_skipped": 1,
    }
    assert report["retries"] == {
        "retries": 6,
        "unchanged": 1,
        "wasted": 2,
        "broke_something": 1,
        "unread_attempts": 1,
    }
    assert report["safe_but_insufficient"]["cases"] == ["timing-feedback-ignored", "timing-recording-ends"]
    assert report["good_but_blocked"] == {"n": 1, "cases": ["timing-pays-out"]}
    overall = report["feedback"][0]
    assert (overall["criterion"], overall["n"], overall["changed"]) == ("any", 6, 4)
    assert overall["interval"][0] < 4 / 6 < overall["interval"][1]
    assert [(at["attempt"], at["candidates"]) for at in report["accepted"]] == [(1, 13), (2, 4), (3, 2)]


def test_the_chain_of_one_request_can_be_followed(evalkit, replies):
    _, lines = accepted(evalkit, replies, status=3)
    first, second, third = [line for line in lines if line["case_id"] == "window-mends-one-breaks-other"]
    assert first["path"] == ["requested", "candidate", "cleared", "requested"]
    assert [c["result"] for c in first["criteria"]] == ["passed", "passed", "passed", "missed"]
    assert "brevity/length_limit" in first["feedback"]
    assert [c["result"] for c in second["criteria"]] == ["missed", "missed", "missed", "passed"]
    assert "90 days of purchase" in second["feedback"]
    assert third["counts"] == {"quality_retries": 2, "verdict_retries": 0, "transport_retries": 0, "tool_turns": 0}
    assert third["state_after"] == "complete_provisional"
    assert len({line["output_sha256"] for line in (first, second, third)}) == 3


def test_a_retry_with_the_same_text_is_unchanged_and_judged_as_its_own_attempt(evalkit, replies):
    _, lines = accepted(evalkit, replies, status=3)
    first, second, third = [line for line in lines if line["case_id"] == "timing-feedback-ignored"]
    assert [line["unchanged"] for line in (first, second, third)] == [False, True, False]
    assert first["verdicts"][0]["request_key"] == second["verdicts"][0]["request_key"]
    assert first["subject"] != second["subject"]
    assert "attempt 2" in second["subject"]


def test_a_second_replay_writes_the_same_bytes(evalkit, replies, tmp_path):
    names = ("acceptance.jsonl", "acceptance.json", "acceptance.md", "verdicts.jsonl")
    folder = tmp_path / "runs" / "acceptance" / "refund_replies" / "replies"
    accepted(evalkit, replies, status=3)
    before = {name: (folder / name).read_bytes() for name in names}
    accepted(evalkit, replies, status=3)
    assert {name: (folder / name).read_bytes() for name in names} == before
    assert sorted(path.name for path in folder.iterdir()) == sorted([*names, "purchases.json"])


def test_a_replay_under_another_specification_leaves_the_first_result_alone(evalkit, replies, tmp_path):
    accepted(evalkit, replies, status=3)
    place = tmp_path / "runs" / "acceptance" / "refund_replies"
    before = (place / "replies" / "acceptance.json").read_bytes()
    accepted(evalkit, replies, "--spec", replies / "lenient.yaml", status=1)
    accepted(evalkit, replies, "--spec", replies / "lenient.yaml", status=1)
    assert (place / "replies" / "acceptance.json").read_bytes() == before
    first, second = sorted(folder.name for folder in place.iterdir())
    assert first == "replies"
    assert re.fullmatch(r"replies-[0-9a-f]{12}", second)


def test_a_suite_and_the_file_exported_from_it_decide_alike(evalkit, replies, tmp_path):
    assert evalkit("accept", replies, "--export", tmp_path / "elsewhere.yaml").status == 0
    from_suite, lines = accepted(evalkit, replies, status=3)
    from_file, same = accepted(evalkit, replies, "--spec", "elsewhere.yaml", "--run-id", "file", status=3)
    assert lines == same
    assert from_suite == from_file


def test_the_suites_hash_does_not_depend_on_its_terms(evalkit, replies):
    before = evalkit("run", replies, "--run-id", "a", "--json").json["runs"][0]["report"]["suite"]
    text = (replies / "suite.yaml").read_text(encoding="utf-8")
    (replies / "suite.yaml").write_text(text.replace("threshold: 1.0", "threshold: 0.5"), encoding="utf-8")
    assert evalkit("run", replies, "--run-id", "b", "--json").json["runs"][0]["report"]["suite"] == before


def test_everything_complete_is_exit_status_0(evalkit, replies):
    report, lines = accepted(
        evalkit, replies, "--case", "ticket-right-at-once", "--case", "ticket-field-left-out", status=0
    )
    assert report["endings"] == {"complete": 2}
    assert set(endings_of(lines)) == {"ticket-right-at-once", "ticket-field-left-out"}


def test_a_suite_without_terms_is_told_what_to_decide(evalkit, replies):
    text = (replies / "suite.yaml").read_text(encoding="utf-8")
    (replies / "suite.yaml").write_text(text[: text.index("acceptance:")], encoding="utf-8")
    ended = evalkit("accept", replies)
    assert ended.status == 2
    assert "on_skipped" in ended.err
    assert "no default" in ended.err


def test_a_gap_between_attempts_is_a_fault(evalkit, replies):
    path = replies / "outputs" / "replies" / "outputs.jsonl"
    kept = [
        line
        for line in path.read_text(encoding="utf-8").splitlines()
        if not (json.loads(line)["case_id"] == "timing-feedback-ignored" and json.loads(line)["attempt"] == 2)
    ]
    path.write_text("\n".join(kept) + "\n", encoding="utf-8")
    ended = evalkit("accept", replies)
    assert ended.status == 2
    assert "attempt 2 of case 'timing-feedback-ignored' is missing" in ended.err


def test_a_plan_says_what_would_be_bought_at_most(evalkit, replies):
    plan = evalkit("accept", replies, "--plan", "--json").json
    assert plan == {"cases": 15, "turns": 21, "requests": 17, "cached": 17, "to_buy": 0}
    live = evalkit("accept", replies, "--plan", "--generator", "cat", "--json").json
    assert (live["turns"], live["to_buy"]) == (45, 39)


def test_a_request_that_no_criterion_covers_is_an_error_and_never_complete(evalkit, replies):
    with (replies / "golden.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"id": "stray", "input": "Hello?"}) + "\n")
    _, lines = accepted(evalkit, replies, status=3)
    assert endings_of(lines)["stray"] == "error: no_criterion"


# With a judge on a server


def retried(case_id, *texts):
    return [right(case_id, text=text, attempt=number) for number, text in enumerate(texts, 1)]


GOOD = "Plan c00 costs 10 dollars a month [plans/c00]."
BAD = "Plan c00 costs 99 dollars a month [plans/c00]."


def terms_in(suite, **fields):
    path = suite / "suite.yaml"
    loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
    path.write_text(yaml.safe_dump({**loaded, "acceptance": {**TERMS, **fields}}), encoding="utf-8")
    return suite


def test_feedback_quotes_the_claim_and_the_source_that_speaks_against_it(bench):
    suite = terms_in(bench.suite(golden=1, outputs={"candidate": retried("c00", BAD, GOOD)}))
    _, (first, second) = accepted(bench.command, suite, status=0)
    assert "a source says otherwise than" in first["feedback"]
    assert "Plan c00 costs 99 dollars a month" in first["feedback"]
    assert 'plans/c00: "Plan c00 costs 10 dollars a month' in first["feedback"]
    assert second["state_after"] == "complete"


def test_the_judge_sees_request_candidate_criteria_and_grounding_and_nothing_else(bench):
    outputs = [
        wrong("c00", attempt=1, meta={"trace": "SECRET-DRAFT"}, tool_calls=[{"name": "SECRET-TOOL", "arguments": {}}]),
        right("c00", attempt=2, feedback="SECRET-FEEDBACK"),
    ]
    suite = terms_in(bench.suite(golden=1, outputs={"candidate": outputs}))
    accepted(bench.command, suite, status=0)
    first, second = [json.dumps(received.body) for received in bench.server.requests]
    assert "What does plan c00 cost?" in second
    assert "Plan c00 has 5 seats." in second
    assert "10 dollars a month [plans/c00]" in second
    assert "99 dollars" in first
    assert "99 dollars" not in second
    assert "SECRET" not in first + second
    assert "attempt" not in second.lower()


def test_the_same_text_again_is_not_bought_again(bench):
    suite = terms_in(bench.suite(golden=1, outputs={"candidate": retried("c00", BAD, BAD, BAD)}))
    first = bench.command("accept", suite, "--json").json["purchases"]
    assert (len(bench.calls()), first["bought"], first["cache_hits"]) == (1, 1, 2)
    again = bench.command("accept", suite, "--json").json["purchases"]
    assert (len(bench.calls()), again["bought"], again["cache_hits"]) == (0, 0, 3)


@pytest.mark.parametrize(
    ("on_skipped", "state", "status"), [("block", "judgment_skipped", 3), ("accept_unjudged", "accepted_unjudged", 1)]
)
def test_a_provider_that_is_down_gives_no_score_and_the_terms_decide(bench, on_skipped, state, status):
    suite = terms_in(bench.suite(golden=2), on_skipped=on_skipped)
    url = f"http://127.0.0.1:{closed_port()}/v1"
    write_judge(suite / "judge.yaml", url, backoff={"tries": 1, "first_s": 0.01, "cap_s": 0.02})
    report, lines = accepted(bench.command, suite, status=status)
    assert report["endings"] == {state: 2}
    for line in lines:
        assert (line["score"], line["meets"]) == (None, None)
        assert line["reason"] == "judge_error:transport"
        assert line["verdicts"][0]["outcome"] == "no_verdict"


def test_a_reply_that_is_unreadable_twice_is_no_verdict_and_its_retry_is_counted(bench):
    suite = terms_in(bench.suite(golden=1))
    bench.server.reply = "I would say it passes."
    _, (line,) = accepted(bench.command, suite, status=3)
    assert (line["state_after"], line["reason"]) == ("judgment_skipped", "judge_error:parse")
    assert line["counts"]["verdict_retries"] == 1


def test_a_verdict_retry_that_helps_is_counted_apart(bench):
    suite = terms_in(bench.suite(golden=1), limits={"verdict_retries": 1})
    bench.server.script = [say("no JSON")]
    _, (line,) = accepted(bench.command, suite, status=0)
    assert line["counts"] == {"quality_retries": 0, "verdict_retries": 1, "transport_retries": 0, "tool_turns": 0}


def test_a_judge_of_the_generators_own_model_is_said_in_report_and_log(bench):
    suite = terms_in(bench.suite(golden=1))
    (suite / "outputs" / "candidate" / "candidate.yaml").write_text("model: test-judge\n", encoding="utf-8")
    report, (line,) = accepted(bench.command, suite, status=0)
    assert report["independence"]["independent"] is False
    assert "the same model" in report["independence"]["reason"]
    assert line["independent"] is False
    assert "independent: false" in bench.command("accept", suite).out


def test_an_answer_that_meets_the_criteria_scores_above_one_that_breaks_them(bench):
    weighed = [{**FAITHFUL, "required": False}, {**SHORT, "required": False, "weight": 3.0}]
    suite = judged_suite(
        bench.root / "order", bench.server.url, golden=2, outputs={"candidate": [right("c00"), wrong("c01")]}
    )
    spec = write_spec(suite, *weighed, judge="judge.yaml", terms={**TERMS, "threshold": 0.0})
    _, lines = accepted(bench.command, suite, "--spec", spec, status=0)
    scores = {line["case_id"]: line["score"] for line in lines}
    assert scores == {"c00": 1.0, "c01": 0.75}


def test_the_cost_limit_stops_buying_and_what_is_left_is_skipped(bench):
    suite = terms_in(bench.suite(golden=4, max_in_flight=1, prices={"input": 10_000.0, "output": 0.0}))
    report, lines = accepted(bench.command, suite, "--max-cost", "1.5", status=3)
    assert any("max_cost" in note for note in report["notes"])
    assert "judgment_skipped: not_bought" in endings_of(lines).values()


def test_hostile_text_stays_on_its_line(bench):
    bad = "\x1b[31mred\n::error::x"
    case = {"id": "c00 \u202ex", "capabilities": ["faithfulness"], "input": bad, "context": [{"id": "d", "text": "A."}]}
    outputs = [{"case_id": case["id"], "error": bad}]
    suite = terms_in(bench.suite(golden=[case], outputs={"candidate": outputs}))
    ended = bench.command("accept", suite)
    assert ended.status == 1
    assert "\x1b" not in ended.out
    assert "\u202e" not in ended.out
    assert not any(line.startswith("::") for line in ended.out.splitlines())


def test_a_not_applicable_criterion_has_no_share(bench):
    suite = terms_in(
        bench.suite(golden=1, outputs={"candidate": [right("c00", text="Plan c00 costs 10 dollars a month.")]})
    )
    _, (line,) = accepted(bench.command, suite, status=0)
    assert [c["result"] for c in line["criteria"]] == ["passed", "passed", "not_applicable"]
    assert line["score"] == 1.0


def test_export_and_plan_in_words(evalkit, replies):
    ended = evalkit("accept", replies, "--export", "acceptance.yaml")
    assert (ended.status, "7 criteria" in ended.out) == (0, True)
    assert "nothing was asked" in evalkit("accept", replies, "--plan").out
    text = (replies / "suite.yaml").read_text(encoding="utf-8")
    more = text.replace("      - {scorer: json_schema}", "      - {scorer: json_schema}\n      - {scorer: token_f1}")
    (replies / "suite.yaml").write_text(more, encoding="utf-8")
    assert "token_f1 has no pass rule" in evalkit("accept", replies, "--export", "acceptance.yaml").out
    assert evalkit("accept", replies, "--export", "again.yaml", "--json").json["notes"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("allow_custom_scorers: true\n", "scorers of the suite's own"),
        ("judge: recorded.yaml\n", "the judge's recording stands in the suite's folder"),
    ],
)
def test_what_would_not_mean_the_same_elsewhere_is_not_exported_there(evalkit, replies, change, said):
    text = (
        (replies / "suite.yaml")
        .read_text(encoding="utf-8")
        .replace("judge: judge.yaml\n", "" if "judge" in change else "judge: judge.yaml\n")
    )
    (replies / "suite.yaml").write_text(text + change, encoding="utf-8")
    (replies / "recorded.yaml").write_text("{client: replay, model: m, replay: r.jsonl}\n", encoding="utf-8")
    ended = evalkit("accept", replies, "--export", "acceptance.yaml")
    assert (ended.status, said in ended.err) == (2, True), ended.err
    assert evalkit("accept", replies, "--export", replies / "acceptance.yaml").status == 0


def test_a_folder_of_another_suite_and_one_that_cannot_be_read_are_left_alone(evalkit, replies, tmp_path):
    accepted(evalkit, replies, "--run-id", "r", status=3)
    report = tmp_path / "runs" / "acceptance" / "refund_replies" / "r" / "acceptance.json"
    report.write_text(report.read_text(encoding="utf-8").replace('"refund_replies"', '"other"', 1), encoding="utf-8")
    assert "belongs to suite 'other'" in evalkit("accept", replies, "--run-id", "r").err
    report.write_text("{", encoding="utf-8")
    assert "cannot be read" in evalkit("accept", replies, "--run-id", "r").err
    assert report.read_text(encoding="utf-8") == "{"


def test_a_selection_is_said_and_a_name_that_nobody_has_is_bad_usage(evalkit, replies):
    report, _ = accepted(evalkit, replies, "--case", "ticket-right-at-once", status=0)
    assert (report["completeness"], report["selection"]) == ("partial", {"case": ["ticket-right-at-once"]})
    assert evalkit("accept", replies, "--case", "nobody").status == 2
    assert evalkit("accept", replies, "--outputs", "replies", "--outputs", "replies").status == 2


def test_an_export_that_cannot_be_written_speaks_of_its_file_and_not_of_runs(evalkit, replies):
    ended = evalkit("accept", replies, "--export", "no/such/folder/terms.yaml")
    assert ended.status == 2
    assert (
        "no/such/folder/terms.yaml: cannot be written: there is no folder no/such/folder. Name another file"
        in ended.err
    )
    assert "--out" not in ended.err
