"""What a judge's self-test is made of: answers whose grade is known, because somebody planted it or the golden set says it.

Nothing is guessed: a planted label (`design: planted` in the suite's labels.jsonl) says the grade of one text, `judge_expect` of a
case says the grades of the reference candidate's answer. From a pass and a fail on the same criterion of one case comes an
ordered pair.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from evalkit.experiments.subject import Subject
from evalkit.judging.results import criteria_of
from evalkit.loading.labels import read_labels
from evalkit.loading.outputs import OutputsFolder, open_outputs, output_names
from evalkit.pipeline.columns import JudgeColumn
from evalkit.pipeline.request import Selector
from evalkit.pipeline.scored import exclusion_of
from evalkit.records.cases import Case
from evalkit.records.identity import text_sha256
from evalkit.records.outputs import Output
from evalkit.text.normalise import is_blank

LABELS = "labels.jsonl"
PLANTED = "planted"

Grades = dict[str, str]
"""Criterion -> the grade that is known to be right."""


@dataclass(frozen=True)
class KnownAnswer:
    """An answer, a judge use, and what is known about the grades it deserves."""

    case: Case
    output: Output
    column: JudgeColumn
    candidate: str
    planted: Mapping[str, str]
    expected: Mapping[str, str]

    @property
    def known(self) -> Grades:
        """All grades that are known; `judge_expect` where both speak."""
        return {**self.planted, **self.expected}


@dataclass
class SelfTestItems:
    """The known answers of a suite, walked once in the order of the golden set."""

    subject: Subject
    _planted: dict[tuple[str, str, str], Grades] = field(default_factory=lambda: defaultdict(dict))

    def __post_init__(self) -> None:
        """Read the suite's planted labels. Raises InputError with the faults of the file."""
        file = self.subject.loaded.folder / LABELS
        for label in read_labels(file).labels if file.is_file() else ():
            if label.design == PLANTED and label.label and label.rubric and isinstance(label.output_sha256, str):
                self._planted[label.case_id, label.output_sha256, label.rubric][label.criterion] = label.label

    def answers(self) -> Iterator[KnownAnswer]:
        """Yield the answers about which something is known. Raises as `Subject.judged`."""
        selector = Selector(self.subject.request)
        candidates = self._candidates()
        for case in self.subject.golden:
            if selector.takes(case):
                for outputs in candidates:
                    yield from self._known(case, outputs)
        selector.check(self.subject.golden.count)

    def _candidates(self) -> list[OutputsFolder]:
        """Return the reference candidate, then the suite's others."""
        folder, reference = self.subject.loaded.folder, self.subject.outputs
        others = [open_outputs(folder, name) for name in output_names(folder) if name != reference.name]
        return [reference, *others]

    def _known(self, case: Case, outputs: OutputsFolder) -> Iterator[KnownAnswer]:
        output = outputs.last_attempt(case.id)
        if output is None or exclusion_of(output) is not None or is_blank(output.text or ""):
            return
        digest = text_sha256(output.text or "")
        for column in self.subject.columns.kind_of(case).judged:
            names = set(criteria_of(column.measurement))
            planted = self._planted.get((case.id, digest, column.measurement.rubric.id), {})
            expected = case.judge_expect if outputs is self.subject.outputs else {}
            answer = KnownAnswer(
                case=case,
                output=output,
                column=column,
                candidate=outputs.name,
                planted={name: grade for name, grade in planted.items() if name in names},
                expected={name: grade for name, grade in expected.items() if name in names},
            )
            if answer.known and column.unasked(case) is None:
                yield answer
