"""Policy conditions: breaches, and what could not be decided."""

from __future__ import annotations

from dataclasses import dataclass

from evalkit.aggregation.policy import PolicyFold
from evalkit.records.scores import NO_OUTPUT, CriterionSpec, Score, Signature, Unscored


@dataclass(frozen=True)
class Condition:
    """A scorer known by what it measures; the results are given by the tests."""

    name: str
    ids: tuple[str, ...]

    @property
    def criteria(self):
        return tuple(CriterionSpec(id=name) for name in self.ids)

    @property
    def signature(self):
        return Signature(scorer=self.name, version="1")

    def score(self, case, output):
        return tuple(NO_OUTPUT for _ in self.ids)


KEPT = Score(1.0, True)
BROKEN = Score(0.0, False, "names a person")


def fold(*cases, name="personal_data", ids=("personal_data",)):
    policy = PolicyFold(Condition(name, ids))
    for index, results in enumerate(cases):
        policy.add(f"case {index}", results)
    return policy.breach()


def test_breaches_are_counted_and_named():
    found = fold((KEPT,), (BROKEN,), (KEPT,), (BROKEN,))
    assert (found.condition, found.breaches, found.unknown, found.cases) == (
        "personal_data",
        2,
        0,
        ("case 1", "case 3"),
    )


def test_the_first_twenty_cases_are_listed_and_all_are_counted():
    found = fold(*[(BROKEN,)] * 25)
    assert (found.breaches, len(found.cases), found.cases[-1]) == (25, 20, "case 19")


def test_what_could_not_be_decided_is_unknown_and_not_kept():
    found = fold((Unscored("missing_output"),), (Unscored("unknown_latency"),), (Score(3.0, None),), (KEPT,))
    assert (found.breaches, found.unknown) == (0, 3)


def test_a_condition_that_asks_nothing_of_a_case_is_not_unknown():
    assert fold((Unscored("not_applicable"),), (Unscored("no_expectation"),)).unknown == 0


def test_breaking_one_of_several_criteria_is_one_breach_whatever_else_is_unknown():
    found = fold(
        (Unscored("scorer_error"), BROKEN, BROKEN), (KEPT, KEPT, Unscored("scorer_error")), ids=("a", "b", "c")
    )
    assert (found.breaches, found.unknown, found.cases) == (1, 1, ("case 0",))


def test_a_condition_is_named_for_its_scorer_and_what_it_checks():
    assert fold(name="limits", ids=("latency", "limits")).condition == "limits: latency"
    assert fold(name="latency_limit", ids=("latency_limit",)).condition == "latency_limit"
