"""What retries came to, counted by hand in small logs."""

from __future__ import annotations

import pytest

from evalkit.acceptance.summary import Summary
from evalkit.records.acceptance_log import AcceptanceLine, CriterionResult, Retries
from evalkit.stats.intervals import wilson

NONE = Retries(quality_retries=0, verdict_retries=0, transport_retries=0, tool_turns=0)


def line(case_id, attempt, state, *, reason="", unchanged=False, meets=None, **criteria):
    return AcceptanceLine(
        case_id=case_id,
        attempt=attempt,
        output_sha256="aa",
        subject="",
        unchanged=unchanged,
        feedback_given=None,
        state_before="requested",
        path=("requested", state),
        state_after=state,
        reason=reason,
        detail="",
        criteria=tuple(
            CriterionResult(name=name, required=True, weight=1.0, strategy="code", result=result)
            for name, result in criteria.items()
        ),
        meets=meets,
        feedback="mend it" if state == "requested" else None,
        counts=NONE,
        independent=None,
    )


def summed(*requests):
    summary = Summary()
    for lines in requests:
        summary.add(lines, ended=lines[-1].state_after != "requested")
    return summary


def test_a_fault_that_is_gone_one_that_stays_and_one_that_is_new():
    found = summed(
        [line("a", 1, "requested", x="missed", y="passed"), line("a", 2, "complete", x="passed", y="passed")],
        [
            line("b", 1, "requested", x="missed", y="passed"),
            line("b", 2, "exhausted", x="missed", y="missed", meets=False),
        ],
    )
    overall, x, y = found.effects(["x", "y"])
    assert (overall.criterion, overall.n, overall.changed, overall.kept, overall.broken) == ("any", 2, 1, 2, 1)
    assert (x.named, x.n, x.changed, x.rate) == (2, 2, 1, 0.5)
    assert x.interval == wilson(1, 2)
    assert (y.named, y.kept, y.broken, y.reading) == (0, 2, 1, "no data")
    counts = found.retry_counts()
    assert (counts.retries, counts.wasted, counts.broke_something) == (2, 1, 1)
    assert found.insufficient.named().cases == ("b",)


def test_retries_of_one_request_alone_tell_no_more_than_one():
    chain = [line("a", n, "requested", unchanged=n > 1, x="missed") for n in (1, 2, 3)]
    (overall, x) = summed(chain).effects(["x"])
    assert (overall.n, x.interval) == (2, wilson(0, 1))


def test_a_retry_that_nobody_could_judge_is_neither_wasted_nor_counted_as_changed():
    chain = [line("a", 1, "requested", x="missed"), line("a", 2, "judgment_skipped", x="undecided")]
    found = summed(chain)
    assert found.retry_counts().wasted == 0
    assert [(e.named, e.n, e.excluded) for e in found.effects(["x"])] == [(1, 0, 1), (1, 0, 1)]


@pytest.mark.parametrize(("meets", "n"), [(True, 1), (False, 0), (None, 0)])
def test_good_but_blocked_are_those_that_meet_everything(meets, n):
    assert summed([line("a", 1, "blocked_by_policy", meets=meets)]).blocked.n == n


def test_acceptance_by_attempt_and_what_is_left_open():
    found = summed(
        [line("a", 1, "complete")],
        [line("b", 1, "requested", x="missed"), line("b", 2, "complete_provisional", x="passed")],
        [line("c", 1, "requested", x="missed")],
    )
    assert [(at.attempt, at.candidates, at.complete, at.complete_provisional) for at in found.accepted()] == [
        (1, 3, 1, 0),
        (2, 1, 0, 1),
    ]
    assert (found.cases, found.unfinished, sum(found.endings.values())) == (3, 1, 2)
