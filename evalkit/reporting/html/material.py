"""What a page is made of: a stored run, the texts that it scored, the experiments beside it, and figures that were prepared for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from evalkit.experiments.beside_run import Beside, Swapped
from evalkit.pipeline.page_figures import RowBands, TokenUse
from evalkit.pipeline.read_back import ReadBack
from evalkit.records.base import Json
from evalkit.records.calibrations import Calibration
from evalkit.records.case_scores import CaseScores
from evalkit.records.manifests import Manifest
from evalkit.records.reports import Report
from evalkit.records.verdicts import Judgement
from evalkit.reporting.html.code_results import CodeResult, code_results

Failure = Mapping[str, Json]
Place = tuple[str, str, str]
"""Capability, scorer or rubric, criterion."""
LISTED = 20_000
"""Cases of a run that a page lists whole; of a larger one it lists those that failed something or that a judge saw."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageMaterial:
    """Everything that a page may show. Finished: the page computes no statistic."""

    report: Report
    manifest: Manifest
    failures: Sequence[Failure]
    """Lines of failures.jsonl."""
    judgements: Sequence[Judgement]
    """Lines of verdicts.jsonl."""
    texts: ReadBack
    scores: CaseScores | None = None
    """scores.jsonl; None where the run has none: an older evalkit wrote it."""
    beside: Sequence[Beside] = ()
    swapped: Swapped | None = None
    """What swapping answers did in a comparison that the run's judge decided."""
    calibrations: Sequence[Calibration] = ()
    """Those of the run's suite, the newest first."""
    unread: str = ""
    """Why experiments, comparisons or calibrations could not be read; empty where they could."""
    faults: Sequence[str] = ()
    """Why the run does not hold together; empty where it does."""
    flips: frozenset[tuple[str, str]] = frozenset()
    """(case id, output hash) whose grade flipped when this run's judge was asked the same again."""
    bands: Sequence[RowBands] = ()
    tokens: Sequence[TokenUse] = ()


@dataclass(slots=True)
class CaseLines:
    """What a run wrote about one case."""

    failures: list[Failure] = field(default_factory=list)
    judgements: list[Judgement] = field(default_factory=list)
    code: list[CodeResult] = field(default_factory=list)


def case_lines(material: PageMaterial) -> dict[str, CaseLines]:
    """Return the lines of each case that the page lists, in the order of the golden set where it is known."""
    scores = material.scores
    ordered = material.texts.cases if scores is None else scores.table.cases
    found: dict[str, CaseLines] = {case_id: CaseLines() for case_id in ordered}
    for line in material.failures:
        found.setdefault(str(line.get("case_id")), CaseLines()).failures.append(line)
    for judgement in material.judgements:
        found.setdefault(judgement.case_id, CaseLines()).judgements.append(judgement)
    if scores is not None:
        wanted = None
        if not whole(scores):
            found = {case_id: lines for case_id, lines in found.items() if lines.failures or lines.judgements}
            wanted = found.keys()
        for case_id, results in code_results(material.report.rows, scores, wanted).items():
            found[case_id].code = results
    return {case_id: lines for case_id, lines in found.items() if lines.failures or lines.judgements or lines.code}


def whole(scores: CaseScores | None) -> bool:
    """Tell whether a page lists every case about which anything was decided."""
    return scores is not None and len(scores.table.cases) <= LISTED


def unlisted(material: PageMaterial) -> str:
    """Return which cases the page does not list, for the reader of a filter; empty where it lists all."""
    if whole(material.scores):
        return ""
    why = "the run's scores.jsonl is missing" if material.scores is None else f"the run has more than {LISTED:,} cases"
    return f"cases that only passed or were measured in code are not listed: {why}"


def listed_ids(
    failures: Sequence[Failure], judgements: Sequence[Judgement], scores: CaseScores | None = None
) -> Iterator[str]:
    """Yield the ids of the cases that a page lists, some of them several times."""
    yield from (str(line.get("case_id")) for line in failures)
    yield from (judgement.case_id for judgement in judgements)
    if scores is not None and whole(scores):
        yield from scores.table.cases
