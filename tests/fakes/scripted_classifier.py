"""A host's own classifier for tests: a function from state and question id to a canned answer, and a log of what was asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evalkit.classifiers.static import answer_from
from evalkit.records.decisions import Answer, Decision

MISSING = object()
"""An answer that the classifier leaves out."""


class Scripted:
    """Answers by a function; `MISSING` leaves an answer out, an exception is raised, an Answer is given as it is."""

    def __init__(self, answer: Callable[[Any, str], Any] | Any, *, calibrated: bool = True) -> None:
        self._answer = answer if callable(answer) else lambda state, name: answer
        self._calibrated = calibrated
        self.asked: list[tuple[Any, dict[str, Any]]] = []
        self.identity: Mapping[str, Any] = {"style": "scripted"}

    async def evaluate(self, state: Any, questions: Mapping[str, Any]) -> Decision:
        """Return the canned answers."""
        value = state.value() if hasattr(state, "value") else state
        self.asked.append((value, dict(questions)))
        answers: dict[str, Answer] = {}
        for name, question in questions.items():
            found = self._answer(value, name)
            if isinstance(found, BaseException):
                raise found
            if found is not MISSING:
                answers[name] = found if hasattr(found, "type") else answer_from(question, found, "scripted")
        return Decision(answers=answers, model="scripted-1", calibrated=self._calibrated)
