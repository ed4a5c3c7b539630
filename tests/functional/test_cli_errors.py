"""Every error is a message and an exit status; only a bug leaves a traceback, in a file."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from fakes.command_line import CommandLine

from evalkit.cli import streams
from evalkit.cli.entry import run_and_exit
from evalkit.cli.exits import Exit, worst
from evalkit.errors import CacheError, Fault, InputError, ProviderError, RunStoreError, UsageError

SUITES = Path(__file__).parents[2] / "suites"


@pytest.fixture(autouse=True)
def _own_signals():
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def ending(error, capsys):
    def app():
        raise error

    with pytest.raises(SystemExit) as leaving:
        run_and_exit(app)
    return leaving.value.code, capsys.readouterr()


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (UsageError("name a suite"), Exit.BAD_INPUT),
        (RunStoreError("no run"), Exit.BAD_INPUT),
        (CacheError("locked"), Exit.UNREACHABLE),
        (PermissionError(13, "Permission denied", "runs"), Exit.BAD_INPUT),
        (KeyboardInterrupt(), Exit.INTERRUPTED),
        (SystemExit(3), Exit.INVALID),
        (SystemExit(None), Exit.DONE),
    ],
)
def test_an_error_has_its_exit_status_and_no_traceback(error, status, capsys):
    code, printed = ending(error, capsys)
    assert code == status
    assert "Traceback" not in printed.err


def test_every_fault_of_a_file_has_its_own_line(capsys):
    faults = [Fault(file="golden.jsonl", line=n, field="id", problem="expected text, got a number") for n in (1, 2)]
    _, printed = ending(InputError(faults), capsys)
    assert printed.err.splitlines() == [
        "evalkit: golden.jsonl:1: id: expected text, got a number",
        "evalkit: golden.jsonl:2: id: expected text, got a number",
    ]


@pytest.mark.parametrize(
    ("error", "kind", "status"),
    [
        (UsageError("name a suite"), "usage", 2),
        (RunStoreError("no run"), "run", 2),
        (CacheError("locked"), "cache", 69),
        (ProviderError("timeout", "no answer"), "provider", 69),
        (PermissionError(13, "Permission denied", "runs"), "file", 2),
        (KeyboardInterrupt(), "interrupted", 130),
    ],
)
def test_under_json_an_error_is_one_document_on_stdout(error, kind, status, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["evalkit", "run", "x", "--json"])
    code, printed = ending(error, capsys)
    found = json.loads(printed.out)["error"]
    assert (found["kind"], found["exit_status"], found["faults"], code) == (kind, status, [], status)
    assert found["message"]
    assert printed.err.startswith("evalkit: ")


def test_under_json_a_bug_is_one_document_too(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["evalkit", "run", "x", "--json"])
    code, printed = ending(ZeroDivisionError("x"), capsys)
    assert json.loads(printed.out)["error"]["kind"] == "bug"
    assert code == Exit.BUG


def test_under_json_every_fault_is_a_record_without_keys(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["evalkit", "plan", "--json"])
    monkeypatch.setenv("SHOP_API_KEY", "sk-CANARY-0123456789abcdef")
    fault = Fault(
        file="judge.yaml", line=3, field="params", problem="got sk-CANARY-0123456789abcdef", remedy="a number"
    )
    _, printed = ending(InputError([fault], total=7), capsys)
    found = json.loads(printed.out)["error"]
    assert (found["kind"], found["total_faults"]) == ("input", 7)
    assert found["faults"][0]["line"] == 3
    assert "CANARY" not in printed.out + printed.err


@pytest.mark.parametrize(
    "arguments", [["run", "--json"], ["show", "nope", "--json"], ["plan", "x", "--bad", "--json"], ["cache", "--json"]]
)
def test_bad_usage_under_json_is_one_document_too(arguments, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    ended = CommandLine(monkeypatch, capsys)(*arguments)
    assert (ended.status, ended.json["error"]["exit_status"]) == (2, 2)
    assert ended.err


def test_what_stands_behind_the_end_of_options_asks_for_nothing(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["evalkit", "show", "--", "--json"])
    _, printed = ending(UsageError("x"), capsys)
    assert printed.out == ""


def test_an_error_after_the_document_is_told_on_stderr_alone(capsys, monkeypatch):
    def late():
        streams.print_json({"done": True})
        raise KeyboardInterrupt

    monkeypatch.setattr(sys, "argv", ["evalkit", "run", "x", "--json"])
    with pytest.raises(SystemExit) as left:
        run_and_exit(late)
    printed = capsys.readouterr()
    assert (left.value.code, json.loads(printed.out)) == (Exit.INTERRUPTED, {"done": True})
    assert "interrupted" in printed.err


def closed(arguments, redirection, tmp_path):
    """Run evalkit in a shell that closes a stream."""
    line = f'exec "{sys.executable}" -m evalkit {arguments} {redirection}'
    return subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, check=False, cwd=tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="POSIX redirections")
@pytest.mark.parametrize(
    "arguments",
    [
        "--help",
        "schema golden",
        "cache info",
        "cache info --json",
        "show nope --json",
        pytest.param(f"constitution '{SUITES / 'gemstones'}'", id="constitution"),
    ],
)
def test_a_closed_standard_output_has_a_message_and_a_status_of_its_own(arguments, tmp_path):
    done = closed(arguments, ">&-", tmp_path)
    assert done.returncode == Exit.OUTPUT_LOST
    assert done.stderr.count("the standard output cannot be written") == 1
    assert "a file:" not in done.stderr
    assert "Traceback" not in done.stderr
    assert "bug" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="POSIX redirections")
def test_nothing_of_a_closed_standard_error_is_found_in_the_output(tmp_path):
    done = closed("show nope --json", "2>&- <&-", tmp_path)
    assert (done.returncode, json.loads(done.stdout)["error"]["exit_status"]) == (2, 2)
    assert closed("show nope", "2>&- >&-", tmp_path).returncode == Exit.BAD_INPUT


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["schema", "golden"], ["cache", "info"], ["constitution", str(SUITES / "gemstones")]],
    ids=lambda words: words[0],
)
def test_a_full_disk_behind_stdout_has_a_message_and_a_status_of_its_own(arguments, unbuffered, tmp_path):
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "evalkit", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            cwd=tmp_path,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )
    assert done.returncode == Exit.OUTPUT_LOST
    assert done.stderr.startswith("evalkit: the standard output cannot be written")
    assert len(done.stderr.splitlines()) == 1


def test_a_bug_leaves_a_file_with_the_traceback_and_a_short_message(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    code, printed = ending(ZeroDivisionError("of all things"), capsys)
    assert code == Exit.BUG
    assert "this is a bug in evalkit: ZeroDivisionError: of all things" in printed.err
    assert "Traceback" not in printed.err
    (file,) = tmp_path.iterdir()
    assert str(file) in printed.err
    assert "ZeroDivisionError: of all things" in file.read_text(encoding="utf-8")


def test_a_key_never_reaches_a_message_or_a_traceback_file(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("SHOP_API_KEY", "sk-CANARY-0123456789abcdef")
    _, printed = ending(ValueError("GET /?key=sk-CANARY-0123456789abcdef"), capsys)
    (file,) = tmp_path.iterdir()
    assert "CANARY" not in printed.err + printed.out + file.read_text(encoding="utf-8")


def test_untrusted_text_in_a_message_cannot_forge_a_line(capsys):
    _, printed = ending(UsageError("no case 'x\r\nevalkit: all passed\x1b[2J\n::error::y'"), capsys)
    assert len(printed.err.splitlines()) == 1
    assert "\x1b" not in printed.err
    assert "::error::" not in printed.err


def test_an_interruption_says_what_is_kept(capsys):
    _, printed = ending(KeyboardInterrupt(), capsys)
    assert "a rerun buys only what is missing" in printed.err


def test_of_several_runs_the_worst_status_counts():
    assert worst([0, 3, 1]) == Exit.FAILED
    assert worst([0, 3]) == Exit.INVALID
    assert worst([1, 130]) == Exit.INTERRUPTED
    assert worst([0, 0]) == Exit.DONE


def test_terminate_takes_the_way_of_an_interruption():
    program = (
        "import os, signal, time\nfrom evalkit.cli.entry import run_and_exit\n"
        "def app():\n os.kill(os.getpid(), signal.SIGTERM)\n time.sleep(600)\n"
        "run_and_exit(app)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == Exit.INTERRUPTED
    assert "interrupted" in done.stderr


def test_a_reader_that_goes_away_is_no_error_message(tmp_path):
    command = f"{sys.executable} -m evalkit run --help | true"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.stderr == ""


def test_the_exit_statuses_are_the_documented_ones():
    text = Path(__file__).resolve().parents[2].joinpath("docs", "commands.md").read_text(encoding="utf-8")
    documented = {int(number) for number in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)}
    assert documented == {int(status) for status in Exit}


@pytest.mark.skipif(os.name == "nt", reason="POSIX exit statuses")
def test_a_closed_pipe_has_the_status_that_shells_know():
    read, write = os.pipe()
    os.close(read)
    program = "from evalkit.cli.entry import run_and_exit\nrun_and_exit(lambda: print('x' * 200000))"
    process = subprocess.Popen([sys.executable, "-c", program], stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (Exit.PIPE_CLOSED, b"")


@pytest.mark.parametrize(("command", "bought"), [("label", False), ("review", False), ("run", True)])
def test_ctrl_c_speaks_of_bought_verdicts_only_where_something_is_bought(command, bought, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["evalkit", command, "x"])
    _, printed = ending(KeyboardInterrupt(), capsys)
    assert printed.err.startswith("evalkit: interrupted; ")
    assert ("bought" in printed.err) is bought
