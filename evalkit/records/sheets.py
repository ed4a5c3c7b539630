"""A sheet of answers to be labelled (`label-sheet/1`), written for people who must not know what the judge said.

No verdict, no model and no candidate stands in it. A row belongs to one answer, or to two that are compared, and one criterion, and
carries how it was drawn, so that what comes back is a label with everything a calibration needs. `row` ends in a hash over all that may
not be edited. Of a pair the answers stand in an order drawn by chance, and nothing says which of them is whose.
"""

from typing import Annotated, Literal

from pydantic import Field

from evalkit.records.base import Json, Record
from evalkit.records.cases import Document, Identifier
from evalkit.records.identity import content_hash
from evalkit.records.labels import Design, Sha256, Split

SKIP = "skip"
"""What a labeller writes who looked at a row and cannot decide; an empty label is a row that nobody looked at."""
FIRST, SECOND, TIE = "first", "second", "tie"
PREFERENCES = (FIRST, SECOND, TIE)
"""Labels of a row with two answers: which of them is better, in the order in which they stand there."""
DRAWN_FIELDS = (
    "suite",
    "golden_sha256",
    "outputs_sha256",
    "case_id",
    "output_sha256",
    "rubric",
    "criterion",
    "design",
    "inclusion_probability",
    "split",
    "choices",
    "asked",
    "context",
    "evidence",
    "question",
    "pass_condition",
    "asked_sha256",
)
"""Fields that `row` vouches for: all but the row's number, the answer, which has a hash of its own, and what is filled in."""


class SheetRow(Record):
    """One line of a sheet: an answer and a criterion."""

    schema_version: Literal["label-sheet/1"] = "label-sheet/1"
    """Version of this format."""
    row: Annotated[str, Field(pattern=r"^r[1-9]\d{0,8}-[0-9a-f]{8}$")]
    """Number in the sheet and a hash of the fields that say what was drawn; how a CSV finds its line here."""
    suite: Identifier
    """The suite's name."""
    golden_sha256: Sha256
    """The golden set that was drawn from."""
    outputs_sha256: Sha256
    """The outputs file that was drawn from, of pairs one hash for those of all candidates; whose outputs they are is not said."""
    case_id: Identifier
    """The case."""
    output_sha256: Sha256 | tuple[Sha256, Sha256]
    """SHA-256 of the answer's text, of a pair of both in the order in which they are shown; the label is tied to it."""
    rubric: Identifier
    """The rubric that the criterion belongs to."""
    criterion: Identifier
    """The criterion, or `overall` for the conjunction of the critical ones."""
    design: Design
    """How the row was drawn."""
    inclusion_probability: Annotated[float, Field(gt=0, le=1)] | None = None
    """Chance with which it was drawn; null where nothing was drawn by chance."""
    split: Split
    """Whether the label may be read while a rubric is edited (`dev`), or decides on trust (`test`)."""
    asked: str
    """The case's input as text."""
    context: tuple[Document, ...] = ()
    """What the answer may rest on."""
    evidence: dict[str, Json] | None = None
    """Structured evidence, as the judge sees it too."""
    answer: str
    """The answer, word for word; of a pair the one that is shown first."""
    second_answer: Annotated[str | None, Field(exclude_if=lambda value: value is None)] = None
    """Of a pair the answer that is shown second."""
    question: str
    """The criterion's question."""
    pass_condition: str
    """When the criterion passes."""
    choices: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    """Labels that may be given, beside `skip`."""
    asked_sha256: Sha256
    """Hash of the criterion's wording, of `overall` that of the critical criteria; the label keeps it."""
    label: Identifier | None = None
    """To be filled in: one of the choices, or `skip`; null until then."""
    labeller: Identifier | None = None
    """Who labelled; `--labeller` fills it in where it is null."""
    labelled_at: str | None = None
    """When, ISO 8601; the moment of the import where it is null."""
    note: str = ""
    """The labeller's own words."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The answer, or both of a pair in the order in which they are shown."""
        return (self.answer,) if self.second_answer is None else (self.answer, self.second_answer)

    @property
    def hashes(self) -> tuple[str, ...]:
        """What the hashes of `texts` must be."""
        return (self.output_sha256,) if isinstance(self.output_sha256, str) else self.output_sha256

    def cell(self, field: str) -> str:
        """Return a field's text as a cell of the CSV holds it."""
        return " ".join(self.hashes) if field == "output_sha256" else str(getattr(self, field) or "")

    @property
    def expected_row(self) -> str:
        """What `row` must be for these fields."""
        said = self.model_dump(mode="json", include=set(DRAWN_FIELDS))
        return f"{self.row.partition('-')[0]}-{drawn_hash(said)}"


def drawn_hash(fields: dict[str, Json]) -> str:
    """Return the 8 hex digits with which a row vouches for `DRAWN_FIELDS`."""
    return content_hash("label-sheet-row/2", [fields[name] for name in DRAWN_FIELDS])[:8]
