"""A rubric: binary criteria with pass conditions that two readers would apply alike."""

from typing import Annotated, Literal

from pydantic import Field

from evalkit.records.base import Record
from evalkit.records.cases import Identifier
from evalkit.records.identity import content_hash

Mode = Literal["pointwise", "pairwise", "reference", "triage"]
ClaimsRule = Literal[
    "all_supported",
    "none_contradicted",
    "citations_support",
    "all_covered",
    "no_violation",
    "no_misattribution",
    "no_inaccuracy",
    "hands_off",
]
EvidenceFrom = Literal["context", "candidate", "either"]
OVERALL = "overall"
"""The conjunction of a rubric's critical criteria, as a criterion."""
CriterionId = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,39}$")]


class Criterion(Record):
    """One falsifiable question."""

    id: CriterionId
    """Short id, e.g. `F1`; the key under which the judge answers."""
    question: str
    """The question, with one subject."""
    pass_condition: str
    """What can be observed in the output or the context when the criterion passes."""
    critical: bool = True
    """Whether it takes part in the overall verdict."""
    weight: Annotated[float, Field(ge=0)] = 1.0
    """Read by acceptance only."""
    evidence_from: EvidenceFrom = "either"
    """Where the evidence of a pass must come from."""
    claims_rule: ClaimsRule | None = None
    """How the grade follows from the table of claims (pointwise) or facts (reference), in both directions; None: it does not."""
    partial: str | None = None
    """Definition of the middle grade; without one there is none."""
    floor: str | None = None
    """Rule of the floor judge for this criterion; without one the floor abstains."""
    example_pass: str | None = None
    """An answer that passes."""
    example_fail: str | None = None
    """An answer that fails."""


class Rubric(Record):
    """rubrics/NAME.yaml."""

    schema_version: Literal[1] = 1
    """Version of this format."""
    id: Identifier
    """Name by which suites use it."""
    version: Identifier
    """Changes with any change of meaning."""
    mode: Mode = "pointwise"
    """How the judge is asked."""
    criteria: Annotated[tuple[Criterion, ...], Field(min_length=1)]
    """What is asked, in order."""
    claims: Literal["none", "plain", "triage"] = "none"
    """Whether the judge splits the answer into claims first."""
    channels: dict[CriterionId, str] = Field(default_factory=dict)
    """Name -> question, reported apart and never counted."""
    owners: dict[CriterionId, str] = Field(default_factory=dict, exclude_if=lambda owners: not owners)
    """Triage: name -> whose findings those are; `nobody` is reserved for statements that credit no one."""
    constitution: str | None = None
    """Text spliced into the judge's prompt and into the writer's (loading replaces the file's name by its text)."""

    def asked_sha256(self, criterion: str) -> str:
        """Return the hash of what is asked under a criterion's id: question, pass condition, middle grade.

        Of `overall` it covers the critical criteria. The same hash asks people the same. Raises KeyError for an unknown criterion.
        """
        wordings = {one.id: [one.question, one.pass_condition, one.partial] for one in self.criteria}
        if criterion in wordings:
            return content_hash("asked/1", wordings[criterion])
        if criterion != OVERALL:
            raise KeyError(criterion)
        return content_hash("asked/1", [[one.id, *wordings[one.id]] for one in self.criteria if one.critical])

    def wordings(self) -> dict[str, str]:
        """Return criterion -> hash of what is asked, `overall` included."""
        return {name: self.asked_sha256(name) for name in (*(one.id for one in self.criteria), OVERALL)}
