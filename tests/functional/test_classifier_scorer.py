"""A classifier's question as a scorer of a suite, over the System One wire: sure answers count, the others wait for a person."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest
from fakes.chat_server import fail
from fakes.labels import label_line, write_labels
from fakes.small_suites import case, right, write_suite, wrong
from fakes.systemone_server import SystemOneServer, decide

from evalkit.records.identity import text_sha256

SUITE = """\
schema_version: 1
name: shop
capabilities:
  - name: promises
    cases: {all: true}
    scorers:
      - {scorer: contains, any: [refund]}
      - scorer: classifier
        name: no_store_credit
        classifier: classifier.yaml
        passes: false
        question: {type: noul, instructions: Does `answer` promise store credit?}
"""
ONE = {"q": None}
FILES = ("report.json", "failures.jsonl", "scores.jsonl", "classified.jsonl")


def answers(body):
    """Answer by the words of the answer that is asked about."""
    text = body["state"]["answer"]
    p = 0.95 if "credit" in text else 0.5 if "perhaps" in text else 0.04
    return {name: {"type": "noul", "noul": p} for name in body["questions"]}


@pytest.fixture
def server():
    with SystemOneServer(answers) as running:
        yield running


def suite(folder, server, *, outputs=None, text=SUITE, config=""):
    lines = outputs or [
        right("c0"),
        wrong("c1"),
        right("c2", text="A refund, perhaps."),
        right("c3", text=""),
        right("c4"),
    ]
    golden = [case(f"c{number}") for number in range(6)]
    write_suite(folder / "shop", golden=golden, outputs={"candidate": lines}, suite=text)
    (folder / "shop" / "classifier.yaml").write_text(f"style: systemone\nbase_url: {server.base}\n{config}")
    return folder / "shop"


def row(run):
    return next(one for one in json.loads((run / "report.json").read_text())["rows"] if one["kind"] == "classifier")


def use(run):
    return json.loads((run / "manifest.json").read_text())["classifiers"][0]


def test_sure_answers_pass_or_fail_and_the_uncertain_are_counted_and_queued(evalkit, tmp_path, server):
    folder = suite(tmp_path, server)
    ended = evalkit("run", folder, "--run-id", "r")
    assert ended.status == 0
    found = row(tmp_path / "runs" / "r")
    assert (found["n"], found["passed"], found["trust"]) == (4, 2, "provisional")
    assert found["excluded"] == {"missing_output": 1, "uncertain": 1}
    assert found["bounds"] == pytest.approx([2 / 6, 4 / 6])
    assert "the classifier's rows are provisional" in ended.out
    (item,) = evalkit("review", "r", "--json").json["items"]
    assert (item["kind"], item["case_id"], item["rubric"]) == ("uncertain", "c2", "no_store_credit")
    assert "the probability of yes is 0.5" in item["why"]
    shown = evalkit("show", "r", "c1").out
    assert "promises/no_store_credit/classifier: fail (classifier)" in shown
    assert "the probability of yes is 0.95" in shown


def test_nothing_is_asked_twice_and_a_warm_rerun_gives_the_same_bytes(evalkit, tmp_path, server):
    folder = suite(tmp_path, server)
    assert "to ask 3" in evalkit("plan", folder).out
    evalkit("run", folder, "--run-id", "a")
    assert len(server.requests) == 3  # c0 and c4 give the same answer, c3 none
    assert (use(tmp_path / "runs" / "a")["asked"], use(tmp_path / "runs" / "a")["shared"]) == (3, 1)
    assert "from the cache 4" in evalkit("plan", folder).out
    evalkit("run", folder, "--run-id", "b")
    assert len(server.requests) == 3
    assert (use(tmp_path / "runs" / "b")["asked"], use(tmp_path / "runs" / "b")["cache_hits"]) == (0, 3)
    for name in FILES:
        assert (tmp_path / "runs" / "a" / name).read_bytes() == (tmp_path / "runs" / "b" / name).read_bytes()


def test_other_bands_read_the_same_answers_again_under_another_configuration(evalkit, tmp_path, server):
    folder = suite(tmp_path, server)
    evalkit("run", folder, "--run-id", "a")
    folder = suite(tmp_path, server, config="bands: {low: 0.3, high: 0.4}\n")
    evalkit("run", folder, "--run-id", "b")
    assert len(server.requests) == 3
    before, after = row(tmp_path / "runs" / "a"), row(tmp_path / "runs" / "b")
    assert (after["n"], after["passed"]) == (5, 2)
    names = "settings", "configuration_hash"
    assert before["signature"][names[0]][names[1]] != after["signature"][names[0]][names[1]]
    assert evalkit("diff", "a", "b").status == 4


def test_no_gate_reads_a_classifiers_row(evalkit, tmp_path, server):
    gate = "gates:\n  - {capability: promises, criterion: classifier, min: 0.1, on: value}\n"
    many = [right(f"c{number}", text=f"A refund, number {number}.") for number in range(40)]
    folder = suite(tmp_path, server, outputs=many, text=SUITE + gate)
    write_suite(
        folder, golden=[case(f"c{number}") for number in range(40)], outputs={"candidate": many}, suite=SUITE + gate
    )
    ended = evalkit("run", folder, "--run-id", "r", "--gate")
    assert ended.status == 3
    assert "a classifier's rows never gate" in " ".join(ended.out.split())


def test_a_policy_condition_is_decided_in_code(evalkit, tmp_path, server):
    policy = "policy:\n  - {scorer: classifier, question: {type: noul, instructions: Is `answer` rude?}}\n"
    ended = evalkit("check", suite(tmp_path, server, text=SUITE + policy))
    assert ended.status == 2
    assert "a classifier's answer blocks no release" in ended.err + ended.out


def test_what_nobody_answers_is_an_error_of_the_case_and_not_a_fail(evalkit, tmp_path, server):
    server.script = [fail(400, "no such state")]
    folder = suite(tmp_path, server, config="max_in_flight: 1\n")
    evalkit("run", folder, "--run-id", "r")
    found = row(tmp_path / "runs" / "r")
    assert found["excluded"] == {"missing_output": 1, "scorer_error": 2, "uncertain": 1}
    assert "no such state" in (tmp_path / "runs" / "r" / "failures.jsonl").read_text()
    assert use(tmp_path / "runs" / "r")["failed"] == 1
    evalkit("run", folder, "--run-id", "r")
    assert "scorer_error" not in row(tmp_path / "runs" / "r")["excluded"]  # a failure is not kept


def test_a_server_that_answers_nothing_is_left_alone(evalkit, tmp_path, server):
    server.script = [fail(400, "down")] * 100
    many = [right(f"c{number}", text=f"A refund, number {number}.") for number in range(60)]
    folder = suite(tmp_path, server, config="max_in_flight: 1\n")
    write_suite(folder, golden=[case(f"c{number}") for number in range(60)], outputs={"candidate": many}, suite=SUITE)
    ended = evalkit("run", folder, "--run-id", "r")
    assert ended.status == 3
    assert len(server.requests) == 20
    assert row(tmp_path / "runs" / "r")["excluded"] == {"not_bought": 40, "scorer_error": 20}
    assert "the classifier is not asked any more" in ended.out


def test_scorers_that_ask_the_same_classifier_give_it_up_together_and_at_once_where_it_refuses_the_key(
    evalkit, tmp_path, server
):
    second = """\
      - {scorer: classifier, name: polite, classifier: classifier.yaml, question: {type: noul, instructions: Is `answer` polite?}}
"""
    folder = suite(tmp_path, server, text=SUITE + second, config="max_in_flight: 1\n")
    for run, status, sent in (("down", 400, 20), ("refused", 401, 1)):
        server.script = [fail(status, "no")] * 100
        server.requests.clear()
        many = [right(f"c{number}", text=f"A refund, number {number}.") for number in range(30)]
        golden = [case(f"c{number}") for number in range(30)]
        write_suite(folder, golden=golden, outputs={"candidate": many}, suite=SUITE + second)
        assert evalkit("run", folder, "--run-id", run).status == 3
        assert len(server.requests) == sent


def test_a_missing_key_is_said_before_anything_is_asked_and_not_when_nothing_is_to_be_asked(
    evalkit, tmp_path, server, monkeypatch
):
    folder = suite(tmp_path, server, config="api_key_env: SHOP_KEY\n")
    assert evalkit("check", folder).status == 0
    ended = evalkit("run", folder)
    assert ended.status == 2
    assert "SHOP_KEY" in ended.err
    monkeypatch.setenv("SHOP_KEY", "k-0123456789")
    assert evalkit("run", folder, "--run-id", "a").status == 0
    monkeypatch.delenv("SHOP_KEY")
    assert evalkit("run", folder, "--run-id", "a").status == 0
    texts = [path.read_text() for path in (tmp_path / "runs" / "a").iterdir()]
    assert not any("k-0123456789" in text for text in texts)


def test_canned_answers_serve_and_a_miss_names_the_case(evalkit, tmp_path, server):
    folder = suite(tmp_path, server)
    (folder / "classifier.yaml").write_text("style: static\nanswers: canned.jsonl\n")
    question = {"type": "noul", "instructions": "Does `answer` promise store credit?"}
    canned = {"state": {"answer": right("c0")["text"]}, "question": question, "answer": 0.01}
    (folder / "canned.jsonl").write_text(json.dumps(canned) + "\n")
    evalkit("run", folder, "--run-id", "r")
    found = row(tmp_path / "runs" / "r")
    assert (found["n"], found["passed"], found["excluded"]["scorer_error"]) == (3, 2, 2)
    assert not server.requests


@pytest.mark.parametrize(
    ("name", "said"),
    [("../classifier.yaml", "in the suite's folder"), ("none.yaml", "there is no file"), ("bad.yaml", "style")],
)
def test_a_classifier_file_that_cannot_be_used_is_named(evalkit, tmp_path, server, name, said):
    folder = suite(tmp_path, server, text=SUITE.replace("classifier: classifier.yaml", f"classifier: {name}"))
    (folder / "bad.yaml").write_text("style: guess\n")
    (tmp_path / "classifier.yaml").write_text("style: floor\n")
    ended = evalkit("check", folder)
    assert ended.status == 2
    assert said in ended.err + ended.out


def test_a_fix_is_confirmed_by_a_later_run_whose_classifier_is_sure(evalkit, tmp_path, server):
    folder = suite(tmp_path, server)
    evalkit("run", folder, "--run-id", "a")
    (item,) = evalkit("review", "a", "--json").json["items"]
    evalkit("review", "a", "--item", item["id"], "--as", "fix_writer")
    evalkit("run", folder, "--run-id", "b")
    assert "STILL THERE" in evalkit("review", "a", "--confirmed-by", "b").out
    lines = [right("c0"), wrong("c1"), right("c2", text="A refund."), right("c3", text=""), right("c4")]
    evalkit("run", suite(tmp_path, server, outputs=lines), "--run-id", "c")
    assert "confirmed by c" in evalkit("review", "a", "--confirmed-by", "c").out


def test_a_stored_run_whose_answers_were_changed_is_noticed(evalkit, tmp_path, server):
    evalkit("run", suite(tmp_path, server), "--run-id", "r")
    file = tmp_path / "runs" / "r" / "classified.jsonl"
    file.write_text(file.read_text().replace('"uncertain"', '"pass"'))
    ended = evalkit("show", "r")
    assert "but classified.jsonl gives" in " ".join(ended.out.split())


def test_an_interrupted_run_keeps_what_was_answered(evalkit, tmp_path, server):
    server.held_after = 5
    many = [right(f"c{number}", text=f"A refund, number {number}.") for number in range(40)]
    folder = suite(tmp_path, server, config="max_in_flight: 2\ntimeout_s: 300\n")
    write_suite(folder, golden=[case(f"c{number}") for number in range(40)], outputs={"candidate": many}, suite=SUITE)
    command = [sys.executable, "-m", "evalkit", "run", str(folder), "--run-id", "r"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while len(server.requests) < 5 + 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    found = row(tmp_path / "runs" / "r")
    assert found["n"] + found["excluded"]["not_bought"] == 40
    assert found["n"] == 5
    server.held_after = None
    server.reset()
    assert evalkit("run", folder, "--run-id", "r").status == 0
    assert len(server.requests) == 40 - found["n"]


def test_calibrate_holds_the_probabilities_against_labels_and_the_page_shows_them(evalkit, tmp_path, server):
    many = [right(f"c{number}", text=f"A refund, number {number}.") for number in range(60)]
    many += [wrong(f"c{number}", text=f"Store credit, number {number}.") for number in range(60, 120)]
    folder = suite(tmp_path, server)
    write_suite(folder, golden=[case(f"c{number}") for number in range(120)], outputs={"candidate": many}, suite=SUITE)
    evalkit("run", folder, "--run-id", "r")
    about = {"rubric": "no_store_credit", "criterion": "classifier"}
    labels = [
        label_line(
            line["case_id"],
            "fail" if "credit" in line["text"] else "pass",
            output_sha256=text_sha256(line["text"]),
            **about,
        )
        for line in many
    ]
    file = write_labels(tmp_path / "labels.jsonl", labels)
    ended = evalkit("calibrate", "r", "--labels", file, "--risk", "0.05", "--json")
    assert ended.status == 0
    (found,) = ended.json["calibration"]["probabilities"]
    assert (found["labels"], found["answers"], found["calibrated"]) == (120, 120, True)
    assert [(one["low"], one["n"], one["observed"]) for one in found["bins"]] == [(0.0, 60, 0.0), (0.9, 60, 1.0)]
    assert found["brier"] == pytest.approx((0.05**2 + 0.04**2) / 2)
    assert (found["low"], found["high"], found["to_people"]) == (0.06, 0.94, 0)
    assert found["threshold_upper"] <= 0.05
    shown = " ".join(evalkit("calibrate", "r", "--labels", file).out.split())
    assert "probabilities: promises / no_store_credit, jev-1.13.0" in shown
    assert "stated 0.9 to 1.0" in shown
    assert not (folder / "trust.json").exists()
    evalkit("render", "r")
    page = (tmp_path / "runs" / "r" / "report.html").read_text()
    assert "Probabilities against people's labels" in page
    assert "calibration error" in page


def test_labels_about_nothing_in_a_run_without_a_judge_are_refused(evalkit, tmp_path, server):
    evalkit("run", suite(tmp_path, server), "--run-id", "r")
    file = write_labels(
        tmp_path / "labels.jsonl",
        [label_line("c0", "pass", output_sha256="a" * 64, rubric="no_store_credit", criterion="classifier")],
    )
    ended = evalkit("calibrate", "r", "--labels", file)
    assert ended.status == 2
    assert "none of 1 labelled items is about a verdict" in ended.err
    assert "of run r: no judge decided anything in it" in ended.err


def test_two_snapshots_under_one_configuration_are_mixed_in_the_run_and_in_its_calibration(evalkit, tmp_path, server):
    folder = suite(tmp_path, server)
    server.script = [decide(answers({"state": {"answer": "a refund"}, "questions": ONE}), model="jev-other")]
    ended = evalkit("run", folder, "--run-id", "r")
    assert ended.status == 3
    said = "mixed: 2 models answered for promises / no_store_credit (jev-1.13.0, jev-other)"
    assert said in ended.out
    assert said in (tmp_path / "runs" / "r" / "report.json").read_text()
    about = {"rubric": "no_store_credit", "criterion": "classifier"}
    lines = [json.loads(line) for line in (tmp_path / "runs" / "r" / "classified.jsonl").read_text().splitlines()]
    labels = [label_line(one["case_id"], "pass", output_sha256=one["output_sha256"], **about) for one in lines]
    file = write_labels(tmp_path / "labels.jsonl", labels)
    ended = evalkit("calibrate", "r", "--labels", file, "--risk", "0.05", "--json")
    (stated,) = ended.json["calibration"]["probabilities"]
    assert stated["reading"].startswith("mixed: 2 models answered")
    assert stated["high"] is None
    assert stated["threshold_reading"].startswith("mixed")


def test_a_run_of_classifier_rows_alone_says_that_none_of_them_may_gate(evalkit, tmp_path, server):
    text = SUITE.replace("      - {scorer: contains, any: [refund]}\n", "")
    ended = evalkit("run", suite(tmp_path, server, text=text), "--run-id", "r")
    assert "code scored nothing" not in ended.out
    assert "valid for gating, but no row may gate: all are provisional" in ended.out


def test_a_question_with_one_option_is_a_fault_of_the_suite_with_its_line(evalkit, tmp_path, server):
    start = SUITE[: SUITE.index("        passes:")]
    for asked in (
        "        passes: [refund]\n        question: {type: choice, criteria: {refund: money back}}\n",
        "        at_least: 0\n        question: {type: score, criteria: [rude]}\n",
    ):
        folder = suite(tmp_path / asked[8:10], server, text=start + asked)
        for command in ("check", "run"):
            ended = evalkit(command, folder)
            told = ended.out + ended.err
            assert ended.status == 2
            assert f"{folder / 'suite.yaml'}:12: promises, scorer classifier, question" in told
            assert "must have at least 2 entries" in told


def test_a_fault_of_a_question_is_named_by_the_path_that_was_written(evalkit, tmp_path, server):
    start = SUITE[: SUITE.index("        passes:")]
    for number, (asked, field, words) in enumerate(
        (
            ("{type: choice, criteria: {refund: 3, sales: x}}", "question.criteria.refund", "expected text"),
            ("{type: noul, criteria: {ja: it does}}", "question.criteria.ja", "known settings: true, false"),
            ("{type: nuol, instructions: Is `answer` rude?}", "question.type", "'noul', 'choice', 'score'"),
            ("{instructions: Is `answer` rude?}", "question.type", "is missing"),
            ("{type: score, criteria: [low, ' ']}", "question.criteria.1", "not blank"),
        )
    ):
        folder = suite(tmp_path / str(number), server, text=f"{start}        question: {asked}\n")
        told = evalkit("check", folder)
        assert told.status == 2
        assert f"{folder / 'suite.yaml'}:11: promises, scorer classifier, {field}: " in told.out + told.err
        assert words in told.out + told.err


def test_options_are_asked_about_in_the_order_in_which_the_suite_has_them(evalkit, tmp_path, server):
    start = SUITE[: SUITE.index("        passes:")]
    asked = "{type: choice, instructions: Whose is `answer`?, criteria: {technical: crashes, billing: refunds}}"
    options = {"technical": 0.1, "billing": 0.9}
    server.answers = lambda body: {
        name: {"type": "choice", "choice": "billing", "probabilities": options, "confidence": 0.8}
        for name in body["questions"]
    }
    folder = suite(tmp_path, server, text=f"{start}        passes: [billing]\n        question: {asked}\n")
    assert evalkit("run", folder, "--run-id", "r").status == 0
    sent = server.requests[0].body["questions"]["q"]["criteria"]
    assert list(sent) == ["technical", "billing"]


def test_a_plan_counts_a_question_that_two_scorers_share_once_and_calls_it_nothing_that_costs_nothing(
    evalkit, tmp_path, server
):
    second = """\
      - scorer: classifier
        name: the_same_with_other_bands
        classifier: classifier.yaml
        bands: {low: 0.1, high: 0.9}
        question: {type: noul, instructions: Does `answer` promise store credit?}
"""
    folder = suite(tmp_path, server, text=SUITE + second)
    planned = evalkit("plan", folder)
    evalkit("run", folder)
    assert f"{len(server.requests)} questions to ask of classifiers, whose price is not known here" in planned.out
    assert "$" not in planned.out.splitlines()[0]
    again = evalkit("plan", folder).out
    assert "0 verdicts to buy" in again
    assert "to ask of classifiers" not in again
