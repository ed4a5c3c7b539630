"""What the documentation tells a reader to type is typed here; what it names exists.

Examples are run in a folder in which the names they use mean something: `suites/support_rag`, a `judge.yaml` that asks a server on
the loopback, finished runs. Commands with a placeholder (SUITE, DIR, ...) are read: the command and each of its options exist.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fakes.command_line import commands
from fakes.external_verdicts import repeated_pairs
from fakes.judged_suites import write_judge
from fakes.labels import label_line, write_labels
from fakes.reading_judge import judge
from rich.cells import cell_len

from evalkit.reporting.page import MARGIN, PIPED_TABLE_CELLS

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("suites/*/README.md")])
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
KEYS_NEEDED = "needs a terminal"
pytestmark = pytest.mark.unmeasured
OUTCOMES = {"accept": {0, 1, 3}, "run": {0, 1, 3}, "gate": {0, 1, 3}, "diff": {0, 4}, "judge": {0, 1}}
"""Exit statuses that are no mistake of the documentation's; 0 elsewhere."""
PLACEHOLDER = re.compile(r"\b[A-Z]{2,}\b(?!\.)|<|\[|\.\.\.|…")


def fenced(text: str) -> Iterator[str]:
    """Yield the lines of shell blocks, fenced or indented."""
    for block in re.findall(r"^```(?:sh|bash|shell|console)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        yield from block.splitlines()
    yield from re.findall(r"^ {4}((?:\.venv/bin/)?evalkit .*)$", text, re.MULTILINE)


def typed(line: str) -> Iterator[list[str]]:
    """Yield the commands of evalkit in a line: without prompt, comment, redirection and the environment's folder."""
    for command in line.strip().removeprefix("$ ").replace("\\|", "|").split(" && "):
        found = shlex.split(command, comments=True)
        if found and Path(found[0]).name == "evalkit":
            yield ["evalkit", *(found[1 : found.index(">")] if ">" in found else found[1:])]


def examples(page: Path) -> list[list[str]]:
    """Return the commands of a page that a reader can type as they stand."""
    lines = [command for line in fenced(page.read_text(encoding="utf-8")) for command in typed(line)]
    return [command for command in lines if not PLACEHOLDER.search(" ".join(command))]


def mentions(page: Path) -> set[str]:
    """Return every command of evalkit that a page names, with or without placeholders."""
    text = page.read_text(encoding="utf-8")
    inline = re.findall(r"`((?:\.venv/bin/)?evalkit [^`]+)`", text)
    return {" ".join(command) for line in [*inline, *fenced(text)] for command in typed(line)}


def asks_for_keys(line: list[str]) -> bool:
    """Tell whether a command asks somebody in front of a terminal, who is not here."""
    return line[1] == "label" and line[2] not in {"export", "import"} and "--plan" not in line


def laid_out(line: list[str], out: str) -> list[str]:
    """Return the lines that evalkit lays out itself: no document for a machine, no text that is quoted as it is."""
    if line[1] in {"schema", "constitution"} or {"--json", "--help"} & set(line):
        return []
    return [text for text in out.splitlines() if not text.startswith(MARGIN)]


COMMANDS = commands()


@pytest.fixture
def workshop(bench, tmp_path_factory):
    """Return a folder in which the examples' names mean something.

    Every process that runs tests makes it once and copies it: the endpoint is named, so that what was bought from one server is
    found again under another server's address.
    """
    made = tmp_path_factory.getbasetemp() / "workshop"
    if made.exists():
        shutil.copytree(made, bench.root, dirs_exist_ok=True)
        write_judges(bench)
    else:
        furnish(bench)
        shutil.copytree(bench.root, made)
    bench.server.reply = judge
    return bench


def write_judges(bench):
    """Write the judge files that the examples name."""
    prices = {"input": 2.5, "output": 10.0}
    write_judge(bench.root / "judge.yaml", bench.server.url, endpoint="loopback", prices=prices)
    write_judge(
        bench.root / "second.yaml", bench.server.url, endpoint="loopback", model="other-judge", family="another"
    )


def furnish(bench):
    """Write suites, verdicts, labels and runs into the bench's folder."""
    for name in (*(f"suites/{suite.name}" for suite in (ROOT / "suites").iterdir()), "examples", "rubrics"):
        shutil.copytree(ROOT / name, bench.root / name)
    (bench.root / "classifier.yaml").write_text("style: floor\n", encoding="utf-8")
    bench.server.reply = judge
    repeated_pairs(bench.root / "verdicts.jsonl")
    write_labels(bench.root / "labels.jsonl", [label_line(f"steady{number}", "A") for number in range(4)])
    write_judges(bench)
    for name in ("demo", "nightly"):
        bench.run("suites/support_rag", run_id=name, status=None)
    bench.run("suites/support_rag", "--judge", "judge.yaml", "--limit", "60", run_id="judged", status=None)
    assert bench.command("label", "export", "demo", "--n", "60").status == 0
    prefer(bench)
    assert bench.command("init", "my_suite").status == 0
    bench.run("my_suite", "--judge", "judge.yaml", "--record", "recorded.jsonl", run_id="mine", status=None)
    assert bench.command("cache", "export", "replies.jsonl").status == 0


def prefer(bench):
    """Compare the shipped suite's candidates, and write what somebody prefers of three pairs to preferences.jsonl."""
    compare = ("compare", "suites/support_rag", "--outputs", "candidate", "--against", "baseline", "--quiet")
    assert bench.command(*compare).status == 0
    pairs = "runs/comparisons/support_rag/candidate-vs-baseline"
    assert bench.command("label", "export", pairs, "--n", "3", "--sheet", "preferred").status == 0
    sheet = bench.root / "preferred.jsonl"
    sheet.write_text(sheet.read_text(encoding="utf-8").replace('"label": null', '"label": "tie"'), encoding="utf-8")
    taken = ("label", "import", "preferred.jsonl", "--labeller", "ada", "--labels", "preferences.jsonl")
    assert bench.command(*taken).status == 0


@pytest.mark.parametrize("name", [name for page, name in zip(PAGES, NAMES, strict=True) if examples(page)])
def test_every_example_of_a_page_runs_as_it_stands_and_prints_no_line_that_is_too_long(workshop, name, monkeypatch):
    shutil.rmtree(workshop.root / "my_suite")
    monkeypatch.delenv("COLUMNS")
    for line in examples(ROOT / name):
        ended = workshop.command(*line[1:])
        if asks_for_keys(line):
            assert KEYS_NEEDED in ended.err
            continue
        allowed = OUTCOMES.get(line[1], {0})
        assert ended.status in allowed, f"{' '.join(line)}\n{ended.out}{ended.err}"
        assert not [long for long in laid_out(line, ended.out) if cell_len(long) > PIPED_TABLE_CELLS], " ".join(line)


def test_the_library_example_of_acceptance_runs_as_it_stands(tmp_path):
    text = (ROOT / "docs" / "acceptance.md").read_text(encoding="utf-8")
    (specification,) = re.findall(r"^```yaml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    (program,) = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    (tmp_path / "acceptance.yaml").write_text(specification, encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert f"prints `{done.stdout.strip()}`" in text


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_example_of_a_commands_help_runs_as_it_stands(workshop, path):
    if path == ("init",):
        shutil.rmtree(workshop.root / "my_suite")
    help_text = workshop.command(*path, "--help").out
    lines = [command for line in help_text.split("Example:")[1].splitlines() for command in typed(line)]
    assert lines
    for line in lines:
        case = ["bill-refund-after-45-days" if word in {"CASE", "refund-001"} else word for word in line]
        ended = workshop.command(*case[1:])
        if asks_for_keys(line):
            assert KEYS_NEEDED in ended.err
            continue
        assert ended.status in OUTCOMES.get(line[1], {0}), f"{' '.join(line)}\n{ended.out}{ended.err}"


@pytest.mark.parametrize("name", NAMES)
def test_every_command_and_option_that_a_page_names_exists(name):
    for mention in mentions(ROOT / name):
        named = mention.split()[1:]
        path = next((tuple(named[:size]) for size in (2, 1) if tuple(named[:size]) in COMMANDS), None)
        group = {known[0] for known in COMMANDS if len(known) == 2}
        if path is None:
            assert not named or named[0] in {*group, "COMMAND"} or named[0].startswith("-"), f"{name} names `{mention}`"
            continue
        known = {option for param in COMMANDS[path].params for option in (*param.opts, *param.secondary_opts)}
        options = {word.partition("=")[0].rstrip(",") for word in named if word.startswith("--")}
        assert options <= {*known, "--help"}, f"{name} names `{mention}`"


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_is_documented(path):
    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    if len(path) == 1:
        assert f"evalkit {path[0]}" in text
    else:
        (line,) = [line for line in text.splitlines() if line.startswith(f"| `evalkit {path[0]}")]
        assert re.search(rf"\b{path[1]}\b", line)


def test_every_option_of_run_is_documented():
    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    for param in COMMANDS[("run",)].params:
        for option in param.opts:
            assert not option.startswith("--") or option in text, option


def test_the_two_commands_of_the_readme_are_targets_and_what_ci_calls():
    readme, makefile = (ROOT / "README.md").read_text(encoding="utf-8"), (ROOT / "Makefile").read_text(encoding="utf-8")
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for target in ("demo", "test"):
        assert f"make {target}" in readme
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
    assert {"make test", "make check"} <= set(ci.splitlines())


@pytest.mark.parametrize("name", NAMES)
def test_every_make_target_that_a_page_names_exists(name):
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = re.findall(r"(?:`|^\s*)make ([a-z]+)", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
    assert set(named) <= targets


@pytest.mark.parametrize("name", NAMES)
def test_every_link_and_path_of_a_page_leads_somewhere(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if not re.match(r"[a-z]+:", target):
            assert ((ROOT / name).parent / target).exists(), target
    for target in re.findall(r"`((?:evalkit|tests|benchmarks|docs|rubrics|suites)/[\w./-]+)`", text):
        assert (ROOT / target).exists(), target


def test_readme_names_every_exit_status_of_a_run():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^Exit status: .*$", text, re.MULTILINE)
    assert set(re.findall(r"\b\d+\b", line)) == {"0", "1", "2", "3", "130"}


@pytest.mark.parametrize("name", NAMES)
def test_no_page_names_a_machine(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert not re.search(r"(?:^|[\s`(\"'])/(?:work|tmp|home|root|Users)\b", text)
