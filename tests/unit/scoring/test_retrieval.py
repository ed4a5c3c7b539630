from __future__ import annotations

from math import log2

import pytest
from fakes.scorer_inputs import build, case, outcome, output, scores
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import InputError
from evalkit.scoring.retrieval import retrieval_values


def values(relevant: list[str], retrieved: list[str], *cuts: int) -> dict[str, float]:
    results = scores(
        build("retrieval", k=list(cuts)), case(expected={"sources": relevant}), output(retrieved=retrieved)
    )
    return {name: result.value for name, result in results.items()}


@pytest.mark.parametrize(
    ("relevant", "retrieved", "k", "recall"),
    [
        (["A"], ["A", "A", "X"], 3, 1.0),
        (["A", "B"], ["A", "A"], 2, 0.5),
        (["A", "A"], ["A"], 1, 1.0),
        (["A", "B"], ["A", "A", "B"], 2, 1.0),
        (["A", "B"], ["X", "B", "A"], 2, 0.5),
        (["A"], [], 3, 0.0),
    ],
)
def test_repeats_count_once_and_go_before_the_cut(
    relevant: list[str], retrieved: list[str], k: int, recall: float
) -> None:
    assert values(relevant, retrieved, k)[f"recall@{k}"] == recall


def test_the_definitions_are_trec_evals() -> None:
    found = values(["A", "B", "C"], ["X", "A", "Y", "B", "Z"], 1, 3, 10)
    ideal_of_three = 1 + 1 / log2(3) + 1 / log2(4)
    assert found == pytest.approx({
        "recall@1": 0, "precision@1": 0, "ndcg@1": 0,
        "recall@3": 1 / 3, "precision@3": 1 / 3, "ndcg@3": (1 / log2(3)) / ideal_of_three,
        "recall@10": 2 / 3, "precision@10": 0.2, "ndcg@10": (1 / log2(3) + 1 / log2(5)) / ideal_of_three,
        "mrr": 1 / 2, "rprec": 1 / 3,
    })  # fmt: skip


def test_nothing_expected_or_nothing_recorded_is_no_zero() -> None:
    scorer = build("retrieval")
    assert {outcome(r) for r in scores(scorer, case(), output(retrieved=["A"])).values()} == {"no_expectation"}
    assert {outcome(r) for r in scores(scorer, case(expected={"sources": ["A"]}), output()).values()} == {
        "not_applicable"
    }


def test_a_least_value_turns_a_mean_into_a_pass_rule() -> None:
    scorer = build("retrieval", k=[2], min={"recall@2": 0.8, "mrr": 0})
    results = scores(scorer, case(expected={"sources": ["A", "B"]}), output(retrieved=["A", "X", "B"]))
    assert results["recall@2"].passed is False
    assert results["recall@2"].reason == "recall@2 is 0.500, at least 0.8 is asked for"
    assert results["recall@2"].metadata == {"missed": [], "retrieved": ["A", "X"]}
    assert results["mrr"].passed is True
    assert results["rprec"].passed is None


def test_the_signature_echoes_cuts_and_least_values() -> None:
    assert build("retrieval", k=[1, 5], min={"mrr": 0}).signature.settings == {"k": [1, 5], "min": {"mrr": 0.0}}
    assert build("retrieval").signature.settings == {"k": [5], "min": {}}


@pytest.mark.parametrize("settings", [{"k": []}, {"k": [0]}, {"k": 5}, {"min": {"recall@7": 0.5}}, {"min": {"mrr": 2}}])
def test_cuts_and_least_values_that_make_no_sense_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(InputError, match="retrieval"):
        build("retrieval", **settings)


@given(st.lists(st.integers(0, 20), unique=True), st.sets(st.integers(0, 20), min_size=1), st.integers(1, 30))
def test_every_value_lies_between_0_and_1(ranked: list[int], relevant: set[int], k: int) -> None:
    found = retrieval_values(tuple(map(str, ranked)), frozenset(map(str, relevant)), (k,))
    assert all(0 <= value <= 1 + 1e-12 for value in found)
