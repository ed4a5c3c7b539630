"""A rubric's file, with its constitution spliced in, and what must hold before a judge is asked by it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from evalkit.errors import Fault, InputError
from evalkit.loading.files import PathError, read_text, resolve_inside
from evalkit.loading.yaml_files import Document, read_record
from evalkit.records.rubrics import Criterion, Rubric
from evalkit.records.statements import NOBODY
from evalkit.records.verdicts import RULING_ROWS, SPECIFICITY
from evalkit.text.shown import shown_text

RESERVED = "overall"
"""The name of the verdict over all critical criteria."""
SHARES = ("coverage", "contradiction")
"""The names of the rows that mode reference has beside the criteria."""
RULES: Mapping[str, tuple[str, ...]] = {
    "pointwise": ("all_supported", "none_contradicted", "citations_support"),
    "reference": ("all_covered", "none_contradicted"),
    "triage": ("no_violation", "no_misattribution", "no_inaccuracy", "hands_off"),
}
"""Mode -> the rules that its table can decide."""


def read_rubric(path: Path, roots: list[Path]) -> Rubric:
    """Return a rubric with its constitution's text in place of the file's name.

    The constitution's path is relative to the rubric's file and may not leave `roots`. Raises InputError with all faults.
    """
    loaded = read_record(Rubric, path)
    rubric, document = loaded.record, loaded.document
    faults = list(rubric_faults(rubric, document))
    if rubric.constitution is not None:
        try:
            resolved = resolve_inside(path.parent / rubric.constitution, roots)
            rubric = rubric.model_copy(update={"constitution": read_text(resolved)})
        except PathError as error:
            faults.append(document.fault(("constitution",), str(error), "copy the file into the suite's folder"))
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError(faults)
    return rubric


def rubric_faults(rubric: Rubric, document: Document) -> Iterator[Fault]:
    """Yield what is wrong with a rubric beyond the form of its fields."""
    seen: set[str] = set()
    for index, criterion in enumerate(rubric.criteria):
        where = ("criteria", index)
        if criterion.id.casefold() == RESERVED:
            yield document.fault(
                (*where, "id"),
                f"the criterion id {criterion.id!r} is reserved",
                "it names the verdict over all criteria",
            )
        if criterion.id in seen:
            yield document.fault(
                (*where, "id"), f"the criterion id {criterion.id!r} stands twice", "criterion ids are unique"
            )
        seen.add(criterion.id)
        yield from _rule_faults(rubric, criterion, where, document)
        for field in ("question", "pass_condition", "partial"):
            text = getattr(criterion, field)
            if text is not None and not text.strip():
                yield document.fault((*where, field), "must not be empty")
    if rubric.mode == "reference":
        yield from _reference_faults(rubric, document)
    yield from _triage_faults(rubric, document) if rubric.mode == "triage" else _no_triage_faults(rubric, document)
    for channel in rubric.channels:
        if channel in seen or channel.casefold() == RESERVED:
            yield document.fault(
                ("channels", channel), f"the channel {shown_text(channel)} bears a criterion's name", "rename it"
            )
    if not any(criterion.critical for criterion in rubric.criteria):
        yield document.fault(("criteria",), "has no critical criterion", "the overall verdict needs one")


def _rule_faults(
    rubric: Rubric, criterion: Criterion, where: tuple[str | int, ...], document: Document
) -> Iterator[Fault]:
    """Yield what keeps a criterion's rule from being applied to the table that the rubric's mode has."""
    rule, rules = criterion.claims_rule, RULES.get(rubric.mode, ())
    if rule is None:
        return
    if rule not in rules:
        yield document.fault(
            (*where, "claims_rule"),
            f"the rule {rule!r} is none of mode {rubric.mode}",
            f"rules of that mode: {', '.join(rules) or 'none'}",
        )
    elif rubric.mode == "pointwise" and rubric.claims == "none":
        yield document.fault((*where, "claims_rule"), "needs a claims table", "set `claims: plain` in the rubric")


def _reference_faults(rubric: Rubric, document: Document) -> Iterator[Fault]:
    """Yield what a reference rubric cannot have: claims, sources, and criteria named like the rows beside them."""
    if rubric.claims != "none":
        yield document.fault(("claims",), "a reference rubric has facts instead of claims", "leave `claims` out")
    for index, criterion in enumerate(rubric.criteria):
        where = ("criteria", index)
        if criterion.evidence_from == "context":
            yield document.fault(
                (*where, "evidence_from"),
                "a reference judge is shown no sources",
                "`candidate`, or `either` for the answer or the reference answer",
            )
        if criterion.id.casefold() in SHARES:
            yield document.fault(
                (*where, "id"), f"the criterion id {criterion.id!r} is reserved", "it names a row of mode reference"
            )


def _triage_faults(rubric: Rubric, document: Document) -> Iterator[Fault]:
    """Yield what a triage lacks: its table, a rule per criterion, owners; and criteria named like the rows beside them."""
    if rubric.claims != "triage":
        yield document.fault(("claims",), "a triage has a table of statements", "set `claims: triage`")
    for index, criterion in enumerate(rubric.criteria):
        where = ("criteria", index)
        if criterion.claims_rule is None:
            yield document.fault(
                where, "a triage decides every criterion by a rule", f"claims_rule: one of {', '.join(RULES['triage'])}"
            )
        if criterion.id.casefold() in {*RULING_ROWS, SPECIFICITY}:
            yield document.fault(
                (*where, "id"), f"the criterion id {criterion.id!r} is reserved", "it names a row of mode triage"
            )
    if not rubric.owners:
        remedy = 'e.g. {lab: the laboratory, house: "we, us, our"}'
        yield document.fault(("owners",), "a triage names whose findings there are", remedy)
    for owner in rubric.owners:
        if owner.casefold() == NOBODY:
            yield document.fault(
                ("owners", owner), f"{NOBODY!r} is reserved", "it is for statements that credit no one"
            )


def _no_triage_faults(rubric: Rubric, document: Document) -> Iterator[Fault]:
    if rubric.claims == "triage":
        yield document.fault(("claims",), "a table of statements belongs to mode triage", "set `mode: triage`")
    if rubric.owners:
        yield document.fault(("owners",), "belongs to mode triage", "leave it out")
