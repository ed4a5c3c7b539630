"""`evalkit plan`: what a run would ask, what the cache already answers, what is left to buy. It stops at the lookup."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evalkit.judging.requests import JudgeRequest, requests_for
from evalkit.loading.golden import GoldenSet
from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.loading.outputs import OutputsFolder, open_outputs
from evalkit.pipeline.columns import CodeColumn, Columns, JudgeColumn, Kind, build_columns
from evalkit.pipeline.plan_counts import Counting, Use
from evalkit.pipeline.plan_figures import plan_of
from evalkit.pipeline.replies import keeps_replies, opened_cache
from evalkit.pipeline.request import RunRequest, Selector
from evalkit.pipeline.run import configured
from evalkit.pipeline.scored import JudgedCase, exclusion_of
from evalkit.providers.reply_cache import ReplyCache
from evalkit.records.cases import Case
from evalkit.records.outputs import Output
from evalkit.records.plans import ClassifierPlan, Plan
from evalkit.records.progress import Progress, Silent
from evalkit.text.normalise import is_blank

if TYPE_CHECKING:
    from evalkit.pipeline.classified import PutBy


@dataclass(slots=True)
class _Needed:
    """What a run would need, while cases stream past."""

    columns: Columns
    uses: dict[int, Use]
    waiting: list[tuple[CodeColumn, PutBy]] = field(default_factory=list)
    """Cases that a classifier would be asked about."""
    cascaded: list[JudgedCase] = field(default_factory=list)
    """Cases that a classifier before the judge would be asked about."""
    cases: int = 0
    """That take part; known once all have passed."""

    def of_judges(self, kind: Kind, case: Case, output: Output, position: int) -> list[JudgeRequest]:
        """Return what judges would be asked about an answer; put it by for the judges that a classifier stands before."""
        asked: list[JudgeRequest] = []
        for column in kind.judged:
            if column.unasked(case) is not None:
                continue
            self.uses[id(column)].cases += 1
            requests = requests_for(column.measurement, case, output)
            if column.measurement.cheap is None:
                asked += requests
            else:
                self.cascaded.append(JudgedCase((position, 0), case, output, column, requests))
        return asked


def plan_suite(request: RunRequest, progress: Progress | None = None) -> list[Plan]:
    """Return what a run would buy for each candidate. Raises InputError as `run` does; makes no call and writes nothing."""
    loaded = configured(request)
    folders = [open_outputs(loaded.folder, name) for name in request.outputs or (None,)]
    return [_plan_candidate(request, loaded, outputs, progress or Silent()) for outputs in folders]


def _plan_candidate(request: RunRequest, loaded: LoadedSuite, outputs: OutputsFolder, progress: Progress) -> Plan:
    columns = build_columns(loaded)
    needed = _Needed(columns, {id(column): Use(column) for column in columns.judged})
    by_measurement = {id(use.column.measurement): use for use in needed.uses.values()}
    golden = GoldenSet(loaded.folder / loaded.suite.golden)
    with opened_cache(request, progress.note, wanted=keeps_replies(loaded, columns)) as cache:
        counting = Counting(by_measurement, cache, progress.note)
        for requests in _requests(request, golden, outputs, needed):
            counting.take(requests)
        counted: set[str] = set()
        scorers = _classifier_plans(columns, needed.waiting, cache, counted)
        before, left = _cascade_plans(columns, needed.cascaded, cache, counted)
        counting.take(left)
        counting.flush()
        classifiers = (*scorers, *before)
    plan = plan_of(loaded, outputs.name, needed.cases, list(needed.uses.values()), counting)
    return plan.model_copy(update={"classifiers": classifiers})


def plan_requests(
    loaded: LoadedSuite,
    columns: Columns,
    outputs: str,
    asked: Sequence[tuple[JudgeColumn, JudgeRequest]],
    cache: ReplyCache | None,
    *,
    progress: Progress,
) -> Plan:
    """Return what an experiment would buy, given all of its requests with their judge uses; makes no call, writes nothing.

    A request may be of another measurement than its use's (a reordered rubric); it counts under that use.
    """
    uses = {id(column): Use(column) for column in columns.judged}
    for use in uses.values():
        use.cases = len({request.case_id for column, request in asked if column is use.column})
    left, classifiers = _left_to_judges([request for _, request in asked], cache)
    by_measurement = {id(request.measurement): uses[id(column)] for column, request in asked}
    counting = Counting(by_measurement, cache, progress.note)
    counting.take(left)
    counting.flush()
    cases = len({request.case_id for _, request in asked})
    # The levers compare with a run over every case and rubric, which an experiment is not.
    found = plan_of(loaded, outputs, cases, list(uses.values()), counting)
    return found.model_copy(update={"levers": (), "classifiers": classifiers})


def _left_to_judges(
    requests: list[JudgeRequest], cache: ReplyCache | None
) -> tuple[list[JudgeRequest], tuple[ClassifierPlan, ...]]:
    """Return the requests that no classifier is known to decide, and what classifiers before judges would be asked."""
    if not any(request.measurement.cheap for request in requests):
        return requests, ()
    from evalkit.pipeline.tiers import Cascades

    cascades = Cascades(requests)
    cascades.look_up(cache)
    left = [request for place, request in enumerate(requests) if cascades.end_of(place) is None]
    return left, cascades.plans()


def _requests(
    request: RunRequest, golden: GoldenSet, outputs: OutputsFolder, needed: _Needed
) -> Iterator[list[JudgeRequest]]:
    """Yield, case by case, what a judge would be asked whatever a classifier says; put by what a classifier would be asked."""
    selector = Selector(request)
    for case in golden:
        output = outputs.last_attempt(case.id)
        if selector.takes(case) and output is not None and exclusion_of(output) is None:
            kind = needed.columns.kind_of(case)
            if kind.asking:
                from evalkit.pipeline.classified import put_by

                needed.waiting += [(code, put_by(code, selector.taken, case, output, None)) for code in kind.asking]
            if not is_blank(output.text or ""):
                yield needed.of_judges(kind, case, output, selector.taken)
    selector.check(golden.count)
    needed.cases = selector.taken


def _classifier_plans(
    columns: Columns, waiting: list[tuple[CodeColumn, PutBy]], cache: ReplyCache | None, counted: set[str]
) -> tuple[ClassifierPlan, ...]:
    """Return what scorers would ask; `counted` takes the questions, which cascades may share."""
    if not any(column.asks for column in columns.code):
        return ()
    from evalkit.pipeline.classified import by_column
    from evalkit.pipeline.classified import plan_of as plan_of_scorer

    return tuple(plan_of_scorer(column, cases, cache, counted) for column, cases in by_column(columns.code, waiting))


def _cascade_plans(
    columns: Columns, waiting: list[JudgedCase], cache: ReplyCache | None, counted: set[str]
) -> tuple[list[ClassifierPlan], list[JudgeRequest]]:
    """Return what the classifiers before judges would be asked, and what is left to those judges at most."""
    plans: list[ClassifierPlan] = []
    left: list[JudgeRequest] = []
    for column in columns.judged:
        if column.measurement.cheap is not None:
            from evalkit.pipeline.cascade import plan_of as plan_before_judge

            cases = [judged for judged in waiting if judged.column is column]
            plan, requests = plan_before_judge(column, cases, cache, counted)
            plans.append(plan)
            left += requests
    return plans, left
