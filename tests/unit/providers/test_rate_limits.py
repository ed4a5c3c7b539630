"""Limits are kept by waiting; the waits are figures of a clock that the test owns, so they are exact."""

import asyncio

import pytest
from fakes.own_clock import seconds_of

from evalkit.providers.estimates import estimated_tokens
from evalkit.providers.rate_limits import Bucket, RateLimits
from evalkit.records.chat import ChatCall
from evalkit.records.judges import Rate
from evalkit.records.verdicts import Reply


def call(characters=400, max_tokens=50):
    return ChatCall(
        key="k",
        label="c",
        model="m",
        messages=({"role": "user", "content": "x" * characters},),
        params={"max_tokens": max_tokens},
        schema=None,
    )


def test_the_estimate_is_a_quarter_of_the_characters_and_the_cap():
    assert estimated_tokens(call(400, 50)) == 150


def test_requests_are_paced_evenly():
    limits = RateLimits(Rate(rpm=1200))

    async def work():
        await asyncio.gather(*(limits.admit(call()) for _ in range(5)))

    assert seconds_of(work) == pytest.approx(4 * 60 / 1200)


def test_the_token_limit_holds_back_calls():
    limits = RateLimits(Rate(tpm=60_000))  # 1,000 a second

    async def work():
        for _ in range(8):
            await limits.admit(call(400, 50))

    assert seconds_of(work) == pytest.approx((8 * 150 - 1000) / 1000)


def test_usage_corrects_the_estimate():
    limits = RateLimits(Rate(tpm=60_000))
    reply = Reply(text="x", input_tokens=5, output_tokens=5)

    async def work():
        for _ in range(50):
            await limits.admit(call(400, 500))
            limits.settle(call(400, 500), reply)

    # 41 calls find the 600 tokens that they may need in the bucket; the other nine wait for the 10 that the last one used.
    assert seconds_of(work) == pytest.approx(9 * 10 / 1000)


def test_unknown_usage_leaves_the_estimate():
    limits = RateLimits(Rate(tpm=60_000))

    async def work():
        for _ in range(4):
            await limits.admit(call(400, 300))
            limits.settle(call(400, 300), Reply(text="x"))

    assert seconds_of(work) == pytest.approx((4 * 400 - 1000) / 1000)


def test_a_call_larger_than_the_bucket_is_let_through_once_and_leaves_a_debt():
    bucket = Bucket(per_minute=6000, capacity=10)

    async def work():
        await bucket.take(30)
        await bucket.take(1)

    assert seconds_of(work) == pytest.approx((30 - 10 + 1) / 100)


def test_without_limits_nothing_waits():
    async def work():
        for _ in range(1000):
            await RateLimits(Rate()).admit(call())

    assert seconds_of(work) == 0
