"""People's preferences over pairs: a blind sheet of a comparison goes out, labels of both texts come back, the judge is set beside them."""

from __future__ import annotations

import csv
import io
import json

import pytest
import yaml
from fakes.external_verdicts import both_orders, write_verdicts
from fakes.judged_suites import ids, plan_case, right, wrong
from fakes.labels import label_line, write_labels
from fakes.pair_judge import chooser, prefers_ten
from fakes.reading_judge import judge

NAMES = ids(8)
HOSTILE = '=HYPERLINK("http://evil.example")\nFirst: A is the candidate\u202e\x1b[2J'
FOLDER = "runs/comparisons/wire/candidate-vs-other"


def two(bench, second=None, first=None, third=None):
    outputs = {
        "candidate": first or [right(name) for name in NAMES],
        "other": second or [{**wrong(name), "text": f"{wrong(name)['text']} That is all."} for name in NAMES],
    }
    outputs |= {"third": third} if third else {}
    return bench.suite(golden=[plan_case(name) for name in NAMES], outputs=outputs)


def compare(bench, suite, *arguments, first="candidate", second="other"):
    ended = bench.command("compare", suite, "--outputs", first, "--against", second, "--quiet", *arguments)
    assert ended.status == 0, ended.out + ended.err


@pytest.fixture
def pairs(bench):
    """A comparison of eight pairs that the candidate won in both orders."""
    bench.server.reply = chooser(prefers_ten)
    compare(bench, two(bench))
    return bench


def exported(bench, *arguments):
    ended = bench.command("label", "export", FOLDER, "--criterion", "overall", *arguments, "--json")
    assert ended.status == 0, ended.out + ended.err
    return ended.json


def rows_of(bench, sheet="labelling/wire-pairs-random-1"):
    return [json.loads(line) for line in (bench.root / f"{sheet}.jsonl").read_text(encoding="utf-8").splitlines()]


def fill(bench, choose, sheet="labelling/wire-pairs-random-1"):
    """Fill the CSV in as a spreadsheet would save it; `choose` says the label of a row."""
    path = bench.root / f"{sheet}.csv"
    table = list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))
    for row in table:
        row["label"] = choose(row)
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, table[0].keys())
        writer.writeheader()
        writer.writerows(table)
    return f"{sheet}.csv"


def take_in(bench, choose, *arguments, labeller="ada", sheet="labelling/wire-pairs-random-1"):
    filled = fill(bench, choose, sheet)
    ended = bench.command("label", "import", filled, "--labeller", labeller, "--json", *arguments)
    assert ended.status == 0, ended.out + ended.err
    return ended.json


def ten(row):
    """What a person says who prefers the right price."""
    return "First" if "10 dollars" in row["first_answer"] else "second"


def labels(bench):
    path = bench.root / "wire" / "labels.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def calibrated(bench, *arguments, folder=FOLDER):
    ended = bench.command("calibrate", folder, "--labels", "wire/labels.jsonl", "--json", *arguments)
    assert ended.status == 0, ended.out + ended.err
    return ended.json["calibration"]


def test_a_sheet_of_pairs_says_neither_who_is_who_nor_what_the_judge_said(pairs):
    exported(pairs, "--n", "8")
    rows = rows_of(pairs)
    assert {row["label"] for row in rows} == {None}
    assert {tuple(row["choices"]) for row in rows} == {("first", "second", "tie")}
    assert {"10 dollars" in row["answer"] for row in rows} == {True, False}  # the order is drawn, pair by pair
    for suffix in ("jsonl", "csv"):
        text = (pairs.root / f"labelling/wire-pairs-random-1.{suffix}").read_text(encoding="utf-8")
        for word in ("candidate", "other", "test-judge", "rationale", "outcome"):
            assert word not in text, word


def test_the_same_seed_shows_the_pairs_alike_whichever_candidate_is_named_first(pairs):
    exported(pairs, "--n", "8", "--sheet", "one")
    compare(pairs, pairs.root / "wire", first="other", second="candidate")
    ended = pairs.command(
        "label", "export", FOLDER.replace("candidate-vs-other", "other-vs-candidate"), "--criterion", "overall", "--n", "8", "--sheet", "two"
    )  # fmt: skip
    assert ended.status == 0, ended.err
    assert (pairs.root / "one.csv").read_bytes() == (pairs.root / "two.csv").read_bytes()
    exported(pairs, "--n", "8", "--seed", "2", "--sheet", "three")
    sides = [[row["output_sha256"] for row in rows_of(pairs, sheet)] for sheet in ("one", "three")]
    assert sides[0] != sides[1]


def test_every_criterion_and_the_whole_are_asked_about_by_default(pairs):
    ended = pairs.command("label", "export", FOLDER, "--n", "2", "--json")
    assert ended.status == 0, ended.err
    asked = {row["criterion"]: row for row in rows_of(pairs)}
    assert "overall" in asked
    assert len(asked) > 1
    assert asked["overall"]["question"] == "Which answer is better by the criteria together?"
    assert len({row["answer"] for row in rows_of(pairs)}) == 2


def test_labels_name_the_candidate_and_both_texts_whatever_was_shown_first(pairs):
    exported(pairs, "--n", "8")
    shown = {row["case_id"]: row["output_sha256"] for row in rows_of(pairs)}
    assert take_in(pairs, ten)["added"] == 8
    stored = labels(pairs)
    assert {label["label"] for label in stored} == {"A"}
    assert {(label["design"], label["inclusion_probability"]) for label in stored} == {("random", 1.0)}
    assert all(sorted(label["output_sha256"]) == sorted(shown[label["case_id"]]) for label in stored)
    assert any(label["output_sha256"] != shown[label["case_id"]] for label in stored)


def test_the_same_pairs_named_the_other_way_round_are_the_same_labels(pairs):
    exported(pairs, "--n", "8")
    take_in(pairs, ten)
    before = (pairs.root / "wire/labels.jsonl").read_bytes()
    compare(pairs, pairs.root / "wire", first="other", second="candidate")
    other = FOLDER.replace("candidate-vs-other", "other-vs-candidate")
    again = pairs.command("label", "import", "labelling/wire-pairs-random-1.csv", "--labeller", "ada", "--of", other)
    assert again.status == 0, again.err
    assert (pairs.root / "wire/labels.jsonl").read_bytes() == before
    refused = fill(pairs, lambda _row: "tie")
    ended = pairs.command("label", "import", refused, "--labeller", "ada", "--of", other)
    assert ended.status == 2
    assert "ada on c00, overall: A in" in ended.err
    assert "wire/labels.jsonl, tie here" in ended.err
    (row,) = [row for row in calibrated(pairs, folder=other)["rows"] if row["split"] == "test"]
    assert {(cell["human"], cell["judge"]) for cell in row["confusion"]} == {("B", "B")}


def test_by_verdict_draws_each_stratum_with_its_own_chance(bench):
    def chooses(first, second):
        """Take the right price in c00 to c03; the first place in c04 and c05; neither in c06 and c07."""
        name = first.split()[1]
        return prefers_ten(first, second) if name < "c04" else "A" if name < "c06" else "tie"

    bench.server.reply = chooser(chooses)
    compare(bench, two(bench))
    exported(bench, "--n", "3", "--design", "by-verdict")
    sheet = "labelling/wire-pairs-by-verdict-1"
    drawn = {row["case_id"]: row["inclusion_probability"] for row in rows_of(bench, sheet)}
    assert sorted(drawn.values()) == [0.25, 0.5, 0.5]
    exported(bench, "--n", "8", "--design", "flips")
    flips = rows_of(bench, "labelling/wire-pairs-flips-1")
    assert {row["case_id"] for row in flips} == {"c04", "c05"}
    assert {row["inclusion_probability"] for row in flips} == {None}


def test_pairs_that_depend_on_the_order_stand_under_each_rule(bench):
    bench.server.reply = chooser(lambda first, second: prefers_ten(first, second) if "c00" in first else "A")
    compare(bench, two(bench))
    exported(bench, "--n", "8", "--dev", "0")
    take_in(bench, ten)
    (row,) = calibrated(bench)["rows"]
    assert (row["mode"], row["binary"], row["n"], row["agree"]) == ("pairwise", False, 8, 1)
    assert row["confusion"] == [
        {"human": "A", "judge": "A", "count": 1},
        {"human": "A", "judge": "tie", "count": 7},
    ]
    assert row["pairs"]["depends_on_order"] == 7
    rules = {rule["rule"]: (rule["agree"], rule["n"]) for rule in row["pairs"]["rules"]}
    assert rules == {"tie": (1, 8), "dropped": (1, 1), "wrong": (1, 8)}
    assert (row["always"]["name"], row["always"]["agree"]) == ("always A", 8)
    assert (row["floor"]["name"], row["floor"]["agree"]) == ("floor: the longer one wins", 0)
    assert (row["pairs"]["always_first"]["agree"], row["pairs"]["always_first"]["judge_agree"]) == (0, 1)
    assert (row["tpr"], row["corrected"]) == (None, None)


def test_pairs_earn_no_trust_and_it_says_so(pairs):
    exported(pairs, "--n", "8")
    take_in(pairs, ten)
    ended = pairs.command("calibrate", FOLDER, "--labels", "wire/labels.jsonl")
    assert ended.status == 0, ended.err
    assert "pairs gate nothing and earn no trust" in ended.out
    assert "A is candidate, B is other" in ended.out
    assert "comparison candidate-vs-other" in ended.out
    assert "floor: the longer one wins" in ended.out
    assert "always the one shown first" in ended.out
    assert not (pairs.root / "wire/trust.json").exists()


def test_labels_by_verdict_are_weighted_back_to_the_comparison(bench):
    bench.server.reply = chooser(
        lambda first, second: prefers_ten(first, second) if "c00" in first or "c01" in first else "tie"
    )
    compare(bench, two(bench))
    exported(bench, "--n", "4", "--design", "by-verdict", "--dev", "0")
    take_in(bench, ten, sheet="labelling/wire-pairs-by-verdict-1")
    (row,) = calibrated(bench)["rows"]
    assert (row["agree"], row["n"]) == (2, 4)
    assert row["pairs"]["weighted"]["value"] == pytest.approx(2 / 8)  # two of eight pairs, both drawn for certain
    printed = bench.command("calibrate", FOLDER, "--labels", "wire/labels.jsonl").out
    assert "agreement, as drawn" in printed
    assert "agreement, weighted back" in printed


def test_two_labellers_are_the_ceiling_and_disagreements_are_listed_with_both_orders(pairs):
    exported(pairs, "--n", "8", "--dev", "0")
    take_in(pairs, ten)
    between = take_in(pairs, lambda row: "tie" if row["case_id"] == "c00" else ten(row), labeller="ben")
    (pair,) = between["between_labellers"][0]["pairs"]
    assert (pair["name"], pair["agree"], pair["n"]) == ("ada and ben", 7, 8)
    (row,) = calibrated(pairs)["rows"]
    assert (row["n"], row["excluded"]) == (7, {"labellers_disagree": 1})
    assert [(one["agree"], one["n"]) for one in row["ceiling"]] == [(7, 8)]
    ended = pairs.command("calibrate", FOLDER, "--labels", "wire/labels.jsonl", "--labeller", "ben", "--json")
    (line,) = (pairs.root / ended.json["disagreements"]).read_text(encoding="utf-8").splitlines()
    found = json.loads(line)
    assert (found["case_id"], found["human"], found["verdict"]) == ("c00", "tie", "A")
    assert found["candidates"] == ["candidate", "other"]
    assert found["rationale"].startswith("A shown first as A: A (")
    assert "; B shown first as A: A (" in found["rationale"]
    assert {span["source"] for span in found["evidence"]} >= {"answer A"}
    assert "A: candidate, B: other" in (pairs.root / ended.json["markdown"]).read_text(encoding="utf-8")


def test_a_file_with_labels_of_cases_too_is_read_for_what_each_is_about(pairs):
    exported(pairs, "--n", "8", "--dev", "0")
    write_labels(
        pairs.root / "wire/labels.jsonl",
        [label_line("c00", "pass", output_sha256="a" * 64, rubric="faithfulness", criterion="F1")],
    )
    take_in(pairs, ten)
    assert len(labels(pairs)) == 9
    found = calibrated(pairs)
    assert found["unmatched"] == {"rubric_not_judged": 1}
    assert [row["n"] for row in found["rows"]] == [8]


def test_labels_of_pairs_disturb_nobody_who_labels_and_calibrates_a_run(pairs):
    exported(pairs, "--n", "8", "--dev", "1")
    take_in(pairs, ten)
    pairs.server.reply = judge
    pairs.run("wire", "--outputs", "candidate")
    assert pairs.command("label", "export", "r", "--n", "8", "--criterion", "F1", "--sheet", "one").status == 0
    assert {row["split"] for row in rows_of(pairs, "one")} == {"dev"}  # these cases are spent
    sheet = pairs.root / "one.jsonl"
    sheet.write_text(sheet.read_text(encoding="utf-8").replace('"label": null', '"label": "pass"'), encoding="utf-8")
    assert pairs.command("label", "import", sheet, "--labeller", "ada").status == 0
    found = calibrated(pairs, folder="r")
    assert [(row["criterion"], row["n"]) for row in found["rows"]] == [("F1", 8)]
    assert found["unmatched"] == {"rubric_not_judged": 8}
    assert found.get("comparison") is None
    assert [row["n"] for row in calibrated(pairs)["rows"]] == [8]


def test_a_file_that_names_one_pair_both_ways_is_refused(pairs):
    exported(pairs, "--n", "1")
    take_in(pairs, ten)
    (label,) = labels(pairs)
    turned = {**label, "labeller": "ben", "output_sha256": label["output_sha256"][::-1]}
    write_labels(pairs.root / "wire/labels.jsonl", [label, turned])
    ended = pairs.command("calibrate", FOLDER, "--labels", "wire/labels.jsonl")
    assert ended.status == 2
    assert "wire/labels.jsonl:2: output_sha256: names as A the answer that is B on line 1" in ended.err


def test_hostile_answers_are_harmless_and_still_the_same_answers(bench):
    bench.server.reply = chooser(lambda _first, _second: "tie")
    compare(bench, two(bench, first=[{**right(name), "text": f"{HOSTILE} {name}"} for name in NAMES]))
    exported(bench, "--n", "8")
    text = (bench.root / "labelling/wire-pairs-random-1.csv").read_text(encoding="utf-8-sig")
    assert "\x1b" not in text
    assert "\u202e" not in text
    for row in csv.DictReader(io.StringIO(text, newline="")):
        assert not row["first_answer"].startswith("=")
        assert not row["second_answer"].startswith("=")
    assert take_in(bench, lambda _row: "tie")["added"] == 8
    ended = bench.command("calibrate", FOLDER, "--labels", "wire/labels.jsonl")
    assert "\x1b" not in ended.out
    assert "\u202e" not in ended.out


def test_every_fault_of_a_sheet_of_pairs_is_named_and_nothing_is_merged(pairs):
    exported(pairs, "--n", "4")
    path = pairs.root / "labelling/wire-pairs-random-1.jsonl"
    rows = [row | {"label": "tie"} for row in rows_of(pairs)]
    rows[0] |= {"label": "A"}
    rows[1] |= {"second_answer": "another text"}
    rows[2] |= {"output_sha256": rows[2]["output_sha256"][::-1]}
    rows[3].pop("second_answer")
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    ended = pairs.command("label", "import", path, "--labeller", "ada")
    assert ended.status == 2
    name = str(path)
    assert f"{name}:1: label: is 'A' (expected one of first, second, tie, skip" in ended.err
    assert f"{name}:2: second_answer: is not the text that was drawn" in ended.err
    assert f"{name}:3: row: the row says something else than what was drawn" in ended.err
    assert f"{name}:4: output_sha256: names another number of answers than stand in the row" in ended.err
    assert labels(pairs) == []


def test_an_answer_that_was_edited_or_taken_out_of_the_csv_is_a_fault(pairs):
    exported(pairs, "--n", "2")
    path = pairs.root / "labelling/wire-pairs-random-1.csv"
    text = path.read_text(encoding="utf-8-sig")
    path.write_text(text.replace("99 dollars", "98 dollars"), encoding="utf-8")
    ended = pairs.command("label", "import", path, "--labeller", "ada")
    assert ended.status == 2
    assert ended.err.count("_answer: is not the text that was drawn: it was edited") == 2
    path.write_text(text.replace("second_answer", "another"), encoding="utf-8")
    ended = pairs.command("label", "import", path, "--labeller", "ada")
    assert "has no column second_answer" in ended.err


def test_a_text_that_has_changed_since_is_refused_and_left_out_of_a_draw(pairs):
    exported(pairs, "--n", "8")
    sheet = fill(pairs, ten)
    outputs = pairs.root / "wire/outputs/other/outputs.jsonl"
    outputs.write_text(
        outputs.read_text(encoding="utf-8").replace("Plan c03 costs", "Plan c03 takes"), encoding="utf-8"
    )
    ended = pairs.command("label", "import", sheet, "--labeller", "ada")
    assert ended.status == 2
    assert "output_sha256: c03: the two texts are no pair" in ended.err
    assert ended.err.count("evalkit:") == 1
    assert labels(pairs) == []
    drawn = exported(pairs, "--n", "8", "--sheet", "again")
    assert drawn["rows"] == 7
    assert "pairs left out, whose case or text is not what was judged: 1" in drawn["notes"]


def test_a_sheet_of_pairs_is_no_sheet_of_a_run_and_the_other_way_round(pairs):
    exported(pairs, "--n", "2")
    sheet = fill(pairs, ten)
    ended = pairs.command("label", "import", sheet, "--labeller", "ada", "--of", "wire", "--outputs", "candidate")
    assert ended.status == 2
    assert "is about two answers (name the comparison" in ended.err
    pairs.run("wire", "--outputs", "candidate", status=None)
    assert pairs.command("label", "export", "r", "--n", "2", "--criterion", "F1").status == 0
    ended = pairs.command("label", "import", "labelling/wire-random-1.csv", "--labeller", "ada", "--of", FOLDER)
    assert ended.status == 0  # nobody filled a row in
    text = (pairs.root / "labelling/wire-random-1.jsonl").read_text(encoding="utf-8")
    filled = pairs.root / "filled.jsonl"
    filled.write_text(text.replace('"label": null', '"label": "pass"'), encoding="utf-8")
    ended = pairs.command("label", "import", filled, "--labeller", "ada", "--of", FOLDER)
    assert "is about one answer (name the run or the suite" in ended.err


def test_what_code_decided_is_not_asked_about(bench):
    bench.server.reply = chooser(prefers_ten)
    second = [right("c00"), {"case_id": "c01", "text": ""}, *(wrong(name) for name in NAMES[2:])]
    compare(bench, two(bench, second))
    drawn = exported(bench, "--n", "8")
    assert drawn["rows"] == 6
    assert any("decided in code" in note for note in drawn["notes"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("label", "export", FOLDER, "--design", "planted"), "--design planted is about single answers"),
        (("label", "export", FOLDER, "--design", "flips"), "no verdict of this comparison depends on the order"),
        (("label", "export", FOLDER, "--outputs", "candidate"), "a comparison knows whose answers it compared"),
        (("calibrate", FOLDER, "--labels", "nowhere.jsonl", "--risk", "0.1"), "--suite and --risk are about a RUN"),
        (("calibrate", FOLDER, "--labels", "nowhere.jsonl"), "nowhere.jsonl: does not exist"),
    ],
)
def test_what_pairs_do_not_have_is_refused_in_words(pairs, arguments, said):
    ended = pairs.command(*arguments)
    assert ended.status == 2
    assert said in ended.err


def test_several_candidates_share_a_row_and_the_same_two_texts_are_asked_about_once(bench):
    bench.server.reply = chooser(prefers_ten)
    wordy = [{**wrong(name), "text": f"{wrong(name)['text']} That is all."} for name in NAMES[:4]]
    suite = two(bench, third=[*wordy, *(wrong(name) for name in NAMES[4:])])
    compare(bench, suite, "--against", "third")
    folder = "runs/comparisons/wire/candidate-vs-other-vs-third"
    ended = bench.command("label", "export", folder, "--criterion", "overall", "--dev", "0", "--json")
    assert (
        ended.json["rows"] == 8 + 4 + 4
    )  # c00 to c03 have the same text twice: a tie in code, and one question of two
    take_in(bench, lambda row: ten(row) if "10 dollars" in row["first_answer"] + row["second_answer"] else "tie")
    found = calibrated(bench, folder=folder)
    assert [(row["n"], row["agree"]) for row in found["rows"]] == [(16, 16)]
    assert found["notes"][0] == "A is the one of two candidates that comes first in: candidate, other, third"
    assert any("share their cases" in note for note in found["notes"])


def test_a_comparison_that_holds_no_texts_is_refused_in_words(bench):
    write_verdicts(bench.root / "verdicts.jsonl", both_orders("c1", "A", "B"))
    write_labels(bench.root / "labels.jsonl", [label_line("c1", "A")])
    assert bench.command("compare", "--verdicts", "verdicts.jsonl").status == 0
    folder = "runs/comparisons/verdicts/verdicts"
    assert "their texts are not known" in bench.command("label", "export", folder).err
    ended = bench.command("calibrate", folder, "--labels", "labels.jsonl")
    assert (ended.status, "calibrate these with --verdicts FILE" in ended.err) == (2, True)


def test_a_comparison_of_before_says_that_it_is_to_be_made_again(pairs):
    path = pairs.root / FOLDER / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**manifest, "suite_path": "", "rubrics": []}), encoding="utf-8")
    ended = pairs.command("label", "export", FOLDER)
    assert ended.status == 2
    assert "compare again, what was bought is in the cache" in ended.err
    write_labels(pairs.root / "labels.jsonl", [label_line("c00", "A")])
    ended = pairs.command("calibrate", FOLDER, "--labels", "labels.jsonl")
    assert (ended.status, "compare again, what was bought is in the cache" in ended.err) == (2, True)


def test_labels_under_another_wording_do_not_count(pairs):
    exported(pairs, "--n", "8", "--dev", "0")
    take_in(pairs, ten)
    lines = labels(pairs)
    write_labels(
        pairs.root / "wire/labels.jsonl", [{**lines[0], "asked_sha256": "0" * 64}, *lines[1:7], _unsaid(lines[7])]
    )
    found = calibrated(pairs)
    (row,) = found["rows"]
    assert (row["n"], row["excluded"]) == (7, {"other_wording": 1})
    assert any(note.startswith("1 labels do not say under which wording") for note in found["notes"])


def _unsaid(line):
    return {name: value for name, value in line.items() if name != "asked_sha256"}


def test_a_pair_without_a_verdict_in_one_order_is_drawn_and_excluded_by_its_reason(bench):
    bench.server.reply = lambda body: "A is better" if "c00" in str(body) else chooser(prefers_ten)(body)
    suite = two(bench)
    bench.command("compare", suite, "--outputs", "candidate", "--against", "other", "--quiet")
    exported(bench, "--n", "8", "--dev", "0")
    take_in(bench, ten)
    (row,) = calibrated(bench)["rows"]
    assert (row["n"], row["excluded"], row["unreadable"]) == (7, {"judge_error:parse": 1}, 1)
    ended = bench.command("label", "export", FOLDER, "--criterion", "overall", "--design", "by-verdict", "--json")
    assert ended.json["notes"] == ["pairs/preference/overall: outside all strata and not drawn: 1 no verdict"]


def test_capabilities_of_one_rubric_share_their_pairs_which_are_asked_about_once(bench):
    bench.server.reply = chooser(lambda first, second: "tie" if "c00" in first else prefers_ten(first, second))
    suite = two(bench)
    described = yaml.safe_load((suite / "suite.yaml").read_text(encoding="utf-8"))
    described["capabilities"].append({"name": "tone", "judge": [{"rubric": "faithfulness"}]})
    (suite / "suite.yaml").write_text(yaml.safe_dump(described), encoding="utf-8")
    golden = suite / "golden.jsonl"
    cases = [json.loads(line) for line in golden.read_text(encoding="utf-8").splitlines()]
    for number, case in enumerate(cases):
        case["capabilities"] = ["faithfulness", "tone"] if number < 4 else ["faithfulness"]
    golden.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
    compare(bench, suite)
    assert exported(bench, "--n", "8", "--dev", "0")["rows"] == 8
    assert exported(bench, "--n", "8", "--capability", "tone", "--sheet", "some")["rows"] == 4
    take_in(bench, ten)
    ended = bench.command("calibrate", FOLDER, "--labels", "wire/labels.jsonl", "--json")
    rows = {row["capability"]: (row["n"], row["agree"]) for row in ended.json["calibration"]["rows"]}
    assert rows == {"": (8, 7), "faithfulness": (8, 7), "tone": (4, 3)}
    lines = (bench.root / ended.json["disagreements"]).read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["case_id"] for line in lines] == ["c00"]


def test_a_comparison_that_asked_no_judge_leaves_nothing_to_label(bench):
    compare(bench, two(bench, [right(name) for name in NAMES]))
    ended = bench.command("label", "export", FOLDER)
    assert ended.status == 2
    assert "nothing can be labelled: pairs left out, decided in code" in ended.err


def test_a_golden_set_that_has_changed_since_is_said_and_its_missing_cases_are_left_out(pairs):
    golden = pairs.root / "wire/golden.jsonl"
    golden.write_text("".join(golden.read_text(encoding="utf-8").splitlines(keepends=True)[1:]), encoding="utf-8")
    drawn = exported(pairs, "--n", "8")
    assert drawn["rows"] == 7
    assert any(note.startswith("the golden set has changed since the comparison") for note in drawn["notes"])


def test_two_candidates_that_swap_their_texts_are_one_question(bench):
    bench.server.reply = chooser(prefers_ten)
    compare(bench, two(bench, third=[right(name) for name in NAMES]), "--against", "third")
    folder = "runs/comparisons/wire/candidate-vs-other-vs-third"
    ended = bench.command("label", "export", folder, "--criterion", "overall", "--dev", "0", "--json")
    assert (
        ended.json["rows"] == 8
    )  # candidate and third say the same: other against third is candidate against other, turned
    take_in(bench, ten)
    (row,) = calibrated(bench, folder=folder)["rows"]
    assert (row["n"], row["agree"]) == (8, 8)


def test_a_file_of_pairs_that_was_edited_by_hand_is_left_out_where_nothing_knows_it(pairs):
    exported(pairs, "--n", "8", "--dev", "0")
    take_in(pairs, ten)
    path = pairs.root / FOLDER / "pairs.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    lines[0] |= {"rubric": "gone"}
    lines[1] |= {"first": "nobody"}
    lines[2] |= {"judgements": []}
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert exported(pairs, "--n", "8", "--sheet", "again")["rows"] == 6
    found = calibrated(pairs)
    assert [row["n"] for row in found["rows"]] == [6]
    assert found["unmatched"] == {"case_not_judged": 2}
