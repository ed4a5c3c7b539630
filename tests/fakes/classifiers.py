"""Classifiers for tests: answers by question id, counting what they were asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evalkit.classifiers.static import Canned, answer_from
from evalkit.errors import EvalkitError
from evalkit.records.decisions import Decision, DecisionUsage
from evalkit.records.questions import Question, choice, noul, score

RUDE = noul("Is `message` rude?")
TEAM = choice("Which team owns `message`?", {"billing": "money", "sales": "offers"})
RISK = score("How risky is `message`?", ["harmless", "some", "high"])
QUESTIONS: dict[str, Question] = {"rude": RUDE, "team": TEAM, "risk": RISK}


class ByName:
    """Answers each question by its id, whatever the state; a question without a canned answer is left unanswered."""

    def __init__(
        self,
        canned: Mapping[str, Canned],
        *,
        model: str = "by-name",
        calibrated: bool = True,
        tokens: int | None = 10,
        error: EvalkitError | None = None,
    ) -> None:
        self.canned = canned
        self.model = model
        self.calibrated = calibrated
        self.tokens = tokens
        self.error = error
        self.asked: list[tuple[Any, tuple[str, ...]]] = []

    @property
    def identity(self) -> dict[str, Any]:
        """The style and the model."""
        return {"style": "by-name", "model": self.model}

    async def evaluate(self, state: Any, questions: Mapping[str, Question]) -> Decision:
        """Return the canned answers."""
        self.asked.append((state, tuple(questions)))
        if self.error is not None:
            raise self.error
        answers = {name: answer_from(q, self.canned[name], "") for name, q in questions.items() if name in self.canned}
        return Decision(
            answers=answers,
            model=self.model,
            calibrated=self.calibrated,
            usage=DecisionUsage(requests=1, input_tokens=self.tokens, output_tokens=self.tokens and 1),
            unanswered={name: "not canned" for name in questions if name not in self.canned},
        )


class ByState(ByName):
    """Answers by what stands in the state's field `view`."""

    def __init__(self, views: Mapping[str, Mapping[str, Canned]]) -> None:
        super().__init__({})
        self.views = views

    async def evaluate(self, state: Any, questions: Mapping[str, Question]) -> Decision:
        """Return the view's canned answers."""
        self.canned = self.views[state["view"]]
        return await super().evaluate(state, questions)


def decide(
    canned: Mapping[str, Canned], questions: Mapping[str, Question] = QUESTIONS, *, calibrated: bool = True
) -> Decision:
    """Return a decision with canned answers to some of the questions."""
    answers = {name: answer_from(questions[name], value, "m") for name, value in canned.items()}
    return Decision(answers=answers, model="m", calibrated=calibrated)
