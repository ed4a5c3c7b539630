"""A suite that a cascade decides, with known right grades, and both tiers with known error rates: a seeded draw per case says who errs.

What each tier says hangs on seed and case alone, so a case that is asked again, or padded, gets the same answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import yaml

from fakes.chat_server import Body, Reply
from fakes.judged_suites import Bench, ids, plan_case
from fakes.known_judge import TRUST, fails, outputs_of
from fakes.reading_judge import case_of, is_ping, verdict_on
from fakes.systemone_server import SystemOneServer

Fields = dict[str, Any]
SUITE: Fields = {"capabilities": [{"name": "helpfulness", "judge": [{"rubric": "helpfulness"}]}]}


def cascade_suite(
    bench: Bench, server: SystemOneServer, size: int, *, cascade: Fields | None = None, **suite: Any
) -> Path:
    """Write a suite of `size` cases: a judge and a candidate of two families, and before the judge a classifier of a third."""
    names = ids(size)
    folder = bench.suite(
        golden=[plan_case(name, capabilities=["helpfulness"]) for name in names],
        outputs={"candidate": outputs_of(names)},
        suite=SUITE | TRUST | suite,
        family="judges",
        cascade={"classifier": "cheap.yaml", "sample": 0} | (cascade or {}),
    )
    (folder / "cheap.yaml").write_text(
        f"style: systemone\nmodel: jev-1\nbase_url: {server.base}\nrpm: 600000\n", encoding="utf-8"
    )
    said = yaml.safe_dump({"name": "candidate", "model": "writer-1", "family": "writers"})
    (folder / "outputs" / "candidate" / "candidate.yaml").write_text(said, encoding="utf-8")
    return folder


def known_classifier(right: float, unsure: float, seed: int) -> Callable[[Body], Mapping[str, Any]]:
    """Return a classifier that is unsure of a share of the cases, and of the others right with chance `right`."""

    def answers(body: Body) -> Mapping[str, Any]:
        case_id = str(body["state"]["question"]).split(":")[0]
        draw = Random(f"{seed}/{case_id}")
        is_unsure, passes = draw.random() < unsure, fails(case_id) != (draw.random() < right)
        p = 0.5 if is_unsure else 0.95 if passes else 0.05
        return {name: {"type": "noul", "noul": p} for name in body["questions"]}

    return answers


def helpful_judge(right: float, seed: int) -> Reply:
    """Return a judge that gives both criteria the right grade with chance `right`."""

    def reply(body: Body) -> str:
        verdict = verdict_on(body)
        if is_ping(body):
            return json.dumps(verdict)
        case_id = case_of(body)
        passes = fails(case_id) != (Random(f"{seed}/{case_id}").random() < right)
        for entry in verdict["criteria"].values():
            entry["grade"] = "pass" if passes else "fail"
        return json.dumps(verdict | {"overall_pass": passes})

    return reply
