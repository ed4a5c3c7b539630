"""What makes a rubric measure badly, found before a call is bought: each warning names the criterion, the problem, the remedy.

The design rule behind it: if two competent people could read a criterion and apply it differently to the same output, it is
not finished. Warnings are heuristics on words, English ones; a rubric that gets one still runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from evalkit.judging.floor_rules import rule_fault
from evalkit.records.rubrics import Criterion, Rubric


class LintWarning(NamedTuple):
    """One thing that will not measure well."""

    criterion: str
    """Its id, or the empty text where the whole rubric is meant."""
    problem: str
    remedy: str


_VAGUE = re.compile(
    r"\b(?:good|bad|nice|great|high[- ]quality|quality|appropriate(?:ly)?|adequate(?:ly)?|reasonabl[ey]|sufficient(?:ly)?|satisfactor(?:y|ily)|"
    r"proper(?:ly)?|well[- ](?:written|structured|done)|engaging|natural(?:ly)?|helpful(?:ly)?|useful(?:ly)?|clear(?:ly)?|concise(?:ly)?|"
    r"professional(?:ly)?|coherent(?:ly)?|overall|somewhat|mostly|generally|excellent|poor(?:ly)?|acceptable|as needed|where possible)\b",
    re.IGNORECASE,
)
_SCALE = re.compile(
    r"\b(?:on a scale|from (?:1|0) to \d+|\d\s*[-–]\s*10\b|out of (?:5|10|100)|rate (?:the|how))", re.IGNORECASE
)
_TWO_QUESTIONS = re.compile(
    r"\?\s*\S[^?]*\?"
    r"|\b(?:and|as well as|or) (?:also )?(?:is|are|was|does|do|did|has|have|can|will|should|avoids?|uses?|answers?|contains?|mentions?|cites?|states?|"
    r"follows?|keeps?|gives?|addresses?|includes?|explains?)\b",
    re.IGNORECASE,
)
_OBSERVABLE = re.compile(
    r"\b(?:answer|output|response|reply|text|context|sources?|documents?|evidence|quot(?:e|es|ed)|claims?|citations?|cit(?:e|es|ed)|sentences?|"
    r"words?|numbers?|dates?|names?|passages?|spans?|steps?|parts?|items?|instructions?|question|tables?|lists?|stat(?:e|es|ed)|mention(?:s|ed)?)\b",
    re.IGNORECASE,
)
_LENGTH = re.compile(r"\b(?:length|longer|shorter|restat\w+|repeat\w*|padding|verbos\w+)\b", re.IGNORECASE)
_CODE = (
    (r"\bvalid json\b|\bjson schema\b|\bwell[- ]formed (?:json|xml)\b", "json_schema"),
    (r"\b(?:at most|at least|no more than|fewer than|exactly|under|maximum of|up to|minimum of) \w+ (?:words|characters|tokens)\b", "length_limit"),
    (r"\bcitations? (?:exists?|resolves?|points? to an existing)\b|\bcited (?:document|source)s? exists?\b", "citations"),
    (r"\bcontains? (?:the )?(?:exact )?(?:word|phrase|string|keyword)\b|\b(?:exact|verbatim) match\b|\bmatches the regex\b", "contains or regex"),
    (r"\b(?:latency|response time|milliseconds|cost in)\b", "latency_limit or cost_limit"),
    (r"\b(?:e-?mail address|phone number|credit card|personal data)s? (?:appears?|is present|are present|is leaked)", "personal_data"),
    (r"\b(?:calls?|uses?) (?:the )?(?:right|correct|expected) tools?\b|\btool call (?:is|arguments)\b", "tool_calls"),
)  # fmt: skip
_DECIDABLE = tuple((re.compile(pattern, re.IGNORECASE), scorer) for pattern, scorer in _CODE)

_Check = Callable[[Rubric, Criterion], Iterator[LintWarning]]


def lint_rubric(rubric: Rubric) -> list[LintWarning]:
    """Return the warnings of a rubric, criterion by criterion in its order; an empty list for a sound one."""
    return [warning for criterion in rubric.criteria for check in _CHECKS for warning in check(rubric, criterion)]


def _vague(_rubric: Rubric, criterion: Criterion) -> Iterator[LintWarning]:
    for name in ("question", "pass_condition"):
        found = dict.fromkeys(match.group().lower() for match in _VAGUE.finditer(getattr(criterion, name)))
        if found:
            yield LintWarning(
                criterion.id,
                f"vague words in its {name}: {', '.join(found)}",
                "say what a reader can point at in the answer or the sources instead",
            )
    if _SCALE.search(criterion.question) or _SCALE.search(criterion.pass_condition):
        yield LintWarning(criterion.id, "asks for a point on a scale", "ask one yes-or-no question per criterion")


def _two_questions(_rubric: Rubric, criterion: Criterion) -> Iterator[LintWarning]:
    if _TWO_QUESTIONS.search(criterion.question):
        yield LintWarning(
            criterion.id, "asks two questions at once", "split it into two criteria, so that each can fail alone"
        )


def _nothing_observable(_rubric: Rubric, criterion: Criterion) -> Iterator[LintWarning]:
    if not _OBSERVABLE.search(criterion.pass_condition):
        yield LintWarning(
            criterion.id,
            "its pass_condition names nothing that can be observed",
            "name the words, claims or quotes in the answer or the sources that make it pass",
        )


def _undefined_middle(_rubric: Rubric, criterion: Criterion) -> Iterator[LintWarning]:
    text = f"{criterion.question} {criterion.pass_condition}"
    if criterion.partial is None and re.search(r"\bpartial(?:ly)?\b", text, re.IGNORECASE):
        yield LintWarning(
            criterion.id,
            "speaks of a partial pass but does not define one",
            "write `partial:` with its own definition, or decide pass or fail",
        )
    if criterion.partial is not None and len(criterion.partial.split()) < 5:
        yield LintWarning(
            criterion.id,
            "its middle grade has no definition of its own",
            "say in `partial:` what is observed in that case",
        )


def _length(_rubric: Rubric, criterion: Criterion) -> Iterator[LintWarning]:
    if criterion.claims_rule is None and not _LENGTH.search(criterion.pass_condition):
        yield LintWarning(
            criterion.id,
            "does not say that length is no evidence",
            'add to the pass_condition: "Length is no evidence; restating something earns nothing."',
        )


def _decidable(_rubric: Rubric, criterion: Criterion) -> Iterator[LintWarning]:
    text = f"{criterion.question} {criterion.pass_condition}"
    for pattern, scorer in _DECIDABLE:
        if pattern.search(text):
            yield LintWarning(
                criterion.id,
                "code can decide this",
                f"use the scorer {scorer} in a capability or under policy, for free and exactly",
            )


def _floor_rule(rubric: Rubric, criterion: Criterion) -> Iterator[LintWarning]:
    fault = rule_fault(rubric, criterion)
    if fault:
        yield LintWarning(criterion.id, fault, "correct `floor`, or leave it out and the floor judge abstains")


_CHECKS: tuple[_Check, ...] = (
    _vague,
    _two_questions,
    _nothing_observable,
    _undefined_middle,
    _length,
    _decidable,
    _floor_rule,
)
