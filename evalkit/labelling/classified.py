"""Answers about which a classifier scorer asks, as people label them: its row is their rubric, `classifier` their criterion.

A run says how the bands read each answer and how sure it was; both go no further than the draw. A label names the row and not the
capability, so two questions under one name could not be told apart: they are left out, with a note.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evalkit.labelling.asked import Answer, Asked, Subject
from evalkit.loading.identifiers import id_problem
from evalkit.pipeline.classified import asking
from evalkit.pipeline.columns import CodeColumn, Columns
from evalkit.pipeline.scored import exclusion_of
from evalkit.records.cases import Case
from evalkit.records.classified import CRITERION, UNCERTAIN, ClassifiedCase
from evalkit.records.decisions import Answer as Answered
from evalkit.records.identity import text_sha256
from evalkit.records.outputs import Output
from evalkit.records.sheets import SKIP
from evalkit.runstore.reader import StoredRun
from evalkit.scoring.classifier import ClassifierScorer

EVEN = 0.5


@dataclass(frozen=True, slots=True)
class Row:
    """A classifier scorer's row of a suite."""

    capability: str
    name: str
    scorer: ClassifierScorer
    asked: Asked

    def answer(self, case: Case, output: Output, said: ClassifiedCase | None = None) -> Answer:
        """Return what is labelled: the output, with what a run's classifier said of it."""
        text = output.text or ""
        return Answer(
            case=case,
            text=text,
            sha256=text_sha256(text),
            capability=self.capability,
            rubric=self.name,
            asked=(self.asked,),
            evidence=self._evidence(case, output),
            grades={} if said is None else {CRITERION: said.outcome},
            confidence=None if said is None or said.outcome != UNCERTAIN else confidence_of(said.answer),
        )

    def _evidence(self, case: Case, output: Output) -> dict[str, object] | None:
        """Return the structured evidence; with the tool calls, where the question is about them."""
        if "tool_calls" not in self.scorer.state_fields:
            return case.evidence
        return {**(case.evidence or {}), "tool_calls": list(output.tool_calls or ())}


def confidence_of(answer: Answered) -> float:
    """Return how sure an answer is, 0 to 1; of a noul twice its distance from 0.5."""
    return 2 * abs(answer.p - EVEN) if answer.type == "noul" else answer.confidence


def rows_of(columns: Columns, notes: list[str]) -> list[Row]:
    """Return the classifier rows of a suite that can be labelled, in its order; notes name those that cannot, with why."""
    rows = [_row(column) for column in columns.code if column.asks]
    wordings: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        wordings[row.name].add(row.asked.sha256)
    kept = []
    for row in rows:
        problem = "another question has the same name: give each a `name`" if len(wordings[row.name]) > 1 else ""
        problem = problem or _unlabelled(row.asked.choices)
        if problem:
            notes.append(f"{row.capability}, scorer {row.name}: left out: {problem}")
        else:
            kept.append(row)
    return kept


def _row(column: CodeColumn) -> Row:
    scorer = asking(column)
    asked = scorer.people_asked
    choices = tuple(asked.labels)
    return Row(
        column.capability,
        column.folds[0].key.scorer,
        scorer,
        Asked(CRITERION, asked.question, asked.pass_condition, choices, asked.sha256),
    )


def _unlabelled(choices: tuple[str, ...]) -> str:
    """Return why options cannot be labels, empty where they can; a spreadsheet keeps neither case, outer spaces nor invisible characters."""
    written = {choice.casefold() for choice in choices}
    bad = next((one for one in choices if one.casefold() == SKIP or id_problem(one) or not one.isprintable()), None)
    if bad is not None:
        return f"the option {bad!r} cannot be written as a label"
    return "" if len(written) == len(choices) else "two options differ only in case"


def would_be_classified(rows: list[Row], columns: Columns, case: Case, output: Output) -> Iterator[Answer]:
    """Yield the answers of a case about which the suite's classifiers would be asked."""
    if exclusion_of(output) is not None:
        return
    covered = {(column.capability, column.folds[0].key.scorer) for column in columns.kind_of(case).asking}
    for row in rows:
        if (row.capability, row.name) in covered and isinstance(row.scorer.state_of(case, output), dict):
            yield row.answer(case, output)


def were_classified(subject: Subject, run: StoredRun, columns: Columns, notes: list[str]) -> Iterator[Answer]:
    """Yield the answers of a run that a classifier gave probabilities for; what has changed since is counted in a note."""
    said: dict[str, dict[tuple[str, str], ClassifiedCase]] = defaultdict(dict)
    for line in run.classified():
        said[line.case_id][line.capability, line.scorer] = line
    if not said:
        return
    rows = {(row.capability, row.name): row for row in rows_of(columns, notes)}
    there = {(column.capability, column.folds[0].key.scorer) for column in columns.code if column.asks}
    gone = sorted({name for lines in said.values() for name in lines} - there)
    notes += [f"{capability}, scorer {name}: left out: the suite no longer has it" for capability, name in gone]
    changed = 0
    for case in subject.golden:
        output = subject.outputs.last_attempt(case.id) if case.id in said else None
        for key, line in _known(said.pop(case.id, {}), rows):
            if output is None or text_sha256(output.text or "") != line.output_sha256:
                changed += 1
            else:
                yield rows[key].answer(case, output, line)
    if changed:
        notes.append(
            f"{changed} answers were left out: they are not the texts that the run's classifiers were asked about"
        )
    if said:
        notes.append(
            f"{sum(map(len, said.values()))} answers were left out: their cases are no longer in the golden set"
        )


def _known(
    said: Mapping[tuple[str, str], ClassifiedCase], rows: Mapping[tuple[str, str], Row]
) -> list[tuple[tuple[str, str], ClassifiedCase]]:
    return [(key, line) for key, line in said.items() if key in rows]
