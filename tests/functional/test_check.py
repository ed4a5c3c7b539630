"""evalkit check: whether outputs and golden set meet, files of another kind, and words that were nearly right."""

from __future__ import annotations

from shutil import copytree, rmtree

import pytest
from fakes.small_suites import SUITE, case, right, write_suite

GOLDEN = [case("refund-days"), case("refund-how"), case("warranty")]


def shop(folder, outputs):
    return write_suite(folder / "shop", golden=GOLDEN, outputs={"candidate": outputs})


def warned(evalkit, suite):
    ended = evalkit("check", suite, "--json")
    assert ended.status == 0
    return [(one["problem"], one["remedy"]) for one in ended.json["warnings"] if "outputs" in one["file"]]


def test_outputs_that_meet_the_golden_set_are_no_warning(evalkit, tmp_path):
    suite = shop(tmp_path, [right(one["id"]) for one in GOLDEN])
    assert warned(evalkit, suite) == []
    assert "outputs: candidate (joined 3; missing 0; extra 0)" in evalkit("check", suite).out


@pytest.mark.parametrize(
    ("stands", "named"),
    [
        ("output/candidate/outputs.jsonl", "output/candidate/outputs.jsonl"),
        ("outputs/outputs.jsonl", "outputs/outputs.jsonl"),
        ("outputs/candidate/output.jsonl", "outputs/candidate/output.jsonl"),
        ("outputs.jsonl", "outputs.jsonl"),
    ],
)
def test_outputs_that_no_run_finds_are_named(evalkit, tmp_path, stands, named):
    suite = shop(tmp_path, [right("refund-days")])
    file = suite / "outputs" / "candidate" / "outputs.jsonl"
    (suite / stands).parent.mkdir(parents=True, exist_ok=True)
    file.rename(suite / stands)
    ((problem, remedy),) = warned(evalkit, suite)
    assert problem == f"the suite has no outputs; {named!r} is not looked at"
    assert "outputs/NAME/outputs.jsonl" in remedy


def test_a_suite_without_outputs_is_warned_of_and_other_candidates_are_not_taken_for_it(evalkit, tmp_path):
    suite = shop(tmp_path, [right("refund-days")])
    rmtree(suite / "outputs")
    assert [problem for problem, _ in warned(evalkit, suite)] == ["the suite has no outputs"]
    assert "outputs: none" in evalkit("check", suite).out
    suite = shop(tmp_path / "two", [right(one["id"]) for one in GOLDEN])
    (suite / "outputs" / "newer.jsonl").write_text("", encoding="utf-8")
    assert [problem for problem, _ in warned(evalkit, suite)] == ["'outputs/newer.jsonl' is not looked at"]


def test_a_candidate_without_outputs_beside_one_that_has_them_is_warned_of(evalkit, tmp_path):
    suite = shop(tmp_path, [right(one["id"]) for one in GOLDEN])
    (suite / "outputs" / "candidate").rename(suite / "outputs" / "older")
    (suite / "outputs" / "candidate").mkdir()
    (suite / "outputs" / ".hidden").mkdir()
    assert [problem for problem, _ in warned(evalkit, suite)] == ["holds no outputs.jsonl; a run takes 'older'"]
    (suite / "outputs" / "candidate" / "output.jsonl").write_text("", encoding="utf-8")
    assert [problem for problem, _ in warned(evalkit, suite)] == ["'outputs/candidate/output.jsonl' is not looked at"]


def test_several_candidates_of_which_a_run_takes_none_by_itself_are_warned_of(evalkit, tmp_path):
    suite = shop(tmp_path, [right(one["id"]) for one in GOLDEN])
    copytree(suite / "outputs" / "candidate", suite / "outputs" / "newer")
    assert warned(evalkit, suite) == []
    (suite / "outputs" / "candidate").rename(suite / "outputs" / "older")
    problem = "several candidates and none is 'candidate', so a run that names none is refused: 'newer', 'older'"
    assert warned(evalkit, suite) == [(problem, "name one with --outputs, or call one candidate")]
    assert evalkit("run", suite).status == 2


def test_an_empty_file_of_outputs_is_warned_of(evalkit, tmp_path):
    assert warned(evalkit, shop(tmp_path, [])) == [("holds no output", "give it a line per case")]


def test_ids_that_do_not_meet_are_named_with_the_nearest(evalkit, tmp_path):
    none = shop(tmp_path / "none", [right(f"x_{one['id']}") for one in GOLDEN])
    assert warned(evalkit, none) == [
        (
            "no output for 3 of 3 cases: 'refund-days', 'refund-how', 'warranty'",
            "a run counts them as missing",
        ),
        (
            "ids that are not in the golden set (3): 'x_refund-days', 'x_refund-how', 'x_warranty'",
            "'x_refund-days': did you mean 'refund-days'?",
        ),
    ]
    some = shop(tmp_path / "some", [right("refund-days"), right("refund-how"), right("12345")])
    assert warned(evalkit, some) == [
        ("no output for 1 of 3 cases: 'warranty'", "a run counts them as missing"),
        ("ids that are not in the golden set (1): '12345'", "the golden set has e.g. 'warranty'"),
    ]


def test_of_many_ids_five_are_named(evalkit, tmp_path):
    golden = [case(f"c{number}") for number in range(9)]
    suite = write_suite(tmp_path / "shop", golden=golden, outputs={"candidate": [right("c0")]})
    assert warned(evalkit, suite)[0][0] == "no output for 8 of 9 cases: 'c1', 'c2', 'c3', 'c4', 'c5' and 3 more"


def test_ids_of_a_faulty_golden_set_meet_nothing(evalkit, tmp_path):
    suite = write_suite(tmp_path / "shop", golden=[case("c1", inptu="x")], outputs={"candidate": [right("c1")]})
    found = evalkit("check", suite, "--json").json
    assert found["summary"]["outputs"] == {"candidate": {"joined": 0, "missing": 0, "extra": 1}}
    assert [one for one in found["warnings"] if "outputs" in one["file"]] == []


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"case_id,text\nrefund-days,yes\n", "looks like CSV: its first line is a header"),
        (b"\xef\xbb\xbfcase_id;answer text\r\n1;yes\r\n", "looks like CSV: its first line is a header"),
        (b"PK\x03\x04\x14\x00\n\xff\xfe", "is a zip archive, as a spreadsheet (.xlsx) is"),
        (b"\x1f\x8b\x08\x00", "is compressed (gzip)"),
    ],
)
def test_a_file_of_another_kind_is_one_fault_that_says_what_it_is(evalkit, tmp_path, content, words):
    suite = shop(tmp_path, [])
    (suite / "outputs" / "candidate" / "outputs.jsonl").write_bytes(content)
    ended = evalkit("check", suite)
    assert ended.status == 2
    assert f"outputs.jsonl:1: {words}" in ended.out
    assert "one JSON object a line was expected" in ended.out
    assert "outputs: candidate (cannot be read, see the faults)" in ended.out
    assert "1 fault, " in ended.out


def test_a_client_that_is_nearly_right_is_told_and_its_value_is_not_repeated(evalkit, tmp_path):
    suite = write_suite(tmp_path / "shop", suite=SUITE + "judge: judge.yaml\n")
    (suite / "judge.yaml").write_text("client: opnai\nmodel: m\n", encoding="utf-8")
    ended = evalkit("check", suite)
    assert ended.status == 2
    assert "did you mean 'openai'?" in ended.out
    assert "opnai" not in ended.out
