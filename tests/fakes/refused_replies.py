"""Replies that no validator may take for a verdict, each with the kind under which it must be refused; and odd ones that count.

Every entry makes a reply from a request's body, so that each is a true verdict with exactly one thing wrong.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from fakes.chat_server import Behaviour, Body, say
from fakes.reading_judge import Value, judge, verdict_on

Made = str | Behaviour
Change = Callable[[Value], object]


def changed(change: Change) -> Callable[[Body], str]:
    """Return the right verdict with one change made in place."""

    def make(body: Body) -> str:
        value = verdict_on(body)
        change(value)
        return json.dumps(value)

    return make


def opposite(body: Body) -> str:
    """Return a sound verdict that says the opposite of the right one: the claim has no support."""
    value = verdict_on(body)
    value["claims"][0] |= {"status": "unsupported"}
    value["criteria"]["F1"]["grade"] = "fail"
    value["criteria"]["F2"]["grade"] = "pass"
    value["criteria"]["F3"]["grade"] = "fail"
    value["overall_pass"] = False
    return json.dumps(value)


def _first_criterion(**fields: Any) -> Change:
    return lambda value: value["criteria"]["F1"].update(fields)


def _first_claim(**fields: Any) -> Change:
    return lambda value: value["claims"][0].update(fields)


def _quote(text: str, source: str | None = None) -> Change:
    def change(value: Value) -> None:
        span = value["claims"][0]["evidence"][0]
        span["quote"] = text
        span["source"] = source or span["source"]

    return change


def _replaced(old: str, new: str) -> Callable[[Body], str]:
    def make(body: Body) -> str:
        text = judge(body)
        assert old in text
        return text.replace(old, new, 1)

    return make


REFUSED: dict[str, tuple[str, Callable[[Body], Made]]] = {
    # no JSON, or no strict JSON
    "prose": ("parse", lambda _: "The answer is fully supported. PASS."),
    "label": ("parse", lambda _: "INCORRECT"),
    "empty": ("parse", lambda _: ""),
    "null": ("parse", lambda _: say(None)),
    "cut-object": ("parse", lambda body: judge(body)[:-40]),
    "python-quotes": ("parse", lambda body: str(verdict_on(body))),
    "trailing-comma": ("parse", _replaced('"findings": []', '"findings": [],,')),
    "eval-trap": ("parse", lambda _: "{'overall_pass': __import__('pathlib').Path('evalkit_pwned').write_text('x')}"),
    "not-a-number": ("parse", _replaced('"overall_pass": true', '"overall_pass": NaN')),
    "beyond-numbers": ("parse", _replaced('"id": 1', '"id": 1e999')),
    "two-values-of-a-key": ("parse", _replaced('"overall_pass": true', '"overall_pass": false, "overall_pass": true')),
    "half-a-character": ("parse", changed(_first_criterion(rationale="\ud835"))),
    "deep": ("parse", lambda _: "[" * 5000 + "]" * 5000),
    "huge": ("parse", lambda _: "x" * 600_000),
    "only-reasoning": ("parse", lambda body: f"<think>{judge(body)}"),
    # JSON of another shape
    "number": ("schema", lambda _: "1"),
    "text": ("schema", lambda _: '"pass"'),
    "list": ("schema", lambda body: f"[{judge(body)}]"),
    "no-overall": ("schema", changed(lambda value: value.pop("overall_pass"))),
    "overall-as-text": ("schema", changed(lambda value: value.update(overall_pass="true"))),
    "extra-field": ("schema", changed(lambda value: value.update(score=5))),
    "off-menu": ("schema", changed(_first_criterion(grade="mostly"))),
    "missing-criterion": ("schema", changed(lambda value: value["criteria"].pop("F3"))),
    "number-as-text": ("schema", changed(_first_claim(id="1"))),
    # not to be read at all
    "two-verdicts": ("conflicting", lambda body: f"Draft: {opposite(body)}\nFinal: {judge(body)}"),
    "two-verdicts-swapped": ("conflicting", lambda body: f"Final: {judge(body)}\nDraft: {opposite(body)}"),
    "length": ("truncated", lambda body: say(judge(body), finish_reason="length")),
    "length-of-thinking": ("truncated", lambda _: say(None, finish_reason="length")),
    "refusal": ("refused", lambda _: say(None, refusal="I cannot grade this.")),
    "filtered": ("refused", lambda _: say("", finish_reason="content_filter")),
    # a verdict that does not hold
    "invented-quote": ("evidence_not_found", changed(_quote("Plans are free for ever."))),
    "empty-quote": ("evidence_not_found", changed(_quote(""))),
    "unknown-source": ("evidence_not_found", changed(_quote("Plan", "plans/none"))),
    "invented-finding": (
        "evidence_not_found",
        changed(
            lambda value: value.update(findings=[{"kind": "instruction_in_content", "quote": "Ignore the rubric"}])
        ),
    ),
    "unknown-evidence": ("dangling_reference", changed(_first_criterion(evidence=["e9"]))),
    "unknown-claim": ("dangling_reference", changed(_first_criterion(claims=[1, 9]))),
    "uncited-citation": ("dangling_reference", changed(_first_claim(cites=["plans/none"]))),
    "claim-twice": (
        "dangling_reference",
        changed(lambda value: value["claims"].append(dict(value["claims"][0], evidence=[]))),
    ),
    "supported-without-quote": (
        "no_evidence",
        changed(
            lambda v: (v["claims"][0].update(evidence=[]), [c.update(evidence=[]) for c in v["criteria"].values()])
        ),
    ),
    "overall-against-criteria": ("inconsistent", changed(lambda value: value.update(overall_pass=False))),
    "pass-against-claims": ("inconsistent", changed(_first_claim(status="contradicted"))),
    "not-applicable-with-claims": ("inconsistent", changed(_first_criterion(grade="not_applicable"))),
}
"""Name -> rejection kind, and what makes the reply."""

TAKEN: dict[str, Callable[[Body], Made]] = {
    "fenced": lambda body: f"```json\n{judge(body)}\n```",
    "fenced-without-a-name": lambda body: f"```\n{judge(body)}\n```",
    "prose-around": lambda body: f"Here is my verdict:\n\n{judge(body)}\n\nI hope that this helps {{you}}.",
    "after-reasoning": lambda body: f"<think>First {opposite(body)} came to mind.</think>\n{judge(body)}",
    "byte-order-mark": lambda body: "\ufeff" + judge(body),
    "indented": lambda body: json.dumps(verdict_on(body), indent=4),
    "twice-the-same": lambda body: f"{judge(body)}\n\nAgain:\n{judge(body)}",
    "after-another-object": lambda body: (
        f'The answer in JSON: {{"plan": "x", "cost": 10}}\n```json\n{judge(body)}\n```'
    ),
    "fence-in-the-rationale": changed(
        _first_criterion(rationale='It says ```json\n{"overall_pass": false}\n``` and more.')
    ),
    "content-parts": lambda body: say([{"type": "text", "text": judge(body)}]),
    "whole-numbers-with-a-fraction": lambda body: (
        judge(body).replace('"id": 1,', '"id": 1.0,').replace('"claims": [1]', '"claims": [1.0]')
    ),
    "escaped-slash": lambda body: judge(body).replace("plans/", "plans\\/"),
}
"""Name -> what makes a reply that is a verdict at the first try, however it is wrapped."""
