"""Classifier scorers and people: drawn blind, labelled on a sheet or in the terminal, calibrated, reviewed."""

from __future__ import annotations

import csv
import io
import json

import pytest
from fakes.small_suites import case, write_suite
from fakes.terminal import Terminal

SUITE = """\
schema_version: 1
name: shop
capabilities:
  - name: promises
    cases: {all: true}
    scorers:
      - scorer: classifier
        name: no_store_credit
        classifier: classifier.yaml
        passes: false
        question: {type: noul, instructions: Does `answer` promise credit?, criteria: {true: store credit is promised}}
      - scorer: classifier
        name: team
        classifier: classifier.yaml
        passes: [billing, "Tech, 2"]
        question: {type: choice, instructions: Whose is `answer`?, criteria: {sales: offers, billing: refunds, "Tech, 2": null}}
"""
NOUL = {
    "type": "noul",
    "instructions": "Does `answer` promise credit?",
    "criteria": {"true": "store credit is promised"},
}
CHOICE = {
    "type": "choice",
    "instructions": "Whose is `answer`?",
    "criteria": {"sales": "offers", "billing": "refunds", "Tech, 2": None},
}
CREDIT, UNSURE, NONE = 0.96, 0.55, 0.03


def p_of(number):
    """Return the probability of credit that the classifier gives: of ten cases four no, four yes, two unsure."""
    return NONE if number % 10 < 4 else CREDIT if number % 10 < 8 else UNSURE


def canned(number, state):
    p = p_of(number)
    teams = {"sales": p, "billing": round(1 - p, 2), "Tech, 2": 0}
    return [{"state": state, "question": NOUL, "answer": p}, {"state": state, "question": CHOICE, "answer": teams}]


@pytest.fixture
def shop(evalkit, tmp_path):
    """A run `r` of forty cases: by each scorer sixteen pass, sixteen fail, eight are uncertain."""
    outputs = [{"case_id": f"c{number}", "text": f"Answer {number}."} for number in range(40)]
    golden = [case(f"c{number}", input=f"Question {number}?") for number in range(40)]
    folder = write_suite(tmp_path / "shop", golden=golden, outputs={"candidate": outputs}, suite=SUITE)
    (folder / "classifier.yaml").write_text("style: static\nanswers: canned.jsonl\n")
    lines = [line for number in range(40) for line in canned(number, {"answer": f"Answer {number}."})]
    (folder / "canned.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert evalkit("run", folder, "--run-id", "r").status == 0
    return folder


def number_of(row):
    return int(row["case_id"][1:])


def fill(file, choose):
    """Fill a CSV in as a spreadsheet would save it."""
    rows = list(csv.DictReader(io.StringIO(file.read_bytes().decode("utf-8-sig"), newline="")))
    for row in rows:
        row["label"] = choose(row)
    with file.open("w", encoding="utf-8-sig", newline="") as handle:
        writer = csv.DictWriter(handle, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return file


def by_people(row):
    """Return what people say: of every tenth case the opposite of the classifier, of the uncertain ones half of them yes."""
    credit = number_of(row) % 10 in {0, *range(4, 9)}
    if row["rubric"] == "no_store_credit":
        return "Fail" if credit else "pass"
    return "SALES" if credit else "tech, 2" if number_of(row) % 10 == 1 else "billing"


def exported(evalkit, *arguments):
    ended = evalkit("label", "export", "r", "--sheet", "sheet", *arguments, "--json")
    assert ended.status == 0, ended.err
    return ended.json


def sheet(tmp_path):
    return [json.loads(line) for line in (tmp_path / "sheet.jsonl").read_text().splitlines()]


def test_a_sheet_asks_the_question_with_its_meanings_and_tells_nothing_of_the_answers(evalkit, tmp_path, shop):
    assert exported(evalkit, "--n", "40")["rows"] == 80
    noul, choice = sheet(tmp_path)[:2]
    assert (noul["rubric"], noul["criterion"], noul["choices"]) == ("no_store_credit", "classifier", ["pass", "fail"])
    assert noul["pass_condition"] == "the answer is no\nyes: store credit is promised"
    assert choice["choices"] == ["sales", "billing", "Tech, 2"]
    assert (choice["question"], choice["pass_condition"]) == (
        "Whose is `answer`?",
        "sales: offers\nbilling: refunds\nTech, 2",
    )
    for text in ((tmp_path / "sheet.jsonl").read_text(), (tmp_path / "sheet.csv").read_text()):
        for told in ("0.96", "0.55", "0.03", "uncertain", "static", "candidate", "passes", "confidence", "p_pass"):
            assert told not in text
    assert "sales | billing | Tech, 2 | skip" in (tmp_path / "sheet.csv").read_text()


def test_by_verdict_draws_from_both_sides_and_flips_what_was_uncertain(evalkit, tmp_path, shop):
    drawn = exported(evalkit, "--n", "8", "--design", "by-verdict", "--criterion", "team")
    assert drawn["notes"] == ["promises/team/classifier: outside both strata and not drawn: 8 uncertain"]
    rows = sheet(tmp_path)
    assert sorted(p_of(number_of(row)) for row in rows) == [NONE] * 4 + [CREDIT] * 4
    assert {row["inclusion_probability"] for row in rows} == {0.25}
    (tmp_path / "sheet.jsonl").unlink()
    (tmp_path / "sheet.csv").unlink()
    assert exported(evalkit, "--n", "40", "--design", "flips")["rows"] == 16
    assert {p_of(number_of(row)) for row in sheet(tmp_path)} == {UNSURE}


def test_labels_of_a_sheet_come_back_and_carry_every_figure(evalkit, tmp_path, shop):
    exported(evalkit, "--n", "40", "--dev", "0")
    fill(tmp_path / "sheet.csv", by_people)
    assert evalkit("label", "import", "sheet.csv", "--labeller", "ada").status == 0
    ended = evalkit("calibrate", "r", "--labels", shop / "labels.jsonl", "--risk", "0.3", "--json")
    assert ended.status == 0
    found = ended.json["calibration"]
    noul, team, option = found["classifiers"]
    for row in (noul, team):
        assert (row["items"], row["n"], row["agree"]) == (40, 32, 28)
        assert row["excluded"] == {"uncertain": 8}
        assert (row["tpr"]["correct"], row["tpr"]["n"]) == (12, 12)
        assert (row["tnr"]["correct"], row["tnr"]["n"]) == (16, 20)
    assert (option["criterion"], option["n"], option["agree"], option["tpr"]) == ("option", 32, 24, None)
    for stated in found["probabilities"]:
        assert stated["labels"] == 40
        squares = 12 * NONE**2 + 4 * (1 - NONE) ** 2 + 16 * (1 - CREDIT) ** 2
        squares += 4 * (1 - UNSURE) ** 2 + 4 * UNSURE**2
        assert stated["brier"] == pytest.approx(squares / 40, abs=1e-6)
        assert (stated["low"], stated["high"]) == (0.05, 0.95)
        assert (stated["to_people"], stated["threshold_error"]) == (8, 4 / 32)
        assert stated["threshold_error"] < stated["threshold_upper"] <= 0.3
    assert found["rows"] == []
    assert not (shop / "trust.json").exists()
    shown = " ".join(evalkit("calibrate", "r", "--labels", shop / "labels.jsonl").out.split())
    assert "static: promises / team / option, test labels" in shown
    assert "no trust" not in shown
    evalkit("render", "r")
    page = (tmp_path / "runs" / "r" / "report.html").read_text()
    assert "promises team, option" in page
    assert "people \\ classifier" in page


def test_what_people_contradict_and_what_was_uncertain_is_queued_and_shown_with_its_case(evalkit, tmp_path, shop):
    exported(evalkit, "--n", "40", "--dev", "0")
    fill(tmp_path / "sheet.csv", by_people)
    evalkit("label", "import", "sheet.csv", "--labeller", "ada")
    assert len(evalkit("review", "r", "--json").json["items"]) == 16
    evalkit("calibrate", "r", "--labels", shop / "labels.jsonl")
    items = evalkit("review", "r", "--json").json["items"]
    kinds = [(item["kind"], item["rubric"]) for item in items]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        ("uncertain", "no_store_credit"): 8,
        ("uncertain", "team"): 8,
        ("disagreement", "no_store_credit"): 4,
        ("disagreement", "team"): 8,
    }
    why = next(item["why"] for item in items if (item["kind"], item["case_id"]) == ("disagreement", "c1"))
    assert why == "people say Tech, 2, the classifier team says billing (test label, drawn)"
    with Terminal("review", "r", cwd=tmp_path) as terminal:
        (screen,) = terminal.answer("q")
    for shown in (
        "Question 8?",
        "Answer 8.",
        "promises/no_store_credit/classifier: uncertain",
        "probability of yes 0.55",
        "promises/team/classifier: uncertain",
        "'sales' 0.55, 'billing' 0.45, 'Tech, 2' 0",
        "uncertain: too little confidence",
    ):
        assert shown in screen


def test_a_case_without_its_suite_still_shows_what_the_classifier_said(evalkit, tmp_path, shop):
    shop.rename(tmp_path / "moved")
    shown = evalkit("show", "r", "c8")
    assert shown.status == 0
    assert "probability of yes 0.55" in shown.out


def test_a_fix_of_a_contradicted_label_is_confirmed_once_the_run_is_calibrated_again(evalkit, tmp_path, shop):
    exported(evalkit, "--n", "40", "--dev", "0", "--criterion", "no_store_credit")
    fill(tmp_path / "sheet.csv", by_people)
    evalkit("label", "import", "sheet.csv", "--labeller", "ada")
    evalkit("calibrate", "r", "--labels", shop / "labels.jsonl")
    items = evalkit("review", "r", "--json").json["items"]
    (item,) = [item for item in items if (item["kind"], item["case_id"]) == ("disagreement", "c10")]
    evalkit("review", "r", "--item", item["id"], "--as", "fix_label")
    assert "STILL THERE" in evalkit("review", "r", "--confirmed-by", "r").out
    fill(tmp_path / "sheet.csv", lambda row: "pass" if row["case_id"] == "c10" else by_people(row))
    assert evalkit("label", "import", "sheet.csv", "--labeller", "ada", "--replace").status == 0
    evalkit("calibrate", "r", "--labels", shop / "labels.jsonl")
    assert "confirmed by r" in evalkit("review", "r", "--confirmed-by", "r").out


def test_labels_answer_a_wording_and_outlive_another_pass_rule_of_a_choice_alone(evalkit, tmp_path, shop):
    exported(evalkit, "--n", "40", "--dev", "0")
    fill(tmp_path / "sheet.csv", by_people)
    evalkit("label", "import", "sheet.csv", "--labeller", "ada")
    changed = SUITE.replace("passes: false", "passes: true").replace('[billing, "Tech, 2"]', "[billing]")
    (shop / "suite.yaml").write_text(changed)
    evalkit("run", shop, "--run-id", "b")
    noul, team, option = evalkit("calibrate", "b", "--labels", shop / "labels.jsonl", "--json").json["calibration"][
        "classifiers"
    ]
    assert noul["excluded"] == {"other_wording": 40}
    assert (team["n"], option["n"]) == (32, 32)
    assert (team["tpr"]["n"], team["tnr"]["n"]) == (8, 24)


def test_a_label_that_is_no_option_is_refused_with_its_line_and_what_can_be_said(evalkit, tmp_path, shop):
    exported(evalkit, "--n", "2", "--criterion", "team")
    fill(tmp_path / "sheet.csv", lambda _: "pass")
    ended = evalkit("label", "import", "sheet.csv", "--labeller", "ada")
    assert ended.status == 2
    assert "sheet.csv:2: label: is 'pass' (expected one of sales, billing, Tech, 2, skip" in ended.err
    assert not (shop / "labels.jsonl").exists()


def test_a_suite_without_a_run_can_be_labelled_too(evalkit, tmp_path, shop):
    ended = evalkit("label", "export", shop, "--outputs", "candidate", "--n", "5", "--sheet", "sheet", "--json")
    assert (ended.status, ended.json["rows"]) == (0, 10)
    ended = evalkit("label", "export", shop, "--n", "5", "--design", "flips", "--sheet", "flips")
    assert ended.status == 2
    assert "no classifier was unsure" in ended.err


def test_what_a_label_could_not_tell_apart_is_left_out_with_the_reason(evalkit, tmp_path, shop):
    odd = """\
  - name: refunds
    cases: {all: true}
    scorers:
      - {scorer: classifier, name: team, question: {type: noul, instructions: Is `answer` long?}}
      - {scorer: classifier, name: odd, passes: [skip], question: {type: choice, criteria: {skip: pass on, go: do it}}}
      - {scorer: classifier, name: lines, passes: [go], question: {type: choice, criteria: {"a\\nb": now, go: later}}}
      - {scorer: classifier, name: cased, passes: [go], question: {type: choice, criteria: {Go: now, go: later}}}
"""
    (shop / "suite.yaml").write_text(SUITE + odd)
    evalkit("run", shop, "--run-id", "r")
    drawn = exported(evalkit, "--n", "2")
    assert {row["rubric"] for row in sheet(tmp_path)} == {"no_store_credit"}
    assert drawn["notes"] == [
        "promises, scorer team: left out: another question has the same name: give each a `name`",
        "refunds, scorer team: left out: another question has the same name: give each a `name`",
        "refunds, scorer odd: left out: the option 'skip' cannot be written as a label",
        "refunds, scorer lines: left out: the option 'a\\nb' cannot be written as a label",
        "refunds, scorer cased: left out: two options differ only in case",
    ]


def test_a_scorer_that_the_suite_no_longer_has_is_named(evalkit, tmp_path, shop):
    (shop / "suite.yaml").write_text(SUITE.replace("name: team", "name: squad"))
    assert exported(evalkit, "--n", "2")["notes"] == [
        "promises, scorer team: left out: the suite no longer has it",
        f"{shop / 'suite.yaml'} or a rubric has changed since the run; the criteria shown are today's",
    ]


def test_a_question_about_tool_calls_shows_them_and_what_has_changed_since_the_run_is_left_out(evalkit, tmp_path, shop):
    about = "      - {scorer: classifier, name: calls, state: [tool_calls], question: {type: noul, instructions: Do `tool_calls` delete?}}\n"
    (shop / "suite.yaml").write_text(SUITE + about)
    outputs = shop / "outputs" / "candidate" / "outputs.jsonl"
    calls = [{"name": "rm", "arguments": {"path": "/"}}]
    lines = [{**json.loads(line), "tool_calls": calls} for line in outputs.read_text().splitlines()]
    outputs.write_text("".join(json.dumps(line) + "\n" for line in lines))
    evalkit("run", shop, "--run-id", "r")
    exported(evalkit, "--n", "1", "--criterion", "calls")
    assert sheet(tmp_path)[0]["evidence"] == {"tool_calls": calls}
    lines[0]["text"] = "Something else."
    outputs.write_text("".join(json.dumps(line) + "\n" for line in lines[:-1]))
    ended = evalkit("label", "export", "r", "--n", "1", "--sheet", "again", "--json")
    assert "6 answers were left out: they are not the texts that the run's classifiers were asked about" in str(
        ended.json["notes"]
    )


def labels(shop):
    return [json.loads(line) for line in (shop / "labels.jsonl").read_text().splitlines()]


def test_in_the_terminal_a_digit_names_the_option_and_no_probability_is_on_the_screen(tmp_path, shop):
    with Terminal("label", "r", "--n", "2", "--criterion", "team", "--labeller", "ada", cwd=tmp_path) as terminal:
        screens = terminal.answer("3", "s")
        status, _ = terminal.ended()
    assert status == 0
    assert "1  sales: offers" in screens[0]
    assert "[1] sales   [2] billing   [3] Tech, 2   [s] skip" in screens[0]
    for screen in screens:
        assert not any(told in screen for told in ("0.9", "0.5", "uncertain", "static", "passes when"))
    assert [line["label"] for line in labels(shop)] == ["Tech, 2", None]


def test_where_there_are_more_options_than_keys_one_is_typed(evalkit, tmp_path, shop):
    options = ", ".join(f"Team {number}: null" for number in range(1, 13))
    many = f"""\
      - {{scorer: classifier, name: many, passes: [Team 1], question: {{type: choice, instructions: Whose is `answer`?, criteria: {{{options}}}}}}}
"""
    (shop / "suite.yaml").write_text(SUITE + many)
    evalkit("run", shop, "--run-id", "r")
    with Terminal("label", "r", "--n", "3", "--criterion", "many", "--labeller", "ada", cwd=tmp_path) as terminal:
        for typed in ("12", "team 11", "13"):
            terminal.answer("t")
            terminal.until("option>")
            terminal.press(f"{typed}\n")
        terminal.until("one key of those below")
        terminal.answer("q")
        terminal.ended()
    assert [line["label"] for line in labels(shop)] == ["Team 12", "Team 11"]
