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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fakes.chat_server import ChatServer
from fakes.command_line import spawn
from fakes.judged_suites import RunFolder, judged_suite, plan_case
from fakes.measuring import UNMEASURED
from fakes.reading_judge import judge

from evalkit.providers.reply_cache import open_cache
from evalkit.records.verdicts import Purchase, Reply, StoredReply

DB = Path(".evalkit/cache/cache.db")
posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX processes and limits")


@pytest.mark.slow
@pytest.mark.unmeasured
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
@pytest.mark.unmeasured
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
from evalkit.cli import main
arguments = sys.argv[1:]

def run(*more):
    sys.argv = ["evalkit", "run", *arguments, *more]
    try:
        main()
    except SystemExit as leaving:
        return leaving.code

if os.geteuid() == 0:  # root may write everywhere; once all modules are loaded nobody's rights are enough to run
    run("--cache", "warm-up", "--out", "warm-up")
    os.setgid(65534)
    os.setuid(65534)
sys.exit(run("--cache", "c", "--out", "out"))
"""


@dataclass(frozen=True)
class ReadOnly:
    """A run of four cases over a read-only cache that holds two of them."""

    done: subprocess.CompletedProcess[str]
    report: dict[str, Any]
    manifest: dict[str, Any]
    asked: int
    rescued: list[dict[str, Any]]
    """Lines of the files of rescued replies under the folder of runs."""


@pytest.fixture(scope="module")
def read_only():
    # Not in pytest's folder, which nobody else may enter.
    with tempfile.TemporaryDirectory() as name, ChatServer(judge) as server:
        root = Path(name)
        suite = judged_suite(root / "wire", server.url)
        assert spawn("run", suite, "--limit", "2", "--cache", "c", "--run-id", "first", cwd=root).status == 0
        settled(root / "c" / "cache.db")
        (root / "out").mkdir()
        for folder in (root, root / "out"):
            folder.chmod(0o777)
        for path in (*(root / "c").iterdir(), root / "c"):
            path.chmod(0o555)
        server.reset()
        command = [sys.executable, "-c", AS_SOMEBODY_ELSE, str(suite), "--run-id", "r"]
        done = subprocess.run(
            command, cwd=root, capture_output=True, text=True, check=False, env={**os.environ, **UNMEASURED}
        )
        (root / "c").chmod(0o755)
        assert done.returncode == 0, done.stderr
        run = RunFolder(root / "out" / "r")
        files = (root / "out").rglob("rescued-*.jsonl")
        rescued = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
        return ReadOnly(done, run.report, run.manifest, len(server.requests) - (0 if os.geteuid() else 4), rescued)


@posix
def test_a_read_only_cache_is_read_and_named(read_only):
    assert read_only.asked == 2
    assert read_only.report["rows"][0]["n"] == 4
    assert read_only.manifest["purchases"]["cache_hits"] == 2
    assert "read-only" in read_only.done.stderr
    assert any("read-only" in note for note in read_only.manifest["notes"])


@posix
def test_what_is_bought_over_a_read_only_cache_is_kept_in_the_run_folder(read_only):
    assert len(read_only.rescued) == 2


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
        env={**os.environ, **UNMEASURED},
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
