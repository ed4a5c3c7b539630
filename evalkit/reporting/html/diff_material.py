"""What the page of a comparison is made of, and its cases: who was fixed, who broke, who drifted, with both answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evalkit.pipeline.read_back import ReadBack
from evalkit.records.base import Json
from evalkit.records.diffs import RunDiff
from evalkit.records.manifests import Manifest
from evalkit.records.outputs import Output
from evalkit.reporting import wording
from evalkit.reporting.diff_view import NOTHING_ASKED
from evalkit.reporting.html.case_detail import asked_parts
from evalkit.reporting.html.case_list import ListedCase, ListWords, list_index
from evalkit.reporting.html.material import Failure, Place
from evalkit.reporting.html.packing import cut
from evalkit.reporting.html.word_diff import word_diff

OUTCOMES = ("broken", "drifted", "fixed", "still failing", "not comparable")
"""What may come of a criterion between two runs."""
WORDS = ListWords(outcomes=OUTCOMES, look_at=("broken", "drifted"), name="break")


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffMaterial:
    """Two runs and what their comparison says."""

    diff: RunDiff
    manifests: tuple[Manifest, Manifest]
    failures: tuple[Sequence[Failure], Sequence[Failure]]
    """Lines of both failures.jsonl."""
    texts: tuple[ReadBack, ReadBack]


def changed_cases(diff: RunDiff) -> list[ListedCase]:
    """Return the cases that a comparison names, in the order in which it names them."""
    found: dict[str, ListedCase] = {}
    for row in diff.rows:
        place = row.capability, row.scorer, row.criterion
        named = zip(OUTCOMES, (row.broken, row.drift, row.fixed, row.still_failing), strict=False)
        for outcome, ids in named:
            for case_id in ids:
                found.setdefault(case_id, ListedCase(case_id)).outcomes[place] = outcome
        for tiers, ids in row.drift_by.items():
            for case_id in ids:
                found.setdefault(case_id, ListedCase(case_id)).why[place] = f"decided by {tiers}"
        for reason, ids in row.unpaired.items():
            for case_id in ids if reason not in NOTHING_ASKED else ():
                case = found.setdefault(case_id, ListedCase(case_id))
                case.outcomes.setdefault(place, "not comparable")
                case.why[place] = reason
    return list(found.values())


def diff_index(found: Sequence[ListedCase], material: DiffMaterial) -> dict[str, Json]:
    """Return the list of cases as the page's script reads it."""
    notes = dict.fromkeys((*material.texts[0].notes, *material.texts[1].notes))
    return list_index(found, WORDS, material.texts[1].cases or material.texts[0].cases, list(notes))


def diff_details(found: Sequence[ListedCase], material: DiffMaterial) -> Iterator[Json]:
    """Yield the cases of the list in full: both answers in pieces, and why each criterion failed in either run."""
    reasons = tuple(_reasons(lines) for lines in material.failures)
    quoted = tuple(_quoted(lines) for lines in material.failures)
    cases = material.texts[1].cases or material.texts[0].cases
    for one in found:
        case = cases.get(one.case_id)
        answers = [
            _answer(texts.outputs.get(one.case_id), said.get(one.case_id))
            for texts, said in zip(material.texts, quoted, strict=True)
        ]
        pieces = word_diff(cut(answers[0] or ""), cut(answers[1] or ""))
        yield {
            "id": one.case_id,
            "tags": list(case.tags) if case else [],
            "asked": asked_parts(case),
            "context": [[document.id, cut(document.text)] for document in case.context] if case else [],
            "answers": [None if text is None else pieces[side] for side, text in enumerate(answers)],
            "compared": pieces.compared,
            "changes": [
                {
                    "place": " / ".join(dict.fromkeys(place)),
                    "outcome": outcome,
                    "why": one.why.get(place, ""),
                    "reasons": [cut(side.get((one.case_id, place), "")) for side in reasons],
                }
                for place, outcome in one.outcomes.items()
            ],
        }


def _answer(output: Output | None, quoted: str | None) -> str | None:
    return quoted if output is None else output.text


def _quoted(lines: Sequence[Failure]) -> dict[str, str]:
    """Return the answers as one run's failures quote them, for where the outputs are gone."""
    return {str(line.get("case_id")): str(line["output"]) for line in lines if line.get("output") is not None}


def _reasons(lines: Sequence[Failure]) -> Mapping[tuple[str, Place], str]:
    """Return why a case failed a criterion, as one run wrote it down."""
    return {
        (
            str(line.get("case_id")),
            (str(line.get("capability")), str(line.get("scorer")), str(line.get("criterion"))),
        ): (wording.why(line))
        for line in lines
        if line.get("kind") in wording.TO_MEND
    }
