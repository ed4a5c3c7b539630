import pytest

from evalkit.providers.meter import Meter, Retry, cost_of, cost_of_purchases, latency_of
from evalkit.records.judges import BatchConfig, JudgeConfig, Prices
from evalkit.records.verdicts import BatchShare, Purchase, Reply

PRICES = Prices(input=2.0, output=10.0, cached_input=0.5)


def reply(given, made, cached=None):
    return Reply(text="x", input_tokens=given, output_tokens=made, cached_tokens=cached)


def test_cost_counts_cached_tokens_as_a_part_of_the_input():
    assert cost_of(PRICES, 1_000_000, 100_000, 400_000) == pytest.approx(0.6 * 2 + 0.4 * 0.5 + 0.1 * 10)


def test_cached_tokens_without_a_price_of_their_own_cost_as_much_as_other_input():
    assert cost_of(Prices(input=2.0, output=10.0), 1_000_000, 0, 400_000) == pytest.approx(2.0)


def test_more_cached_tokens_than_input_never_make_cost_negative():
    assert cost_of(PRICES, 10, 0, 1_000_000) == pytest.approx(10 * 0.5 / 1e6)


def test_without_prices_cost_is_unknown_not_zero():
    meter = Meter()
    meter.answered(reply(10, 5), 0.1)
    assert meter.spent() is None
    assert meter.to_purchases().cost_usd is None


@pytest.mark.parametrize("usage", [(None, None), (0, 0), (10, None), (None, 5)])
def test_missing_and_zero_usage_is_counted_as_unknown(usage):
    meter = Meter(PRICES)
    meter.answered(reply(*usage), 0.1)
    meter.answered(reply(1000, 100, 300), 0.1)
    purchases = meter.to_purchases()
    assert purchases.calls == 2
    assert purchases.unknown_usage == 1
    assert (purchases.input_tokens, purchases.output_tokens, purchases.cached_tokens) == (1000, 100, 300)


def test_nothing_bought_cost_nothing_where_prices_are_known():
    assert Meter(PRICES).spent() == 0.0


def test_retries_are_counted_by_reason_and_logged_in_order():
    meter = Meter()
    meter.retried("rate_limited", "case-1", 1.5)
    meter.retried("server", "case-2", 0.5)
    meter.retried("rate_limited", "case-3", 2.0)
    meter.failed("server")
    assert meter.to_purchases().transport_retries == {"rate_limited": 2, "server": 1}
    assert meter.retry_log[0] == Retry("rate_limited", "case-1", 1.5)
    assert meter.failures == {"server": 1}


def test_latency_percentiles_are_measured_values():
    latency = latency_of([float(n) for n in range(1, 101)])
    assert (latency.p50, latency.p90, latency.p99, latency.max) == (50.0, 90.0, 99.0, 100.0)
    assert latency_of([7.0]).p50 == latency_of([7.0]).max == 7.0
    assert latency_of([]) is None


def test_calls_of_several_judges_cost_each_ones_own_prices():
    meter = Meter(Prices(input=10.0, output=10.0))
    meter.answered(reply(100, 20), 0.1)
    meter.turn_to(Prices(input=1.0, output=1.0))
    assert meter.spent() == pytest.approx(120 * 10 / 1e6)
    meter.answered(reply(100, 20), 0.1)
    assert meter.spent() == pytest.approx(120 * 11 / 1e6)
    assert (meter.calls, meter.input_tokens) == (2, 200)


def test_one_judge_without_prices_leaves_the_cost_of_all_unknown():
    meter = Meter(Prices(input=10.0, output=10.0))
    meter.answered(reply(100, 20), 0.1)
    meter.turn_to(None)
    assert meter.spent() == pytest.approx(120 * 10 / 1e6), "nothing was bought of it yet"
    meter.answered(reply(100, 20), 0.1)
    assert meter.spent() is None
    meter.turn_to(Prices(input=1.0, output=1.0))
    assert meter.spent() is None


HALF = Prices(input=1.0, output=5.0, cached_input=0.25)


def test_what_a_batch_brought_costs_the_prices_of_batches_and_counts_as_a_call_without_a_time():
    meter = Meter(PRICES, batch_prices=HALF)
    meter.brought(reply(1_000_000, 0))
    meter.answered(reply(1_000_000, 0), 0.1)
    assert meter.spent() == pytest.approx(1.0 + 2.0)
    assert meter.mean_cost() == pytest.approx(2.0)
    found = meter.to_purchases()
    assert (found.calls, found.batched, found.cost_usd) == (2, 1, pytest.approx(3.0))
    assert len(meter.latencies_ms) == 1


def test_another_judge_keeps_the_discount_of_the_one_before():
    meter = Meter(PRICES, batch_prices=HALF)
    meter.brought(reply(1_000_000, 0))
    meter.turn_to(PRICES)
    meter.brought(reply(1_000_000, 0))
    assert meter.spent() == pytest.approx(1.0 + 2.0)


def test_a_batch_whose_usage_is_not_said_is_unknown_and_no_discount():
    meter = Meter(PRICES, batch_prices=HALF)
    meter.brought(reply(None, None))
    assert (meter.unknown_usage, meter.spent()) == (1, None)


@pytest.mark.parametrize(
    ("batch", "share"),
    [(None, 1.0), (HALF, 0.5), (Prices(input=1.0, output=8.0), 0.8), (Prices(input=0.0, output=0.0), 0.0)],
)
def test_a_request_in_a_batch_is_reserved_at_the_share_of_the_dearer_kind_of_token(batch, share):
    assert Meter(PRICES, batch_prices=batch).batch_share() == pytest.approx(share)
    assert Meter(Prices(input=0.0, output=0.0), batch_prices=HALF).batch_share() == 1.0


def test_purchases_cost_each_part_at_its_own_prices():
    judge = JudgeConfig(client="openai", model="m", prices=PRICES, batch=BatchConfig(prices=HALF))
    share = BatchShare(input_tokens=1_000_000, output_tokens=100_000, cached_tokens=400_000)
    both = Purchase(tries=2, input_tokens=2_000_000, output_tokens=100_000, cached_tokens=400_000, batch=share)
    batch_part, live_part = 0.6 * 1 + 0.4 * 0.25 + 0.1 * 5, 2.0
    assert cost_of_purchases(judge, [both]) == pytest.approx(batch_part + live_part)
    assert cost_of_purchases(judge, []) == 0.0
    assert cost_of_purchases(judge.model_copy(update={"batch": None}), [both]) == pytest.approx(
        cost_of(PRICES, 2_000_000, 100_000, 400_000)
    )
    assert cost_of_purchases(JudgeConfig(client="openai", model="m"), [both]) is None
