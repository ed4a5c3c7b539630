"""What can be labelled, whoever was asked about it: an answer or a pair of them, whose it is, and what people are asked about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from evalkit.loading.golden import GoldenSet
from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.loading.outputs import OutputsFolder
from evalkit.records.base import Json
from evalkit.records.cases import Case
from evalkit.records.comparisons import Comparison
from evalkit.records.identity import content_hash
from evalkit.records.rubrics import OVERALL, Rubric
from evalkit.runstore.comparisons import StoredComparison
from evalkit.runstore.reader import StoredRun

NOT_APPLICABLE = "not_applicable"
UNSTABLE = "unstable"
"""Grade of a criterion on which the samples of a judge differ."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing that people are asked about an answer."""

    id: str
    """The criterion: of a rubric, `overall`, or `classifier`."""
    question: str
    pass_condition: str
    """When it passes; where people name an option, the options with their meanings."""
    choices: tuple[str, ...]
    """Labels that may be given, beside `skip`."""
    sha256: str
    """Hash of the wording; the label keeps it."""


def asked_by(rubric: Rubric) -> tuple[Asked, ...]:
    """Return what a rubric asks: its criteria in order, then `overall` as the conjunction of the critical ones."""
    critical = [criterion.id for criterion in rubric.criteria if criterion.critical]
    own = [
        Asked(
            criterion.id,
            criterion.question,
            criterion.pass_condition,
            ("pass", "fail", *(("partial",) if criterion.partial else ()), NOT_APPLICABLE),
            rubric.asked_sha256(criterion.id),
        )
        for criterion in rubric.criteria
    ]
    whole = Asked(
        OVERALL,
        "Does the answer pass as a whole?",
        f"Each of these that applies passes: {', '.join(critical)}.",
        ("pass", "fail", NOT_APPLICABLE),
        rubric.asked_sha256(OVERALL),
    )
    return (*own, whole)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer under one judge use or classifier scorer; or two that a judge compared."""

    case: Case
    text: str
    """Of a pair the first named candidate's answer."""
    sha256: str | tuple[str, str]
    """SHA-256 of the text; of a pair those of both."""
    other: str | None = None
    """Of a pair the second named candidate's answer."""
    capability: str
    rubric: str
    """The rubric's id, or what the classifier's rows are called."""
    asked: tuple[Asked, ...]
    """All that can be asked about it, in order."""
    evidence: dict[str, Json] | None = None
    """Structured evidence that a labeller sees."""
    grades: Mapping[str, str] = field(default_factory=dict)
    """Criterion -> the run's grade; without those that have none. Never shown to a labeller."""
    also: tuple[str, ...] = ()
    """Of a pair the other capabilities of this rubric, which asked the very same."""
    confidence: float | None = None
    """Of an answer of which a classifier was not sure: how sure it was, 0 to 1. Never shown to a labeller."""


@dataclass(frozen=True, kw_only=True)
class Subject:
    """Whose answers are labelled: a run, or a suite and one candidate."""

    loaded: LoadedSuite
    outputs: OutputsFolder
    golden: GoldenSet
    run: StoredRun | None
    """None where a suite was named."""

    @property
    def labels_file(self) -> Path:
        """Where the labels of a suite stand, unless somebody says otherwise."""
        return labels_file(self.loaded)

    @property
    def outputs_sha256(self) -> str:
        """What a sheet says that it was drawn from."""
        return self.outputs.sha256


@dataclass(frozen=True, kw_only=True)
class PairSubject:
    """A comparison whose pairs are labelled."""

    loaded: LoadedSuite
    outputs: Mapping[str, OutputsFolder]
    """Candidate -> its outputs."""
    golden: GoldenSet
    comparison: StoredComparison

    @property
    def labels_file(self) -> Path:
        """Where the labels of a suite stand, unless somebody says otherwise."""
        return labels_file(self.loaded)

    @property
    def outputs_sha256(self) -> str:
        """What a sheet says that it was drawn from: one hash for all candidates, so that it names none of them."""
        return compared_sha256(self.comparison.comparison)


def labels_file(loaded: LoadedSuite) -> Path:
    """Return where the labels of a suite stand."""
    return loaded.folder / "labels.jsonl"


def compared_sha256(comparison: Comparison) -> str:
    """Return the hash of the outputs of all candidates of a comparison, in whatever order they are named."""
    return content_hash("compared-outputs/1", sorted(one.outputs_sha256 for one in comparison.candidates))


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """All that a draw can draw from."""

    subject: Subject | PairSubject
    answers: tuple[Answer, ...]
    """Those of judges, then those of classifiers, each in the order of the golden set; pairs in the order of the comparison."""
    notes: tuple[str, ...] = ()
    """What a reader must know, e.g. that some answers have changed since the run."""
