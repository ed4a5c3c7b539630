"""What each case came to on each row of a stored run: scores.jsonl for what code decided, verdicts.jsonl for what a judge did."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Self

from evalkit.errors import RunStoreError
from evalkit.records.case_scores import DIGITS, NOT_HERE, PASS, VALUE, CaseScores, CaseTable, RowScores, digests
from evalkit.records.reports import Row
from evalkit.records.verdicts import Judgement
from evalkit.runstore.grades import NOT_SCORED, Grades, grades_of, outcome_of
from evalkit.runstore.reader import StoredRun


class Outcome(NamedTuple):
    """One case on one row."""

    value: float | None
    """1 or 0 for a rate; None where the case was not scored."""
    passed: bool | None
    """None where there is no pass rule, or the case was not scored."""
    reason: str
    """Why it was not scored; empty where it was."""
    output: str
    """What was measured, as a hash: equal where the output's line (for a judge: the answer's text) is the same."""
    counts: tuple[float, ...] = ()
    """Of a judge's count: the number of each sample."""
    tier: str = ""
    """Of a cascade: who decided, `classifier` or `judge`, or both where samples went different ways; empty where it is not known."""


class CaseFacts(NamedTuple):
    """What is known of a case beside its results."""

    golden: str
    """Hash of its line in the golden set."""
    cluster: str | None
    length: int
    """Characters of the answer; 0 where it is blank, missing or not known."""


class RunOutcomes:
    """All cases of a run, row by row."""

    def __init__(self, rows: Sequence[Row], scores: CaseScores, judgements: Iterable[Judgement] = ()) -> None:
        """Take the rows of a report and the cases behind them."""
        table = scores.table
        self.rows: list[dict[str, Outcome]] = [{} for _ in rows]
        clusters = table.clusters or (None,) * len(table.cases)
        lengths = table.lengths or (0,) * len(table.cases)
        facts = map(CaseFacts, digests(table.golden), clusters, lengths)
        self.cases = dict(zip(table.cases, facts, strict=True))
        for line in scores.rows:
            self.rows[line.row] = dict(_outcomes(table, line))
        self._judge(rows, judgements)

    @classmethod
    def of(cls, run: StoredRun) -> Self:
        """Return a stored run's outcomes. Raises RunStoreError where it holds no scores.jsonl or a line cannot be read."""
        if not run.has_scores:
            raise RunStoreError(
                f"{run.folder}: holds no scores.jsonl (an older evalkit wrote it), so its cases cannot be compared; "
                "run it again under the same id: verdicts come from the cache"
            )
        return cls(run.report.rows, run.scores(), run.judgements())

    def _judge(self, report_rows: Sequence[Row], judgements: Iterable[Judgement]) -> None:
        samples: defaultdict[tuple[str, str, str], list[Grades]] = defaultdict(list)
        outputs: dict[tuple[str, str, str], str] = {}
        tiers: defaultdict[tuple[str, str, str], set[str]] = defaultdict(set)
        for judgement in judgements:
            key = (judgement.capability, judgement.rubric, judgement.case_id)
            samples[key].append(grades_of(judgement))
            outputs[key] = judgement.output_sha256[:DIGITS]
            if judgement.tiers is not None:
                tiers[key].add(judgement.tiers.decided_by)
        rows: defaultdict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
        for index, row in enumerate(report_rows):
            if row.kind == "judge":
                rows[row.capability, row.scorer].append((index, row.criterion))
        for key, grades in samples.items():
            tier = " and ".join(sorted(tiers[key]))
            for index, criterion in rows[key[:2]]:
                counts = tuple(count for one in grades if not isinstance(count := one.get(criterion, ""), str))
                self.rows[index][key[2]] = _judged(outcome_of(criterion, grades), outputs[key], counts, tier)


def _outcomes(table: CaseTable, line: RowScores) -> Iterator[tuple[str, Outcome]]:
    values = iter(line.values or ())
    for case_id, code, output in zip(table.cases, line.codes, digests(line.asked or table.outputs), strict=True):
        if code == NOT_HERE:
            continue
        if code in line.reasons:
            yield case_id, Outcome(None, None, line.reasons[code], output)
            continue
        passed = None if code == VALUE else code == PASS
        yield case_id, Outcome(float(passed or 0) if line.values is None else next(values), passed, "", output)


def _judged(outcome: str | float, output: str, counts: tuple[float, ...], tier: str) -> Outcome:
    if not isinstance(outcome, str):
        return Outcome(outcome, None, "", output, counts, tier)
    if outcome in NOT_SCORED:
        return Outcome(None, None, outcome, output, tier=tier)
    passed = outcome == "pass"
    return Outcome(float(passed), passed, "", output, tier=tier)
