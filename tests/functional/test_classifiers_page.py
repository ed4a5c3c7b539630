"""The Python of docs/classifiers.md runs as it stands: the first block without an event loop, the others after it within one."""

from __future__ import annotations

import ast
import asyncio
import re
from pathlib import Path

from evalkit.loading.classifier_files import read_classifier

PAGE = Path(__file__).resolve().parents[2] / "docs" / "classifiers.md"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_every_block_runs_as_it_stands():
    first, *others = blocks("python")
    space: dict[str, object] = {}
    exec(compile(first, str(PAGE), "exec"), space)  # noqa: S102 - the repository's own page
    program = compile("\n".join(others), str(PAGE), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    asyncio.run(eval(program, space))  # noqa: S307 - the repository's own page
    assert "".join([first, *others]).count("assert ") >= 6, "the page's own assertions are what is checked"
    assert {"doubts", "settled", "tape"} <= set(space), "it ran to its last block"


def test_the_example_of_a_configuration_is_one(tmp_path):
    [example] = blocks("yaml")
    path = tmp_path / "classifier.yaml"
    path.write_text(example, encoding="utf-8")
    config = read_classifier(path)
    assert (config.style, config.layout, config.api_key_env) == ("systemone", "alone", "MY_KEY")
