"""The room needs nothing but the standard library at run time."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import evalkit.stats


def imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


def test_every_import_is_the_rooms_own_or_the_standard_librarys():
    files = sorted(Path(evalkit.stats.__file__).parent.glob("*.py"))
    assert len(files) > 5
    foreign = {
        name
        for path in files
        for name in imported(path)
        if not name.startswith("evalkit.stats.") and name.partition(".")[0] not in sys.stdlib_module_names
    }
    assert foreign == set()
