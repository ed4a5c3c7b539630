"""The first pass over a suite: every case is joined with its output, scored in code, and turned into judge requests.

Golden set and outputs stream past; what stays in memory is a sum per row and, for cases that a judge must see, what is needed
until their verdict is in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from evalkit.aggregation.policy import PolicyFold
from evalkit.judging.requests import JudgeRequest, requests_for
from evalkit.judging.results import criteria_of
from evalkit.pipeline.columns import CodeColumn, Columns, JudgeColumn
from evalkit.pipeline.failure_lines import Line, code_failure
from evalkit.records.cases import Case
from evalkit.records.outputs import Output
from evalkit.records.scores import NO_OUTPUT, Result, Score, Unscored


@dataclass(slots=True)
class JudgedCase:
    """A case and one judge use while the verdicts come in."""

    order: tuple[int, int]
    """Position of the case in the golden set, position of the judge use in the suite."""
    case: Case
    output: Output
    column: JudgeColumn
    requests: list[JudgeRequest]


@dataclass(slots=True)
class Joined:
    """How cases and outputs joined, counted while they stream past."""

    golden: int = 0
    cases: int = 0
    states: Counter[str] = field(default_factory=Counter)
    """missing_output, null_text, output_error, empty_text."""
    unmeasured: Counter[str] = field(default_factory=Counter)
    """Capability names of cases that the suite does not measure."""


def exclusion_of(output: Output | None) -> Unscored | None:
    """Return why an output cannot be scored at all, or None where it can.

    A null text beside tool calls is how the OpenAI wire writes a pure tool call; it is scored as an empty text.
    """
    if output is None:
        return Unscored("missing_output")
    if output.error is not None:
        return Unscored("output_error", output.error)
    if output.text is None and not output.tool_calls:
        return Unscored("null_text")
    return None


@dataclass(slots=True)
class CaseScorer:
    """Scores one case after the other in code and hands on what a judge must see."""

    columns: Columns
    policy: dict[int, PolicyFold]
    """Policy column (by identity) -> its fold."""
    fail: Callable[[Line], None]
    """Takes each failure's line, in the order of the golden set."""
    joined: Joined = field(default_factory=Joined)

    def take(self, case: Case, output: Output | None) -> list[JudgedCase]:
        """Score a case and return its judge uses that need verdicts."""
        position = self.joined.cases
        self.joined.cases += 1
        excluded = exclusion_of(output)
        names = self.columns.names_for(case)
        self._count(case, output, excluded)
        for column in self.columns.code_for(names):
            self._code(case, output, column, excluded)
        judged = self.columns.judged_for(names)
        if not judged:
            return []
        if excluded is not None or output is None or not (output.text or "").strip():
            result: Result = excluded or NO_OUTPUT
            for asked in judged:
                self._undecided(case, output, asked, result)
            return []
        order = {id(column): index for index, column in enumerate(self.columns.judged)}
        return [
            JudgedCase(
                (position, order[id(column)]), case, output, column, requests_for(column.measurement, case, output)
            )
            for column in judged
        ]

    def _count(self, case: Case, output: Output | None, excluded: Unscored | None) -> None:
        if excluded is not None:
            self.joined.states[excluded.reason] += 1
        elif output is not None and not (output.text or "").strip():
            self.joined.states["empty_text"] += 1
        for name in case.capabilities:
            if name not in self.columns.code_by_name:
                self.joined.unmeasured[name] += 1

    def _code(self, case: Case, output: Output | None, column: CodeColumn, excluded: Unscored | None) -> None:
        cluster = case.cluster
        if excluded is not None or output is None:
            for fold in column.folds:
                fold.add(excluded or Unscored("missing_output"), cluster)
            if column.policy:
                self.policy[id(column)].add(case.id, (excluded or Unscored("missing_output"),))
            return
        results = column.scorer.score(case, output)
        for fold, result in zip(column.folds, results, strict=True):
            fold.add(result, cluster)
            if result[1] is False and isinstance(result, Score):
                key = fold.key
                self.fail(code_failure(case, output, (key.capability, key.scorer, key.criterion), result))
        if column.policy:
            self.policy[id(column)].add(case.id, results)

    def _undecided(self, case: Case, output: Output | None, column: JudgeColumn, result: Result) -> None:
        """An output without text: excluded, or failed in code; the judge is not asked."""
        for fold, criterion in zip(column.folds, criteria_of(column.measurement), strict=True):
            fold.add(result, case.cluster)
            if isinstance(result, Score) and output is not None:
                place = (column.measurement.capability, column.measurement.rubric.id, criterion)
                self.fail(code_failure(case, output, place, result))
