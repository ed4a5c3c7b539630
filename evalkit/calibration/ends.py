"""What a judge says of each item: one label per item and criterion, or the reason for none.

An item is found by case and hash of the output, never by its place in a file. Of a run only labelled items are kept in memory.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from evalkit.judging.results import grade_of
from evalkit.records.comparisons import PairLine
from evalkit.records.external_verdicts import TIE, ExternalVerdict
from evalkit.records.labels import LabelledItem
from evalkit.records.scores import Unscored
from evalkit.records.verdicts import Judgement

Text = tuple[str, str | tuple[str, str] | None]
"""Case id and hash of the output."""
UNREADABLE = "unreadable"


class End(NamedTuple):
    """A judge's answer to one question about one item."""

    label: str | None
    reason: str = ""
    """Why there is no label: `unreadable`, `judge_error:KIND`, `unstable`, `not_bought`, `floor_abstains`."""
    judgement: Judgement | None = None
    """What it rests on; None for verdicts made elsewhere, and for pairs."""
    depends_on_order: bool | None = None
    """Of a pair: whether it is a tie only because the swap changed the verdict; None where it was shown in one order."""
    pair: PairLine | None = None
    """Of a comparison's pair: both orders."""
    candidates: tuple[str, ...] = ()
    """Of a pair that was judged elsewhere: A and B."""

    @property
    def unreadable(self) -> bool:
        """Whether the judge was asked and gave nothing that counts."""
        return self.label is None and (self.reason == UNREADABLE or self.reason.startswith("judge_error"))


@dataclass(frozen=True, kw_only=True)
class Source:
    """One judge use, or one judge of a file of verdicts, with what it said of each item."""

    judge: str
    capability: str = ""
    rubric: str | None = None
    mode: str
    judge_config_hash: str | None = None
    criteria: tuple[str, ...]
    judgements: dict[Text, list[Judgement]] = field(default_factory=dict)
    """Of a run or an experiment: the samples of each item."""
    given: dict[tuple[Text, str], End] = field(default_factory=dict)
    """Of pairs, and of verdicts made elsewhere: by item and criterion."""
    cases: set[str] = field(default_factory=set)
    """Every case that was judged, labelled or not."""

    def end(self, item: LabelledItem) -> End | None:
        """Return what the judge said of an item, None where the item is none of this source's."""
        case_id, output, rubric, criterion = item
        text = (case_id, output)
        if rubric != self.rubric or criterion not in self.criteria:
            return None
        if text in self.judgements:
            return end_of(self.judgements[text], criterion)
        return self.given.get((text, criterion))


def end_of(samples: Sequence[Judgement], criterion: str) -> End:
    """Return what the samples of one item say together: their common grade, `unstable`, or why one of them says nothing."""
    grades = [grade_of(criterion, judgement) for judgement in samples]
    for grade, judgement in zip(grades, samples, strict=True):
        if isinstance(grade, Unscored):
            return End(None, grade.reason, judgement)
    labels = {grade for grade in grades if isinstance(grade, str)}
    return End(labels.pop(), "", samples[0]) if len(labels) == 1 else End(None, "unstable", samples[0])


def external_sources(verdicts: Iterable[ExternalVerdict]) -> list[Source]:
    """Return a source per judge, mode and criterion of a file of verdicts, in the order of the file."""
    grouped: dict[tuple[str, str, str], dict[Text, list[ExternalVerdict]]] = defaultdict(lambda: defaultdict(list))
    for verdict in verdicts:
        grouped[verdict.judge, verdict.mode, verdict.criterion][verdict.case_id, None].append(verdict)
    return [
        Source(
            judge=judge,
            mode=mode,
            criteria=(criterion,),
            given={
                (text, criterion): _together(said)._replace(candidates=said[0].candidates if mode == "pairwise" else ())
                for text, said in items.items()
            },
            cases={case_id for case_id, _ in items},
        )
        for (judge, mode, criterion), items in grouped.items()
    ]


def _together(said: Sequence[ExternalVerdict]) -> End:
    """Return what the repetitions and orders of one question say together.

    Of a pair a win counts only where it survives the swap, otherwise it is a tie; repetitions of one order must agree.
    """
    orders: dict[str | None, set[str | None]] = defaultdict(set)
    for verdict in said:
        if verdict.verdict is None:
            return End(None, UNREADABLE if verdict.unreadable else "no_verdict")
        orders[verdict.first_shown].add(verdict.verdict)
    if any(len(labels) > 1 for labels in orders.values()):
        return End(None, "unstable")
    labels = {label for labels in orders.values() for label in labels}
    divided = len(labels) > 1
    return End(TIE if divided else labels.pop(), depends_on_order=divided if len(orders) > 1 else None)
