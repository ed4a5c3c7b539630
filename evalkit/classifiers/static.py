"""The static classifier: canned answers, no model. For tests, recipes and replays in CI.

An answer is keyed by the canonical state and the canonical question, one question at a time, so it is found whatever else is asked
beside it and whatever the question is called. A miss is an error that names the question; nothing is made up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from evalkit.classifiers.seam import AnyState, asked, state_value
from evalkit.errors import UsageError
from evalkit.records.base import Json
from evalkit.records.decisions import Answer, Decision, NoulAnswer, choice_answer, distribution_fault, score_answer
from evalkit.records.identity import canonical_json, content_hash
from evalkit.records.questions import ChoiceQuestion, NoulQuestion, Question, canonical_question

SOURCE = "static"
SHOWN = 120
"""Characters of a state that a miss repeats."""

Canned = float | str | int | Mapping[str, float] | Sequence[float]
"""A noul's p; a choice's option, or its probabilities; a score's level, or its probabilities."""


class StaticClassifier:
    """Canned answers. A state without one for a question is a UsageError."""

    def __init__(
        self,
        cases: Iterable[tuple[AnyState, Mapping[str, Question], Mapping[str, Canned]]],
        *,
        calibrated: bool = True,
        model: str = SOURCE,
    ) -> None:
        self._model = model
        self._calibrated = calibrated
        self._answers: dict[str, Answer] = {}
        for state, questions, canned in cases:
            for name, value in canned.items():
                self._answers[canned_key(state, questions[name])] = answer_from(questions[name], value, model)

    @property
    def identity(self) -> Mapping[str, Json]:
        """The style and a hash of all canned answers."""
        answers = {key: answer.model_dump(mode="json") for key, answer in self._answers.items()}
        return {"style": "static", "model": self._model, "answers": content_hash("static-answers", answers)}

    async def evaluate(self, state: AnyState, questions: Mapping[str, Question]) -> Decision:
        """Return the canned answers. Raises UsageError naming each question that has none."""
        value = state_value(state)
        keys = {name: canned_key(value, question) for name, question in asked(questions).items()}
        missing = [name for name, key in keys.items() if key not in self._answers]
        if missing:
            shown = canonical_json(value).decode("ascii")[:SHOWN]
            raise UsageError(f"static: no canned answer to {', '.join(map(repr, missing))} for the state {shown}")
        answers = {name: self._answers[key] for name, key in keys.items()}
        return Decision(answers=answers, model=self._model, calibrated=self._calibrated)


def answer_from(question: Question, value: Canned, source: str) -> Answer:
    """Return a question's answer from a canned value or from a person's. Raises UsageError where it does not fit the question.

    A noul takes p or a bool; a choice an option or {option: p}; a score a level or [p, ...]. One option or level means certainty.
    """
    if isinstance(question, NoulQuestion):
        if not isinstance(value, int | float) or not 0 <= value <= 1:
            raise UsageError(f"a noul's answer is a probability, not {value!r}")
        return NoulAnswer(p=float(value), source=source)
    options = question.options
    probabilities = _distribution(options, value)
    fault = distribution_fault(probabilities)
    if fault:
        raise UsageError(f"{value!r} is no answer: {fault}")
    if isinstance(question, ChoiceQuestion):
        return choice_answer(dict(zip(options, probabilities, strict=True)), source=source)
    return score_answer(probabilities, source=source)


def _distribution(options: tuple[str, ...], value: Canned) -> list[float]:
    if isinstance(value, str | int) and not isinstance(value, bool):
        if str(value) not in options:
            raise UsageError(f"{value!r} is none of the question's options ({', '.join(options[:12])})")
        return [float(option == str(value)) for option in options]
    if isinstance(value, Mapping):
        if set(value) != set(options):
            raise UsageError(f"the probabilities are given for {sorted(value)}, not for {sorted(options)}")
        return [float(value[option]) for option in options]
    if isinstance(value, Sequence) and len(value) == len(options):
        return [float(p) for p in value]
    raise UsageError(f"{value!r} is no answer to a question with {len(options)} options")


def canned_key(state: AnyState, question: Question) -> str:
    """Return the key under which a question about a state is answered. Raises UsageError for what is no state."""
    return content_hash("classifier-request", {"state": state_value(state), "question": canonical_question(question)})
