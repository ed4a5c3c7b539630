"""Rounds: no kind of experiment, no day and no second verdict shares a sample index with another."""

from __future__ import annotations

from itertools import islice

from evalkit.experiments.outcome import new_experiment
from evalkit.experiments.rounds import AGAIN, days_of, round_of, rounds_of

KINDS = ("position", "criteria", "verbosity", "injection", "family", "style", "drift")


def test_a_round_that_is_given_is_taken():
    assert round_of("drift", 1000) == 1000


def test_the_kinds_have_rounds_of_their_own_and_second_verdicts_too():
    found = [number for kind in KINDS for number in islice(rounds_of(kind), 1000)]
    assert len(set(found)) == len(found)
    assert max(found) < AGAIN


def test_a_default_round_holds_its_day():
    assert days_of(202501319007, []) == ("2025-01-31",)


def test_of_a_round_with_a_name_the_experiments_that_used_it_say_the_days():
    kept = [
        new_experiment("drift", "shop", []).model_copy(
            update={"made_at": f"{day}T10:00:00Z", "settings": {"round": number}}
        )
        for day, number in (("2025-02-02", 1000), ("2025-02-01", 1000), ("2025-02-03", 1001))
    ]
    assert days_of(1000, kept) == ("2025-02-01", "2025-02-02")
    assert days_of(1002, kept) == ()
