"""IsComplete: is a task finished? Standalone only: a loop's hook can look at an answer, and not send it back."""

from __future__ import annotations

from collections.abc import Sequence

from evalkit.classifiers.banding import BANDS
from evalkit.classifiers.batteries.asking import Battery, OnError, checked_on_error
from evalkit.classifiers.batteries.rules import completes
from evalkit.classifiers.batteries.selection import item_question
from evalkit.classifiers.batteries.wording import IS_COMPLETE, CompleteWording
from evalkit.classifiers.seam import Classifier, State
from evalkit.records.bands import Bands
from evalkit.records.base import Json
from evalkit.records.battery_verdicts import CompleteVerdict
from evalkit.records.decisions import NoulAnswer
from evalkit.records.questions import Question, noul

TASK, ANSWER, WHOLE = "task", "answer", "complete"


class IsCompleteClassifier(Battery):
    """Says whether an answer does all that a task asks for. `on_error`: `open` takes it for complete, `closed` does not."""

    name = "is_complete"

    def __init__(
        self,
        classifier: Classifier,
        *,
        on_error: OnError,
        wording: CompleteWording = IS_COMPLETE,
        bands: Bands = BANDS,
    ) -> None:
        self.on_error = checked_on_error(on_error)
        super().__init__(classifier, wording, bands, {"on_error": on_error})
        self.wording = wording

    async def check(self, task: str, answer: str, claims: Sequence[str] = ()) -> CompleteVerdict:
        """Return whether all is done: a sure yes to the whole and, where `claims` names requirements, to each of them.

        Never raises for the classifier.
        """
        words = self.wording
        fields = {f"{words.claim.field}_{number}": claim for number, claim in enumerate(claims, 1)}
        questions: dict[str, Question] = {WHOLE: noul(words.question, yes=words.yes, no=words.no)}
        questions |= {field: item_question(words.claim, field) for field in fields}
        data: dict[str, Json] = {TASK: task, ANSWER: answer, **fields}
        asked = await self.ask(State(words.role, data), questions)
        answers = [asked.answer(name) for name in questions]
        p = [answer.p for answer in answers if isinstance(answer, NoulAnswer)]
        if asked.error is None:
            complete = completes(answers, self.bands)
            reason = "every part is a sure yes" if complete else "not every part is a sure yes"
        else:
            complete, reason = self.on_error == "open", f"on_error: {self.on_error}"
        return CompleteVerdict(
            complete=complete, p=min(p) if len(p) == len(answers) else None, reason=reason, **self.origin(asked)
        )
