"""The machine by itself: no path leads from what is blocked or unjudged to done, and every path ends."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalkit.acceptance.machine import (
    ENDINGS,
    TRANSITIONS,
    Counts,
    Failed,
    NoCandidate,
    NoVerdict,
    Policy,
    Produced,
    Situation,
    Subject,
    Verdict,
    step,
)
from evalkit.records.acceptance_terms import AcceptanceTerms, Limits

DONE = {"complete", "complete_provisional"}
HASHES = ("aa", "bb")


def terms(**fields) -> AcceptanceTerms:
    return AcceptanceTerms(**{"threshold": 0.8, "on_skipped": "block", "require_trust": True, **fields})


def about(attempt: int = 1, text: str = "aa") -> Subject:
    return Subject(request="r", attempt=attempt, output_sha256=text)


def good(subject: Subject, **fields) -> Verdict:
    return Verdict(**{"subject": subject, "required_missed": (), "score": 1.0, "trusted": True, **fields})


def walk(rules, *events) -> Situation:
    now = Situation()
    for event in events:
        now = step(now, event, rules)
    return now


subjects = st.builds(about, st.integers(1, 3), st.sampled_from(HASHES))
retries = st.integers(0, 3)
names = st.lists(st.sampled_from(["f1", "f2"]), max_size=2).map(tuple)
events = st.one_of(
    st.builds(Produced, subject=subjects, transport_retries=retries, tool_turns=retries),
    st.builds(Failed, reason=st.just("time_limit"), again=st.booleans(), transport_retries=retries),
    st.builds(NoCandidate, reason=st.just("nothing"), ending=st.sampled_from(["exhausted", "error"])),
    st.builds(Policy, broken=names, undecided=names),
    st.builds(
        Verdict,
        subject=subjects,
        required_missed=names,
        score=st.sampled_from([0.0, 0.79, 0.8, 1.0]),
        trusted=st.booleans(),
        verdict_retries=retries,
    ),
    st.builds(NoVerdict, subject=subjects, reason=st.just("judge_error:transport"), verdict_retries=retries),
)
rules = st.builds(
    AcceptanceTerms,
    threshold=st.sampled_from([0.0, 0.8, 1.0]),
    on_skipped=st.sampled_from(["block", "accept_unjudged"]),
    require_trust=st.booleans(),
    limits=st.builds(
        Limits, quality_retries=retries, verdict_retries=retries, transport_retries=retries, tool_turns=retries
    ),
)


@settings(max_examples=150)
@given(rules, st.lists(events, max_size=25))
def test_every_step_is_one_that_the_table_knows_and_endings_are_final(asked, happened):
    now = Situation()
    for event in happened:
        after = step(now, event, asked)
        assert after == now or after.state in TRANSITIONS[now.state]
        assert not now.ended or after == now
        now = after


@settings(max_examples=150)
@given(rules, st.lists(events, max_size=25))
def test_done_rests_on_held_policy_and_a_full_verdict_on_this_very_candidate(asked, happened):
    now, trail = Situation(), []
    for event in happened:
        after = step(now, event, asked)
        if after != now:
            trail.append(event)
        now = after
    if now.state in DONE | {"accepted_unjudged"}:
        produced, policy, verdict = trail[-3:]
        assert isinstance(produced, Produced)
        assert policy.broken == policy.undecided == ()
        assert verdict.subject == produced.subject == now.subject
        if now.state in DONE:
            assert verdict.required_missed == ()
            assert verdict.score >= asked.threshold
            assert (now.state == "complete") == (verdict.trusted or not asked.require_trust)
        else:
            assert isinstance(verdict, NoVerdict)
            assert asked.on_skipped == "accept_unjudged"


@settings(max_examples=100)
@given(rules, st.data())
def test_limits_end_every_request_that_is_kept_going(asked, data):
    now, limits, turns = Situation(), asked.limits, 0
    while not now.ended:
        turns += 1
        if now.state == "requested":
            subject = about(turns)
            event = data.draw(
                st.sampled_from([Produced(subject=subject), Failed(reason="time_limit", again=True)]), label="turn"
            )
        elif now.state == "candidate":
            event = Policy()
        else:
            event = good(now.subject, required_missed=("f1",))
        now = step(now, event, asked)
        assert turns <= 3 * (limits.quality_retries + limits.transport_retries + 2)
    assert now.state == "exhausted"
    assert now.reason in {"quality_retries", "transport_retries"}


@settings(max_examples=100)
@given(rules, subjects, subjects, st.sampled_from([1.0, 0.0]))
def test_a_verdict_on_another_attempt_or_text_changes_nothing(asked, now_judged, other, score):
    waiting = walk(asked, Produced(subject=now_judged), Policy())
    if other != now_judged:
        assert step(waiting, good(other, score=score), asked) == waiting
        assert step(waiting, NoVerdict(subject=other, reason="x"), asked) == waiting


@pytest.mark.parametrize("state", sorted(ENDINGS))
def test_nothing_leads_out_of_an_ending(state):
    ended = Situation(state=state, subject=about())
    for event in (Produced(subject=about()), Policy(), good(about()), NoVerdict(subject=about(), reason="x")):
        assert step(ended, event, terms()) == ended


def test_a_required_criterion_that_is_missed_is_offset_by_no_score():
    now = walk(terms(threshold=0.0), Produced(subject=about()), Policy(), good(about(), required_missed=("f1",)))
    assert (now.state, now.reason, now.counts) == ("requested", "required_missed", Counts(quality_retries=1))


def test_a_score_under_the_threshold_asks_again_and_the_threshold_itself_is_enough():
    again = walk(terms(), Produced(subject=about()), Policy(), good(about(), score=0.799))
    assert (again.state, again.reason) == ("requested", "below_threshold")
    assert walk(terms(), Produced(subject=about()), Policy(), good(about(), score=0.8)).state == "complete"


@pytest.mark.parametrize(
    ("trusted", "needed", "state"), [(False, True, "complete_provisional"), (False, False, "complete")]
)
def test_an_untrusted_judge_completes_only_provisionally_where_trust_is_needed(trusted, needed, state):
    now = walk(terms(require_trust=needed), Produced(subject=about()), Policy(), good(about(), trusted=trusted))
    assert now.state == state


@pytest.mark.parametrize(
    ("on_skipped", "state"), [("block", "judgment_skipped"), ("accept_unjudged", "accepted_unjudged")]
)
def test_what_follows_where_nobody_could_judge_is_the_terms_decision(on_skipped, state):
    reason = "judge_error:transport"
    now = walk(
        terms(on_skipped=on_skipped), Produced(subject=about()), Policy(), NoVerdict(subject=about(), reason=reason)
    )
    assert (now.state, now.reason) == (state, reason)


def test_policy_that_could_not_be_decided_blocks_and_says_so():
    now = walk(terms(), Produced(subject=about()), Policy(undecided=("cost_limit",)))
    assert (now.state, now.reason) == ("blocked_by_policy", "undecided: cost_limit")


@pytest.mark.parametrize("name", ["tool_turns", "transport_retries"])
def test_a_candidate_that_came_after_a_limit_is_not_judged(name):
    asked = terms(limits=Limits(**{name: 2}))
    now = walk(asked, Produced(subject=about(), **{name: 3}), Policy())
    assert (now.state, now.reason, now.detail) == ("exhausted", name, "3, at most 2")
    assert walk(asked, Produced(subject=about(), **{name: 2}), Policy()).state == "cleared"


def test_blocking_wins_over_a_limit():
    asked = terms(limits=Limits(tool_turns=0))
    now = walk(asked, Produced(subject=about(), tool_turns=1), Policy(broken=("personal_data",)))
    assert now.state == "blocked_by_policy"


def test_verdict_retries_are_counted_over_all_attempts_and_end_at_their_limit():
    asked = terms(limits=Limits(verdict_retries=1))
    once = walk(asked, Produced(subject=about()), Policy(), good(about(), score=0.0, verdict_retries=1))
    assert once.state == "requested"
    now = once
    for event in (Produced(subject=about(2)), Policy(), good(about(2), verdict_retries=1)):
        now = step(now, event, asked)
    assert (now.state, now.reason) == ("exhausted", "verdict_retries")


def test_a_failed_call_is_sent_again_as_often_as_it_may_and_no_quality_retry_is_counted():
    asked = terms(limits=Limits(transport_retries=1))
    failed = Failed(reason="time_limit", detail="2 s", again=True)
    once = walk(asked, failed)
    assert (once.state, once.counts) == ("requested", Counts(transport_retries=1))
    twice = step(once, failed, asked)
    assert (twice.state, twice.reason, twice.detail) == ("exhausted", "transport_retries", "time_limit: 2 s")


def test_a_failure_that_cannot_be_mended_is_an_error_at_once():
    now = walk(terms(), Failed(reason="unreadable_output", detail="no JSON"))
    assert (now.state, now.reason) == ("error", "unreadable_output")


def test_counts_of_each_kind_are_kept_apart():
    now = walk(
        terms(limits=Limits(transport_retries=9)),
        Failed(reason="time_limit", again=True),
        Produced(subject=about(), transport_retries=2, tool_turns=4),
        Policy(),
        good(about(), score=0.0, verdict_retries=1),
    )
    assert now.counts == Counts(quality_retries=1, verdict_retries=1, transport_retries=3, tool_turns=4)


def test_the_object_of_evaluation_is_named_in_one_sentence():
    assert about(2, "cc").sentence() == "request r, attempt 2, candidate cc"
