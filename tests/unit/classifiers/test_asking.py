"""Ways to ask: without a loop, many at once, each question alone."""

from __future__ import annotations

import asyncio

import pytest
from fakes.classifiers import QUESTIONS, RUDE, ByName, ByState

from evalkit.classifiers.asking import Alone, ask, evaluate_many
from evalkit.errors import ProviderError, UsageError
from evalkit.records.decisions import Decision

SURE = {"rude": 0.05, "team": "sales", "risk": 0}


class Closing(ByName):
    closed = 0

    async def aclose(self):
        self.closed += 1


def test_asking_without_a_loop_closes_what_was_opened():
    classifier = Closing(SURE)
    assert ask(classifier, "hi", {"rude": RUDE}).answers["rude"].value() == 0.05
    assert classifier.closed == 1
    classifier.error = ProviderError("server", "down")
    with pytest.raises(ProviderError):
        ask(Alone(classifier), "hi", {"rude": RUDE})
    assert classifier.closed == 2
    assert ask(ByName(SURE), "hi", {"rude": RUDE}).model == "by-name"


def test_asking_inside_a_loop_says_what_to_do():
    async def inside():
        ask(ByName(SURE), "hi", {"rude": RUDE})

    with pytest.raises(UsageError, match="await"):
        asyncio.run(inside())


class Slow(ByName):
    in_flight = 0
    most = 0

    async def evaluate(self, state, questions):
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        await asyncio.sleep(0.001)
        self.in_flight -= 1
        return await super().evaluate(state, questions)


@pytest.mark.parametrize("cap", [1, 3])
def test_many_states_are_asked_under_a_cap(cap):
    classifier = Slow(SURE)
    found = asyncio.run(evaluate_many(classifier, [str(n) for n in range(9)], {"rude": RUDE}, cap=cap))
    assert len(found) == 9
    assert classifier.most == cap


def test_one_failure_among_many_stands_in_its_place():
    views = {"a": {"q": 0.9}, "c": {"q": 0.1}}
    states = [{"view": "a"}, None, {"view": "c"}]

    class Checked(ByState):
        async def evaluate(self, state, questions):
            if state is None:
                raise UsageError("no state")
            return await super().evaluate(state, questions)

    first, second, third = asyncio.run(evaluate_many(Checked(views), states, {"q": RUDE}))
    assert isinstance(second, UsageError)
    assert isinstance(first, Decision)
    assert (first.answers["q"].value(), third.answers["q"].value()) == (0.9, 0.1)


def test_an_exception_that_is_none_of_evalkits_leaves_no_evaluation_behind():
    class Broken(Slow):
        async def evaluate(self, state, questions):
            if state == "b":
                raise RuntimeError("bug")
            return await super().evaluate(state, questions)

    async def many():
        classifier = Broken(SURE)
        with pytest.raises(RuntimeError, match="bug"):
            await evaluate_many(classifier, ["a", "b", "c"], {"rude": RUDE})
        return classifier.asked, len(asyncio.all_tasks())

    assert asyncio.run(many()) == ([], 1)


def test_a_cap_of_nothing_is_refused():
    with pytest.raises(UsageError, match="at least one"):
        asyncio.run(evaluate_many(ByName(SURE), ["x"], {"rude": RUDE}, cap=0))


def test_alone_asks_each_question_in_its_own_request():
    classifier = ByName(SURE)
    decision = asyncio.run(Alone(classifier).evaluate("hi", QUESTIONS))
    assert sorted(classifier.asked) == [("hi", (name,)) for name in sorted(QUESTIONS)]
    assert list(decision.answers) == list(QUESTIONS)
    assert decision.usage.requests == 3
    assert decision.usage.input_tokens == 30
    assert decision.model == "by-name"


def test_alone_leaves_nothing_running_when_one_question_fails():
    class HalfBroken(Slow):
        async def evaluate(self, state, questions):
            if "team" in questions:
                raise ProviderError("server", "down")
            return await super().evaluate(state, questions)

    classifier = HalfBroken(SURE)
    with pytest.raises(ProviderError):
        asyncio.run(Alone(classifier).evaluate("hi", QUESTIONS))
    assert classifier.asked == []


def test_the_layout_is_part_of_the_identity():
    assert Alone(ByName(SURE)).identity == {**ByName(SURE).identity, "layout": "alone"}
