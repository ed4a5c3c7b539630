"""A wheel, built and installed elsewhere: what a user gets without this checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.slow


def run(*command: object, cwd: Path, status: int | None = 0, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command outside this checkout and outside its environment."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "COVERAGE", "VIRTUAL_ENV", "EVALKIT"))}
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=clean | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert status is None or done.returncode == status, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT, cwd=out)
    (file,) = out.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Return the evalkit command of a fresh environment: the wheel, and this environment's other packages behind it."""
    home = tmp_path_factory.mktemp("elsewhere") / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", home, cwd=home.parent)
    binaries = home / ("Scripts" if sys.platform == "win32" else "bin")
    run(
        sys.executable,
        "-m",
        "pip",
        "--python",
        binaries / "python",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        wheel,
        cwd=home,
    )
    # A line of a .pth file adds a folder without reading the .pth files in it, so this checkout stays out of sight.
    (site,) = home.glob("lib/python*/site-packages") if sys.platform != "win32" else home.glob("Lib/site-packages")
    (site / "others.pth").write_text(sysconfig.get_paths()["purelib"] + "\n", encoding="utf-8")
    return binaries


def test_the_wheel_holds_the_package_its_rubrics_and_its_starter_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"evalkit"}
    shipped = {Path(name).name for name in names if name.startswith("evalkit/shipped/rubrics/")}
    assert shipped == {path.name for path in (ROOT / "rubrics").glob("*.yaml")}
    assert "evalkit/loading/starter_suite/suite.yaml" in names
    ours = [name for name in names if Path(name).name.startswith("test_") or "tests/" in name]
    assert not [name for name in names if name in ours or name.endswith((".pyc", ".db")) or "runs/" in name]


def test_the_package_comes_from_the_wheel(installed, tmp_path):
    place = run(installed / "python", "-c", "import evalkit; print(evalkit.__file__)", cwd=tmp_path).stdout
    assert str(installed.parent) in place
    assert str(ROOT) not in place


def test_init_check_plan_run_show_and_render_work_from_anywhere(installed, tmp_path):
    evalkit = installed / "evalkit"
    run(evalkit, "init", "mine", cwd=tmp_path)
    run(evalkit, "check", "mine", cwd=tmp_path)
    run(evalkit, "plan", "mine", cwd=tmp_path)
    ended = run(evalkit, "run", "mine", "--run-id", "first", cwd=tmp_path, status=None)
    assert ended.returncode in {0, 1}, ended.stderr
    rows = json.loads((tmp_path / "runs/first/report.json").read_text(encoding="utf-8"))["rows"]
    assert {"F1", "F2", "F3"} <= {row["criterion"] for row in rows}
    assert "floor, not a model" in run(evalkit, "show", "latest", cwd=tmp_path).stdout
    run(evalkit, "render", "latest", cwd=tmp_path)
    assert (tmp_path / "runs/first/report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    run(installed / "python", "-m", "evalkit", "--version", cwd=tmp_path)


def test_every_shipped_rubric_is_found_by_its_name(installed, tmp_path):
    evalkit = installed / "evalkit"
    run(evalkit, "init", "mine", cwd=tmp_path)
    names = sorted(path.stem for path in (ROOT / "rubrics").glob("*.yaml"))
    uses = "".join(f"  - name: {name}\n    judge: [{{rubric: {name}}}]\n    cases: {{all: true}}\n" for name in names)
    (tmp_path / "mine/suite.yaml").write_text(f"name: mine\ncapabilities:\n{uses}", encoding="utf-8")
    found = json.loads(run(evalkit, "check", "mine", "--json", cwd=tmp_path).stdout)
    assert found["summary"]["rubrics"] == names
    assert found["faults"] == []


def test_a_model_server_is_reached_from_the_wheel_too(installed, tmp_path, bench):
    suite = bench.suite()
    run(installed / "evalkit", "run", suite, "--run-id", "r", cwd=tmp_path)
    assert sorted(bench.calls()) == ["c00", "c01", "c02", "c03"]
