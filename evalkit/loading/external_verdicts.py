"""Verdicts made elsewhere, `external-verdicts/1`: every line checked, doubles refused, all faults at once.

A pair is one pair whichever candidate a line names first. An unreadable verdict is kept as such: it is neither a loss nor a tie, and figures say how many there were.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from evalkit.errors import Fault, InputError
from evalkit.loading.faults import FaultList
from evalkit.loading.files import input_error
from evalkit.loading.jsonl import Decoder, read_lines
from evalkit.records.external_verdicts import TIE, ExternalVerdict
from evalkit.records.labels import TURNED
from evalkit.text.shown import shown_text

PAIR_LABELS = ("A", "B", "tie")


class ExternalVerdicts(NamedTuple):
    """A file of verdicts, read and checked."""

    verdicts: tuple[ExternalVerdict, ...]
    """In file order. The same two candidates are named in one order throughout, the one in which the file first names them; where a line
    names them the other way round, its A and B are turned."""
    sha256: str
    """SHA-256 of the file's bytes."""
    turned: frozenset[str]
    """Cases whose first pair was turned: what calls a candidate A by the file means B here."""


def read_external_verdicts(path: Path) -> ExternalVerdicts:
    """Return the verdicts of a file. Raises InputError with all its faults, and for a file without verdicts."""
    digest = hashlib.sha256()
    decoder = Decoder(ExternalVerdict, path)
    faults = FaultList()
    verdicts: list[ExternalVerdict] = []
    seen: dict[object, int] = {}
    for line in read_lines(path, digest):
        try:
            verdict = decoder.decode(line)
        except InputError as error:
            faults.absorb(error)
            continue
        problems = list(_problems(verdict))
        first = seen.setdefault(_identity(verdict), line.number)
        if first != line.number:
            again = f"the same question and sample stand on lines {first} and {line.number}"
            problems.append(("sample", again, "number repetitions 0, 1, 2 in `sample`"))
        for field, problem, remedy in problems:
            faults.add(Fault(file=str(path), line=line.number, field=field, problem=problem, remedy=remedy))
        verdicts.append(verdict)
    faults.raise_if_any()
    if not verdicts:
        raise input_error(path, "holds no verdict", "one JSON object a line was expected")
    order = _first_named(verdicts)
    opening = {verdict.case_id: verdict for verdict in reversed(verdicts) if verdict.mode == "pairwise"}
    turned = frozenset(case_id for case_id, verdict in opening.items() if _as_named(verdict, order) is not verdict)
    return ExternalVerdicts(tuple(_as_named(verdict, order) for verdict in verdicts), digest.hexdigest(), turned)


def _first_named(verdicts: Iterable[ExternalVerdict]) -> dict[frozenset[str], tuple[str, ...]]:
    """Return the order in which the file first names each two candidates."""
    order: dict[frozenset[str], tuple[str, ...]] = {}
    for verdict in verdicts:
        if verdict.mode == "pairwise":
            order.setdefault(frozenset(verdict.candidates), verdict.candidates)
    return order


def _as_named(verdict: ExternalVerdict, order: Mapping[frozenset[str], tuple[str, ...]]) -> ExternalVerdict:
    named = order.get(frozenset(verdict.candidates), verdict.candidates)
    if verdict.mode != "pairwise" or verdict.candidates == named:
        return verdict
    said = TURNED.get(verdict.verdict or "", verdict.verdict)
    return verdict.model_copy(update={"candidates": named, "verdict": said})


def _identity(verdict: ExternalVerdict) -> object:
    named = frozenset(verdict.candidates)
    return verdict.judge, verdict.case_id, verdict.criterion, verdict.mode, named, verdict.first_shown, verdict.sample


def _problems(verdict: ExternalVerdict) -> Iterator[tuple[str, str, str]]:
    """Yield field, problem and remedy of what does not fit together in one line."""
    if verdict.unreadable and verdict.verdict is not None:
        yield "unreadable", "is true beside a verdict", "write `verdict: null` where the reply could not be read"
    if verdict.mode != "pairwise":
        if verdict.first_shown is not None:
            yield "first_shown", "belongs to pairs", "leave it out, or say `mode: pairwise`"
        return
    if len(set(verdict.candidates)) != 2 or len(verdict.candidates) != 2:
        yield "candidates", "a pair has two different candidates", "name both; A is the first one"
    elif verdict.first_shown not in verdict.candidates:
        shown = "missing" if verdict.first_shown is None else f"{shown_text(verdict.first_shown)}, not one of the two"
        yield "first_shown", f"is {shown}", "name the candidate whose answer was shown first"
    if TIE in verdict.candidates:
        yield "candidates", f"no candidate may be called {TIE}", "rename it"
    if verdict.verdict is not None and verdict.verdict not in PAIR_LABELS:
        yield (
            "verdict",
            f"is {shown_text(verdict.verdict)}",
            "expected A, B, tie or null; A is the first of `candidates`",
        )
