"""The list of cases of a page that compares: what came of each criterion of each case, packed as the page's script reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evalkit.records.base import Json
from evalkit.records.cases import Case
from evalkit.reporting.html.case_detail import asked_parts
from evalkit.reporting.html.material import Place

TITLE_CHARS = 140


@dataclass(slots=True)
class ListedCase:
    """A case of the list: what came of each criterion."""

    case_id: str
    outcomes: dict[Place, str] = field(default_factory=dict)
    why: dict[Place, str] = field(default_factory=dict)
    """What must be said beside an outcome."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListWords:
    """What may come of a criterion, the first of them worst."""

    outcomes: tuple[str, ...]
    look_at: tuple[str, ...]
    """Those that the keys walk through."""
    name: str
    """What such a case is called: next NAME, previous NAME."""


def list_index(
    found: Sequence[ListedCase], words: ListWords, cases: Mapping[str, Case], notes: Sequence[str]
) -> dict[str, Json]:
    """Return the list: names once, numbers for names; the worst first."""
    places = list(dict.fromkeys(place for case in found for place in case.outcomes))
    number = {place: index for index, place in enumerate(places)}
    tags = list(dict.fromkeys(tag for one in found if one.case_id in cases for tag in cases[one.case_id].tags))
    tag_number = {tag: index for index, tag in enumerate(tags)}

    def severity(index: int) -> tuple[int, ...]:
        came = list(found[index].outcomes.values())
        return tuple(came.count(outcome) for outcome in words.outcomes)

    return {
        "places": [list(place) for place in places],
        "outcomes": list(words.outcomes),
        "mend": [words.outcomes.index(outcome) for outcome in words.look_at],
        "failure": words.name,
        "names_all": True,
        "cases": [
            [
                one.case_id,
                _title(cases.get(one.case_id)),
                "",
                [tag_number[tag] for tag in cases[one.case_id].tags] if one.case_id in cases else [],
                [],
                [
                    unit
                    for place, outcome in one.outcomes.items()
                    for unit in (number[place], words.outcomes.index(outcome))
                ],
                0,
            ]
            for one in found
        ],
        "worst": sorted(range(len(found)), key=severity, reverse=True),
        "tags": tags,
        "findings": [],
        "criteria": {},
        "notes": list(notes),
    }


def _title(case: Case | None) -> str:
    parts = asked_parts(case)
    return " ".join(parts[-1][1].split())[:TITLE_CHARS] if parts else ""
