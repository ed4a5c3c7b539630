"""Verbosity: does saying one of its own sentences again make an answer pass? Both versions are freshly judged in one round."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from evalkit.experiments.padding import LEAD, PADDING_VERSION, padded, unpadded
from evalkit.experiments.paired import Pair, paired_rows
from evalkit.experiments.questions import Questions, concluded
from evalkit.experiments.subject import Subject
from evalkit.judging.requests import Measurement, requests_for
from evalkit.records.experiments import Experiment

VARIANT = "padding"


@dataclass
class Verbosity:
    """One verbosity experiment: `questions` to be planned or answered, then `result`."""

    subject: Subject
    round: int
    """Sample index of the fresh verdicts."""
    questions: Questions = field(init=False)
    asked: list[tuple[Measurement, int, int]] = field(default_factory=list)
    unpaddable: Counter[str] = field(default_factory=Counter)
    """Capability -> answers without a plain sentence to say again."""
    paddings: dict[str, str] = field(default_factory=dict)
    """Case id -> what was appended."""

    def __post_init__(self) -> None:
        """Gather the requests of both versions. Raises as `Subject.judged`."""
        self.questions = Questions(self.subject)
        for case, output, column in self.subject.judged():
            text = output.text or ""
            longer = padded(text)
            if longer is None or unpadded(longer) != text:
                self.unpaddable[column.measurement.capability] += 1
                continue
            self.paddings[case.id] = longer.padding
            versions = (output, output.model_copy(update={"text": longer.text}))
            original, perturbed = (
                self.questions.ask(column, requests_for(column.measurement, case, version, [self.round]))[0]
                for version in versions
            )
            self.asked.append((column.measurement, original, perturbed))

    def result(self) -> Experiment:
        """Return the change of the pass rate per criterion. After `answer`."""
        ends = self.questions.judgements
        rows, changed = paired_rows([Pair(m, ends[a], ends[b]) for m, a, b in self.asked], VARIANT)
        notes = [
            f"{capability}: {count} answers have no plain sentence of their own to say again, and were left out"
            for capability, count in self.unpaddable.items()
        ]
        settings: dict[str, object] = {"round": self.round, "padding": PADDING_VERSION, "lead": LEAD}
        return concluded("verbosity", [self.questions], settings).model_copy(
            update={
                "paired": tuple(rows),
                "cases": tuple({**entry, "padding": self.paddings[entry["case_id"]]} for entry in changed),
                "notes": tuple(notes),
            }
        )
