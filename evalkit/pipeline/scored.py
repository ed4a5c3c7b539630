"""The first pass over a suite: every case is joined with its output, scored in code, and turned into judge requests.

Golden set and outputs stream past; what stays in memory is a sum per row and, for cases that a judge must see, what is needed
until their verdict is in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evalkit.aggregation.policy import PolicyFold
from evalkit.aggregation.rows import RowKey
from evalkit.judging.requests import JudgeRequest, requests_for
from evalkit.pipeline.columns import CodeColumn, Columns, JudgeColumn, Kind
from evalkit.pipeline.failure_lines import Line, code_failure, scorer_error
from evalkit.records.cases import Case
from evalkit.records.outputs import Output
from evalkit.records.scores import NO_OUTPUT, SCORER_ERROR, UNCOUNTED, Result, Score, Unscored
from evalkit.records.tiers import TierReading
from evalkit.text.normalise import is_blank

if TYPE_CHECKING:
    from evalkit.pipeline.classified import PutBy

MISSING = Unscored("missing_output")


@dataclass(slots=True)
class JudgedCase:
    """A case and one judge use while the verdicts come in."""

    order: tuple[int, int]
    """Position of the case in the golden set, position of the judge use in the suite."""
    case: Case
    output: Output
    column: JudgeColumn
    requests: list[JudgeRequest]
    tiers: TierReading | None = None
    """Of a cascade: why the judge is asked."""


@dataclass(slots=True)
class Joined:
    """How cases and outputs joined, counted while they stream past."""

    golden: int = 0
    cases: int = 0
    states: Counter[str] = field(default_factory=Counter)
    """missing_output, null_text, output_error, empty_text."""
    unmeasured: Counter[str] = field(default_factory=Counter)
    """Capability names of cases that the suite does not measure."""
    nowhere: int = 0
    """Cases that no capability measures."""


def exclusion_of(output: Output | None) -> Unscored | None:
    """Return why an output cannot be scored at all, or None where it can.

    A null text beside tool calls is how the OpenAI wire writes a pure tool call; it is scored as an empty text.
    """
    if output is None:
        return MISSING
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
    waiting: list[tuple[CodeColumn, PutBy]] = field(default_factory=list)
    """Cases that a classifier must be asked about, in order."""

    def take(self, case: Case, output: Output | None) -> list[JudgedCase]:
        """Score a case and return its judge uses that need verdicts."""
        position = self.joined.cases
        self.joined.cases += 1
        excluded = exclusion_of(output)
        kind = self.columns.kind_of(case)
        self.joined.nowhere += kind.nowhere
        if kind.unmeasured:
            self.joined.unmeasured.update(kind.unmeasured)
        if excluded is not None or output is None:
            self._exclude(case, kind, excluded or MISSING, position)
            self._put_by(case, None, kind, excluded or MISSING, position)
            return []
        for column in kind.code:
            self._count(case, output, column, column.scorer.score(case, output), position)
        self._put_by(case, output, kind, None, position)
        silent = is_blank(output.text or "")
        if silent and not output.tool_calls:
            self.joined.states["empty_text"] += 1
        if not kind.judged:
            return []
        askable = [asked for asked in kind.judged if _askable(case, asked, position)]
        if silent:
            for asked in askable:
                self._silent(case, output, asked, position)
            return []
        order = {id(column): index for index, column in enumerate(self.columns.judged)}
        return [
            JudgedCase((position, order[id(asked)]), case, output, asked, requests_for(asked.measurement, case, output))
            for asked in askable
        ]

    def _exclude(self, case: Case, kind: Kind, excluded: Unscored, position: int) -> None:
        """Count a case whose output cannot be scored in every row that it belongs to; what does not exist breaks no policy."""
        self.joined.states[excluded.reason] += 1
        for column in kind.code:
            _count(case, column, excluded, position)
        for asked in kind.judged:
            _count(case, asked, excluded, position)

    def settle(self, one: PutBy, column: CodeColumn, result: Result) -> None:
        """Count a case that was put by, now that a classifier has answered; the cases of a column come in their order."""
        if one.output is None:
            _count(one.case, column, result, one.position)
        else:
            self._count(one.case, one.output, column, (result,), one.position)

    def _put_by(self, case: Case, output: Output | None, kind: Kind, excluded: Unscored | None, position: int) -> None:
        if not kind.asking:
            return
        from evalkit.pipeline.classified import put_by

        self.waiting += [(column, put_by(column, position, case, output, excluded)) for column in kind.asking]

    def _count(
        self, case: Case, output: Output, column: CodeColumn, results: tuple[Result, ...], position: int
    ) -> None:
        cluster = case.cluster
        for fold, kept, result in zip(column.folds, column.kept, results, strict=True):
            counted = fold.add(result, cluster)
            kept.add(position, counted, result[0])
            if result[1] is False or result[0] == SCORER_ERROR:
                self._failed(case, output, fold.key, result)
        if column.policy:
            self.policy[id(column)].add(case.id, results)

    def _failed(self, case: Case, output: Output, key: RowKey, result: Result) -> None:
        column = (key.capability, key.scorer, key.criterion)
        mode = "classifier" if key.mode == "classifier" else "code"
        if isinstance(result, Score):
            self.fail(code_failure(case, output, column, result, mode))
        else:
            self.fail(scorer_error(case, output, column, result, mode))

    def _silent(self, case: Case, output: Output, column: JudgeColumn, position: int) -> None:
        """Fail an empty text in code on every criterion, and count nothing in it: the judge is not asked."""
        for fold, kept, spec in zip(column.folds, column.kept, column.specs, strict=True):
            result: Result = UNCOUNTED if spec.without_output == "exclude" else NO_OUTPUT
            kept.add(position, fold.add(result, case.cluster), 0.0)
            if isinstance(result, Score) and spec.estimate == "rate":
                self._failed(case, output, fold.key, result)


def _askable(case: Case, column: JudgeColumn, position: int) -> bool:
    """Tell whether a judge use can be asked about a case; where it cannot, its rows count why."""
    unasked = column.unasked(case)
    if unasked is not None:
        _count(case, column, unasked, position)
    return unasked is None


def _count(case: Case, column: CodeColumn | JudgeColumn, result: Result, position: int) -> None:
    """Count one result in every row of a column."""
    for fold, kept in zip(column.folds, column.kept, strict=True):
        kept.add(position, fold.add(result, case.cluster), 0.0)
