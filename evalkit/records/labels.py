"""A person's label of one output on one criterion (`labels/1`): what a judge is calibrated against.

A label belongs to a text, not to a place in a file: case, hash of the output, rubric and criterion say what was labelled. How it
came to be drawn stands beside it, because a figure about the judge holds only for what its labels were a sample of.
"""

from typing import Annotated, Literal

from pydantic import Field

from evalkit.records.base import Record
from evalkit.records.cases import Identifier

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Design = Literal["random", "by-verdict", "flips", "planted"]
Split = Literal["dev", "test"]

PROBABILITY_DESIGNS: frozenset[Design] = frozenset({"random", "by-verdict"})
"""Designs whose labels stand for a whole run; the others stand for themselves."""

DEV_SHARE = 0.3
"""Share of cases whose labels `label export` keeps for dev, unless it is told another."""

LabelledItem = tuple[str, str | tuple[str, str] | None, str | None, str]
"""What was labelled: case id, output hash (two for a pair, None for verdicts made elsewhere), rubric, criterion."""

ItemKey = tuple[str, str | frozenset[str] | None, str | None, str]
"""The same, whichever answer of a pair is called A."""
TURNED = {"A": "B", "B": "A"}
"""Label of a pair -> the same label where the answers are named the other way round."""
PAIR_LABELS = ("A", "B", "tie")
"""What a label says of a pair of texts; the words of verdicts made elsewhere are their own."""


def item_key(item: LabelledItem) -> ItemKey:
    """Return what an item is found by where a pair may be named either way round."""
    case_id, output, rubric, criterion = item
    return case_id, frozenset(output) if isinstance(output, tuple) else output, rubric, criterion


class Label(Record):
    """One line of labels.jsonl."""

    schema_version: Literal["labels/1"] = "labels/1"
    """Version of this format."""
    case_id: Identifier
    """The case that was labelled."""
    output_sha256: Sha256 | tuple[Sha256, Sha256] | None
    """SHA-256 of the output's text; of a pair those of A and B, in this order; null for verdicts made elsewhere."""
    rubric: Identifier | None = None
    """The rubric that the criterion belongs to; null for verdicts made elsewhere."""
    criterion: Identifier = "overall"
    """What was asked; `overall` is the conjunction of the rubric's critical criteria, labelled as a whole."""
    asked_sha256: Annotated[Sha256 | None, Field(exclude_if=lambda value: value is None)] = None
    """Hash of the criterion's wording that the labeller read; null where nobody noted it. A label made under another wording than the
    judge's does not count."""
    label: Identifier | None
    """`pass`, `fail`, `not_applicable` or another label; of a pair `A`, `B` or `tie`; null where the labeller skipped it."""
    labeller: Identifier
    """Who labelled; two labellers of one item show how far people agree."""
    design: Design
    """How the item was drawn: `random` over the run, `by-verdict` within strata of the judge's verdicts, `flips` from the
    stability queue, `planted` where the right label was known before. Only the first two stand for a run."""
    inclusion_probability: Annotated[float, Field(gt=0, le=1)] | None = None
    """Chance with which this item was drawn from its population; null where nothing was drawn by chance."""
    split: Split
    """`dev` for labels that may be read while a rubric is edited, which spends them; `test` for those that decide on trust."""
    blind: bool
    """True where the labeller had not seen the judge's verdict; other labels never decide on trust."""
    labelled_at: Annotated[
        str, Field(pattern=r"^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$")
    ]
    """When, ISO 8601: a date, or date and time."""
    note: str = ""
    """The labeller's own words."""

    @property
    def item(self) -> LabelledItem:
        """What was labelled: what verdicts and other labels are joined by."""
        return self.case_id, self.output_sha256, self.rubric, self.criterion

    def named_as(self, output: tuple[str, str]) -> "Label":
        """Return the label with the answers of its pair named A and B in this order; itself where it is about another text."""
        if not isinstance(self.output_sha256, tuple) or self.output_sha256 != output[::-1]:
            return self
        label = TURNED.get(self.label or "", self.label)
        return self.model_copy(update={"output_sha256": output, "label": label})
