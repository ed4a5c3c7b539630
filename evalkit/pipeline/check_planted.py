"""Of a check: faults.jsonl against the golden set and the outputs, so that no known fault is claimed of an answer without it."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from evalkit.errors import Fault, InputError
from evalkit.loading.faults import FaultList
from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.loading.outputs import OutputsFolder, open_outputs, output_names
from evalkit.loading.planted import FILE, Misfit, PlantedLine, candidates_of, misfit, sound_lines
from evalkit.records.planted import PlantedFault
from evalkit.text.nearest import nearest
from evalkit.text.shown import shown_text


def check_planted(loaded: LoadedSuite, ids: Container[str], faults: FaultList) -> int:
    """Return how many well-formed lines faults.jsonl has, 0 where there is none; what is wrong with them is taken into `faults`.

    `ids` are those of the golden set. Outputs that cannot be read are faults of their own, and nothing is said about their lines.
    """
    lines = sound_lines(loaded.folder, faults)
    outputs: dict[str, OutputsFolder] = {}
    unread: set[str] = set()
    for name in candidates_of(loaded.folder, lines):
        try:
            outputs[name] = open_outputs(loaded.folder, name)
        except InputError:
            unread.add(name)
    known = [line for line in lines if line.fault.candidate not in unread]
    faults.add(*_faults(loaded, known, ids, outputs))
    return len(lines)


def _faults(
    loaded: LoadedSuite, lines: Sequence[PlantedLine], ids: Container[str], outputs: dict[str, OutputsFolder]
) -> Iterator[Fault]:
    file = str(loaded.folder / FILE)
    first: dict[PlantedFault, int] = {}
    for number, fault in lines:
        earlier = first.setdefault(fault, number)
        if earlier != number:
            problem = f"says the same as line {earlier}"
            yield Fault(file=file, line=number, problem=problem, remedy="keep one of them")
        elif fault.case_id not in ids:
            problem = f"no case {shown_text(fault.case_id)} in the golden set"
            yield Fault(
                file=file, line=number, field="case_id", problem=problem, remedy="name a case, or take the line out"
            )
        elif (reason := misfit(fault, outputs)) is not None:
            field, problem, remedy = _words(reason, fault, output_names(loaded.folder))
            yield Fault(file=file, line=number, field=field, problem=problem, remedy=remedy)


def _words(reason: Misfit, fault: PlantedFault, names: list[str]) -> tuple[str, str, str]:
    """Return field, problem and remedy."""
    if reason == "of an unknown candidate":
        problem = f"the suite has no outputs/{shown_text(fault.candidate, quote=False)}"
        return "candidate", problem, nearest(fault.candidate, names, "candidates")
    if reason == "of a case without an output":
        problem = f"{shown_text(fault.candidate)} has no output for {shown_text(fault.case_id)}"
        return "case_id", problem, "name a case that it answers, or take the line out"
    problem = f"{shown_text(fault.where)} does not stand in that output"
    return "where", problem, "quote the output letter by letter; leave `where` out where something is missing from it"
