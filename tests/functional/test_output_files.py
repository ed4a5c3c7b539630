"""Options that name a file to write: nothing that evalkit did not write of the same kind is ever replaced."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from fakes.judged_suites import write_judge

ROOT = Path(__file__).parents[2]


@pytest.fixture
def run_of_a_suite(bench):
    suite = bench.suite(golden=3, api_key_env=None)
    bench.run(suite, "--record", "replies.jsonl")
    return suite


def test_no_output_option_replaces_a_file_of_another_kind_and_nothing_is_asked(bench, run_of_a_suite):
    suite = run_of_a_suite
    bench.calls()
    held = [suite / "golden.jsonl", suite / "suite.yaml", bench.root / "runs" / "r" / "report.json"]
    before = [file.read_bytes() for file in held]
    for file in held:
        for words in (
            ("render", "r", "--html", file),
            ("diff", "r", "r", "--html", file),
            ("compare", suite, "--outputs", "candidate", "--against", "baseline", "--html", file),
            ("gate", "r", "--junit", file),
            ("gate", "r", "--summary", file),
            ("run", suite, "--record", file, "--cache", "fresh"),
            ("run", suite, "--junit", file, "--cache", "fresh"),
            ("accept", suite, "--export", file),
            ("cache", "export", file),
        ):
            ended = bench.command(*words)
            assert ended.status == 2, words
            assert "is there already and is no" in ended.err
            assert "name another file" in ended.err
    assert [file.read_bytes() for file in held] == before
    assert bench.calls() == []


def test_what_evalkit_wrote_is_written_again(bench, run_of_a_suite):
    for words in (
        ("render", "r", "--html", "page.html"),
        ("diff", "r", "r", "--html", "diff.html"),
        ("cache", "export", "cache.jsonl"),
    ):
        assert bench.command(*words).status == 0
        assert bench.command(*words).status == 0
    bench.run(run_of_a_suite, "--record", "replies.jsonl")


def test_a_page_replaces_only_one_of_its_command_and_none_in_the_folder_of_another_run(bench, run_of_a_suite):
    suite = run_of_a_suite
    bench.command("run", suite, "--run-id", "s", "--html")
    bench.command("render", "r", "--html", "page.html")
    pairs = ("compare", suite, "--outputs", "candidate", "--against", "baseline")
    held = [bench.root / "runs" / "s" / "report.html", bench.root / "page.html"]
    before = [file.read_bytes() for file in held]
    bench.calls()
    for words, said in (
        (("render", "r", "--html", held[0]), "takes no page but that run's own"),
        (("diff", "r", "s", "--html", held[0]), "is no page of evalkit diff"),
        (("diff", "r", "s", "--html", held[0].with_name("new.html")), "takes no page but that run's own"),
        ((*pairs, "--html", held[0]), "is no page of evalkit compare"),
        ((*pairs, "--html", held[1]), "is no page of evalkit compare"),
        (("diff", "r", "s", "--html", held[1]), "is no page of evalkit diff"),
    ):
        ended = bench.command(*words)
        assert ended.status == 2, words
        assert said in ended.err
    assert [file.read_bytes() for file in held] == before
    assert bench.calls() == []
    assert bench.command("render", "s", "--html", held[0]).status == 0
    assert bench.command("render", "s").status == 0


def test_gates_are_written_again_for_ci(bench, run_of_a_suite):
    text = (run_of_a_suite / "suite.yaml").read_text(encoding="utf-8")
    (run_of_a_suite / "suite.yaml").write_text(text + "policy: [{scorer: personal_data}]\n", encoding="utf-8")
    bench.run(run_of_a_suite)
    for _ in range(2):
        ended = bench.command("gate", "r", "--junit", "gate.xml", "--summary", "gate.md")
        assert ended.status == 0, ended.err
    ended = bench.command("gate", "r", "--junit", "both", "--summary", "both")
    assert ended.status == 2
    assert "both: is there already and is no summary of gates" in ended.err


def test_the_page_of_a_comparison_does_not_replace_the_verdicts_that_it_shows(evalkit, tmp_path):
    file = tmp_path / "verdicts.jsonl"
    pair = '"judge":"j","case_id":"c","mode":"pairwise","candidates":["a","b"],"verdict":"A"'
    file.write_text("".join(f'{{{pair},"first_shown":"{name}"}}\n' for name in "ab"), encoding="utf-8")
    before = file.read_bytes()
    assert evalkit("compare", "--verdicts", file, "--html", file).status == 2
    assert file.read_bytes() == before
    assert evalkit("compare", "--verdicts", file, "--html", "page.html").status == 0
    assert evalkit("compare", "--verdicts", file, "--html", "page.html").status == 0


def test_a_replay_is_not_recorded_into_the_recording_that_answers(bench, run_of_a_suite):
    replies = (bench.root / "replies.jsonl").read_bytes()
    (run_of_a_suite / "replies.jsonl").write_bytes(replies)
    write_judge(run_of_a_suite / "judge.yaml", bench.server.url, client="replay", replay="replies.jsonl")
    ended = bench.command("run", run_of_a_suite, "--cache", "fresh", "--record", run_of_a_suite / "replies.jsonl")
    assert ended.status == 2
    assert "is read by this command" in ended.err
    assert (run_of_a_suite / "replies.jsonl").read_bytes() == replies


def test_a_specification_is_exported_again_but_not_over_the_one_that_is_read(evalkit, tmp_path):
    suite = shutil.copytree(ROOT / "suites" / "refund_replies", tmp_path / "refund_replies")
    for _ in range(2):
        assert evalkit("accept", suite, "--export", "spec.yaml").status == 0
    before = (tmp_path / "spec.yaml").read_bytes()
    ended = evalkit("accept", suite, "--spec", "spec.yaml", "--export", "spec.yaml")
    assert ended.status == 2
    assert "is read by this command" in ended.err
    assert (tmp_path / "spec.yaml").read_bytes() == before


def test_no_output_option_makes_a_folder_and_each_says_that_the_file_is_at_fault(bench, run_of_a_suite):
    suite = run_of_a_suite
    bench.calls()
    for words in (
        ("render", "r", "--html", "no/page.html"),
        ("diff", "r", "r", "--html", "no/page.html"),
        ("compare", suite, "--outputs", "candidate", "--against", "baseline", "--html", "no/page.html"),
        ("gate", "r", "--junit", "no/x.xml"),
        ("gate", "r", "--summary", "no/x.md"),
        ("run", suite, "--record", "no/replies.jsonl", "--cache", "fresh"),
        ("accept", suite, "--export", "no/terms.yaml"),
        ("cache", "export", "no/cache.jsonl"),
    ):
        ended = bench.command(*words, "--json")
        assert ended.status == 2, words
        assert ended.json["error"]["kind"] == "file", words
        assert "there is no folder no. Name another file" in ended.err
    assert not (bench.root / "no").exists()
    assert bench.calls() == []
