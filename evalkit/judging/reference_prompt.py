"""The reference prompt: one answer against numbered facts and a reference answer. Any change of a word is a new version."""

from __future__ import annotations

from functools import lru_cache

from evalkit.judging import prompt_parts
from evalkit.judging.markers import block
from evalkit.judging.prompt_parts import BESIDE_CRITERIA, HIERARCHY, Messages
from evalkit.records.rubrics import Criterion, Rubric
from evalkit.validation.forms import ReplyForm
from evalkit.validation.material import CANDIDATE, REFERENCE, Material
from evalkit.validation.reference_form import FACT_STATUSES, grades_of

PROMPT_VERSION = "reference/1"

ROLE = f"""\
You hold one answer against a reference: facts that a full answer states. You are one instrument in an evaluation; your reply is \
checked by a program.

{HIERARCHY}

The reference is the only standard. What you know from elsewhere neither completes nor corrects it. Judge what the answer says, \
not how fluently, in which words or at what length it says it."""

COVERED, MISSING, CONTRADICTED = FACT_STATUSES

WORK = f"""\
1. Go through the facts by number: each one once, in order, none left out and none added. For each look for the passage of the \
answer that states it, or that says otherwise, and quote that passage word for word, as short as it can be and still carry the \
whole fact; its "source" is "{CANDIDATE}". Other words for the same thing are fine; part of a fact is not the fact.
2. Only then give the fact its status: "{COVERED}" where the quoted passage states it or it follows directly; "{CONTRADICTED}" where \
the quoted passage says otherwise; "{MISSING}" where the answer says neither. No quote, then "{MISSING}".
3. List under "contradictions" what else the answer states that cannot be true if the reference is: in a short sentence, with its \
quote from the answer, and under "fact" the number of the fact that it goes against, or null where it goes against the reference \
answer only. A passage that already made a fact "{CONTRADICTED}" is not listed again. Further statements on which the reference is \
silent are no contradictions.
4. Then go through the criteria in order. List the numbers of the facts and the evidence ids that decide a criterion, write the \
rationale from them in one or two sentences, and only then the grade. Evidence that belongs to no fact goes into "evidence"; its \
"source" is "{CANDIDATE}", or "{REFERENCE}" for a quote from the reference answer. Every evidence id is used once and exists.
5. Last, "overall_pass": true where every critical criterion that applies passes, false where one does not, null where none \
applies."""

RULES = {
    "all_covered": f'passes exactly when every fact is "{COVERED}"',
    "none_contradicted": f'passes exactly when no fact is "{CONTRADICTED}" and nothing is listed under "contradictions"',
}


def messages(form: ReplyForm, material: Material) -> Messages:
    """Return the two messages of a reference request."""
    untrusted = [text.shown for _, text in material.named()]
    answer = block("ANSWER", material.candidate.shown, untrusted)
    parts = [
        _reference(material, untrusted),
        f"The answer to hold against it:\n\n{answer}",
        closing(form),
    ]
    return prompt_parts.graded(ROLE, form, material.question, untrusted, parts)


def _reference(material: Material, untrusted: list[str]) -> str:
    facts = "\n\n".join(
        f"Fact {number}\n{block('FACT', text.shown, untrusted)}" for number, text in enumerate(material.facts, 1)
    )
    numbered = f"The facts of the reference, {len(material.facts)} in number:\n\n{facts}"
    whole = material.sources.get(REFERENCE)
    if whole is None:
        return numbered
    return f"The reference answer:\n\n{block('REFERENCE', whole.shown, untrusted)}\n\n{numbered}"


@lru_cache(maxsize=64)
def closing(form: ReplyForm) -> str:
    """Return parts 6 and 7: the rubric with the order of work, and the reply schema; the same for every case."""
    return f"{_rubric(form.rubric)}\n\n{prompt_parts.schema(form)}"


def _rubric(rubric: Rubric) -> str:
    beside = prompt_parts.channels(rubric, BESIDE_CRITERIA)
    return prompt_parts.rubric_and_work(map(_criterion, rubric.criteria), f"{WORK}\n\n{beside}" if beside else WORK)


def _criterion(criterion: Criterion) -> str:
    lines = prompt_parts.criterion_lines(criterion, RULES, first=prompt_parts.weighed(criterion))
    lines.append(f"Grades: {', '.join(grades_of(criterion))}.")
    return "\n".join(lines)
