"""`evalkit calibrate`: a judge's verdicts against people's labels, of a run and of a file made elsewhere."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from threading import Lock

import pytest
from fakes.external_verdicts import both_orders, pair, turned, write_verdicts
from fakes.judged_suites import plan_case, right, wrong
from fakes.known_judge import known_judge, known_labels, known_suite
from fakes.labels import label_line, write_labels
from fakes.reading_judge import case_of

from evalkit.records.identity import text_sha256

ROOT = Path(__file__).resolve().parents[2]
NAMES = [f"c{number:02}" for number in range(8)]


def about(output, label, **changes):
    """A label on F1 of an output of the wire suite."""
    fields = {"output_sha256": text_sha256(output["text"]), "rubric": "faithfulness", "criterion": "F1"}
    return label_line(output["case_id"], label, **fields | changes)


@pytest.fixture
def judged(bench):
    """Eight answers, right and wrong by turns; the judge is right on all; people differ from it on the first."""
    outputs = [wrong(name) if number % 2 else right(name) for number, name in enumerate(NAMES)]
    suite = bench.suite(golden=8, outputs={"candidate": outputs})
    bench.run(suite)
    labels = [about(output, "fail" if "99" in output["text"] else "pass") for output in outputs]
    labels[0] = about(outputs[0], "fail", note="it promises too much")
    return bench, write_labels(bench.root / "labels.jsonl", labels), outputs


def calibrate(bench, *arguments):
    ended = bench.command("calibrate", *arguments, "--json")
    assert ended.status == 0, ended.err
    return json.loads(ended.out)


def row_of(document, criterion="F1"):
    (row,) = [row for row in document["calibration"]["rows"] if row["criterion"] == criterion]
    return row


def test_only_those_are_named_who_labelled_something_of_the_run(judged):
    bench, labels, outputs = judged
    pair = {"output_sha256": [text_sha256("one"), text_sha256("other")]}
    other = [about(outputs[0], "A", labeller="ben", **pair), about(outputs[0], "pass", labeller="eve", criterion="F9")]
    with labels.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in other)
    assert calibrate(bench, "r", "--labels", labels)["calibration"]["labellers"] == ["ann"]
    asked = calibrate(bench, "r", "--labels", labels, "--labeller", "ben", "--labeller", "ann")
    assert asked["calibration"]["labellers"] == ["ann"]


def test_bounds_say_that_labels_are_taken_as_independent_and_a_note_counts_the_cases_that_are_not(bench):
    outputs = [wrong(name) if number % 2 else right(name) for number, name in enumerate(NAMES)]
    golden = [plan_case(name, meta={"cluster": "one" if number < 3 else name}) for number, name in enumerate(NAMES)]
    bench.run(bench.suite(golden=golden, outputs={"candidate": outputs}))
    labels = write_labels(bench.root / "labels.jsonl", [about(output, "pass") for output in outputs])
    ended = bench.command("calibrate", "r", "--labels", labels)
    assert "(labels taken as independent)" in ended.out
    assert "3 of 8 labelled cases share a cluster (`meta.cluster`) with another, 6 clusters in all" in ended.out


def test_a_run_is_set_beside_people_the_floor_and_always_pass(judged):
    bench, labels, _ = judged
    row = row_of(calibrate(bench, "r", "--labels", labels))
    assert (row["n"], row["agree"], row["tpr"]["correct"], row["tnr"]["correct"]) == (8, 7, 3, 4)
    assert row["floor"]["name"] == "floor, not a model"
    assert row["floor"]["n"] > 0
    assert row["always"]["agree"] == 3
    assert row["corrected"]["raw"] == 0.5


def test_every_disagreement_is_listed_with_claims_and_spans(judged):
    bench, labels, _ = judged
    document = calibrate(bench, "r", "--labels", labels)
    (line,) = [json.loads(line) for line in Path(document["disagreements"]).read_text(encoding="utf-8").splitlines()]
    assert (line["case_id"], line["human"], line["verdict"]) == ("c00", "fail", "pass")
    assert line["labels"] == [{"labeller": "ann", "label": "fail", "note": "it promises too much"}]
    (claim,) = line["claims"]
    assert claim["evidence"][0]["quote"] in "Plan c00 costs 10 dollars a month. Plan c00 has 5 seats."
    markdown = Path(document["markdown"]).read_text(encoding="utf-8")
    assert "it promises too much" in markdown
    assert "c00" in markdown


def test_calibrating_changes_nothing_in_the_run(judged):
    bench, labels, _ = judged
    before = {path: path.read_bytes() for path in (bench.root / "runs" / "r").iterdir()}
    calibrate(bench, "r", "--labels", labels)
    assert {path: path.read_bytes() for path in (bench.root / "runs" / "r").iterdir()} == before


def test_labels_in_another_order_say_the_same(judged):
    bench, labels, _ = judged
    lines = [json.loads(line) for line in labels.read_text(encoding="utf-8").splitlines()]
    turned = write_labels(bench.root / "turned.jsonl", reversed(lines))
    first, second = (row_of(calibrate(bench, "r", "--labels", file)) for file in (labels, turned))
    assert first == second


def test_a_label_on_changed_text_is_about_nothing_here(judged):
    bench, _, outputs = judged
    lines = [about(outputs[0], "pass"), about(outputs[1] | {"text": "another text"}, "fail")]
    document = calibrate(bench, "r", "--labels", write_labels(bench.root / "l.jsonl", lines))
    assert document["calibration"]["unmatched"] == {"other_text": 1}
    assert (row_of(document)["items"], document["calibration"]["unlabelled"]) == (1, 7)


def test_labels_about_nothing_in_the_run_are_refused_with_the_reasons(judged):
    bench, _, _ = judged
    lines = [label_line("c00", "pass"), label_line("c01", "pass", rubric="faithfulness", criterion="F9")]
    ended = bench.command("calibrate", "r", "--labels", write_labels(bench.root / "l.jsonl", lines))
    assert ended.status == 2
    assert "none of 2 labelled items" in ended.err
    assert "rubric_not_judged 1" in ended.err
    assert "criterion_not_judged 1" in ended.err


def test_without_the_suite_the_floor_is_left_out_and_named(judged):
    bench, labels, _ = judged
    shutil.rmtree(bench.root / "wire")
    document = calibrate(bench, "r", "--labels", labels)
    assert row_of(document)["floor"] is None
    assert "no floor judge and no trust" in document["calibration"]["notes"][0]


def test_a_judge_error_is_unreadable_and_each_rule_stands_beside_the_others(bench):
    outputs = [right(name) for name in NAMES[:4]]
    bench.server.reply = lambda body: "nonsense" if "c00" in str(body) else _judge(body)
    suite = bench.suite(golden=4, outputs={"candidate": outputs})
    bench.run(suite, status=None)
    labels = write_labels(bench.root / "l.jsonl", [about(output, "pass") for output in outputs])
    row = row_of(calibrate(bench, "r", "--labels", labels))
    assert row["excluded"] == {"judge_error:parse": 1}
    assert [(rule["rule"], rule["agree"], rule["n"]) for rule in row["rules"]] == [("wrong", 3, 4), ("dropped", 3, 3)]


def _judge(body):
    from fakes.reading_judge import judge

    return judge(body)


def test_the_shipped_labels_are_planted_and_never_stand_for_a_run(evalkit):
    shutil.copytree(ROOT / "suites" / "support_rag", "support_rag")
    assert evalkit("run", "support_rag", "--outputs", "candidate", "--run-id", "floor").status in {0, 1}
    ended = evalkit("calibrate", "floor", "--labels", "support_rag/labels.jsonl")
    assert ended.status == 0
    assert "true-fail rate on planted fails" in ended.out
    assert "drawn by chance" not in ended.out
    assert "floor, not a model" in ended.out


def test_verdicts_made_elsewhere_are_joined_by_case_and_never_trusted(evalkit):
    lines = [
        *both_orders("c0", "A", "A"),
        *both_orders("c1", "A", "B"),
        pair("c2", "red", None),
        pair("c3", "red", "B"),
    ]
    write_verdicts(Path("v.jsonl"), lines)
    people = [("c3", "B"), ("c1", "tie"), ("c0", "B"), ("c2", "A"), ("c4", "A")]
    write_labels(Path("l.jsonl"), [label_line(case, label) for case, label in people])
    ended = evalkit("calibrate", "--verdicts", "v.jsonl", "--labels", "l.jsonl", "--json")
    calibration = json.loads(ended.out)["calibration"]
    (row,) = calibration["rows"]
    assert (row["n"], row["agree"], row["excluded"]) == (3, 2, {"unreadable": 1})
    assert [rule["rule"] for rule in row["rules"]] == ["wrong", "dropped", "tie"]
    assert (calibration["checked"], calibration["unmatched"]) == (False, {"case_not_judged": 1})
    assert row["judge_config_hash"] is None


def test_a_pair_is_one_pair_whichever_candidate_a_line_names_first(evalkit):
    lines = [*both_orders("c0", "A", "A"), *both_orders("c1", "B", "B"), *both_orders("c2", "A", "A")]
    write_labels(Path("l.jsonl"), [label_line("c0", "A"), label_line("c1", "A"), label_line("c2", "B")])
    write_verdicts(Path("v.jsonl"), lines)
    asked = ("calibrate", "--verdicts", "v.jsonl", "--labels", "l.jsonl", "--json")
    plain = json.loads(evalkit(*asked).out)["calibration"]["rows"]
    write_verdicts(Path("v.jsonl"), [lines[0], turned(lines[1]), turned(lines[2]), lines[3], *map(turned, lines[4:])])
    write_labels(Path("l.jsonl"), [label_line("c0", "A"), label_line("c1", "B"), label_line("c2", "A")])
    ended = evalkit(*asked)
    assert json.loads(ended.out)["calibration"]["rows"] == plain
    (row,) = plain
    assert (row["n"], row["agree"]) == (3, 1)


def test_a_disagreement_on_a_pair_made_elsewhere_names_the_candidates(evalkit):
    write_verdicts(Path("v.jsonl"), [*both_orders("c0", "A", "A"), *map(turned, both_orders("c1", "A", "A"))])
    write_labels(Path("l.jsonl"), [label_line("c1", "A")])
    found = json.loads(evalkit("calibrate", "--verdicts", "v.jsonl", "--labels", "l.jsonl", "--json").out)
    (file,) = Path("runs/calibrations/v").glob("*.jsonl")
    (line,) = [json.loads(text) for text in file.read_text(encoding="utf-8").splitlines()]
    assert found["calibration"]["rows"][0]["agree"] == 0
    assert (line["candidates"], line["human"], line["verdict"]) == (["red", "blue"], "B", "A")


@pytest.mark.parametrize("command", ["calibrate", "compare"])
def test_a_label_on_a_case_with_two_pairs_is_refused(evalkit, command):
    lines = [pair("c0", "red", "A"), pair("c0", "red", "A", candidates=["red", "green"]), pair("c1", "red", "A")]
    write_verdicts(Path("v.jsonl"), lines)
    write_labels(Path("l.jsonl"), [label_line("c0", "A")])
    ended = evalkit(command, "--verdicts", "v.jsonl", "--labels", "l.jsonl")
    assert ended.status == 2
    assert "could mean either" in ended.err
    write_labels(Path("l.jsonl"), [label_line("c1", "A")])
    assert evalkit(command, "--verdicts", "v.jsonl", "--labels", "l.jsonl").status == 0


def test_a_standard_is_chosen_by_name_and_an_unknown_one_is_refused(evalkit):
    write_verdicts(Path("v.jsonl"), [pair("c0", "red", "A")])
    write_labels(Path("l.jsonl"), [label_line("c0", "A"), label_line("c0", "B", labeller="bob")])
    asked = ("calibrate", "--verdicts", "v.jsonl", "--labels", "l.jsonl")
    assert json.loads(evalkit(*asked, "--json").out)["calibration"]["rows"][0]["excluded"] == {"labellers_disagree": 1}
    assert json.loads(evalkit(*asked, "--labeller", "ann", "--json").out)["calibration"]["rows"][0]["agree"] == 1
    ended = evalkit(*asked, "--labeller", "eve")
    assert (ended.status, "known: ann, bob" in ended.err) == (2, True)


@pytest.mark.parametrize("arguments", [(), ("r", "--verdicts", "v.jsonl")])
def test_a_run_or_a_file_is_named_not_both(evalkit, arguments):
    write_labels(Path("l.jsonl"), [label_line("c0", "A")])
    assert evalkit("calibrate", *arguments, "--labels", "l.jsonl").status == 2


def test_hostile_text_in_labels_and_verdicts_stays_data(judged):
    bench, _, outputs = judged
    lines = [about(outputs[0], "fail", labeller="x\x1b[31m", note="::error::<script>|\n# owned")]
    ended = bench.command("calibrate", "r", "--labels", write_labels(bench.root / "l.jsonl", lines))
    assert ended.status == 0
    assert "\x1b" not in ended.out
    (markdown,) = (bench.root / "runs" / "calibrations").rglob("*.md")
    text = markdown.read_text(encoding="utf-8")
    assert "<script>" not in text
    assert "\n# owned" not in text


def test_what_the_judge_may_not_decide_alone_goes_to_the_review_queue(bench):
    bench.server.reply = torn_on({"c00", "c10", "c20", "c30"})
    suite = known_suite(bench, 40)
    judge = suite / "judge.yaml"
    judge.write_text(judge.read_text(encoding="utf-8") + "samples: 5\n", encoding="utf-8")
    bench.run(suite, status=None)
    labels = known_labels(bench.root / "l.jsonl", 40, 1.0, seed=1)
    selective = calibrate(bench, "r", "--labels", labels, "--risk", "0.1")["calibration"]["selective"]
    (row,) = [row for row in selective if row["criterion"] == "F1"]
    assert (row["threshold"], row["coverage"], row["to_people"]) == (1.0, 0.9, 4)
    items = bench.command("review", "r", "--json").json
    queued = [item for item in items["items"] if (item["kind"], item["criterion"]) == ("uncertain", "F1")]
    assert {item["case_id"] for item in queued} == {"c00", "c10", "c20", "c30"}
    calibrate(bench, "r", "--labels", labels)
    assert "uncertain" not in kinds_in_queue(bench), "a calibration without a risk takes them out again"


def kinds_in_queue(bench):
    return {item["kind"] for item in bench.command("review", "r", "--json").json["items"]}


def test_a_run_of_one_sample_has_no_vote_to_be_unsure_of(judged):
    bench, labels, _ = judged
    selective = calibrate(bench, "r", "--labels", labels, "--risk", "0.1")["calibration"]["selective"]
    assert {row["to_people"] for row in selective} == {0}
    assert "uncertain" not in kinds_in_queue(bench)


def torn_on(names):
    """A judge that is right, but on these cases wrong in every second reply, the first one included."""
    asked, guard = Counter(), Lock()

    def reply(body):
        name = case_of(body)
        with guard:
            asked[name] += 1
            turn = asked[name]
        rate = 0.0 if name in names and turn % 2 else 1.0
        return known_judge(rate, rate, seed=1)(body)

    return reply


@pytest.mark.parametrize("risk", ["0", "1", "nan"])
def test_a_risk_is_a_share(judged, risk):
    bench, labels, _ = judged
    assert bench.command("calibrate", "r", "--labels", labels, "--risk", risk).status == 2


def test_labels_of_a_criterion_that_asked_something_else_do_not_count(judged):
    bench, _, _ = judged
    assert bench.command("label", "export", "r", "--n", "8", "--criterion", "F1").status == 0
    sheet = bench.root / "labelling" / "wire-random-1.jsonl"
    rows = [json.loads(line) | {"label": "pass"} for line in sheet.read_text(encoding="utf-8").splitlines()]
    sheet.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert bench.command("label", "import", sheet, "--labeller", "ada").status == 0
    labels = bench.root / "wire" / "labels.jsonl"
    document = calibrate(bench, "r", "--labels", labels)
    assert [row["excluded"] for row in document["calibration"]["rows"]] == [{}, {}]

    def reworded(line):
        return json.dumps(json.loads(line) | {"asked_sha256": "0" * 64}) + "\n"

    labels.write_text("".join(map(reworded, labels.read_text(encoding="utf-8").splitlines())), encoding="utf-8")
    document = calibrate(bench, "r", "--labels", labels)
    assert {(row["n"], row["items"] - row["excluded"]["other_wording"]) for row in document["calibration"]["rows"]} == {
        (0, 0)
    }
    assert (
        "8 labels answer another wording of their criterion than the run's: excluded as other_wording"
        in (document["calibration"]["notes"])
    )


def test_labels_that_do_not_name_their_wording_count_and_it_is_said(judged):
    bench, labels, _ = judged
    (note,) = [one for one in calibrate(bench, "r", "--labels", labels)["calibration"]["notes"] if "wording" in one]
    assert note.startswith("8 labels do not say under which wording")


@pytest.mark.parametrize(("words", "said"), [(("first", "second"), True), (("B", "B"), False)])
def test_verdicts_that_share_no_word_with_the_labels_are_said_to(evalkit, words, said):
    write_verdicts(Path("v.jsonl"), [*both_orders("c0", "A", "A"), *both_orders("c1", "A", "A")])
    write_labels(Path("l.jsonl"), [label_line(f"c{place}", word) for place, word in enumerate(words)])
    ended = evalkit("calibrate", "--verdicts", "v.jsonl", "--labels", "l.jsonl", "--json")
    notes = json.loads(ended.out)["calibration"]["notes"]
    assert (
        any("no verdict uses a word of the labels (labels: first, second; verdicts: A)" in one for one in notes) is said
    )
