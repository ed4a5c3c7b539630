"""The triage prompt: one answer, every sentence of it, typed questions about each; counting is left to the program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from evalkit.judging import prompt_parts
from evalkit.judging.markers import block
from evalkit.judging.prompt_parts import HIERARCHY, LENGTH_EARNS_NOTHING, Messages
from evalkit.records.cases import Case
from evalkit.records.rubrics import Criterion, Rubric
from evalkit.records.statements import NOBODY
from evalkit.validation.forms import ReplyForm
from evalkit.validation.material import Material
from evalkit.validation.triage_form import SCOPES, asks_handoff, owners_of

PROMPT_VERSION = "triage/2"

ROLE = f"""\
You read one answer against its evidence, sentence by sentence, and fill in a table. You are one instrument in an evaluation; \
your reply is checked by a program, and the program counts.

{HIERARCHY}

Say of each statement what it is and what it rests on. Warmth, tone and fluency never excuse an unsupported statement, and a \
true remark never makes up for a false one."""

WORK = f"""\
1. Go through the answer in its order. Each sentence that asserts something is a statement; quote it word for word and whole. Two \
assertions in one sentence are two statements: quote its clauses, which do not overlap and together take up the sentence. No quote \
runs past the end of its sentence. Every other sentence (a question, a greeting, an announcement) goes into "silent", quoted word \
for word; what holds a figure, or a name of the evidence, is a statement unless it is a question. No sentence is left out.
2. "scope" is one of {", ".join(SCOPES)}. "restatement": it says what the evidence says and no more. "item": it is about the \
subject of this case and says more than the evidence does, a consequence included. "general": it is about subjects of this kind \
as such; teaching is never a fault. A sentence that says what the evidence does not establish, or refuses to promise, is an \
"item" statement that is supported where the evidence indeed does not establish it.
3. Name what you checked it against, before you decide: "paths" are JSON Pointers into the source "evidence" \
("/part/field"), "evidence" quotes of documents, word for word with the document's id. A restatement and a supported statement \
rest on at least one. Of an unsupported one name the part that comes closest, if there is one.
4. "why": one sentence. Then "supported" for an item (true where the evidence establishes it; what is plausible, usual or likely is \
false), else null; "accurate" for a general statement (true where it is right of subjects of this kind), else null.
5. "owner_stated": whom the sentence credits with the finding, by its own words; "owner_true": whose finding it is. \
"{NOBODY}" where it credits no one, or where nobody found it."""

HANDOFF = """\
Then "handoff": "needed" is true where something was asked, or brought up, that the evidence cannot answer; "quote" the words of the \
answer that send the reader to a human for it, empty where none do."""

BESIDE_TABLE = "Last, answer these beside the table; they change nothing in it:"

RULES: Mapping[str, str] = {
    "no_violation": "an item statement that is not supported fails it",
    "no_misattribution": "a statement that credits another than the true owner fails it",
    "no_inaccuracy": "a general statement that is not accurate fails it",
    "hands_off": "where a hand-off is needed, a quote passes it",
}


def messages(form: ReplyForm, material: Material) -> Messages:
    """Return the two messages of a triage request."""
    untrusted = [*(text.shown for _, text in material.named()), *material.sources]
    parts = [
        prompt_parts.context(material.sources, untrusted),
        f"The answer to read:\n\n{block('ANSWER', material.candidate.shown, untrusted)}",
        closing(form),
    ]
    return prompt_parts.graded(ROLE, form, material.question, untrusted, parts)


def enrich(case: Case, material: Material) -> Material:
    """Add the structured evidence, which the table's paths lead into."""
    return replace(material, evidence=case.evidence)


@lru_cache(maxsize=64)
def closing(form: ReplyForm) -> str:
    """Return parts 6 and 7: the rubric with the order of work, and the reply schema; the same for every case."""
    return f"{_rubric(form.rubric)}\n\n{prompt_parts.schema(form)}"


def _rubric(rubric: Rubric) -> str:
    criteria = "\n\n".join(map(_criterion, rubric.criteria))
    owners = "\n".join(f'"{name}": {rubric.owners.get(name, "no one")}' for name in owners_of(rubric))
    steps = (WORK, HANDOFF if asks_handoff(rubric) else "", prompt_parts.channels(rubric, BESIDE_TABLE))
    return (
        f"The rubric; the program decides it from your table. {LENGTH_EARNS_NOTHING}\n\n{criteria}\n\n"
        f"The owners:\n{owners}\n\nWork in this order:\n\n" + "\n".join(step for step in steps if step)
    )


def _criterion(criterion: Criterion) -> str:
    return "\n".join(prompt_parts.criterion_lines(criterion, RULES, first=criterion.id))
