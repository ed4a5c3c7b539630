"""The two consumers of docs/consumer.md, run against one server: the page's table and its counts are what they do."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from fakes.systemone_server import SystemOneServer, decide, detail

from evalkit.errors import ProviderError

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "consumer.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("| ")][
    2:
]


def answers(security=0.05, kind=("bug", 0.95), levels=(0.0, 0.05, 0.95), **other):
    option, p = kind
    rest = "question" if option == "bug" else "bug"
    value = sum(level * share for level, share in enumerate(levels))
    return {
        "is_security": {"type": "noul", "noul": security},
        "kind": {"type": "choice", "choice": option, "probabilities": {option: p, rest: round(1 - p, 2)}},
        "fixability": {"type": "score", "score": value, "probabilities": dict(zip("012", levels, strict=True))},
        **other,
    }


SERVERS = {
    "sure: a bug with steps and a cause": [answers()],
    "sure: a security hole": [answers(0.95)],
    "a security hole at 0.65, which is not sure": [answers(0.65)],
    "a security hole at 0.55, which is not sure": [answers(0.55)],
    "bug and question at 0.52 and 0.48": [answers(kind=("bug", 0.52))],
    "a fixability torn between the ends of the rubric": [answers(levels=(0.25, 0.0, 0.75))],
    "no answer about security": [{name: a for name, a in answers().items() if name != "is_security"}],
    "NaN for security": [answers(math.nan)],
    "a score for security instead of a noul": [answers(is_security=answers()["fixability"])],
    "a choice that is none of the options": [
        answers(kind=("bug", 0.95)) | {"kind": {"type": "choice", "choice": "defect", "probabilities": {"defect": 1.0}}}
    ],
    "busy once (529), then a sure answer": [detail(529, "busy"), answers()],
}


def outcome(consumer, script):
    with SystemOneServer(script=[step if callable(step) else decide(step) for step in script]) as server:
        try:
            return consumer("the page is blank", server.base)
        except (KeyError, ProviderError) as error:
            return type(error).__name__
        except Exception as error:  # noqa: BLE001 - httpx is imported by the page, not by this test
            return type(error).__name__


@pytest.fixture(scope="module")
def consumers():
    space: dict[str, object] = {}
    for block in BLOCKS:
        exec(compile(block, "docs/consumer.md", "exec"), space)  # noqa: S102 - the repository's own page
    return space["by_hand"], space["with_the_pieces"]


@pytest.mark.parametrize("name", SERVERS)
def test_both_do_what_the_table_says(consumers, name):
    [row] = [row for row in ROWS if row[0] == name]
    assert [outcome(consumer, SERVERS[name]) for consumer in consumers] == row[1:]


def test_every_row_is_run():
    assert [row[0] for row in ROWS] == list(SERVERS)


def test_the_page_counts_its_own_lines():
    hand, pieces = (
        sum(1 for line in block.splitlines() if line.strip() and not line.startswith(("import", "from")))
        for block in BLOCKS
    )
    assert f"{hand} lines by hand, {pieces} with the pieces" in PAGE
