"""The same cases judged as they are and perturbed, both freshly: rows of the change in pass rate, criterion by criterion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from evalkit.judging.requests import Measurement
from evalkit.judging.results import criteria_of, grade_of
from evalkit.records.base import Json
from evalkit.records.experiments import PairedRow
from evalkit.records.scores import Unscored
from evalkit.records.verdicts import Judgement
from evalkit.stats.differences import mcnemar_midp, tango
from evalkit.stats.intervals import wilson

ENOUGH_CASES = 50
ENOUGH_CHANGED = 5
"""Changed cases below which the mid-p cannot reach .05."""
STEERING = "instruction_in_content"
DIRECTIVE = "directive_line"


class Pair(NamedTuple):
    """One case: the judgement on it as it is, and on its perturbed version."""

    measurement: Measurement
    original: Judgement
    perturbed: Judgement


@dataclass(slots=True)
class _Counts:
    cases: int = 0
    excluded: Counter[str] = field(default_factory=Counter)
    table: Counter[tuple[bool, bool]] = field(default_factory=Counter)
    by_judge: int = 0
    by_code: int = 0
    unflagged: int = 0


def flags_of(pair: Pair) -> tuple[bool, bool]:
    """Return whether the judge reported more instructions in the perturbed content than in the original, and whether code did."""
    was, now = _reported(pair.original), _reported(pair.perturbed)
    return now[0] > was[0], now[1] > was[1]


def _reported(judgement: Judgement) -> tuple[int, int]:
    """Count instructions that the judge reported, and directive-like lines that code marked."""
    found = judgement.verdict.findings if judgement.verdict is not None else ()
    by_judge = sum(finding.kind == STEERING and finding.by == "judge" for finding in found)
    return by_judge, sum(alteration["kind"] == DIRECTIVE for alteration in judgement.alterations)


def paired_rows(
    pairs: Sequence[Pair], variant: str, place: str = "", *, flags: bool = False
) -> tuple[list[PairedRow], list[dict[str, Json]]]:
    """Return a row per judge use and criterion, and an entry per case whose grade changed.

    A grade counts as pass or not pass (`partial` is not a pass). A case without a grade in one of the versions, or to which the
    criterion does not apply in one, is excluded under that reason. `flags`: count who noticed the perturbation.
    """
    counts: dict[tuple[str, str, str], _Counts] = {}
    changed: list[dict[str, Json]] = []
    for pair in pairs:
        for criterion in criteria_of(pair.measurement):
            key = (pair.measurement.capability, pair.measurement.rubric.id, criterion)
            entry = _counted(counts.setdefault(key, _Counts()), pair, criterion)
            if entry:
                changed.append({**dict(zip(("capability", "rubric", "criterion"), key, strict=True)), **entry})
    rows = [_row(key, found, (variant, place), flags=flags) for key, found in counts.items()]
    named = {"variant": variant, "place": place} if place else {"variant": variant}
    return rows, [{**named, **entry} for entry in changed]


def _counted(counts: _Counts, pair: Pair, criterion: str) -> dict[str, Json] | None:
    """Count one case; return what to keep of it where its grade changed."""
    counts.cases += 1
    before, after = grade_of(criterion, pair.original), grade_of(criterion, pair.perturbed)
    reason = why_ungraded((before, after))
    if reason:
        counts.excluded[reason] += 1
        return None
    was, now = before == "pass", after == "pass"
    by_judge, by_code = flags_of(pair)
    counts.table[was, now] += 1
    counts.by_judge += by_judge
    counts.by_code += by_code
    if was == now:
        return None
    counts.unflagged += not (by_judge or by_code)
    return {
        "case_id": pair.original.case_id,
        "before": before,
        "after": after,
        "flagged_by_judge": by_judge,
        "flagged_by_code": by_code,
    }


def why_ungraded(grades: Iterable[str | Unscored]) -> str | None:
    """Return why a case is excluded whose grades these are: the first that is none, or does not apply; None where all count."""
    for grade in grades:
        if isinstance(grade, Unscored):
            return grade.reason
        if grade == "not_applicable":
            return "not_applicable"
    return None


def _row(key: tuple[str, str, str], found: _Counts, where: tuple[str, str], *, flags: bool) -> PairedRow:
    kept, lost, gained = found.table[True, True], found.table[True, False], found.table[False, True]
    n = found.table.total()
    return PairedRow(
        capability=key[0],
        rubric=key[1],
        criterion=key[2],
        variant=where[0],
        place=where[1],
        cases=found.cases,
        n=n,
        excluded=dict(sorted(found.excluded.items())),
        passed_original=kept + lost,
        passed_perturbed=kept + gained,
        gained=gained,
        lost=lost,
        difference=(gained - lost) / n if n else None,
        interval=tango(gained, lost, n) if n else None,
        p=mcnemar_midp(gained, lost) if n else None,
        changed=(gained + lost) / n if n else None,
        changed_interval=wilson(gained + lost, n) if n else None,
        flagged_by_judge=found.by_judge if flags else None,
        flagged_by_code=found.by_code if flags else None,
        changed_unflagged=found.unflagged if flags else None,
        reading=_reading(n, gained + lost),
    )


def _reading(n: int, changed: int) -> str:
    if not n:
        return "no data"
    words = [f"insufficient: {n} of the {ENOUGH_CASES} cases that it takes"] if n < ENOUGH_CASES else []
    if not changed:
        words.append("no discordant pairs")
    elif changed < ENOUGH_CHANGED:
        words.append(f"{changed} changed cases cannot show a direction")
    return "; ".join(words)
