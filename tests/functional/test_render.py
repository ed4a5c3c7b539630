"""`evalkit render` and `run --html`: where the page is written, and what it says of files that have changed since the run."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shutil
from pathlib import Path

from fakes.review_items import item

from evalkit.runstore.experiments import write_queue

ROOT = Path(__file__).resolve().parents[2]


def unpacked(file):
    """Return a page with its packed data as JSON: what zlib makes of it differs between versions."""

    def plain(found):
        return gzip.decompress(base64.b64decode(found.group())).decode()

    return re.sub(r"(?<=>)H4sI[A-Za-z0-9+/=]+(?=<)", plain, file.read_text(encoding="utf-8"))


def index_of(file):
    """Return the list of cases that a page holds."""
    (packed,) = re.findall(r'id="index">([^<]*)<', file.read_text(encoding="utf-8"))
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def test_render_writes_the_page_beside_the_run_or_where_it_is_told(bench):
    bench.run(bench.suite())
    ended = bench.command("render", "r")
    assert ended.status == 0
    assert re.match(r"page: runs/r/report\.html \(\d+ kB\)", ended.out)
    other = bench.command("render", "r", "--html", "elsewhere.html", "--json").json
    assert other == {"file": "elsewhere.html", "bytes": (bench.root / "elsewhere.html").stat().st_size}
    assert (bench.root / "elsewhere.html").read_bytes() == (bench.root / "runs" / "r" / "report.html").read_bytes()


def test_a_run_writes_its_page_when_asked_and_then_only(bench):
    suite = bench.suite()
    _, run = bench.run(suite)
    assert not (run.folder / "report.html").exists()
    ended, run = bench.run(suite, "--html")
    assert "page: runs/r/report.html" in ended.out
    assert [entry[0] for entry in index_of(run.folder / "report.html")["cases"]] == ["c00", "c01", "c02", "c03"]
    bench.run(suite)
    assert not (run.folder / "report.html").exists()


def test_rendering_changes_nothing_else_of_a_run(bench):
    _, run = bench.run(bench.suite())
    before = {file.name: file.read_bytes() for file in run.folder.iterdir()}
    bench.command("render", "r")
    assert {file.name: file.read_bytes() for file in run.folder.iterdir() if file.name != "report.html"} == before


def test_a_page_of_changed_files_says_so_and_shows_no_wrong_text(bench):
    suite = bench.suite()
    bench.run(suite)
    golden = suite / "golden.jsonl"
    golden.write_text(golden.read_text(encoding="utf-8").replace("What does", "What did"), encoding="utf-8")
    ended = bench.command("render", "r", "--json")
    assert ended.json["file"] == "runs/r/report.html"
    assert "note: questions and sources are missing: " in ended.err
    assert ended.err.endswith("note: name the suite as it was for this run with --suite\n")
    file = bench.root / "runs" / "r" / "report.html"
    assert "golden.jsonl has changed since this run" in file.read_text(encoding="utf-8")
    assert all("What did" not in entry[1] for entry in index_of(file)["cases"])


def test_a_moved_suite_is_named_with_suite(bench):
    suite = bench.suite()
    bench.run(suite)
    moved = suite.rename(bench.root / "moved")
    bench.command("render", "r")
    file = bench.root / "runs" / "r" / "report.html"
    assert index_of(file)["notes"]
    assert bench.command("render", "r", "--suite", moved).err == ""
    assert index_of(file)["notes"] == []


def test_flips_of_the_review_queue_and_self_agreement_stand_on_the_page(bench):
    suite = bench.suite()
    bench.run(suite)
    bench.command("stability", suite, "--runs", "2")
    bench.command("render", "r")
    file = bench.root / "runs" / "r" / "report.html"
    assert "lowest self-agreement: 100.0 %" in file.read_text(encoding="utf-8")
    verdict = json.loads((bench.root / "runs" / "r" / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()[1])
    about = {name: verdict[name] for name in ("case_id", "output_sha256", "judge_config_hash")}
    write_queue(bench.root / "runs", "wire", [item("flip", **about)])
    bench.command("render", "r")
    assert [entry[0] for entry in index_of(file)["cases"] if entry[6]] == ["c01"]


def test_experiments_that_cannot_be_read_are_named_on_the_page(bench):
    suite = bench.suite()
    bench.run(suite)
    bench.command("stability", suite, "--runs", "2")
    next((bench.root / "runs" / "experiments").rglob("review_queue.jsonl")).write_text("{", encoding="utf-8")
    assert bench.command("render", "r").status == 0
    assert "review_queue.jsonl:1: cannot be read" in (bench.root / "runs" / "r" / "report.html").read_text(
        encoding="utf-8"
    )


def test_a_run_whose_files_do_not_hold_together_is_not_to_be_believed(bench):
    _, run = bench.run(bench.suite())
    report = run.folder / "report.json"
    report.write_text(report.read_text(encoding="utf-8").replace('"passed": 2', '"passed": 3', 1), encoding="utf-8")
    assert bench.command("render", "r").status == 0
    assert "do not hold together" in (run.folder / "report.html").read_text(encoding="utf-8")


def test_no_run_and_no_place_for_the_page_are_bad_input(bench):
    bench.run(bench.suite())
    assert bench.command("render", "nobody").status == 2
    ended = bench.command("render", "r", "--html", "no/such/folder/page.html")
    assert ended.status == 2
    assert "cannot be written" in ended.err
    assert "Name another file" in ended.err
    assert "--out" not in ended.err


def test_a_dash_is_no_file(bench):
    suite = bench.suite()
    bench.run(suite)
    for words in (
        ("render", "r", "--html", "-"),
        ("diff", "r", "r", "--html", "-"),
        ("compare", suite, "--outputs", "a", "--against", "b", "--html", "-"),
        ("accept", suite, "--export", "-"),
        ("gate", "r", "--junit", "-"),
    ):
        ended = bench.command(*words)
        assert ended.status == 2, words
        assert "name a file" in ended.err
    assert not (bench.root / "-").exists()


def test_a_diff_of_runs_whose_suite_is_gone_says_which_texts_its_page_lacks(bench):
    suite = bench.suite()
    bench.run(suite)
    suite.rename(bench.root / "moved")
    ended = bench.command("diff", "r", "r", "--html", "diff.html")
    assert ended.status == 0
    assert "note: questions and sources are missing: " in ended.err


def test_the_page_of_the_sample_run_is_what_render_makes_now(evalkit, monkeypatch, tmp_path):
    shutil.copytree(ROOT / "runs" / "sample", tmp_path / "runs" / "sample")
    monkeypatch.chdir(ROOT)  # the manifest names its suite from here
    ended = evalkit("render", "sample", "--out", tmp_path / "runs")
    assert (ended.status, ended.err) == (0, "")
    made, committed = unpacked(tmp_path / "runs" / "sample" / "report.html"), unpacked(ROOT / "runs/sample/report.html")
    assert '"places"' in made
    assert made == committed, "make it anew: evalkit render sample"


def test_a_run_without_scores_lists_less_and_says_so_and_a_torn_file_is_named(bench):
    _, run = bench.run(bench.suite())
    scores = run.folder / "scores.jsonl"
    whole = scores.read_bytes()
    scores.write_bytes(whole[:-10])
    ended = bench.command("render", "r")
    assert ended.status == 2
    assert "scores.jsonl" in ended.err
    scores.unlink()
    assert bench.command("render", "r").status == 0
    assert "scores.jsonl is missing" in (run.folder / "report.html").read_text(encoding="utf-8")
