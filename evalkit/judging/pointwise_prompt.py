"""The pointwise prompt: one answer against a rubric. It is versioned like code; any change of a word is a new version."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache

from evalkit.judging import prompt_parts
from evalkit.judging.markers import block
from evalkit.judging.prompt_parts import BESIDE_CRITERIA, HIERARCHY, Messages
from evalkit.records.rubrics import Criterion, Rubric
from evalkit.validation.forms import ReplyForm
from evalkit.validation.material import Material
from evalkit.validation.pointwise_form import grades_of

PROMPT_VERSION = "pointwise/1"

ROLE = f"""\
You grade one answer against a rubric. You are one instrument in an evaluation; your reply is checked by a program.

{HIERARCHY}

Grade what the answer says, not how fluently or at what length it says it."""

CLAIMS_WORK = """\
1. Split the answer into atomic factual claims, in its order, each in a short sentence of its own. Greetings, questions, \
offers of help and statements that the sources do not say something are no claims.
2. For each claim find the source text that establishes it or contradicts it. Quote it word for word, as short as it can be \
and still carry the whole claim; "source" is the id in the source's marker. No quote, no support.
3. Only then give each claim its status: "supported" where quoted text states it or it follows directly; "contradicted" where \
quoted text says otherwise; "unsupported" where no source says it. What is plausible, usual or known from elsewhere is \
unsupported. "cites" lists what the answer cites for this claim (ids as listed under the answer), nothing else."""

PLAIN_WORK = "1. Find the passages of the answer and of the sources that decide each criterion."

CRITERIA_WORK = """\
Then go through the criteria in order. List the claims and the evidence ids that decide a criterion, write the rationale \
from them in one or two sentences, and only then the grade. Evidence that belongs to no claim goes into "evidence"; its \
"source" is a source's id, or "candidate" for a quote from the answer. Every evidence id is used once and exists. A criterion \
that passes rests on at least one piece of evidence, its own or its claims', from where the criterion says it comes from."""

OVERALL_WORK = """\
Last, "overall_pass": true where every critical criterion that applies passes, false where one does not, null where none \
applies."""

RULES: Mapping[str, str] = {
    "all_supported": 'passes exactly when every claim is "supported"; not_applicable exactly when the answer makes no claim',
    "none_contradicted": 'passes exactly when no claim is "contradicted"; not_applicable exactly when the answer makes no claim',
    "citations_support": (
        "passes exactly when each claim that carries citations is supported by a quote from a document it cites, and each "
        "citation of the answer supports a claim; not_applicable exactly when the answer cites nothing or makes no claim"
    ),
}


def messages(form: ReplyForm, material: Material) -> Messages:
    """Return the two messages of a pointwise request."""
    untrusted = [*(text.shown for _, text in material.named()), *material.sources]
    answer = block("ANSWER", material.candidate.shown, untrusted)
    parts = [
        prompt_parts.context(material.sources, untrusted),
        f"The answer to grade:\n\n{answer}\n\n{_citations(material.cited)}",
        closing(form),
    ]
    return prompt_parts.graded(ROLE, form, material.question, untrusted, parts)


def _citations(cited: Iterable[str]) -> str:
    names = sorted(cited)
    if not names:
        return "The answer cites nothing."
    return (
        f"The answer cites, as read by the program: {json.dumps(names)} (a number in square brackets in the answer is the "
        "position of a source, counted from 1)"
    )


@lru_cache(maxsize=64)
def closing(form: ReplyForm) -> str:
    """Return parts 6 and 7: the rubric with the order of work, and the reply schema; the same for every case."""
    return f"{_rubric(form.rubric)}\n\n{prompt_parts.schema(form)}"


def _rubric(rubric: Rubric) -> str:
    first = CLAIMS_WORK if rubric.claims != "none" else PLAIN_WORK
    beside = prompt_parts.channels(rubric, BESIDE_CRITERIA)
    steps = [first, *([beside] if beside else []), CRITERIA_WORK, OVERALL_WORK]
    return prompt_parts.rubric_and_work(map(_criterion, rubric.criteria), "\n".join(steps))


def _criterion(criterion: Criterion) -> str:
    lines = prompt_parts.criterion_lines(criterion, RULES, first=prompt_parts.weighed(criterion))
    where = {"context": "the sources", "candidate": "the answer", "either": "the sources or the answer"}
    lines.append(f"Evidence comes from {where[criterion.evidence_from]}. Grades: {', '.join(grades_of(criterion))}.")
    return "\n".join(lines)
