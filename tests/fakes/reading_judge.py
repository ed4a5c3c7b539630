"""A judge without a model that reads the prompt as a model would: marked blocks, ids, criteria, schema; and replies with a verdict.

It is written against the prompt's documented layout, not with evalkit's own reader, so a prompt that no judge could read fails here.
What it decides is simple and right for the suites of `judged_suites`: a sentence of the answer is supported where a source holds
it word for word, and contradicted where a source says the same with another number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fakes.chat_server import Behaviour, Body, Reply

Value = dict[str, Any]

_BEGIN = re.compile(r"^<<<BEGIN (CASE|SOURCE|ANSWER|FACT|REFERENCE) ([0-9a-f]{16,})>>>\n", re.MULTILINE)
_CITED = re.compile(r"^The answer cites, as read by the program: (\[.*?\]) \(", re.MULTILINE)
_NUMBER = re.compile(r"\d+")
_MARKER = re.compile(r"\s*\[[^\]]*\]")


@dataclass(frozen=True)
class Asked:
    """One request as the judge reads it."""

    question: str
    sources: dict[str, str]
    answer: str
    cited: tuple[str, ...]
    schema: Value
    facts: tuple[str, ...] = ()


def asked_in(body: Body) -> Asked:
    """Return what a request asks; of a retry, what its first request asked."""
    prompt = str(body["messages"][1]["content"])
    blocks: list[tuple[str, str, int]] = []
    position = 0
    while (begin := _BEGIN.search(prompt, position)) is not None:
        end_marker = f"\n<<<END {begin[1]} {begin[2]}>>>"
        end = prompt.rfind(end_marker)
        assert end >= begin.end() - 1, f"block {begin[1]} is not closed"
        blocks.append((begin[1], prompt[begin.end() : end], begin.start()))
        position = end + len(end_marker)
    head, _, schema = prompt.rpartition("\n")
    assert "JSON Schema" in head.rpartition("\n")[2]
    after_answer = prompt[position:]
    cited = _CITED.search(after_answer)
    return Asked(
        question=next(text for kind, text, _ in blocks if kind == "CASE"),
        sources={_id_before(prompt, start): text for kind, text, start in blocks if kind == "SOURCE"},
        answer=next(text for kind, text, _ in blocks if kind == "ANSWER"),
        cited=tuple(json.loads(cited[1])) if cited else (),
        schema=json.loads(schema),
        facts=tuple(text for kind, text, _ in blocks if kind == "FACT"),
    )


def _id_before(prompt: str, start: int) -> str:
    line = prompt[:start].removesuffix("\n").rpartition("\n")[2]
    return str(json.loads(line.removeprefix("Source id: ")))


def is_retry(body: Body) -> bool:
    """Tell whether a request is the one verdict retry."""
    return len(body["messages"]) > 2


def is_ping(body: Body) -> bool:
    """Tell whether a request is `evalkit judge ping`'s, which is about no case."""
    return len(body["messages"]) == 1


def is_split(body: Body) -> bool:
    """Tell whether a request is to split a reference, which is about no case either."""
    return str(body["messages"][0]["content"]).startswith("You split a reference answer")


def case_of(body: Body) -> str:
    """Return the case that a request is about: the first word of its question, as `judged_suites` writes it; or `ping`, `split`."""
    if is_split(body):
        return "split"
    return "ping" if is_ping(body) else asked_in(body).question.split(":")[0]


def verdict_on(body: Body) -> Value:
    """Return the right verdict."""
    if is_ping(body):
        return {"ok": True}
    if is_split(body):
        return _split(str(body["messages"][1]["content"]))
    asked = asked_in(body)
    criteria: Value = asked.schema["properties"]["criteria"]["properties"]
    if "facts" in asked.schema["properties"]:
        return _facts_verdict(asked)
    if "claims" in asked.schema["properties"]:
        return _claims_verdict(asked, list(criteria))
    return _plain_verdict(asked, list(criteria))


def _split(prompt: str) -> Value:
    """Split a reference at its full stops and at each "and"."""
    begin = _BEGIN.search(prompt)
    assert begin is not None
    reference = prompt[begin.end() : prompt.rfind(f"\n<<<END {begin[1]} {begin[2]}>>>")]
    parts = [part.strip() for part in re.split(r"(?<=\.)\s+|\s+and\s+", reference) if part.strip()]
    facts = [{"id": number, "quote": part, "text": part} for number, part in enumerate(parts, 1)]
    return {"facts": facts, "silent": [], "findings": []}


def judge(body: Body) -> str:
    """Reply with the right verdict; for `ChatServer.reply`."""
    return json.dumps(verdict_on(body))


def by_case(table: dict[str, Reply], otherwise: Reply = judge) -> Callable[[Body], str | Behaviour]:
    """Reply by case id: a text, a behaviour, or a function of the body to either."""

    def reply(body: Body) -> str | Behaviour:
        chosen: Any = table.get(case_of(body), otherwise)
        while callable(chosen) and not _is_behaviour(chosen):
            chosen = chosen(body)
        answer: str | Behaviour = chosen
        return answer

    return reply


def _is_behaviour(value: Any) -> bool:
    import asyncio

    return asyncio.iscoroutinefunction(value)


def _sentences(answer: str) -> list[tuple[str, list[str]]]:
    """Return each sentence of an answer without its citations, and the ids it cites."""
    parts = re.findall(r"[^.!?]+[.!?]?(?:\s*\[[^\]]*\])*", answer.replace("\n", " "))
    found = []
    for part in parts:
        cites = [name.strip() for group in re.findall(r"\[([^\]]*)\]", part) for name in group.split(",")]
        text = _MARKER.sub("", part).strip()
        if len(text) > 2:
            found.append((text, cites))
    return found


def _claims_verdict(asked: Asked, criteria: list[str]) -> Value:
    claims: list[Value] = []
    for number, (text, cites) in enumerate(_sentences(asked.answer), 1):
        status, source, quote = _status(text, asked.sources)
        evidence = [{"id": f"e{number}", "source": source, "quote": quote}] if source else []
        named = [_document(cite, asked) for cite in cites]
        claims.append(
            {
                "id": number,
                "text": text,
                "evidence": evidence,
                "cites": [n for n in dict.fromkeys(named) if n in asked.cited],
            }
            | {"status": status}
        )
    rules = {"F1": _all_supported(claims), "F2": _none_contradicted(claims), "F3": _citations_support(claims, asked)}
    grades = {name: rules[name] for name in criteria}
    return {
        "claims": claims,
        "evidence": [],
        "findings": [],
        "criteria": {
            name: {
                "claims": [claim["id"] for claim in claims],
                "evidence": [span["id"] for claim in claims for span in claim["evidence"]],
                "rationale": f"{asked.question.split(':')[0]}: {sum(c['status'] == 'supported' for c in claims)} of {len(claims)}.",
                "grade": grade,
            }
            for name, grade in grades.items()
        },
        "overall_pass": _overall(list(grades.values())),
    }


def _facts_verdict(asked: Asked) -> Value:
    """Hold each fact, word for word, against the answer."""
    rows: list[Value] = []
    for number, fact in enumerate(asked.facts, 1):
        status, _, quote = _status(fact.rstrip("."), {"candidate": asked.answer})
        evidence = [{"id": f"e{number}", "source": "candidate", "quote": quote}] if quote else []
        said = {"supported": "covered", "contradicted": "contradicted", "unsupported": "missing"}[status]
        rows.append({"id": number, "evidence": evidence, "status": said})
    statuses = [row["status"] for row in rows]
    grades = {
        "R1": "pass" if set(statuses) == {"covered"} else "fail",
        "R2": "fail" if "contradicted" in statuses else "pass",
    }
    return {
        "facts": rows,
        "contradictions": [],
        "evidence": [],
        "findings": [],
        "criteria": {
            name: {
                "facts": [row["id"] for row in rows],
                "evidence": [],
                "rationale": ", ".join(statuses),
                "grade": grade,
            }
            for name, grade in grades.items()
        },
        "overall_pass": set(grades.values()) == {"pass"},
    }


def _document(cite: str, asked: Asked) -> str:
    """Return the id that a citation means: itself, or the source at its position."""
    place = int(cite) - 1 if cite.isdecimal() else -1
    return list(asked.sources)[place] if 0 <= place < len(asked.sources) else cite


def _status(text: str, sources: dict[str, str]) -> tuple[str, str, str]:
    for name, source in sources.items():
        if text in source:
            return "supported", name, text
    shape = re.compile(_NUMBER.sub(r"\\d+", re.escape(text)))
    for name, source in sources.items():
        other = shape.search(source)
        if other:
            return "contradicted", name, other.group()
    return "unsupported", "", ""


def _all_supported(claims: list[Value]) -> str:
    return "not_applicable" if not claims else "pass" if all(c["status"] == "supported" for c in claims) else "fail"


def _none_contradicted(claims: list[Value]) -> str:
    return "not_applicable" if not claims else "fail" if any(c["status"] == "contradicted" for c in claims) else "pass"


def _citations_support(claims: list[Value], asked: Asked) -> str:
    if not claims or not asked.cited:
        return "not_applicable"
    supporting: set[str] = set()
    for claim in claims:
        if not claim["cites"]:
            continue
        quoted = {span["source"] for span in claim["evidence"]} & set(claim["cites"])
        if claim["status"] != "supported" or not quoted:
            return "fail"
        supporting |= quoted
    return "pass" if set(asked.cited) <= supporting else "fail"


def _plain_verdict(asked: Asked, criteria: list[str]) -> Value:
    verdict: Value = {
        "evidence": [{"id": "x1", "source": "candidate", "quote": asked.answer[:20]}],
        "findings": [],
        "criteria": {name: {"evidence": ["x1"], "rationale": "It answers.", "grade": "pass"} for name in criteria},
        "overall_pass": True,
    }
    channels = asked.schema["properties"].get("channels")
    return verdict | ({"channels": dict.fromkeys(channels["properties"], "plain")} if channels else {})


def _overall(grades: list[str]) -> bool | None:
    applicable = [grade == "pass" for grade in grades if grade != "not_applicable"]
    return all(applicable) if applicable else None
