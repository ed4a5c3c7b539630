"""The floor for pairs: the longer answer wins, says so, and passes the same checks as a model."""

from __future__ import annotations

import pytest
from fakes.pairs import PAIR_CASE, pair_outputs, preference

from evalkit.judging.floor_pairs import longer
from evalkit.judging.requests import Measurement, pair_requests
from evalkit.judging.verdicts import lookup
from evalkit.records.judges import JudgeConfig
from evalkit.records.verdicts import PairJudgement, PairVerdict


def verdicts(first: str, second: str) -> list[PairVerdict]:
    rubric = preference(criteria=tuple(c for c in preference().criteria if c.evidence_from != "context"))
    requests = pair_requests(Measurement("h", rubric, JudgeConfig()), PAIR_CASE, *pair_outputs(first, second))
    found, misses = lookup(requests, None)
    assert not misses
    preferred = [one.preferred for one in found if isinstance(one, PairJudgement)]
    return [verdict for verdict in preferred if verdict is not None]


@pytest.mark.parametrize(
    ("first", "second", "winner"), [("a b c", "a b", "A"), ("a", "a b", "B"), ("a b", "c d", "tie")]
)
def test_the_answer_with_more_words_wins(first, second, winner):
    assert longer(first, second) == winner


def test_it_wins_in_both_orders():
    assert [verdict.overall for verdict in verdicts("one two three four", "one two")] == ["A", "B"]


def test_equal_lengths_are_a_tie():
    assert {verdict.overall for verdict in verdicts("one two", "two three")} == {"tie"}


def test_an_answer_that_cannot_be_quoted_wins_nothing():
    assert [verdict.overall for verdict in verdicts("- - - -", "one two")] == ["tie", "tie"]


def test_it_says_that_it_is_a_rule():
    assert verdicts("one two three", "one")[0].criteria["P1"].rationale == (
        "By rule, no model: A has 3 words, B has 1."
    )
