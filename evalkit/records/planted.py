"""A fault that was put into an output on purpose: the right label is known before anybody, or any judge, has looked."""

from evalkit.records.base import Record
from evalkit.records.cases import Identifier


class PlantedFault(Record):
    """One line of a suite's faults.jsonl."""

    candidate: Identifier
    """Name of the outputs' folder."""
    case_id: Identifier
    """The case whose output carries the fault."""
    kind: Identifier
    """What sort of fault it is, e.g. `contradiction`."""
    where: str = ""
    """The words of the output that carry it, letter by letter; empty where something is missing from the output."""
    note: str = ""
    """Why it is a fault."""
