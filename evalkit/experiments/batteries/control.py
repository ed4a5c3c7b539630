"""The shuffle control: each answer's probabilities permuted over its options. If the figures stay, they never came from the answers.

The confidence of a choice and the distance of a yes or no from 0.5 survive a permutation, so a battery stays as sure as it was and
only its direction is lost. Every item draws from its own seed, so the control is the same whatever else is measured beside it.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence

from evalkit.experiments.batteries.deciding import Trial, decide, thresholds_of
from evalkit.experiments.batteries.figures import balanced_accuracy
from evalkit.records.battery_reports import ShuffleControl
from evalkit.records.battery_suites import BatteryUse
from evalkit.records.decisions import Answer, ChoiceAnswer, NoulAnswer, choice_answer, score_answer

ROUNDS = 200
TAIL = 0.025


def shuffle_control(use: BatteryUse, trials: Sequence[Trial], seed: int, rounds: int = ROUNDS) -> ShuffleControl | None:
    """Return the battery's balanced accuracy beside that of permuted answers; None without a decision."""
    if not trials:
        return None
    observed = balanced_accuracy((trial.expected, trial.decided) for trial in trials)
    by_item = [_decisions(use, trial, seed, rounds) for trial in trials]
    shuffled = sorted(
        balanced_accuracy((trial.expected, decided[number]) for trial, decided in zip(trials, by_item, strict=True))
        for number in range(rounds)
    )
    low, high = shuffled[int(TAIL * rounds)], shuffled[rounds - 1 - int(TAIL * rounds)]
    collapses = observed > high
    return ShuffleControl(
        observed=observed,
        rounds=rounds,
        seed=seed,
        mean=sum(shuffled) / rounds,
        low=low,
        high=high,
        p=(1 + sum(value >= observed for value in shuffled)) / (1 + rounds),
        collapses=collapses,
        reading="falls when shuffled: the answers carry something" if collapses else "no better than shuffled answers",
    )


def permuted(answer: Answer, order: Sequence[int]) -> Answer:
    """Return an answer whose probabilities change places over the same options: option i gets that of option order[i]."""
    if isinstance(answer, NoulAnswer):
        return answer.model_copy(update={"p": (answer.p, 1 - answer.p)[order[0]]})
    if isinstance(answer, ChoiceAnswer):
        values = tuple(answer.probabilities.values())
        moved = {option: values[order[at]] for at, option in enumerate(answer.probabilities)}
        return choice_answer(moved, disagrees=answer.disagrees)
    return score_answer([answer.probabilities[at] for at in order], disagrees=answer.disagrees)


def _decisions(use: BatteryUse, trial: Trial, seed: int, rounds: int) -> list[str]:
    """Return what is decided on a trial's permuted answers, round by round; equal permutations are decided once."""
    name = f"shuffle/{seed}/{use.battery}/{trial.subject.case.id}/{trial.item}"
    chance = random.Random(hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest())  # noqa: S311 - a seeded draw
    sizes = [2 if isinstance(answer, NoulAnswer) else len(answer.probabilities) for answer in trial.answers.values()]
    known: dict[tuple[tuple[int, ...], ...], str] = {}
    found = []
    for _ in range(rounds):
        orders = tuple(tuple(chance.sample(range(size), size)) for size in sizes)
        if orders not in known:
            moved = zip(trial.answers.items(), orders, strict=True)
            answers = {question: permuted(answer, order) for (question, answer), order in moved}
            known[orders] = decide(use, answers, thresholds_of(use))
        found.append(known[orders])
    return found
