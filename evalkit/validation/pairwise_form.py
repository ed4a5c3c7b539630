"""The pairwise form: quotes, then a preference per criterion, then the overall preference.

The two answers are `answer_A` and `answer_B` in the order in which they are shown; who wrote them is not known here.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any, get_args

from evalkit.records.base import Json
from evalkit.records.rubrics import Criterion
from evalkit.records.verdicts import PairVerdict, Preference, Winner
from evalkit.validation.forms import FINDING, SPAN, TEXT, Fault, ReplyForm, listed, one_of, shape
from evalkit.validation.material import ANSWER_A, ANSWER_B, Material
from evalkit.validation.quotes import Quotes

WINNERS: tuple[str, ...] = get_args(Winner)
"""The scale: schema, prompt and checks all read it here."""


class PairwiseForm(ReplyForm):
    """Two answers to one question, compared."""

    def reply_schema(self) -> dict[str, Json]:
        """Return the schema: evidence, findings, criteria, channels, overall, in that order."""
        preference = shape({"evidence": listed(TEXT), "rationale": TEXT, "winner": one_of(WINNERS)})
        return shape(
            {
                "evidence": listed(SPAN),
                "findings": listed(FINDING),
                "criteria": shape({criterion.id: preference for criterion in self.rubric.criteria}),
                "overall": one_of(WINNERS),
            }
        )

    def check(self, value: Mapping[str, Any], material: Material) -> PairVerdict | list[Fault]:
        """Return the verdict of a value that fits the schema, or its faults."""
        quotes = Quotes(material)
        faults = [
            *quotes.faults(value["evidence"]),
            *quotes.finding_faults(value["findings"]),
            *self._criteria(value["criteria"], quotes),
            *_overall(value),
        ]
        if faults:
            return faults
        return PairVerdict(
            evidence=tuple(quotes.spans[span["id"]] for span in value["evidence"]),
            findings=quotes.findings(value["findings"]),
            criteria={
                name: Preference(**{**entry, "evidence": tuple(entry["evidence"])})
                for name, entry in value["criteria"].items()
            },
            overall=value["overall"],
        )

    def _criteria(self, entries: Mapping[str, Any], quotes: Quotes) -> Iterator[Fault]:
        for criterion in self.rubric.criteria:
            entry = entries[criterion.id]
            for name in entry["evidence"]:
                if name not in quotes.spans:
                    yield (
                        "dangling_reference",
                        f"{criterion.id} refers to evidence {name[:40]!r}, which was not given",
                    )
            sources = {quotes.spans[name].source for name in entry["evidence"] if name in quotes.spans}
            if entry["winner"] != "tie" and not _rests_on(criterion, sources):
                yield (
                    "no_evidence",
                    f"{criterion.id} prefers {entry['winner']} without evidence from {_place(criterion)}",
                )


def _rests_on(criterion: Criterion, sources: Collection[str]) -> bool:
    answers = {ANSWER_A, ANSWER_B}
    wanted = {"candidate": answers & set(sources), "context": set(sources) - answers, "either": set(sources)}
    return bool(wanted[criterion.evidence_from])


def _place(criterion: Criterion) -> str:
    return {"candidate": "an answer", "context": "the sources", "either": "an answer or the sources"}[
        criterion.evidence_from
    ]


def _overall(value: Mapping[str, Any]) -> Iterator[Fault]:
    """Hold the overall verdict to the criteria: a side that none prefers does not win, and unanimity decides."""
    winners = {entry["winner"] for entry in value["criteria"].values()}
    overall = value["overall"]
    if len(winners) == 1 and overall not in winners:
        yield "inconsistent", f"overall is {json.dumps(overall)}, but every criterion says {json.dumps(winners.pop())}"
    elif overall != "tie" and overall not in winners:
        yield "inconsistent", f"overall is {json.dumps(overall)}, but no criterion prefers {overall}"
