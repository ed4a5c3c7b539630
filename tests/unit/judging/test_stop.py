"""Buying stops at the cost limit, calls in flight included, and where a judge gives no verdicts."""

from __future__ import annotations

import asyncio

import pytest

from evalkit.judging.stop import Stop
from evalkit.providers.meter import Meter
from evalkit.records.chat import ChatCall
from evalkit.records.judges import Prices
from evalkit.records.verdicts import CriterionVerdict, Judgement, RejectedReply, Rejection, Reply, Verdict

PRICES = Prices(input=10.0, output=30.0)
COST = (2000 * 10 + 300 * 30) / 1e6
"""US dollars of one answered call."""
LONGEST = (2000 * 10 + 4096 * 30) / 1e6
"""US dollars of one call by rule of thumb: its prompt, and the longest reply."""
CALL = ChatCall(
    key="k", label="c", model="m", messages=({"content": "x" * 8000},), params={"max_tokens": 4096}, schema=None
)


def judgement(kind: str | None = None) -> Judgement:
    grade = CriterionVerdict(claims=(), evidence=(), rationale="r", grade="pass")
    verdict = None if kind else Verdict(criteria={"F1": grade}, overall_pass=True)
    rejected = (RejectedReply(text=None, rejection=Rejection(kind=kind, message=f"{kind}!")),) if kind else ()
    return Judgement(
        case_id="c",
        capability="a",
        rubric="r",
        mode="pointwise",
        sample=0,
        request_key="k",
        output_sha256="0",
        judge_config_hash="0",
        verdict=verdict,
        rejected=rejected,
    )


def buy(stop: Stop, wanted: int, at_once: int, usage: tuple[int, int] | None = (2000, 300)) -> int:
    """Return how many of the wanted calls are made when so many workers ask."""
    made = 0

    async def work(queue: list[int]) -> None:
        nonlocal made
        while queue:
            queue.pop()
            reserved = await stop.admit(CALL)
            if reserved is None:
                return
            made += 1
            await asyncio.sleep(0.001)
            counts = {} if usage is None else {"input_tokens": usage[0], "output_tokens": usage[1]}
            stop.meter.answered(Reply(text="{}", **counts), 0.001)
            stop.settle(reserved, judgement())

    async def everybody() -> None:
        queue = list(range(wanted))
        await asyncio.wait_for(asyncio.gather(*(work(queue) for _ in range(at_once))), 120)

    asyncio.run(everybody())
    return made


def test_without_a_limit_everything_is_bought():
    assert buy(Stop(Meter(PRICES)), 30, 10) == 30


def test_the_limit_holds_however_many_calls_go_out_at_once():
    for at_once in (1, 16, 100):
        stop = Stop(Meter(PRICES), max_cost=10 * COST)
        made = buy(stop, 100, at_once)
        assert stop.reason == "max_cost"
        assert 8 <= made <= 10
        assert stop.meter.spent() <= 10 * COST


def test_the_first_call_is_made_only_where_its_prompt_and_the_longest_reply_fit():
    stop = Stop(Meter(PRICES), max_cost=0.99 * LONGEST)
    assert buy(stop, 50, 16) == 0
    assert (stop.reason, stop.wanted) == ("max_cost", pytest.approx(LONGEST))
    assert buy(Stop(Meter(PRICES), max_cost=1.01 * LONGEST), 50, 16) > 1


def test_what_a_classifier_took_leaves_so_much_less_for_the_first_call():
    stop = Stop(Meter(PRICES), max_cost=1.5 * LONGEST, of_classifiers=LONGEST)
    assert buy(stop, 1, 1) == 0
    assert stop.spent() == LONGEST


def test_a_limit_of_nothing_buys_nothing():
    stop = Stop(Meter(PRICES), max_cost=0.0)
    assert buy(stop, 5, 2) == 0
    assert stop.reason == "max_cost"


def test_a_limit_that_is_not_reached_stops_nothing():
    stop = Stop(Meter(PRICES), max_cost=1000 * COST)
    assert buy(stop, 40, 16) == 40
    assert stop.reason is None


def test_where_the_server_does_not_say_what_calls_use_no_limit_can_be_kept():
    stop = Stop(Meter(PRICES), max_cost=100 * COST)
    assert buy(stop, 50, 1, usage=None) == 1
    assert stop.reason == "cost_unknown"


def test_a_judge_without_verdicts_is_given_up_whatever_the_reason():
    for kind in ("transport", "parse", "refused"):
        stop = Stop(Meter(), failures_allowed=3)
        for _ in range(3):
            assert stop.reason is None
            stop.settle(asyncio.run(stop.admit(CALL)), judgement(kind))
        assert stop.reason == "judge_answers_nothing"
        assert stop.last_failure == f"{kind}!"


def test_one_verdict_begins_the_count_anew():
    stop = Stop(Meter(), failures_allowed=2)
    for kind in ("parse", None, "parse", None, "parse"):
        stop.settle(asyncio.run(stop.admit(CALL)), judgement(kind))
    assert stop.reason is None


def ask(stop: Stop, wanted: int, at_once: int, price: float, cost: float | None) -> int:
    """Return how many of the wanted questions to a classifier are asked; `price` is what each is taken to cost."""
    made = 0

    def first() -> bool:
        return made == 0

    async def work(queue: list[int]) -> None:
        nonlocal made
        while queue:
            queue.pop()
            reserved = await stop.admit_question(lambda: price, first)
            if reserved is None:
                return
            made += 1
            await asyncio.sleep(0.001)
            stop.settle_question(reserved, cost)

    async def everybody() -> None:
        queue = list(range(wanted))
        await asyncio.wait_for(asyncio.gather(*(work(queue) for _ in range(at_once))), 10)

    asyncio.run(everybody())
    return made


def test_questions_to_a_classifier_count_in_the_same_limit():
    stop = Stop(Meter(PRICES), max_cost=10 * COST)
    assert ask(stop, 4, 2, COST, COST) == 4
    assert 4 <= buy(stop, 50, 8) <= 6
    assert stop.reason == "max_cost"
    assert stop.spent() <= 10 * COST + 1e-9


def test_the_limit_stops_a_classifier_however_many_ask_at_once():
    for at_once in (1, 8):
        stop = Stop(Meter(PRICES), max_cost=5 * COST)
        assert ask(stop, 50, at_once, COST, COST) == 5
        assert stop.reason == "max_cost"


def test_a_classifier_that_took_the_whole_limit_leaves_nothing_for_a_first_call():
    stop = Stop(Meter(PRICES), max_cost=COST)
    assert ask(stop, 1, 1, COST, COST) == 1
    assert buy(stop, 5, 1) == 0


def test_a_question_whose_cost_nobody_tells_leaves_no_limit_to_keep():
    stop = Stop(Meter(PRICES), max_cost=100 * COST)
    assert ask(stop, 5, 1, COST, None) == 1
    assert (stop.reason, stop.spent()) == ("cost_unknown", None)
    unlimited = Stop(Meter(PRICES))
    assert ask(unlimited, 5, 1, COST, None) == 5


def test_a_batch_is_admitted_as_far_as_its_reservation_fits_and_what_is_reserved_counts_for_the_next():
    half = Prices(input=5.0, output=15.0)
    stop = Stop(Meter(PRICES, batch_prices=half), max_cost=3.5 * LONGEST / 2)
    count, reserved = stop.admit_batch([CALL] * 10)
    assert (count, reserved) == (3, pytest.approx(3 * LONGEST / 2))
    assert stop.admit_batch([CALL]) == (0, 0.0)
    assert stop.reason == "max_cost"
    stop.release(reserved)


def test_once_a_batch_has_answered_its_mean_cost_is_what_the_next_one_reserves():
    stop = Stop(Meter(PRICES), max_cost=10 * COST)
    for _ in range(4):
        stop.meter.brought(Reply(text="{}", input_tokens=2000, output_tokens=300))
    count, _ = stop.admit_batch([CALL] * 10)
    assert count == 5  # 6 costs are left, and each is reserved with the margin of 1.2


def test_without_a_limit_everything_is_admitted_and_nothing_once_buying_is_over():
    stop = Stop(Meter(None))
    assert stop.admit_batch([CALL] * 7) == (7, 0.0)
    assert stop.admit_batch([]) == (0, 0.0)
    stop.reason = "interrupted"
    assert stop.admit_batch([CALL]) == (0, 0.0)


def test_a_server_that_does_not_say_what_a_batch_used_gets_no_other():
    stop = Stop(Meter(PRICES), max_cost=1.0)
    stop.meter.brought(Reply(text="{}"))
    assert stop.admit_batch([CALL]) == (0, 0.0)
    assert stop.reason == "cost_unknown"


def test_the_end_of_a_batch_lets_a_call_through_that_waits_for_room():
    stop = Stop(Meter(PRICES), max_cost=2 * COST)
    stop.meter.brought(Reply(text="{}", input_tokens=2000, output_tokens=300))

    async def meet() -> float | None:
        reserved = await stop.admit(CALL)
        waiting = asyncio.ensure_future(stop.admit(CALL))
        await asyncio.sleep(0.01)
        assert not waiting.done()
        stop.release(reserved)
        return await asyncio.wait_for(waiting, 5)

    assert asyncio.run(meet()) == pytest.approx(COST)


def test_until_the_first_answer_one_priced_question_goes_out_alone():
    stop = Stop(Meter(PRICES), max_cost=10 * COST)

    async def two() -> float | None:
        reserved = await stop.admit_question(lambda: COST, lambda: True)
        second = asyncio.ensure_future(stop.admit_question(lambda: COST, lambda: True))
        await asyncio.sleep(0.01)
        assert not second.done()
        stop.settle_question(reserved, COST)
        return await second

    assert asyncio.run(two()) == COST
