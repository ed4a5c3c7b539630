"""Planted faults that can be put into another answer: their words stand in the text that they are quoted from. The others are counted."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from evalkit.loading.outputs import OutputsFolder, open_outputs
from evalkit.loading.planted import FILE, candidates_of, misfit, planted_lines
from evalkit.records.planted import PlantedFault
from evalkit.text.normalise import is_blank


@dataclass
class PlantedQuotes:
    """The faults of a suite, by the case whose answer they are quoted from."""

    folder: Path
    """The suite's."""
    by_case: dict[str, list[PlantedFault]] = field(default_factory=lambda: defaultdict(list))
    """Case id -> faults, each wording once; taken out case by case."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Why lines give no pair -> how many."""
    lines: int = 0
    """Of faults.jsonl."""

    def __post_init__(self) -> None:
        """Read faults.jsonl and the outputs that it names. Raises InputError for the faults of these files."""
        read = planted_lines(self.folder)
        outputs = {name: open_outputs(self.folder, name) for name in candidates_of(self.folder, read)}
        self.lines = len(read)
        for _, fault in read:
            reason = _why_not(fault, outputs)
            if reason is None and any(fault.where == known.where for known in self.by_case[fault.case_id]):
                reason = "with the words of an earlier one"
            if reason is None:
                self.by_case[fault.case_id].append(fault)
            else:
                self.left_out[reason] += 1

    def take(self, case_id: str) -> list[PlantedFault]:
        """Return the faults of a case and take them out; what is left at the end is of no case."""
        return self.by_case.pop(case_id, [])

    def note(self) -> str | None:
        """Return how many lines give no pair and why, None where all do; after every case was taken."""
        left = +(self.left_out + Counter({"of an unknown case": sum(map(len, self.by_case.values()))}))
        if not left:
            return None
        reasons = ", ".join(f"{count} {reason}" for reason, count in left.items())
        return f"{FILE}: {left.total()} of {self.lines} lines give no pair: {reasons}"


def _why_not(fault: PlantedFault, outputs: dict[str, OutputsFolder]) -> str | None:
    if is_blank(fault.where):
        return "without words (`where`)"
    reason = misfit(fault, outputs)
    if reason is None and not any(
        fault.where in (output.text or "") for output in outputs[fault.candidate].attempts(fault.case_id)
    ):
        return "whose words stand in no text"
    return reason
