"""Nothing that exists is missing from the pages: each room, page, decision, suite, file format and option is named where a reader looks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fakes.command_line import commands

from evalkit.loading.schemas import SCHEMAS

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = {page.name: page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs").glob("*.md"))}


def options() -> list[tuple[str, str]]:
    """Return (command, option) for every option of every command."""
    given = [(" ".join(path), name) for path, one in commands().items() for param in one.params for name in param.opts]
    return [(path, name) for path, name in given if name.startswith("--") and name != "--help"]


@pytest.mark.parametrize("page", DOCS)
def test_the_readme_leads_to_every_page(page):
    assert f"(docs/{page}" in README


def test_the_readme_leads_to_every_suite():
    for suite in (ROOT / "suites").iterdir():
        assert f"(suites/{suite.name}/README.md)" in README, suite.name


def test_every_decision_stands_in_the_list_under_its_title():
    decisions = ROOT / "docs" / "decisions"
    listed = re.findall(r"^- \[(.+)\]\((.+)\)$", (decisions / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    pages = sorted(page for page in decisions.glob("*.md") if page.name != "README.md")
    titles = [(page.read_text(encoding="utf-8").splitlines()[0].removeprefix("# "), page.name) for page in pages]
    assert sorted(listed) == sorted(titles)


def test_every_room_and_no_other_stands_in_the_architecture():
    rooms = {folder.parent.name for folder in (ROOT / "evalkit").glob("*/__init__.py")} | {"errors"}
    assert set(re.findall(r"^\| `(\w+)` \|", DOCS["architecture.md"], re.MULTILINE)) == rooms


def test_every_file_format_stands_in_the_formats():
    head = DOCS["formats.md"].partition("\n## ")[0]
    missing = [name for name in SCHEMAS if f"`{name}`" not in head]
    assert missing == []


def test_every_option_is_named_somewhere():
    text = README + "".join(DOCS.values())
    missing = [pair for pair in options() if not re.search(rf"{pair[1]}\b", text)]
    assert missing == []
