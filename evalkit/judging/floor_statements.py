"""The floor judge for triage: each sentence that claims something is looked for in the evidence by rule; ownership is beyond it.

A sentence is general where the evidence does not hold its words and it points at nothing: no "this", "it" or "you", no figure, no name that
the evidence has. Whether such a sentence is true the floor cannot tell. So is one with a figure that only says what it does not know. The others are item statements, supported where the evidence
holds their words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from evalkit.judging.floor_claims import ReadAnswer, read_answer
from evalkit.judging.floor_match import Match, Matcher
from evalkit.judging.floor_terms import read_terms
from evalkit.judging.requests import JudgeRequest
from evalkit.records.base import Json
from evalkit.records.statements import NOBODY
from evalkit.records.verdicts import Reply
from evalkit.text.sentences import Sentence, sentence_spans
from evalkit.validation.triage_coverage import Coverage, quotable
from evalkit.validation.triage_form import asks_handoff

EVIDENCE = "evidence"
_POINTS = re.compile(r"\b(?:this|it|its|here|you|your|these|those)\b", re.IGNORECASE)
_SUBJECT = read_terms("claim criterion grade graded grading grader contradiction verdict").words
"""Words about grading that are the subject's own here: laboratories grade stones, insurers settle claims."""
_SURROGATE = re.compile("[\ud800-\udfff]")


def floor_reply(request: JudgeRequest) -> Reply:
    """Return the floor's reply: the same table that a model fills in, for the same validation."""
    rubric = request.measurement.form.rubric
    statements, silent, findings = _table(request)
    channels = {"channels": dict.fromkeys(rubric.channels, "the floor judge does not answer this")}
    value = {
        "statements": statements,
        "silent": silent,
        **({"handoff": {"needed": False, "quote": ""}} if asks_handoff(rubric) else {}),
        "findings": [{"kind": "instruction_in_content", "quote": quote} for quote in findings],
        **(channels if rubric.channels else {}),
    }
    return Reply(text=json.dumps(value, ensure_ascii=False), finish_reason="stop")


def _table(request: JudgeRequest) -> tuple[list[dict[str, Any]], list[str], list[str]]:
    material = request.material
    leaves = dict(_leaves("", material.evidence)) if material.evidence is not None else {}
    sources = {name: text.stored for name, text in material.sources.items() if name != EVIDENCE or not leaves}
    if leaves:
        sources[EVIDENCE] = "\n".join(leaves)
    matcher = Matcher(sources, request.question)
    tagged = any(alteration.kind == "directive_line" for alteration in material.candidate.alterations)
    answer = material.candidate.stored
    statements: list[dict[str, Any]] = []
    silent: list[str] = []
    findings: list[str] = []
    coverage = Coverage(material)
    for sentence, text in _pieces(answer):
        read = read_answer(text, frozenset(), list(sources), matcher.spoken | _SUBJECT, tagged=tagged)
        findings += [quote for quote in read.directives if quote not in findings]
        if not read.claims and not any(coverage.marks(sentence)):
            silent.append(text)
            continue
        matches = [matcher.match(claim) for claim in read.claims]
        lone = all(match.status == "unsupported" for match in matches)
        general = not matches or (lone and not _is_specific(text, read, matcher))
        statements.append(_statement(text, matches, leaves, general=general))
    return statements, silent, findings


def _pieces(answer: str) -> Iterator[tuple[Sentence, str]]:
    """Yield what of each sentence a reply can quote: halves of characters cannot be."""
    for sentence in sentence_spans(answer):
        for _, text in quotable(answer, sentence.start, sentence.end):
            yield sentence, text


def _is_specific(sentence: str, read: ReadAnswer, matcher: Matcher) -> bool:
    """Tell whether a sentence points at something, has a figure, or bears a name that the evidence has."""
    named = any(claim.terms.figures or claim.terms.names & matcher.spoken for claim in read.claims)
    return named or _POINTS.search(sentence) is not None


def _statement(quote: str, matches: list[Match], leaves: dict[str, str], *, general: bool) -> dict[str, Any]:
    supported = all(match.status == "supported" for match in matches)
    spans = [] if general else [span for match in matches for span in match.spans]
    lacking = next((match.why for match in matches if match.status != "supported"), "")
    why = "it points at nothing in the evidence" if general else lacking or "the evidence holds its words"
    return {
        "quote": quote,
        "scope": "general" if general else "item",
        "paths": list(dict.fromkeys(leaves[span.quote] for span in spans if span.quote in leaves)),
        "evidence": [{"source": s.source, "quote": s.quote} for s in spans if s.quote not in leaves],
        "why": f"By rule, no model: {why}.",
        "supported": None if general else supported,
        "accurate": True if general else None,
        "owner_stated": NOBODY,
        "owner_true": NOBODY,
    }


def _leaves(path: str, value: Json) -> Iterator[tuple[str, str]]:
    """Yield (a sentence about it, its JSON Pointer) for each leaf of structured evidence."""
    stack: list[tuple[str, list[str], Json]] = [(path, [], value)]
    while stack:
        at, names, item = stack.pop()
        children = item.items() if isinstance(item, dict) else enumerate(item) if isinstance(item, list | tuple) else ()
        if isinstance(item, dict | list | tuple):
            stack += [(f"{at}/{_escaped(str(key))}", [*names, *_name(key)], inner) for key, inner in children]
        elif item is not None:
            text = item if isinstance(item, str) else json.dumps(item)
            words = re.sub(r"\s+", " ", f"{' '.join(names)} {text}").strip().rstrip(".")
            if not _SURROGATE.search(words):
                yield f"{words[:1].upper()}{words[1:]}.", at


def _name(key: str | int) -> list[str]:
    return [] if isinstance(key, int) else [key.replace("_", " ")]


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
