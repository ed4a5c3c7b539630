"""Suites with a classifier before the judge: what the answers say decides whether the classifier is sure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fakes.chat_server import Body
from fakes.judged_suites import Bench, ids, plan_case
from fakes.systemone_server import SystemOneServer

Fields = dict[str, Any]
SUITE: Fields = {"capabilities": [{"name": "helpfulness", "judge": [{"rubric": "helpfulness"}]}]}
PRICES: Fields = {"input": 1.0, "output": 1.0}
SURE_PASS, SURE_FAIL, UNSURE = 0.9, 0.1, 0.5


def probabilities(body: Body) -> Mapping[str, Any]:
    """Answer by the words of the answer: sure that it passes, sure that it fails, or neither."""
    text = body["state"]["answer"]
    p = UNSURE if "perhaps" in text else SURE_FAIL if "no idea" in text else SURE_PASS
    return {name: {"type": "noul", "noul": p} for name in body["questions"]}


def answers(names: Sequence[str]) -> list[Fields]:
    """Return outputs: of three cases one that is surely right, one surely wrong, one unsure."""
    texts = ("Plan {} costs 10 dollars.", "I have no idea what {} costs.", "Plan {} costs 10 dollars, perhaps.")
    return [{"case_id": name, "text": texts[at % 3].format(name)} for at, name in enumerate(names)]


def cascaded(
    bench: Bench,
    server: SystemOneServer,
    *,
    count: int = 6,
    outputs: Sequence[Fields] | None = None,
    config: str = "",
    suite: Fields = SUITE,
    judge_settings: Fields | None = None,
    **cascade: Any,
) -> Path:
    """Write a suite with a cascade; `config` is added to classifier.yaml, `cascade` and `judge_settings` to judge.yaml."""
    names = ids(count)
    capabilities = [one["name"] for one in suite["capabilities"]]
    settings = {"classifier": "cheap.yaml", "sample": 0} | cascade
    folder = bench.suite(
        golden=[plan_case(name, capabilities=capabilities) for name in names],
        outputs={"candidate": outputs or answers(names)},
        suite=suite,
        cascade=settings,
        **({"prices": PRICES} | (judge_settings or {})),
    )
    (folder / "cheap.yaml").write_text(f"style: systemone\nbase_url: {server.base}\n{config}")
    return folder
