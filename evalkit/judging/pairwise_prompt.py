"""The pairwise prompt: two answers by one rubric, named A and B by their places and by nothing else."""

from __future__ import annotations

from functools import lru_cache

from evalkit.judging import prompt_parts
from evalkit.judging.markers import block
from evalkit.judging.prompt_parts import HIERARCHY, Messages
from evalkit.records.rubrics import Criterion
from evalkit.records.texts import ShownText
from evalkit.validation.forms import ReplyForm
from evalkit.validation.material import ANSWER_A, ANSWER_B, Material
from evalkit.validation.pairwise_form import WINNERS

PROMPT_VERSION = "pairwise/1"

ROLE = f"""\
You compare two answers to the same question by a rubric. You are one instrument in an evaluation; your reply is checked by a \
program.

{HIERARCHY}

The answers are called A and B. The letters only say which stands first on the page; who wrote them is unknown and does not \
matter. Compare what the answers say, not how fluently or at what length they say it."""

WORK = f"""\
1. Find the passages of the two answers and of the sources that decide each criterion. Quote each word for word, as short as it \
can be; its "source" is "{ANSWER_A}", "{ANSWER_B}" or a source's id. Every evidence id is used once and exists.
2. Go through the criteria in order. List the evidence ids that decide a criterion, write the rationale from them in one or two \
sentences that look at both answers, and only then the winner: "A", "B", or "tie" where neither is better by this criterion. A \
winner rests on at least one piece of evidence from where the criterion says it comes from.
3. Last, "overall": the better answer by the criteria together, a critical one weighing more than any that is not critical; "tie" \
where they balance. Where all criteria say the same, that; a side that no criterion prefers cannot win."""

NOTHING = ShownText("", "")


def messages(form: ReplyForm, material: Material) -> Messages:
    """Return the two messages of a pairwise request; `material.candidate` is shown as A, `material.other` as B."""
    untrusted = [*(text.shown for _, text in material.named()), *material.sources]
    first, second = material.candidate, material.other or NOTHING
    answers = (
        f"Answer A:\n\n{block('ANSWER A', first.shown, untrusted)}\n\n"
        f"Answer B:\n\n{block('ANSWER B', second.shown, untrusted)}"
    )
    parts = [
        prompt_parts.context(material.sources, untrusted),
        answers,
        closing(form),
    ]
    return prompt_parts.graded(ROLE, form, material.question, untrusted, parts)


@lru_cache(maxsize=64)
def closing(form: ReplyForm) -> str:
    """Return parts 6 and 7: the rubric with the order of work, and the reply schema; the same for every case."""
    rubric = prompt_parts.rubric_and_work(map(_criterion, form.rubric.criteria), WORK)
    return f"{rubric}\n\n{prompt_parts.schema(form)}"


def _criterion(criterion: Criterion) -> str:
    lines = [
        f"{prompt_parts.weighed(criterion)}: {criterion.question}",
        f"The better answer is the one for which this holds, or holds more fully: {criterion.pass_condition}",
    ]
    if criterion.example_pass:
        lines.append(f"Example of the better answer: {criterion.example_pass}")
    if criterion.example_fail:
        lines.append(f"Example of the worse answer: {criterion.example_fail}")
    where = {"context": "the sources", "candidate": "the answers", "either": "the sources or the answers"}
    lines.append(f"Evidence comes from {where[criterion.evidence_from]}. Winners: {', '.join(WINNERS)}.")
    return "\n".join(lines)
