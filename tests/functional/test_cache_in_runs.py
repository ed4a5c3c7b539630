"""The verdict cache under runs: many processes, damaged, locked, read-only and full files, planted code, and what makes a key."""

from __future__ import annotations

import json
import os
import pickle
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml
from fakes.chat_server import ChatServer
from fakes.command_line import spawn
from fakes.judged_suites import SUITE, RunFolder, alternating, ids, judged_suite, plan_case, right, write_judge
from fakes.reading_judge import judge

from evalkit.providers.reply_cache import open_cache
from evalkit.records.verdicts import Purchase, Reply, StoredReply

DB = Path(".evalkit/cache/cache.db")
posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX processes and limits")


@pytest.mark.slow
def test_eight_processes_share_one_fresh_cache(bench):
    suite = bench.suite(golden=50)

    def one(number: int):
        return spawn("run", suite, "--cache", "shared", "--run-id", f"r{number}", cwd=bench.root)

    with ThreadPoolExecutor(8) as pool:
        endings = list(pool.map(one, range(8)))
    for number, ended in enumerate(endings):
        assert ended.status == 0, ended.err
        assert "Traceback" not in ended.err
        run = RunFolder(bench.root / "runs" / f"r{number}")
        assert (run.report["health"]["verdicts"], run.row("F1")["n"]) == (50, 50)
        assert run.manifest["notes"] == []
    assert len({json.dumps(RunFolder(bench.root / "runs" / f"r{n}").report) for n in range(8)}) == 1
    assert bench.command("cache", "verify", "--cache", "shared", "--json").json["sound"] == 50
    bench.calls()
    bench.run(suite, "--cache", "shared")
    assert bench.calls() == []


def garbage(file: Path) -> None:
    file.write_bytes(os.urandom(8192))


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def cut_in_half(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])


def flipped_bytes(file: Path) -> None:
    content = bytearray(file.read_bytes())
    for position in range(4096, len(content), 512):
        content[position] ^= 0xFF
    file.write_bytes(bytes(content))


def a_text(file: Path) -> None:
    file.write_text("not a database at all\n" * 100, encoding="utf-8")


def somebody_elses(file: Path) -> None:
    file.unlink()
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE theirs (x)")
        connection.execute("INSERT INTO theirs VALUES (1)")


def settled(file: Path) -> None:
    """Bring everything from the log into the file, so that damaging the file damages the replies."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@pytest.mark.parametrize("damage", [garbage, emptied, cut_in_half, flipped_bytes, a_text, somebody_elses])
def test_a_cache_in_any_state_is_named_stops_no_run_and_keeps_what_is_bought_next(bench, damage):
    suite = bench.suite()
    bench.run(suite)
    settled(bench.root / DB)
    damage(bench.root / DB)
    bench.calls()
    ended, run = bench.run(suite)
    bought = len(bench.calls())
    assert run.row("F1")["n"] == 4
    assert any("cache.db" in note for note in run.manifest["notes"])
    assert "cache.db" in ended.err
    _, again = bench.run(suite)
    assert bench.calls() == []
    assert again.stable_bytes == run.stable_bytes
    assert again.bought["cache_hits"] == 4
    assert bought <= 4


@pytest.mark.slow
def test_a_locked_cache_is_waited_for_named_and_loses_nothing(bench):
    suite = bench.suite()
    other = bench.suite("other", golden=[plan_case("c09")])
    bench.run(other)
    with closing(sqlite3.connect(bench.root / DB, isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        ended, run = bench.spawn(suite)
        holder.execute("ROLLBACK")
    assert run.row("F1")["n"] == 4
    assert "locked" in ended.err
    bench.calls()
    bench.run(suite)
    assert bench.calls() == []
    rescued = list((bench.root / DB).parent.glob("rescued-*.jsonl"))
    assert len(rescued) == 1
    assert bench.command("cache", "import", rescued[0]).status == 0
    rescued[0].unlink()
    bench.run(suite)
    assert bench.calls() == []


AS_SOMEBODY_ELSE = """\
import os, sys
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
from evalkit.cli import main
main()
"""


@posix
def test_a_read_only_cache_is_read_and_the_run_says_that_it_keeps_nothing():
    # Not pytest's folder: nobody else may enter that, and root may write everywhere.
    with tempfile.TemporaryDirectory() as name, ChatServer(judge) as server:
        root = Path(name)
        suite = judged_suite(root / "wire", server.url)
        assert spawn("run", suite, "--limit", "2", "--cache", "c", "--run-id", "r", cwd=root).status == 0
        settled(root / "c" / "cache.db")
        for path in (root / "c").iterdir():
            path.chmod(0o444)
        (root / "c").chmod(0o555)
        (root / "out").mkdir()
        for folder in (root, root / "out"):
            folder.chmod(0o777)
        server.reset()
        done = subprocess.run(
            [sys.executable, "-c", AS_SOMEBODY_ELSE, "run", suite, "--cache", "c", "--out", "out", "--run-id", "r"],
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "COVERAGE_PROCESS_START": "", "COVERAGE_PROCESS_CONFIG": ""},
        )
        (root / "c").chmod(0o755)
        assert done.returncode == 0, done.stderr
        assert len(server.requests) == 2
        assert "read-only" in done.stderr
        assert RunFolder(root / "out" / "r").row("F1")["n"] == 4
        assert any("read-only" in note for note in RunFolder(root / "out" / "r").manifest["notes"])


FULL = """\
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
size = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
from evalkit.cli import main
main()
"""


@posix
def test_a_full_disk_under_the_cache_is_named_and_loses_no_verdict_of_the_run(bench):
    suite = bench.suite(golden=24)
    bench.run(bench.suite("other", golden=[plan_case(f"d{number:03}") for number in range(60)]))
    settled(bench.root / DB)
    size = (bench.root / DB).stat().st_size
    assert size > 100_000, "the cache must be larger than any file that the run itself writes"
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(size), "run", str(suite), "--run-id", "r"],
        cwd=bench.root,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COVERAGE_PROCESS_START": "", "COVERAGE_PROCESS_CONFIG": ""},
    )
    assert done.returncode == 0, done.stderr
    run = RunFolder(bench.root / "runs" / "r")
    assert run.row("F1")["n"] == 24
    bench.calls()
    _, again = bench.run(suite)
    assert bench.calls() == []
    assert again.stable_bytes == run.stable_bytes


class Planted:
    """Writes a file when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return os.system, (f"touch '{self.marker}'",)


def test_a_planted_pickle_does_not_run_and_its_verdict_is_bought_again(bench):
    suite = bench.suite()
    bench.run(suite)
    marker = bench.root / "ran"
    code = pickle.dumps(Planted(marker))
    with closing(sqlite3.connect(bench.root / DB)) as connection, connection:
        (key,) = connection.execute("SELECT key FROM Cache WHERE key != 'evalkit:schema' LIMIT 1").fetchone()
        connection.execute("UPDATE Cache SET mode = 4, value = ? WHERE key = ?", (code, key))
        connection.execute(
            "INSERT INTO Cache (key, raw, store_time, access_time, access_count, tag, size, mode, value)"
            " VALUES (?, 0, 0, 0, 0, NULL, 0, 4, ?)",
            (code, code),
        )
    bench.calls()
    ended, run = bench.spawn(suite)
    assert len(bench.calls()) == 1
    assert "damaged" in ended.err
    assert run.row("F1")["n"] == 4
    for command in ("info", "verify", "export"):
        bench.command("cache", command, *(["x.jsonl"] if command == "export" else []))
    assert not marker.exists()


def test_an_entry_that_todays_checks_refuse_is_bought_again_and_replaced(bench):
    suite = bench.suite()
    _, run = bench.run(suite)
    stale = StoredReply(reply=Reply(text="I would say that it passes."), purchase=Purchase(tries=1))
    cache = open_cache(bench.root / ".evalkit/cache", pytest.fail)
    cache.put(run.verdict_of("c02")["request_key"], stale)
    cache.close()
    bench.calls()
    _, again = bench.run(suite)
    assert bench.calls() == ["c02"]
    assert again.stable_bytes == run.stable_bytes
    bench.run(suite)
    assert bench.calls() == []


def test_the_cache_folder_can_be_named_by_option_and_by_environment(bench, monkeypatch):
    suite = bench.suite()
    bench.run(suite, "--cache", "named")
    bench.calls()
    monkeypatch.setenv("EVALKIT_CACHE_DIR", "named")
    bench.run(suite)
    assert bench.calls() == []
    assert not (bench.root / ".evalkit").exists()


def test_a_run_of_the_floor_makes_no_cache(bench):
    suite = bench.suite()
    (suite / "judge.yaml").write_text("client: floor\n", encoding="utf-8")
    bench.run(suite)
    assert not (bench.root / ".evalkit").exists()


# What makes a key ----------------------------------------------------------------------------------------------------

RUBRIC = Path(__file__).resolve().parents[2] / "rubrics" / "faithfulness.yaml"
CASES = 3


def suite_with(bench, *, golden=None, outputs=None, suite=None, rubric: str = "", **settings):
    """Write the suite anew with its own copy of a rubric; everything else as given."""
    folder = bench.suite(golden=golden or CASES, outputs=outputs, suite=suite, **settings)
    (folder / "rubrics").mkdir(exist_ok=True)
    text = RUBRIC.read_text(encoding="utf-8")
    (folder / "rubrics" / "faithfulness.yaml").write_text(rubric or text, encoding="utf-8")
    return folder


def cases(**fields):
    return [plan_case(name, **fields) for name in ids(CASES)]


def answers(**fields):
    return {"candidate": [line | fields for line in alternating(ids(CASES))]}


def rubric_text(old: str, new: str) -> str:
    text = RUBRIC.read_text(encoding="utf-8")
    assert old in text
    return text.replace(old, new, 1)


def other_context(text: str):
    return [{**case, "context": [{**case["context"][0], "text": case["context"][0]["text"] + text}]} for case in cases()]


ASKS_AGAIN: dict[str, dict[str, Any]] = {
    "model": {"model": "another-judge"},
    "endpoint": {"endpoint": "another gateway"},
    "temperature": {"params": {"temperature": 0.5}},
    "no temperature": {"params": {"temperature": None}},
    "max_tokens": {"params": {"max_tokens": 2048}},
    "seed": {"params": {"seed": 1}},
    "a parameter of the provider": {"params": {"extra": {"top_p": 0.9}}},
    "whether the schema is sent": {"structured_output": False},
    "a rubric's question": {"rubric": rubric_text("Is every factual claim", "Is each factual claim")},
    "a rubric's pass condition": {"rubric": rubric_text("however\n      plausible", "even if\n      plausible")},
    "a rubric's example": {"rubric": rubric_text("Enterprise plans get 45 days", "Team plans get 45 days")},
    "a criterion's id": {"rubric": rubric_text("id: F3", "id: F4")},
    "whether a criterion is critical": {"rubric": rubric_text("critical: true", "critical: false")},
    "a grade's definition": {"rubric": rubric_text("claims_rule: all_supported\n", "partial: only some\n")},
    "the question": {"golden": [{**case, "input": case["input"] + " Exactly?"} for case in cases()]},
    "a context's text": {"golden": other_context(" Prices exclude tax.")},
    "a context's id": {
        "golden": [{**case, "context": [{**case["context"][0], "id": f"other/{case['id']}"}]} for case in cases()]
    },
    "another document": {"golden": [{**case, "context": [*case["context"], {"id": "x", "text": "More."}]} for case in cases()]},
    "evidence": {"golden": cases(evidence={"price": 10})},
    "the answer": {"outputs": {"candidate": [line | {"text": line["text"] + " "} for line in alternating(ids(CASES))]}},
    "the answer's unseen characters": {
        "outputs": {"candidate": [line | {"text": "\u200b" + line["text"]} for line in alternating(ids(CASES))]}
    },
    "the citations field": {"outputs": answers(citations=["plans/none"])},
}


@pytest.mark.parametrize("change", ASKS_AGAIN)
def test_what_the_judge_would_see_otherwise_is_asked_again(bench, change):
    bench.run(suite_with(bench))
    bench.calls()
    bench.run(suite_with(bench, **ASKS_AGAIN[change]), status=None)
    assert set(bench.calls()) == set(ids(CASES))


ASKS_NOTHING: dict[str, dict[str, Any]] = {
    "nothing": {},
    "calls in flight": {"max_in_flight": 1},
    "time-out": {"timeout_s": 5.0},
    "retries": {"backoff": {"tries": 1}},
    "rate": {"rate": {"rpm": 100000}},
    "prices": {"prices": {"input": 1.0, "output": 1.0}},
    "the judge's family": {"family": "some"},
    "the expected answer": {"golden": cases(expected={"answer": "10 dollars"})},
    "what the judge is expected to say": {"golden": cases(judge_expect={"F1": "pass"})},
    "tags and notes": {"golden": cases(tags=["adversarial"], meta={"cluster": "x"})},
    "order of the golden set": {"golden": cases()[::-1]},
    "order of the outputs": {"outputs": {"candidate": alternating(ids(CASES))[::-1]}},
    "names of cases": {
        "golden": [{**case, "id": f"renamed-{case['id']}"} for case in cases()],
        "outputs": {"candidate": [line | {"case_id": f"renamed-{line['case_id']}"} for line in alternating(ids(CASES))]},
    },
    "latency and usage of the candidate": {"outputs": answers(latency_ms=5, usage={"input_tokens": 1, "output_tokens": 1})},
    "attempt": {"outputs": answers(attempt=2)},
    "name of the candidate": {"outputs": {"somebody": alternating(ids(CASES))}},
    "name of the suite": {"suite": {**SUITE, "name": "renamed"}},
    "name of the capability": {
        "suite": {**SUITE, "capabilities": [{"name": "truth", "judge": [{"rubric": "faithfulness"}]}]},
        "golden": cases(capabilities=["truth"]),
    },
    "budgets": {"suite": {**SUITE, "budgets": {"judge_error": 0.5}}},
    "scorers beside the judge": {
        "suite": {
            **SUITE,
            "capabilities": [{"name": "faithfulness", "scorers": [{"scorer": "citations"}], "judge": [{"rubric": "faithfulness"}]}],
        }
    },
    "comments and layout of the rubric": {"rubric": "# a comment\n\n" + RUBRIC.read_text(encoding="utf-8")},
    "the rubric's weights": {"rubric": rubric_text("critical: true\n", "critical: true\n    weight: 3\n")},
    "the floor's rule": {"rubric": RUBRIC.read_text(encoding="utf-8").replace("    floor: claims\n", "")},
}


@pytest.mark.parametrize("change", ASKS_NOTHING)
def test_what_the_judge_would_see_the_same_is_not_asked_again(bench, change):
    bench.run(suite_with(bench))
    bench.calls()
    for path in (bench.root / "wire" / "outputs").rglob("*"):
        if path.is_file():
            path.unlink()
    for path in (bench.root / "wire" / "outputs").iterdir():
        path.rmdir()
    bench.run(suite_with(bench, **ASKS_NOTHING[change]), run_id="again")
    assert bench.calls() == []


def test_an_address_that_moves_behind_a_named_endpoint_is_the_same_judge(bench):
    suite = bench.suite(endpoint="gateway")
    bench.run(suite)
    bench.calls()
    with ChatServer(judge) as elsewhere:
        write_judge(suite / "judge.yaml", elsewhere.url, endpoint="gateway")
        bench.run(suite)
        assert elsewhere.requests == []


def test_an_unnamed_address_is_another_judge(bench):
    suite = bench.suite()
    bench.run(suite)
    with ChatServer(judge) as elsewhere:
        write_judge(suite / "judge.yaml", elsewhere.url)
        bench.run(suite)
        assert len(elsewhere.requests) == 4


def test_more_samples_buy_only_the_new_ones(bench):
    suite = bench.suite()
    bench.run(suite)
    bench.calls()
    _, run = bench.run(suite, "--samples", "3")
    assert sorted(bench.calls()) == sorted(ids(4) * 2)
    assert run.bought["cache_hits"] == 4


def test_one_more_case_buys_one_more_verdict(bench):
    bench.run(bench.suite(golden=4))
    bench.calls()
    bench.run(bench.suite(golden=5))
    assert bench.calls() == ["c04"]


def test_the_parts_of_a_request_cannot_run_into_each_other(bench):
    """Moving a sentence from the question into a source, or from one source into the next, is another request."""
    one = {**plan_case("c00"), "context": [{"id": "a", "text": "x"}, {"id": "b", "text": "y"}]}
    two = {**one, "id": "c01", "context": [{"id": "a", "text": "xy"}, {"id": "b", "text": ""}]}
    three = {**one, "id": "c02", "context": [{"id": "a", "text": "x\n"}, {"id": "b", "text": "y"}]}
    outputs = {"candidate": [{**right("c00"), "case_id": f"c0{number}"} for number in range(3)]}
    _, run = bench.run(bench.suite(golden=[one, two, three], outputs=outputs))
    assert len(bench.calls()) == 3
    assert len({line["request_key"] for line in run.verdicts}) == 3


def test_a_suite_that_names_its_judge_file_elsewhere_asks_that_judge(bench):
    suite = bench.suite()
    write_judge(bench.root / "mine.yaml", bench.server.url, model="mine")
    _, run = bench.run(suite, "--judge", "mine.yaml")
    assert {received.body["model"] for received in bench.server.requests} == {"mine"}
    assert run.report["judges"][0]["judge"] == "mine"
    assert yaml.safe_load((suite / "judge.yaml").read_text(encoding="utf-8"))["model"] == "test-judge"
