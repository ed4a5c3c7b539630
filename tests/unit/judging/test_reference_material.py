"""What an answer is held against: facts first, else the reference as a whole, else nothing is asked."""

from __future__ import annotations

import pytest

from evalkit.judging.reference_material import facts_of, unasked
from evalkit.records.cases import Case, Expected
from evalkit.records.scores import Unscored


@pytest.mark.parametrize(
    ("expected", "facts"),
    [
        ({"facts": ("a", "b"), "answer": "c", "answers": ("d",)}, ("a", "b")),
        ({"facts": (" ", "b")}, ("b",)),
        ({"facts": (), "answer": "c", "answers": ("d",)}, ("c",)),
        ({"facts": ("\n",), "answer": "c"}, ("c",)),
        ({"answer": " ", "answers": ("d",)}, ("d",)),
        ({"answers": ("d", "", "e")}, ("Any one of these: d | e",)),
    ],
)
def test_the_most_exact_expectation_counts(expected, facts):
    case = Case(id="c", input="Q", expected=Expected(**expected))
    assert facts_of(case) == facts
    assert unasked(case) is None


@pytest.mark.parametrize("expected", [{}, {"facts": ()}, {"answer": ""}, {"answers": (" ",)}, {"sources": ("d",)}])
def test_a_case_without_an_expectation_is_not_asked_about(expected):
    found = unasked(Case(id="c", input="Q", expected=Expected(**expected)))
    assert isinstance(found, Unscored)
    assert found.reason == "no_expectation"
