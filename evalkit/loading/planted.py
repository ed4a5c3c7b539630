"""faults.jsonl of a suite: which outputs carry a fault that was planted."""

from __future__ import annotations

from pathlib import Path

from evalkit.errors import InputError
from evalkit.loading.faults import FaultList
from evalkit.loading.jsonl import Decoder, read_lines
from evalkit.records.planted import PlantedFault

FILE = "faults.jsonl"


def read_planted(suite_folder: Path) -> tuple[PlantedFault, ...]:
    """Return the planted faults of a suite, none where it has no faults.jsonl. Raises InputError with all faults of that file."""
    path = suite_folder / FILE
    if not path.exists():
        return ()
    decoder = Decoder(PlantedFault, path)
    faults, planted = FaultList(), []
    for line in read_lines(path):
        try:
            planted.append(decoder.decode(line))
        except InputError as error:
            faults.absorb(error)
    faults.raise_if_any()
    return tuple(planted)
