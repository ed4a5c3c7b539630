"""The Python of the documentation runs as it stands, block after block of a page."""

from __future__ import annotations

import ast
import asyncio
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "docs" / "batteries.md", *sorted((ROOT / "docs" / "recipes").glob("*.md"))]


def blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_of_a_page_runs_as_it_stands(page, capsys):
    found = blocks(page)
    assert found or page.stem == "README"
    program = compile("\n".join(found), str(page), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    running = eval(program, {"__name__": page.stem})  # noqa: S307 - the repository's own pages
    if running is not None:
        asyncio.run(running)
    capsys.readouterr()
