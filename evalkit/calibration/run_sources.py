"""A stored run as sources of verdicts: per judge use the labelled items, and of the whole run how many passed, failed, had none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from evalkit.calibration.compare import Criterion
from evalkit.calibration.ends import Source, Text
from evalkit.calibration.people import Labelled
from evalkit.calibration.weighting import Population
from evalkit.records.reports import JudgeHeader, Report, Row
from evalkit.records.verdicts import Judgement

JUDGE_ERROR = "judge_error"


class RunSources(NamedTuple):
    """A run's verdicts, ready to be compared."""

    sources: list[Source]
    populations: dict[Criterion, Population]
    unlabelled: int
    """Judged answers without a label, per judge use."""


def run_sources(report: Report, judgements: Iterable[Judgement], labelled: Iterable[Labelled]) -> RunSources:
    """Return a source per judge use of a run; only answers that have a label are kept, the rest are counted."""
    wanted = {(one.item[0], one.item[1]) for one in labelled}
    sources = {}
    for header in report.judges:
        criteria = tuple(row.criterion for row in report.rows if of_use(row, header))
        sources[header.capability, header.rubric] = Source(
            judge=header.judge,
            capability=header.capability,
            rubric=header.rubric,
            mode=header.mode,
            judge_config_hash=header.judge_config_hash,
            criteria=criteria,
        )
    passed_by: set[tuple[str, str, Text]] = set()
    for judgement in judgements:
        text: Text = (judgement.case_id, judgement.output_sha256)
        source = sources[judgement.capability, judgement.rubric]
        source.cases.add(judgement.case_id)
        if text in wanted:
            source.judgements.setdefault(text, []).append(judgement)
        else:
            passed_by.add((judgement.capability, judgement.rubric, text))
    populations = {
        (row.capability, row.scorer, row.criterion): population_of(row) for row in report.rows if row.kind == "judge"
    }
    return RunSources(list(sources.values()), populations, len(passed_by))


def population_of(row: Row) -> Population:
    """Return the verdicts behind a judge's row."""
    errors = sum(count for reason, count in row.excluded.items() if reason.startswith(JUDGE_ERROR))
    return Population(row.n, row.passed or 0, errors)


def of_use(row: Row, header: JudgeHeader) -> bool:
    """Tell whether a row is a pass rate of a judge use."""
    return (row.kind, row.estimate, row.capability, row.scorer) == ("judge", "rate", header.capability, header.rubric)
