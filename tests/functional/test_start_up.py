"""What each command imports in a fresh process: nothing that it does not need, because every import is paid at every start."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
from fakes.acceptance import SHORT, write_spec
from fakes.command_line import modules_of
from fakes.judged_suites import write_judge
from fakes.small_suites import SUITE, case, write_suite

from evalkit import __main__ as start
from evalkit.cli.commands import COMMANDS
from evalkit.cli.exits import Exit

pytestmark = pytest.mark.unmeasured
CLIENTS = {"litellm", "openai", "aiohttp", "httpx", "tenacity"}
HEAVY = CLIENTS | {
    "jinja2",
    "jsonschema",
    "jsonschema_rs",
    "diskcache",
    "numpy",
    "scipy",
    "pandas",
    "hypothesis",
    "pytest",
}


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["run", "--help"], ["cache", "--help"], ["judge", "ping", "--help"]]
)
def test_help_imports_nothing_heavy_and_reads_no_yaml(tmp_path, arguments):
    loaded, ended = modules_of(*arguments, cwd=tmp_path)
    assert ended.status == 0
    assert loaded & (HEAVY | {"yaml", "regex", "asyncio", "evalkit.pipeline.run"}) == set()


@pytest.mark.parametrize("name", ["run", "cache", "judge"])
def test_the_modules_of_other_commands_are_not_imported(tmp_path, name):
    loaded, _ = modules_of(name, "--help", cwd=tmp_path)
    assert {module for module in loaded if module.removeprefix("evalkit.cli.") in COMMANDS} <= {
        f"evalkit.cli.{name}",
        *({"evalkit.cli.gate"} if name == "run" else ()),  # whose options a gated run shares
    }


def test_check_without_a_schema_reads_no_schema_library(tmp_path):
    loaded, ended = modules_of("check", write_suite(tmp_path / "shop"), cwd=tmp_path)
    assert ended.status == 0, ended.out
    assert loaded & HEAVY == set()


def test_check_of_a_suite_with_a_judge_imports_no_client(tmp_path):
    suite = write_suite(tmp_path / "shop", suite=SUITE + "judge: judge.yaml\n")
    write_judge(suite / "judge.yaml", "http://127.0.0.1:9/v1", client="litellm", model="openai/m")
    loaded, ended = modules_of("check", suite, cwd=tmp_path)
    assert ended.status == 0, ended.out
    assert loaded & HEAVY == set()


def test_check_of_a_suite_with_a_schema_reads_the_schema_library_and_no_client(tmp_path):
    structured = "  - name: structured\n    scorers:\n      - {scorer: json_schema}\n"
    golden = [case("c1", capabilities=["structured"], expected={"json_schema": {"type": "object"}})]
    suite = write_suite(tmp_path / "shop", golden=golden, suite=SUITE + structured)
    loaded, ended = modules_of("check", suite, cwd=tmp_path)
    assert ended.status == 0, ended.out
    assert loaded & CLIENTS == set()


def test_init_and_schema_import_no_client(tmp_path):
    for arguments in (["init", "mine"], ["schema", "golden"]):
        loaded, ended = modules_of(*arguments, cwd=tmp_path)
        assert ended.status == 0
        assert loaded & HEAVY == set()


def test_a_run_of_the_floor_imports_no_client_and_opens_no_cache(tmp_path):
    loaded, ended = modules_of("run", write_suite(tmp_path / "shop"), "--run-id", "r", cwd=tmp_path)
    assert ended.status == 0, ended.err
    assert loaded & (CLIENTS | {"diskcache", "jinja2", "jsonschema", "urllib.request", "ssl", "asyncio"}) == set()


def test_a_plan_imports_no_client(tmp_path):
    suite = write_suite(tmp_path / "shop", suite=SUITE + "judge: judge.yaml\n")
    write_judge(suite / "judge.yaml", "http://127.0.0.1:9/v1")
    loaded, ended = modules_of("plan", suite, cwd=tmp_path)
    assert ended.status == 0, ended.err
    assert loaded & (CLIENTS | {"diskcache"}) == set()


@pytest.mark.parametrize("arguments", [["show", "r"], ["show", "r", "c2"], ["show", "r", "--failed"]])
def test_showing_a_run_imports_no_client(tmp_path, arguments):
    modules_of("run", write_suite(tmp_path / "shop"), "--run-id", "r", cwd=tmp_path)
    loaded, ended = modules_of(*arguments, cwd=tmp_path)
    assert ended.status == 0, ended.err
    assert loaded & HEAVY == set()


def test_the_openai_wire_needs_no_litellm(bench):
    suite = bench.suite(golden=1)
    loaded, ended = modules_of("run", suite, "--run-id", "r", cwd=bench.root)
    assert ended.status == 0, ended.err
    assert "aiohttp" in loaded
    assert loaded & {"litellm", "openai", "httpx"} == set()


def test_acceptance_by_code_alone_imports_no_client_and_no_event_loop(tmp_path):
    suite = write_suite(tmp_path / "shop")
    spec = write_spec(tmp_path, SHORT)
    loaded, ended = modules_of("accept", suite, "--spec", spec, "--quiet", cwd=tmp_path)
    assert ended.status == 1, ended.err
    assert loaded & (HEAVY | {"asyncio"}) == set()


def test_the_library_of_classifiers_imports_no_client():
    command = "import sys, evalkit.classifiers; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True).stdout.split()
    assert set(loaded) & (HEAVY | {"asyncio", "yaml", "regex"}) == set()


def test_a_judged_run_imports_nothing_of_what_it_has_not(bench):
    """Calibration, ledger, baseline, experiments, other commands' stages: records are what importing costs most for."""
    suite = bench.suite(golden=1)
    bench.run(suite)
    loaded, ended = modules_of("run", suite, "--run-id", "again", cwd=bench.root)
    assert ended.status == 0, ended.err
    rooms = {
        name for name in loaded if re.match(r"evalkit\.(calibration|experiments|acceptance|labelling|rundiff)\b", name)
    }
    records = {f"evalkit.records.{name}" for name in ("trust", "baselines", "experiments", "calibrations", "labels")}
    assert rooms | loaded & (records | CLIENTS | {"asyncio", "diskcache"}) == set()


def test_a_look_at_the_cache_imports_no_stage_of_a_run(tmp_path):
    loaded, ended = modules_of("cache", "info", "--cache", "none", cwd=tmp_path)
    assert ended.status == 0, ended.err
    rooms = {name for name in loaded if re.match(r"evalkit\.(pipeline|loading|judging|validation|scoring)\b", name)}
    assert rooms | loaded & (HEAVY | {"yaml"}) == set()


def test_looking_at_stored_runs_imports_nothing_of_what_made_them(tmp_path):
    suite = write_suite(tmp_path / "shop")
    for name in ("one", "two"):
        modules_of("run", suite, "--run-id", name, cwd=tmp_path)
    for arguments in (["show", "one"], ["diff", "one", "two"]):
        loaded, ended = modules_of(*arguments, cwd=tmp_path)
        assert ended.status == 0, ended.err
        rooms = {n for n in loaded if re.match(r"evalkit\.(pipeline|loading|scoring|validation|calibration)\b", n)}
        assert rooms | loaded & (HEAVY | {"yaml", "regex", "asyncio"}) == set()


INTERRUPTED = """
import sys

class Interruption:
    def find_spec(self, name, *_):
        if name == {module!r}:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interruption())
sys.argv = ["evalkit", "run", "suites/x", *{options!r}]
from evalkit.__main__ import main
main()
"""


@pytest.mark.parametrize("module", ["typer", "evalkit.cli", "evalkit.cli.entry"])
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_an_interruption_while_modules_are_read_is_one_line_and_130(tmp_path, module, options):
    script = INTERRUPTED.format(module=module, options=options)
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "evalkit: interrupted\n")
    if options:
        assert json.loads(done.stdout)["error"]["kind"] == "interrupted"
    else:
        assert done.stdout == ""


def test_the_status_of_an_interruption_is_the_documented_one():
    assert start.INTERRUPTED == Exit.INTERRUPTED
