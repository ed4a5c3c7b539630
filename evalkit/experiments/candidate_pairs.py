"""What is compared: the candidates, the pairwise judge uses of a suite, and the pairs that code decides without a judge."""

from __future__ import annotations

from typing import NamedTuple

from evalkit.errors import UsageError
from evalkit.experiments.subject import Subject
from evalkit.judging.requests import Measurement
from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.loading.outputs import OutputsFolder, open_outputs
from evalkit.loading.suites import load_rubric
from evalkit.pipeline.columns import JudgeColumn
from evalkit.records.cases import Case
from evalkit.records.comparisons import PairSide
from evalkit.records.identity import text_sha256
from evalkit.records.outputs import Output
from evalkit.text.normalise import is_blank

DEFAULT_RUBRIC = "preference"


class Pair(NamedTuple):
    """One case, one judge use, two candidates."""

    case: Case
    column: JudgeColumn
    names: tuple[str, str]
    outputs: tuple[Output, Output] | None
    """None where one of them cannot be compared."""
    excluded: str
    """Why not, or empty."""
    in_code: str
    """`identical`, `empty`, or empty where the judge is asked."""
    winner: PairSide
    """Of a pair decided in code."""
    places: tuple[int, ...]
    """Of its questions among all."""


def decided_in_code(one: Output, other: Output) -> tuple[str, PairSide]:
    """Return how code decides a pair, and who wins: the same text is a tie, an empty one loses; `""` where a judge is needed."""
    first, second = one.text or "", other.text or ""
    if first == second:
        return "identical", "tie"
    blank = is_blank(first), is_blank(second)
    if not any(blank):
        return "", "tie"
    return "empty", "tie" if all(blank) else "second" if blank[0] else "first"


def hashes_of(outputs: tuple[Output, Output]) -> tuple[str, str]:
    """Return the SHA-256 of two answers' texts, in their order."""
    one, other = outputs
    return text_sha256(one.text or ""), text_sha256(other.text or "")


def words_of(outputs: tuple[Output, Output]) -> tuple[int, int]:
    """Return how many words two answers have, in their order."""
    one, other = outputs
    return len((one.text or "").split()), len((other.text or "").split())


def pair_columns(loaded: LoadedSuite, rubric: str | None = None) -> list[JudgeColumn]:
    """Return the pairwise judge uses of a suite; by default of the shipped rubric where it names none.

    Raises UsageError where the rubric is for another mode, or the suite asks no judge at all; InputError for the rubric's faults.
    """
    uses = [
        (capability.name, loaded.rubrics[use.rubric])
        for capability in loaded.suite.capabilities
        for use in capability.judge
        if rubric is None and loaded.rubrics[use.rubric].mode == "pairwise"
    ]
    if not uses:
        chosen = load_rubric(rubric or DEFAULT_RUBRIC, loaded.folder)
        if chosen.mode != "pairwise":
            raise UsageError(
                f"the rubric {chosen.id!r} is for mode {chosen.mode}; comparing takes one of mode pairwise"
            )
        uses = [(capability.name, chosen) for capability in loaded.suite.capabilities if capability.judge]
    if not uses:
        raise UsageError(f"{loaded.file}: no capability of this suite uses a judge, so there is nothing to compare")
    return [JudgeColumn(Measurement(name, chosen, loaded.judge), [], []) for name, chosen in uses]


def open_candidates(subject: Subject, names: list[str]) -> list[OutputsFolder]:
    """Return the outputs of the candidates named. Raises InputError with their faults."""
    return [open_outputs(subject.loaded.folder, name) for name in names]


def require_distinct(candidates: list[OutputsFolder]) -> None:
    """Raise UsageError unless there are two candidates or more, each with a name of its own."""
    names = [folder.name for folder in candidates]
    if len(names) < 2:
        raise UsageError("a comparison takes two candidates: name them with --outputs and --against")
    double = next((name for name in names if names.count(name) > 1), None)
    if double is not None:
        raise UsageError(f"two of the candidates are named {double!r}; compare folders of different names")
