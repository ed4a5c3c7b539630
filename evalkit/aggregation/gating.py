"""Whether a run's numbers may support a decision at all, with every reason against it in plain words.

This is about the run, not about a row: what a single row may support stands in its `insufficient`, `trust` and `reading`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from evalkit.records.answered import answered_by, is_mixed
from evalkit.records.base import Json
from evalkit.records.classified import ClassifierUse
from evalkit.records.reports import Completeness, Gating, Health, JudgeHeader, PolicyBreach, Row

MIXED = "mixed"
"""How the reason of several instruments under one configuration begins."""

STOPPED: Mapping[str, str] = {
    "max_cost": "buying stopped at max_cost before every verdict was there",
    "cost_unknown": "max_cost is set, but the server does not say what its calls use, so buying stopped",
    "batch_open": "a batch had not ended in the time that judge.yaml allows; the same command goes on with it",
    "judge_answers_nothing": "the judge stopped answering, so asking stopped early",
    "interrupted": "the run was interrupted",
}
"""Why buying stopped -> words."""


def gating(
    *,
    rows: Iterable[Row],
    health: Health | None,
    completeness: Completeness,
    selection: Mapping[str, Json],
    stopped: str | None = None,
    policy: Iterable[PolicyBreach] = (),
    judges: Iterable[JudgeHeader] = (),
    classifiers: Iterable[ClassifierUse] = (),
) -> Gating:
    """Return whether the run may be gated on.

    `health` is None where nothing was to be judged; `selection` is what narrowed the run, empty for a whole one; `stopped` is why
    buying stopped early (`Purchases.stopped`), None where it did not; `judges` and `classifiers` say which snapshots answered.
    """
    reasons = (
        *_nothing_scored(rows),
        *_undecided(policy),
        *_judge(health),
        *_mixed(judges, classifiers),
        *_stopped(stopped, completeness),
        *_partial(completeness, selection),
    )
    return Gating(valid=not reasons, reasons=reasons)


def _nothing_scored(rows: Iterable[Row]) -> Iterator[str]:
    """Policy rows do not count: they can block, but they measure no capability."""
    if not any(row.n for row in rows if row.kind != "policy"):
        yield "nothing was scored: no row has a case that could be measured"


def _undecided(policy: Iterable[PolicyBreach]) -> Iterator[str]:
    """A condition that blocks may not pass because nobody could tell, e.g. a cost limit where costs are unknown."""
    for condition in policy:
        if condition.unknown:
            cases = "1 case" if condition.unknown == 1 else f"{condition.unknown} cases"
            yield f"the policy condition {condition.condition} could not be decided in {cases}"


def _judge(health: Health | None) -> Iterator[str]:
    if health is None:
        return
    if not health.within_budget and health.judge_error_rate is not None:
        failed = sum(health.judge_errors.values())
        yield (
            f"{failed} of {health.judged} judge {'request' if health.judged == 1 else 'requests'} ended without a verdict ({health.judge_error_rate:.2%}), "
            f"over the budget of {health.budget:.2%}"
        )
    yield from _unanswered(health)


def _unanswered(health: Health) -> Iterator[str]:
    """What was submitted is not what was never asked; identical requests are bought once, so a plan counts them once."""
    waiting, left = health.in_open_batches, health.not_bought - health.in_open_batches
    if waiting:
        yield f"{_requests(waiting)} submitted in batches that have brought no answer yet"
    if left:
        once = f" ({health.left_to_buy:,} to buy, identical ones once)" if 0 < health.left_to_buy < left else ""
        yield f"{_requests(left)} never asked{once}"


def _requests(count: int) -> str:
    return f"{count:,} judge {'request was' if count == 1 else 'requests were'}"


def _mixed(judges: Iterable[JudgeHeader], classifiers: Iterable[ClassifierUse]) -> Iterator[str]:
    """Two snapshots under one configuration are two instruments: their verdicts do not add up to one rate."""
    for use in classifiers:
        if len(use.models) > 1:
            yield (
                f"{MIXED}: {len(use.models)} models answered for {use.capability} / {use.scorer} ({', '.join(use.models)}) under one "
                "classifier configuration; not comparable until it is asked again of one"
            )
    for judge in judges:
        if is_mixed(judge):
            everybody = answered_by(judge)
            yield (
                f"{MIXED}: {len(everybody)} snapshots answered for {judge.capability} ({', '.join(everybody)}) under one "
                "judge configuration; not comparable until it is judged again by one"
            )


def _stopped(stopped: str | None, completeness: Completeness) -> Iterator[str]:
    if stopped is not None:
        yield STOPPED.get(stopped, f"buying stopped early: {stopped}")
    elif completeness == "incomplete":
        yield "the run is incomplete"


def _partial(completeness: Completeness, selection: Mapping[str, Json]) -> Iterator[str]:
    if completeness == "partial" or selection:
        named = ", ".join(f"--{name}" for name in sorted(selection))
        yield f"a selection of cases was run ({named})" if named else "a selection of cases was run"
