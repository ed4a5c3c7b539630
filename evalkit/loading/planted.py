"""faults.jsonl of a suite: which outputs carry a fault that was planted, and whether a line says so of an output that does."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from evalkit.errors import InputError
from evalkit.loading.faults import FaultList
from evalkit.loading.jsonl import Decoder, read_lines
from evalkit.loading.outputs import OutputsFolder, output_names
from evalkit.records.outputs import Output
from evalkit.records.planted import PlantedFault
from evalkit.text.normalise import is_blank

FILE = "faults.jsonl"

Misfit = Literal["of an unknown candidate", "of a case without an output", "whose words stand in no output"]
"""Why a line says nothing about the outputs of its suite."""


class PlantedLine(NamedTuple):
    """A line of faults.jsonl."""

    number: int
    """Physical line, from 1."""
    fault: PlantedFault


def planted_lines(suite_folder: Path) -> list[PlantedLine]:
    """Return the lines of a suite's faults.jsonl, none where it has no such file. Raises InputError with all faults of their form."""
    faults = FaultList()
    lines = sound_lines(suite_folder, faults)
    faults.raise_if_any()
    return lines


def sound_lines(suite_folder: Path, faults: FaultList) -> list[PlantedLine]:
    """Return the lines that are well formed; what is wrong with the others, or with the file, is taken into `faults`."""
    path = suite_folder / FILE
    if not path.exists():
        return []
    decoder = Decoder(PlantedFault, path)
    planted: list[PlantedLine] = []
    try:
        for line in read_lines(path):
            try:
                planted.append(PlantedLine(line.number, decoder.decode(line)))
            except InputError as error:
                faults.absorb(error)
    except InputError as error:
        faults.absorb(error)
    return planted


def read_planted(suite_folder: Path) -> tuple[PlantedFault, ...]:
    """Return the planted faults of a suite. Raises InputError as `planted_lines`."""
    return tuple(line.fault for line in planted_lines(suite_folder))


def candidates_of(suite_folder: Path, lines: Iterable[PlantedLine]) -> list[str]:
    """Return the candidates that lines name and whose outputs the suite holds, sorted; no name is taken for a path."""
    named = {line.fault.candidate for line in lines}
    return [name for name in output_names(suite_folder) if name in named]


def misfit(fault: PlantedFault, outputs: Mapping[str, OutputsFolder]) -> Misfit | None:
    """Return why no output carries the fault, None where one does; `outputs` by the name of their folder.

    Words count where they stand as quoted in an attempt's text, its items or its tool calls. Raises InputError where a file has
    changed meanwhile.
    """
    if fault.candidate not in outputs:
        return "of an unknown candidate"
    attempts = outputs[fault.candidate].attempts(fault.case_id)
    if not attempts:
        return "of a case without an output"
    if is_blank(fault.where) or any(fault.where in part for output in attempts for part in _parts(output)):
        return None
    return "whose words stand in no output"


def _parts(output: Output) -> list[str]:
    """Return what an output says, its tool calls as JSON, and as they read where their arguments are JSON in a string."""
    calls = json.dumps(output.tool_calls or (), ensure_ascii=False)
    return [output.text or "", *(item.text for item in output.items or ()), calls, calls.replace('\\"', '"')]
