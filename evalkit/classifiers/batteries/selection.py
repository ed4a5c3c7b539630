"""A noul per item over one state: what ToolRelevance, SkillRelevance and ToolResultFilter have in common.

Items stand in the state under numbered fields, so that an item's own words are data and never a question; all are asked in one
request, which is cheap, and lowers confidence. Only a sure no drops an item.
"""

from __future__ import annotations

from collections.abc import Sequence

from evalkit.classifiers.banding import BANDS
from evalkit.classifiers.batteries.asking import NOT_ASKED, Battery, OnError, checked_on_error
from evalkit.classifiers.batteries.rules import keeps
from evalkit.classifiers.batteries.wording import ITEM, ItemWording
from evalkit.classifiers.seam import Classifier, State
from evalkit.records.bands import Bands
from evalkit.records.base import Json
from evalkit.records.battery_verdicts import SelectionVerdict
from evalkit.records.decisions import NoulAnswer
from evalkit.records.questions import NoulQuestion, noul


class Selection(Battery):
    """A battery that keeps and drops items. `on_error`: `open` keeps all, `closed` keeps none."""

    subject = "prompt"
    """The field of the state that the items are judged against."""

    def __init__(
        self, classifier: Classifier, *, on_error: OnError, wording: ItemWording, bands: Bands = BANDS
    ) -> None:
        self.on_error = checked_on_error(on_error)
        super().__init__(classifier, wording, bands, {"on_error": on_error})
        self.wording = wording

    async def choose(self, subject: str, items: Sequence[Json]) -> SelectionVerdict:
        """Return what is kept; an empty list asks nothing."""
        if not items:
            return SelectionVerdict(
                kept=(), dropped=(), stays=(), p=(), reason="nothing to choose from", **self.origin(NOT_ASKED)
            )
        fields = [f"{self.wording.field}_{number}" for number in range(1, len(items) + 1)]
        data = {self.subject: subject, **dict(zip(fields, items, strict=True))}
        asked = await self.ask(
            State(self.wording.role, data), {name: item_question(self.wording, name) for name in fields}
        )
        answers = [asked.answer(name) for name in fields]
        stay = [keeps(answer, self.bands) if asked.error is None else self.on_error == "open" for answer in answers]
        kept = tuple(item for item, stays in zip(items, stay, strict=True) if stays)
        return SelectionVerdict(
            kept=kept,
            dropped=tuple(item for item, stays in zip(items, stay, strict=True) if not stays),
            stays=tuple(stay),
            p=tuple(answer.p if isinstance(answer, NoulAnswer) else None for answer in answers),
            reason=f"{len(kept)} of {len(items)} kept" if asked.error is None else f"on_error: {self.on_error}",
            **self.origin(asked),
        )


def item_question(wording: ItemWording, field: str) -> NoulQuestion:
    """Return the question about the item in a field of the state."""
    question, yes, no = (text.replace(ITEM, field) for text in (wording.question, wording.yes, wording.no))
    return noul(question, yes=yes, no=no)
