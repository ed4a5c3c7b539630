"""Consistency: the same questions over different views of one case (the function alone; the function and the bug report).

Never the same state twice: classifiers are nearly deterministic, so that would measure nothing. Each view votes: a noul by its band,
a choice by its option, a score by its level rounded half up. A question whose most frequent vote has fewer than `agree` voices, or
shares its place with another, disagrees; a gate takes that for uncertain.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evalkit.classifiers.banding import BANDS, side
from evalkit.classifiers.merging import merged
from evalkit.classifiers.seam import AnyState, Classifier, asked, state_value
from evalkit.errors import UsageError
from evalkit.records.bands import Bands
from evalkit.records.decisions import (
    EXACT,
    Answer,
    ChoiceAnswer,
    Decision,
    NoulAnswer,
    ScoreAnswer,
    choice_answer,
    score_answer,
)
from evalkit.records.identity import canonical_json
from evalkit.records.questions import Question

MIN_VIEWS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Consistent:
    """The answers over all views, and how the views voted."""

    decision: Decision
    """Per question the mean over the views that agree; over all of them, and marked as disagreeing, where too few do."""
    votes: Mapping[str, Mapping[str, int]]
    """Question id -> vote -> views, the most frequent first; a view without an answer casts no vote."""


async def consistent(
    classifier: Classifier,
    views: Sequence[AnyState],
    questions: Mapping[str, Question],
    *,
    agree: int,
    bands: Bands = BANDS,
) -> Consistent:
    """Ask the same questions over every view.

    `agree` is the number of views that must give the same answer, from 2 to all of them. Raises UsageError for fewer than two views, for equal
    views, and for another `agree`; otherwise what the classifier raises.
    """
    states = [state_value(view) for view in views]
    if len(states) < MIN_VIEWS:
        raise UsageError(f"consistency needs at least {MIN_VIEWS} different views of the case, not {len(states)}")
    if len({canonical_json(state) for state in states}) < len(states):
        raise UsageError(
            "two views are the same state: asking again measures nothing, so show another side of the case"
        )
    if not MIN_VIEWS <= agree <= len(states):
        raise UsageError(f"`agree` is a number of views from {MIN_VIEWS} to {len(states)}, not {agree}")
    wanted = asked(questions)
    decisions = [await classifier.evaluate(state, wanted) for state in states]
    return agreed(decisions, agree=agree, bands=bands)


def agreed(decisions: Sequence[Decision], *, agree: int, bands: Bands = BANDS) -> Consistent:
    """Return what several decisions on the same questions have in common. Pure."""
    names = tuple(dict.fromkeys(name for decision in decisions for name in decision.answers))
    together = merged(decisions, dict.fromkeys([*names, *(name for d in decisions for name in d.unanswered)]))
    answers: dict[str, Answer] = {}
    votes: dict[str, dict[str, int]] = {}
    for name in names:
        given = [decision.answers[name] for decision in decisions if name in decision.answers]
        ballots = [_vote(answer, bands) for answer in given]
        counted = Counter(ballots).most_common()
        votes[name] = dict(counted)
        winner, voices = counted[0]
        clear = voices >= agree and (len(counted) == 1 or counted[1][1] < voices)
        kept = [answer for answer, ballot in zip(given, ballots, strict=True) if ballot == winner] if clear else given
        answers[name] = _mean(kept, source=together.answers[name].source, disagrees=not clear)
    return Consistent(decision=together.model_copy(update={"answers": answers}), votes=votes)


def _vote(answer: Answer, bands: Bands) -> str:
    if isinstance(answer, NoulAnswer):
        return side(answer, bands)
    if isinstance(answer, ChoiceAnswer):
        return answer.choice
    return str(math.floor(answer.score + 0.5))


def _mean(answers: Sequence[Answer], *, source: str, disagrees: bool) -> Answer:
    """Return the mean of answers to one question."""
    disagrees = disagrees or any(answer.disagrees for answer in answers)
    nouls = [answer.p for answer in answers if isinstance(answer, NoulAnswer)]
    if nouls:
        return NoulAnswer(p=_average(nouls), source=source, disagrees=disagrees)
    chosen = [answer for answer in answers if isinstance(answer, ChoiceAnswer)]
    if chosen:
        options = chosen[0].probabilities
        means = {option: _average([answer.probabilities[option] for answer in chosen]) for option in options}
        option = chosen[0].choice if not disagrees else None
        return choice_answer(means, choice=option, source=source, disagrees=disagrees)
    scored = [answer for answer in answers if isinstance(answer, ScoreAnswer)]
    levels = [_average(column) for column in zip(*(answer.probabilities for answer in scored), strict=True)]
    value = _average([answer.score for answer in scored])
    return score_answer(levels, score=value, source=source, disagrees=disagrees)


def _average(values: Sequence[float]) -> float:
    return round(math.fsum(values) / len(values), EXACT)
