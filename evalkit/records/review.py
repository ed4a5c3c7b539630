"""What a person should look at (`review/1`), and what came of looking (`resolution/1`): the judge and the gates can be wrong too.

A queue belongs to a run. Each source adds items of its own kind, and the kinds stand in a fixed order: what says that the instrument
is unsteady comes before what says that it may be wrong.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from evalkit.records.base import Record
from evalkit.records.cases import Identifier
from evalkit.records.identity import content_hash

ReviewKind = Literal["flip", "judge_error", "uncertain", "disagreement", "finding"]
KINDS: tuple[ReviewKind, ...] = ("flip", "judge_error", "uncertain", "disagreement", "finding")
"""In the order of the queue: flips of repeated verdicts, replies that nobody could use, verdicts of too little confidence,
verdicts that a person's label contradicts, instructions found in the material."""
ResolutionKind = Literal["fix_writer", "fix_judge", "fix_gate", "fix_label", "fine"]
JudgedKey = tuple[str, str, str, str]
"""Case id, capability, output hash, judge_config_hash: what an item is about, whichever kind it is."""
ItemId = Annotated[str, Field(pattern=r"^[0-9a-f]{12}$")]


class Passage(Record):
    """Something to read before deciding."""

    title: str
    """What it is, e.g. `rationale of pass`."""
    text: str
    """Its words, untrusted; a long one is cut with a mark."""


class ReviewItem(Record):
    """One line of review_queue.jsonl."""

    schema_version: Literal["review/1"] = "review/1"
    """Version of this format."""
    id: ItemId
    """Hash of kind, case, judge use, criterion, answer and judge configuration: the same finding has the same id again."""
    kind: ReviewKind
    """Which source put it here."""
    case_id: Identifier
    """The case."""
    capability: str
    """The judge use."""
    rubric: str
    """The rubric of the judge use."""
    criterion: str = ""
    """The criterion, or `overall`; empty where the whole verdict is meant."""
    judge_config_hash: str
    """The configuration whose verdict this is about."""
    output_sha256: str
    """Hash of the answer."""
    why: str
    """Why it is here, in a sentence."""
    read: tuple[Passage, ...] = ()
    """What to read, beside question, sources and answer."""
    hint: str = ""
    """What the queue as a whole suggests, e.g. that a criterion wants rewriting."""
    grades: tuple[str, ...] = ()
    """Of a flip: the grade of each run that gave one."""
    counts: dict[str, int] = Field(default_factory=dict)
    """Of a flip: grade -> runs."""
    disagreement: float | None = None
    """Of a flip: chance that two runs differ; the larger, the earlier in the queue."""
    rationales: dict[str, str] = Field(default_factory=dict)
    """Of a flip: grade -> the first rationale given for it."""
    flips_of_criterion: int | None = None
    """Of a flip: cases that flip on this criterion."""

    @classmethod
    def of(cls, *, kind: ReviewKind, **fields: Any) -> ReviewItem:
        """Return an item with its id. Raises ValidationError where fields are missing."""
        names = ("case_id", "capability", "rubric", "criterion", "judge_config_hash", "output_sha256")
        known = content_hash("review-item/1", [kind, *(fields.get(name, "") for name in names)])[:12]
        return cls(id=known, kind=kind, **fields)

    @property
    def judged(self) -> JudgedKey:
        """The answer and the measurement."""
        return self.case_id, self.capability, self.output_sha256, self.judge_config_hash

    @property
    def place(self) -> tuple[str, str, str, str, str]:
        """What it is about, whatever the answer and the judge: how a later run is asked whether it is still there."""
        return self.kind, self.case_id, self.capability, self.rubric, self.criterion


class Resolution(Record):
    """One line of resolutions.jsonl: what came of an item."""

    schema_version: Literal["resolution/1"] = "resolution/1"
    """Version of this format."""
    item: ItemId
    """The item's id."""
    kind: ReviewKind
    """The item's kind."""
    case_id: Identifier
    """The item's case."""
    capability: str
    """The item's capability."""
    rubric: str
    """The item's rubric."""
    criterion: str = ""
    """The item's criterion."""
    resolution: ResolutionKind
    """What has to change: the writer, the judge (prompt, rubric, model), the gate, the label; or nothing."""
    note: str = ""
    """The reviewer's own words."""
    reviewer: str = ""
    """Who looked."""
    resolved_at: str
    """UTC, ISO 8601."""
    confirmed_by: str | None = None
    """Id of the run that confirmed it; of `fine` the reviewed run itself; null until a run has shown that the fix worked."""

    @property
    def place(self) -> tuple[str, str, str, str, str]:
        """As of the item."""
        return self.kind, self.case_id, self.capability, self.rubric, self.criterion
