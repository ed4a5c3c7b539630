"""The list of cases: one short entry each, enough to filter, search by id, sort and draw a line of the list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from evalkit.judging.pointwise_grades import OVERALL
from evalkit.judging.results import grade_of
from evalkit.records.base import Json
from evalkit.records.cases import Case
from evalkit.records.reports import Report
from evalkit.records.scores import Unscored
from evalkit.records.verdicts import Judgement, ReferenceVerdict, Verdict
from evalkit.reporting import wording
from evalkit.reporting.escape import at_word
from evalkit.reporting.html.code_results import MEASURED, MISSING_OUTPUT, NOT_SCORED
from evalkit.reporting.html.material import CaseLines, PageMaterial, Place, case_lines

OUTCOMES = (
    "pass",
    "fail",
    "partial",
    "not applicable",
    "judge error",
    "scorer error",
    "unstable",
    "floor abstains",
    "not bought",
    MISSING_OUTPUT,
    MEASURED,
    NOT_SCORED,
)
"""What may come of a criterion, by number in the file."""
TO_MEND = frozenset({"fail", "partial", "judge error", "scorer error", "unstable"})
"""Outcomes that somebody has to look at; the page calls such a case a failure."""
TITLE_CHARS = 140
WHY_CHARS = 220

_GRADES = {"not_applicable": "not applicable", "floor_abstains": "floor abstains", "not_bought": "not bought"}


@dataclass(slots=True)
class Entry:
    """A case as the list shows it."""

    case_id: str
    title: str
    """Beginning of what was asked."""
    why: str
    """Why it failed, by a contradicted claim where there is one, else by the first failure; empty where nothing failed."""
    capabilities: tuple[str, ...]
    tags: tuple[str, ...]
    findings: tuple[str, ...]
    outcomes: dict[Place, str] = field(default_factory=dict)
    flipped: bool = False
    breach: bool = False
    """Whether it broke a policy condition."""
    contradicted: int = 0
    """Claims that a source contradicts."""

    @property
    def failed(self) -> list[Place]:
        """The criteria that somebody has to look at; the overall verdict only where no single criterion says why."""
        found = [place for place, outcome in self.outcomes.items() if outcome in TO_MEND]
        single = {place[:2] for place in found if place[2] != OVERALL}
        return [place for place in found if place[2] != OVERALL or place[:2] not in single]

    @property
    def severity(self) -> tuple[bool, bool, int, bool]:
        """Sorts the list, worst first: a breach of policy, a contradicted claim, the number of criteria that failed, no output."""
        silent = MISSING_OUTPUT in self.outcomes.values()
        return self.breach, self.contradicted > 0, len(self.failed), silent


def entries(material: PageMaterial) -> list[Entry]:
    """Return an entry per case that the page lists, in the order of the golden set."""
    conditions = {condition.condition for condition in material.report.policy}
    return [_entry(case_id, lines, material, conditions) for case_id, lines in case_lines(material).items()]


def packed(found: list[Entry], report: Report) -> Json:
    """Return the entries as the page's script reads them: names once, numbers for names."""
    places = list(
        dict.fromkeys(
            [
                *((row.capability, row.scorer, row.criterion) for row in report.rows),
                *(place for entry in found for place in entry.outcomes),
            ]
        )
    )
    number = {place: index for index, place in enumerate(places)}
    tags, findings = _Names(), _Names()
    worst = sorted(range(len(found)), key=lambda index: found[index].severity, reverse=True)
    return {
        "places": [list(place) for place in places],
        "outcomes": list(OUTCOMES),
        "failure": "failure",
        "names_all": False,
        "mend": [index for index, outcome in enumerate(OUTCOMES) if outcome in TO_MEND],
        "cases": [
            [
                entry.case_id,
                entry.title,
                entry.why,
                [tags.number(tag) for tag in entry.tags],
                [findings.number(finding) for finding in entry.findings],
                [
                    unit
                    for place, outcome in entry.outcomes.items()
                    for unit in (number[place], OUTCOMES.index(outcome))
                ],
                int(entry.flipped),
            ]
            for entry in found
        ],
        "worst": worst,
        "tags": tags.names,
        "findings": findings.names,
    }


class _Names:
    """Numbers for names, in the order in which they are met."""

    def __init__(self) -> None:
        self._number: dict[str, int] = {}

    def number(self, name: str) -> int:
        return self._number.setdefault(name, len(self._number))

    @property
    def names(self) -> list[str]:
        return list(self._number)


def _entry(case_id: str, lines: CaseLines, material: PageMaterial, conditions: set[str]) -> Entry:
    case = material.texts.cases.get(case_id)
    to_mend = [line for line in lines.failures if line.get("kind") in wording.TO_MEND]
    entry = Entry(
        case_id=case_id,
        title=_short(asked(case, lines), TITLE_CHARS),
        why=_short(wording.why(min(to_mend, key=_decides_less)), WHY_CHARS) if to_mend else "",
        capabilities=case.capabilities if case else (),
        tags=case.tags if case else (),
        findings=tuple(dict.fromkeys(_findings(lines))),
        breach=any(line.get("capability") == "policy" and _condition(line) & conditions for line in to_mend),
        contradicted=sum(
            _contradicted(judgement.verdict) for judgement in lines.judgements if isinstance(judgement.verdict, Verdict)
        ),
    )
    for line in to_mend:
        if line.get("mode") in wording.BY_CODE:
            place = (str(line.get("capability")), str(line.get("scorer")), str(line.get("criterion")))
            entry.outcomes[place] = "fail" if line.get("kind") == "failed" else "scorer error"
    for result in lines.code:
        entry.outcomes.setdefault(result.place, result.outcome)
    entry.outcomes.update(_judged(lines.judgements))
    hashes = {judgement.output_sha256 for judgement in lines.judgements}
    entry.flipped = "unstable" in entry.outcomes.values() or any((case_id, one) in material.flips for one in hashes)
    return entry


def _contradicted(verdict: Verdict) -> int:
    """Return how much in an answer a source or the reference contradicts."""
    claims = sum(claim.status == "contradicted" for claim in verdict.claims)
    if not isinstance(verdict, ReferenceVerdict):
        return claims
    return claims + sum(fact.status == "contradicted" for fact in verdict.facts) + len(verdict.contradictions)


def _decides_less(line: Mapping[str, Json]) -> bool:
    """Sort a failure by a contradicted claim or fact before the others."""
    rows = line.get("claims") or line.get("facts")
    listed = rows if isinstance(rows, list) else ()
    return not any(isinstance(row, Mapping) and row.get("status") == "contradicted" for row in listed)


def _condition(line: Mapping[str, Json]) -> set[str]:
    return {str(line.get("scorer")), str(line.get("criterion"))}


def asked(case: Case | None, lines: CaseLines) -> str:
    """Return what was asked as one text; the failures quote it where the golden set is gone."""
    asked_for: Json = None
    if case is not None:
        asked_for = case.input
        if isinstance(case.input, tuple):
            asked_for = case.input[-1].content if case.input else ""
    else:
        asked_for = next((line["input"] for line in lines.failures if line.get("input") is not None), "")
    return asked_for if isinstance(asked_for, str) else str(asked_for)


def _findings(lines: CaseLines) -> Iterator[str]:
    for line in lines.failures:
        if line.get("kind") == "finding":
            yield str(line.get("finding"))


def _judged(judgements: list[Judgement]) -> dict[Place, str]:
    """Return what came of each judged criterion over its samples; samples that differ are unstable."""
    found: dict[Place, set[str]] = {}
    for judgement in judgements:
        for criterion, outcome in _outcomes(judgement):
            found.setdefault((judgement.capability, judgement.rubric, criterion), set()).add(outcome)
    combined = {}
    for place, outcomes in found.items():
        errors = outcomes & {"judge error", "not bought"}
        combined[place] = min(errors) if errors else outcomes.pop() if len(outcomes) == 1 else "unstable"
    return combined


def _outcomes(judgement: Judgement) -> Iterator[tuple[str, str]]:
    if judgement.verdict is None:
        yield OVERALL, "judge error" if judgement.rejected else "not bought"
        return
    for criterion in dict.fromkeys((*judgement.verdict.criteria, *judgement.abstained, OVERALL)):
        grade = grade_of(criterion, judgement)
        label = grade.reason if isinstance(grade, Unscored) else grade
        yield criterion, _GRADES.get(label, label) if label in {*OUTCOMES, *_GRADES} else "fail"


def _short(text: str, limit: int) -> str:
    text = " ".join(text[: 4 * limit].split())
    return text if len(text) <= limit else f"{at_word(text, limit)} ..."
