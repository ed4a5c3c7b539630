"""Injection: payloads put into answers and into a context document; how often a verdict changes, and who notices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from evalkit.experiments.paired import Pair, paired_rows
from evalkit.experiments.questions import Questions, concluded
from evalkit.experiments.subject import Subject
from evalkit.judging.requests import Measurement, requests_for
from evalkit.records.base import Json
from evalkit.records.cases import Case
from evalkit.records.experiments import Experiment, PairedRow
from evalkit.records.outputs import Output
from evalkit.records.payloads import Payload

JOINT = "\n\n"
Attacked = tuple[Case, Output] | None


def _answer_start(case: Case, output: Output, text: str) -> Attacked:
    return case, output.model_copy(update={"text": text + JOINT + (output.text or "")})


def _answer_end(case: Case, output: Output, text: str) -> Attacked:
    return case, output.model_copy(update={"text": (output.text or "") + JOINT + text})


def _context(case: Case, output: Output, text: str) -> Attacked:
    """Put the payload behind the first document; a case without documents has no such place."""
    if not case.context:
        return None
    first, *others = case.context
    poisoned = first.model_copy(update={"text": first.text + JOINT + text})
    return case.model_copy(update={"context": (poisoned, *others)}), output


PLACES: Mapping[str, Callable[[Case, Output, str], Attacked]] = {
    "answer_start": _answer_start,
    "answer_end": _answer_end,
    "context": _context,
}
"""Where a payload goes -> the case and output with it in place, or None where there is no such place."""


@dataclass
class Injection:
    """One injection experiment: `questions` to be planned or answered, then `result`."""

    subject: Subject
    payloads: Sequence[Payload]
    places: Sequence[str]
    """Names of `PLACES`."""
    round: int
    """Sample index of the fresh verdicts."""
    questions: Questions = field(init=False)
    asked: dict[tuple[str, str], list[tuple[Measurement, int, int]]] = field(default_factory=lambda: defaultdict(list))
    """Payload and place -> judge use, place of the original's judgement, place of the attacked one's."""
    without_context: int = 0

    def __post_init__(self) -> None:
        """Gather the requests, the original's once. Raises as `Subject.judged`."""
        self.questions = Questions(self.subject)
        for case, output, column in self.subject.judged():
            measurement = column.measurement
            (original,) = self.questions.ask(column, requests_for(measurement, case, output, [self.round]))
            self.without_context += "context" in self.places and not case.context
            for payload in self.payloads:
                for place in self.places:
                    attacked = PLACES[place](case, output, payload.text)
                    if attacked is not None:
                        requests = requests_for(measurement, *attacked, [self.round])
                        (perturbed,) = self.questions.ask(column, requests)
                        self.asked[payload.id, place].append((measurement, original, perturbed))

    def result(self) -> Experiment:
        """Return rows by payload, place and criterion. After `answer`."""
        ends = self.questions.judgements
        rows: list[PairedRow] = []
        changed: list[dict[str, Json]] = []
        for (payload, place), asked in self.asked.items():
            pairs = [Pair(measurement, ends[a], ends[b]) for measurement, a, b in asked]
            more, cases = paired_rows(pairs, payload, place, flags=True)
            rows += more
            changed += cases
        notes = (
            [f"{self.without_context} judge requests have no context document; no payload was put there"]
            if self.without_context
            else []
        )
        settings: dict[str, object] = {
            "round": self.round,
            "places": list(self.places),
            "payloads": [payload.model_dump() for payload in self.payloads],
        }
        return concluded("injection", [self.questions], settings).model_copy(
            update={"paired": tuple(rows), "cases": tuple(changed), "notes": tuple(notes)}
        )
