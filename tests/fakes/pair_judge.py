"""A judge of pairs that reads the prompt as a model would: two answers by place, criteria from the schema, a verdict with quotes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Literal

from fakes.chat_server import Behaviour, Body

Winner = Literal["A", "B", "tie"]
Chooses = Callable[[str, str], Winner]
"""(answer A, answer B) -> who is better."""


def answers_in(body: Body) -> tuple[str, str]:
    """Return the two answers of a request, in their places."""
    prompt = str(body["messages"][1]["content"])
    return _block(prompt, "ANSWER A"), _block(prompt, "ANSWER B")


def _block(prompt: str, name: str) -> str:
    begin = re.search(rf"^<<<BEGIN {name} ([0-9a-f]{{16,}})>>>\n", prompt, re.MULTILINE)
    assert begin is not None, f"no block {name}"
    end = prompt.rfind(f"\n<<<END {name} {begin[1]}>>>")
    assert end >= begin.end() - 1
    return prompt[begin.end() : end]


def pair_reply(body: Body, winner: Winner) -> str:
    """Return a sound verdict with this winner on every criterion."""
    prompt = str(body["messages"][1]["content"])
    schema = json.loads(prompt.rpartition("\n")[2])
    first, second = answers_in(body)
    source = re.search(r'^Source id: (".*")\n<<<BEGIN SOURCE [0-9a-f]+>>>\n(.+)$', prompt, re.MULTILINE)
    evidence: list[dict[str, str]] = []
    if winner != "tie":
        answer = first if winner == "A" else second
        evidence.append({"id": "e1", "source": f"answer_{winner}", "quote": answer.split("\n")[0]})
        if source is not None:
            evidence.append({"id": "e2", "source": json.loads(source[1]), "quote": source[2][:40]})
    entry: dict[str, Any] = {"evidence": [span["id"] for span in evidence], "rationale": "So it is.", "winner": winner}
    criteria = dict.fromkeys(schema["properties"]["criteria"]["properties"], entry)
    return json.dumps({"evidence": evidence, "findings": [], "criteria": criteria, "overall": winner})


def chooser(chooses: Chooses) -> Behaviour:
    """Return a server's behaviour: a judge that chooses so."""
    return lambda body: pair_reply(body, chooses(*answers_in(body)))


def prefers_ten(first: str, second: str) -> Winner:
    """Prefer the answer that says 10 dollars, whatever its place; a tie where both or neither does."""
    said = "10 dollars" in first, "10 dollars" in second
    return "tie" if said[0] == said[1] else "A" if said[0] else "B"
