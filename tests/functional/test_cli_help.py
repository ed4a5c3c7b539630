"""Help, version and start-up: nothing heavy is imported before a command runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from fakes.command_line import CommandLine, commands

from evalkit import __version__, cli
from evalkit.cli.commands import COMMANDS as SUMMARIES
from evalkit.cli.commands import load

COMMANDS = sorted(commands())
HEAVY = (
    "litellm",
    "openai",
    "aiohttp",
    "httpx",
    "jinja2",
    "jsonschema",
    "jsonschema_rs",
    "diskcache",
    "regex",
    "tenacity",
    "asyncio",
)


@pytest.fixture
def evalkit(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    return CommandLine(monkeypatch, capsys)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_explains_itself_with_an_example(evalkit, command):
    ended = evalkit(*command, "--help")
    assert ended.status == 0
    assert f"evalkit {' '.join(command)}" in ended.out.split("Example:")[1]


@pytest.mark.parametrize("command", [c for c in COMMANDS if c != ("schema",)], ids=" ".join)
def test_every_command_speaks_json(evalkit, command):
    assert "--json" in evalkit(*command, "--help").out


@pytest.mark.parametrize("name", SUMMARIES)
def test_the_list_of_commands_says_what_each_says_of_itself(name):
    assert " ".join(load(name).help.split()).startswith(SUMMARIES[name].removesuffix("."))


def test_every_module_that_defines_a_command_is_listed(evalkit):
    folder = Path(cli.__file__).parent
    defining = {
        p.stem for p in folder.glob("*.py") if re.search(r"^(EXAMPLES = |app = )", p.read_text("utf-8"), re.MULTILINE)
    }
    assert defining - {"__init__", "label_start"} == set(SUMMARIES)
    listed = re.findall(
        r"^  (\w+) ", evalkit("--help").out.partition("Commands:")[2].partition("Example:")[0], re.MULTILINE
    )
    assert listed == list(SUMMARIES)


def test_a_typing_mistake_is_answered_with_what_comes_near(evalkit):
    ended = evalkit("chek")
    assert ended.status == 2
    assert "Did you mean 'check'" in ended.err


def test_the_version_is_printed(evalkit):
    assert evalkit("--version").out == f"evalkit {__version__}\n"


def test_no_command_at_all_is_help_and_bad_usage(evalkit):
    ended = evalkit()
    assert ended.status == 2
    assert "Commands:" in ended.out + ended.err


@pytest.mark.parametrize("arguments", [["run"], ["run", "x", "--nonsense"], ["nonsense"], ["run", "x", "--limit", "0"]])
def test_bad_usage_is_exit_status_2_without_a_traceback(evalkit, arguments):
    ended = evalkit(*arguments)
    assert ended.status == 2
    assert "Error" in ended.err
    assert "Traceback" not in ended.err


def test_help_imports_nothing_heavy():
    program = "import sys; sys.argv = ['evalkit', '--help']\ntry:\n import evalkit.cli; evalkit.cli.main()\nexcept SystemExit: pass\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "evalkit.cli" in loaded
    assert not loaded & set(HEAVY)


@pytest.mark.parametrize(
    "command",
    [c for c in COMMANDS if c[0] in {"accept", "stability", "drift", "bias", "battery"} or c == ("judge", "test")],
    ids=" ".join,
)
def test_a_command_of_one_candidate_does_not_ask_for_several(evalkit, command):
    said = " ".join(evalkit(*command, "--help").out.split())
    assert "Repeat it for several candidates" not in said
    assert ("Given twice" if command == ("bias", "family") else "one candidate") in said or "--outputs" not in said
