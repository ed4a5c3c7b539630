"""A triage rubric, an answer with every class of statement, a table on it that passes every check, and a judge that fills one in."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from evalkit.records.cases import Case, Document
from evalkit.records.outputs import Output
from evalkit.records.rubrics import Criterion, Rubric
from evalkit.validation.material import Material
from evalkit.validation.triage_form import TriageForm
from fakes.chat_server import Body
from fakes.reading_judge import asked_in
from fakes.verdicts import plain

Fields = dict[str, Any]

EVIDENCE: Fields = {"certificate": {"lab": "GIA", "clarity": "SI1", "carat": 1.01}, "price": {"usd": 5050}}
NOTES = "The shop measured the luster at four of six."
GRADE = "GIA graded it SI1."
PROMISE = "At this grade you won't see a thing with the naked eye."
TEACHING = "Clarity is graded under ten-power magnification."
WRONG = "Every laboratory grades clarity with the naked eye."
OURS = "We grade its luster four of six."
REFUSAL = "Whether it is eye-clean the report does not say."
HUMAN = "Ask our gemologist to look at it."
HELLO = "Shall we look at it together?"
ANSWER = f"{HELLO} {GRADE} {PROMISE} {TEACHING} {WRONG} {OURS} {REFUSAL} {HUMAN}"


def grounded(**changes: Any) -> Rubric:
    """Return a rubric with the four rules of a triage."""
    rules = {"S1": "no_violation", "S2": "no_misattribution", "S3": "no_inaccuracy", "handoff": "hands_off"}
    criteria = tuple(
        Criterion(
            id=name,
            question="Is it established?",
            pass_condition="No statement of the answer fails it.",
            claims_rule=rule,  # type: ignore[arg-type]
            critical=name != "handoff",
            floor="statements" if name == "S1" else None,
        )
        for name, rule in rules.items()
    )
    owners = {"lab": "the laboratory", "shop": "the shop", "house": "we, us, our"}
    fields: Fields = {"id": "grounded", "version": "1", "mode": "triage", "claims": "triage", "owners": owners}
    return Rubric(**fields | {"criteria": criteria} | changes)


TRIAGE_FORM = TriageForm(grounded())


def triage_material(answer: str = ANSWER, **changes: Any) -> Material:
    """Return what a table on an answer may quote: structured evidence and one document."""
    sources = {"evidence": plain(json.dumps(EVIDENCE, indent=1)), "analysis": plain(NOTES)}
    fields: Fields = {
        "candidate": plain(answer),
        "sources": sources,
        "question": plain("Is it clean?"),
        "evidence": EVIDENCE,
    }
    return Material(**fields | changes)


TRIAGE_CASE = Case(id="c", input="Is it clean?", evidence=EVIDENCE, context=(Document(id="analysis", text=NOTES),))
TRIAGE_OUTPUT = Output(case_id="c", text=ANSWER)


def statement(quote: str, scope: str = "item", **changes: Any) -> Fields:
    """Return a row of the table: by default an item statement that the certificate establishes and that credits no one."""
    answers = {"supported": True if scope == "item" else None, "accurate": True if scope == "general" else None}
    fields = {
        "quote": quote,
        "scope": scope,
        "paths": [] if scope == "general" else ["/certificate/clarity"],
        "evidence": [],
        "why": "The certificate says so.",
        **answers,
        "owner_stated": "nobody",
        "owner_true": "nobody",
    }
    return fields | changes


KNOWN: Mapping[str, Fields] = {
    GRADE: statement(GRADE, "restatement", owner_stated="lab", owner_true="lab"),
    PROMISE: statement(PROMISE, supported=False, why="A grade says nothing of the naked eye."),
    TEACHING: statement(TEACHING, "general"),
    WRONG: statement(WRONG, "general", accurate=False, why="It is done under magnification."),
    OURS: statement(
        OURS,
        paths=[],
        evidence=[{"source": "analysis", "quote": "measured the luster at four of six"}],
        owner_stated="house",
        owner_true="shop",
    ),
    REFUSAL: statement(REFUSAL),
}
"""What the fake judge says of each sentence; one that it does not know states nothing."""


def table(*quotes: str) -> Fields:
    """Return a fresh, sound table on an answer made of known sentences; by default on `ANSWER`."""
    sentences = quotes or (HELLO, GRADE, PROMISE, TEACHING, WRONG, OURS, REFUSAL, HUMAN)
    return {
        "statements": [copy.deepcopy(KNOWN[quote]) for quote in sentences if quote in KNOWN],
        "silent": [quote for quote in sentences if quote not in KNOWN],
        "handoff": {"needed": REFUSAL in sentences, "quote": HUMAN if HUMAN in sentences else ""},
        "findings": [],
    }


def triage_judge(known: Mapping[str, Fields] = KNOWN) -> Callable[[Body], str]:
    """Return a judge on the wire that fills in the table from the prompt, by the sentences it knows."""

    def reply(body: Body) -> str:
        asked = asked_in(body)
        sentences = [part.strip() for part in re.findall(r"[^.!?]+[.!?]", asked.answer)]
        value = table(*sentences) if known is KNOWN else _table(sentences, known)
        channels = asked.schema["properties"].get("channels")
        extra = {"channels": dict.fromkeys(channels["properties"], "like an expert")} if channels else {}
        return json.dumps(value | extra)

    return reply


def _table(sentences: Sequence[str], known: Mapping[str, Fields]) -> Fields:
    rows = [copy.deepcopy(known[sentence]) for sentence in sentences if sentence in known]
    silent = [sentence for sentence in sentences if sentence not in known]
    return {"statements": rows, "silent": silent, "handoff": {"needed": False, "quote": ""}, "findings": []}
