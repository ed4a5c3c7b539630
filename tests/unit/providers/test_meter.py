import pytest

from evalkit.providers.meter import Meter, Retry, cost_of, latency_of
from evalkit.records.judges import Prices
from evalkit.records.verdicts import Reply

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
