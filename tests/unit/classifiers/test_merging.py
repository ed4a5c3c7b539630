"""Decisions put together."""

from __future__ import annotations

import pytest
from fakes.classifiers import decide

from evalkit.classifiers.merging import merged, summed
from evalkit.records.decisions import DecisionUsage


def usage(requests, tokens):
    return DecisionUsage(requests=requests, input_tokens=tokens, output_tokens=tokens)


@pytest.mark.parametrize(
    ("usages", "total"),
    [
        ([], usage(0, None)),
        ([usage(1, 5), usage(2, 7)], usage(3, 12)),
        ([usage(1, 5), usage(1, None)], usage(2, None)),
        ([usage(1, 5), usage(0, None)], usage(1, 5)),
        ([usage(0, None)], usage(0, None)),
        ([usage(1, 0)], usage(1, 0)),
    ],
)
def test_unknown_usage_stays_unknown_and_no_request_adds_nothing(usages, total):
    assert summed(usages) == total


def test_a_later_answer_takes_the_earlier_ones_place_in_the_order_asked():
    first = decide({"risk": 1, "rude": 0.5}).model_copy(update={"unanswered": {"team": "x", "other": "y"}})
    second = decide({"rude": 0.9, "team": "sales"}, calibrated=False).model_copy(update={"model": "n"})
    both = merged([first, second], ["rude", "team", "risk"])
    assert [answer.value() for answer in both.answers.values()] == [0.9, "sales", 1.0]
    assert both.unanswered == {}
    assert both.model == "m + n"
    assert not both.calibrated
    assert merged([first, first], ["rude"]).model == "m"


def test_an_answer_keeps_its_own_source_and_gets_the_models_where_it_has_none():
    decision = decide({"rude": 0.5})
    bare = decision.model_copy(update={"answers": {"rude": decision.answers["rude"].model_copy(update={"source": ""})}})
    assert merged([bare.model_copy(update={"model": "n"})], ["rude"]).answers["rude"].source == "n"
    assert merged([decision.model_copy(update={"model": "n"})], ["rude"]).answers["rude"].source == "m"
