"""The modes in which a judge is asked, a written-out table: each with its form, its prompt and its reading of verdicts.

A mode is one description of one kind of measurement. Modes never share a row; a rubric belongs to exactly one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from evalkit.judging import (
    pairwise_grades,
    pairwise_prompt,
    pointwise_grades,
    pointwise_prompt,
    reference_grades,
    reference_material,
    reference_prompt,
    split_prompt,
    triage_grades,
    triage_prompt,
)
from evalkit.judging.prompt_parts import GRADE_AGAIN, Messages
from evalkit.records.cases import Case
from evalkit.records.rubrics import Criterion, Rubric
from evalkit.records.scores import CriterionSpec, Unscored
from evalkit.validation.forms import ReplyForm
from evalkit.validation.material import Material
from evalkit.validation.pairwise_form import PairwiseForm
from evalkit.validation.pointwise_form import PointwiseForm
from evalkit.validation.reference_form import ReferenceForm
from evalkit.validation.split_form import SplitForm
from evalkit.validation.triage_form import TriageForm


def always_asked(_case: Case) -> Unscored | None:
    """Ask about every case."""
    return None


def never_split(_case: Case) -> str | None:
    """Split nothing: the mode holds answers against no reference."""
    return None


def has_floor_rule(criterion: Criterion) -> bool:
    """Tell whether a rubric names the floor's rule for a criterion."""
    return criterion.floor is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """How one kind of question is put to a judge, and how its reply is read."""

    prompt_version: str
    """Changes with any word of the prompt; part of judge_config_hash."""
    form: Callable[[Rubric], ReplyForm]
    """Makes the reply form of a rubric: schema and checks."""
    messages: Callable[[ReplyForm, Material], Messages]
    """Makes the seven-part prompt."""
    closing: Callable[[ReplyForm], str]
    """Parts 6 and 7 of it, the same for every case."""
    again: str = GRADE_AGAIN
    """What the judge is told to do at its one retry."""
    floor_knows: Callable[[Criterion], bool] = has_floor_rule
    """Whether the floor judge answers a criterion; it abstains from the others."""
    floor_abstains: tuple[str, ...] = ()
    """Counts and shares that the floor gives none of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mode(Task):
    """A kind of question about outputs, and what its verdicts say."""

    specs: Callable[[Rubric], tuple[CriterionSpec, ...]]
    """The rows that a judge use has: graded criteria (rates), and counts or shares (means)."""
    read: Callable[[str, Any], str | float]
    """(row, verdict of this mode) -> the grade of a rate's row, or the number of a mean's row."""
    reason: Callable[[str, Any], str]
    """(row, verdict of this mode) -> why it did not pass, in words that point into the output."""
    unasked: Callable[[Case], Unscored | None] = always_asked
    """Why a case cannot be asked about in this mode (`no_expectation`, say), or None where it can."""
    enrich: Callable[[Case, Material], Material] | None = None
    """Adds what the mode shows of a case beside question, context and answer."""
    to_split: Callable[[Case], str | None] = never_split
    """The reference of a case that is split into facts before an answer is held against it, or None."""


MODES: Mapping[str, Mode] = {
    "pointwise": Mode(
        prompt_version=pointwise_prompt.PROMPT_VERSION,
        form=PointwiseForm,
        messages=pointwise_prompt.messages,
        closing=pointwise_prompt.closing,
        specs=pointwise_grades.specs,
        read=pointwise_grades.read,
        reason=pointwise_grades.reason,
    ),
    "pairwise": Mode(
        prompt_version=pairwise_prompt.PROMPT_VERSION,
        form=PairwiseForm,
        messages=pairwise_prompt.messages,
        closing=pairwise_prompt.closing,
        specs=pointwise_grades.specs,
        read=pairwise_grades.read,
        reason=pairwise_grades.reason,
        floor_knows=lambda _criterion: True,  # the longer answer wins, whatever was asked
    ),
    "reference": Mode(
        prompt_version=reference_prompt.PROMPT_VERSION,
        form=ReferenceForm,
        messages=reference_prompt.messages,
        closing=reference_prompt.closing,
        specs=reference_grades.specs,
        read=reference_grades.read,
        reason=pointwise_grades.reason,
        unasked=reference_material.unasked,
        enrich=reference_material.enrich,
        to_split=reference_material.to_split,
    ),
    "triage": Mode(
        prompt_version=triage_prompt.PROMPT_VERSION,
        form=TriageForm,
        messages=triage_prompt.messages,
        closing=triage_prompt.closing,
        specs=triage_grades.specs,
        read=triage_grades.read,
        reason=triage_grades.reason,
        enrich=triage_prompt.enrich,
        floor_abstains=triage_grades.FLOOR_ABSTAINS,
    ),
}
"""Mode name -> mode."""

SPLIT = Task(
    prompt_version=split_prompt.PROMPT_VERSION,
    form=SplitForm,
    messages=split_prompt.messages,
    closing=split_prompt.closing,
    again=split_prompt.AGAIN,
    floor_knows=lambda _criterion: True,
)
"""Splits a reference answer into facts, once for all answers that are held against it. It is no mode: nothing is graded."""
