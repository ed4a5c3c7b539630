"""A suite of batteries: battery.yaml and the expected decisions, checked against each other; all faults at once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from evalkit.errors import Fault, InputError
from evalkit.loading.faults import FaultList
from evalkit.loading.files import PathError, input_error
from evalkit.loading.jsonl import Decoder, read_lines
from evalkit.loading.places import inside_suite
from evalkit.loading.yaml_files import read_record
from evalkit.records.battery_suites import (
    EXPECTED,
    SELECTIONS,
    AgentGroup,
    BatterySuite,
    BatteryUse,
    ExpectedDecision,
)
from evalkit.text.shown import shown_text

BATTERY_FILE = "battery.yaml"


class ExpectedLine(NamedTuple):
    """An expected decision and where it stands."""

    decision: ExpectedDecision
    line: int


class LoadedBatteries(NamedTuple):
    """A suite of batteries, read and checked."""

    suite: BatterySuite
    decisions_file: Path
    decisions_sha256: str
    """SHA-256 of the file's bytes."""
    expected: dict[str, list[ExpectedLine]]
    """Case id -> its expected decisions, in file order."""
    classifier: Path | None
    """The suite's classifier.yaml."""

    def fault(self, line: int, field: str, problem: str, remedy: str) -> Fault:
        """Return a fault of a line of the expected decisions."""
        return Fault(file=str(self.decisions_file), line=line, field=field, problem=problem, remedy=remedy)


def load_batteries(folder: Path) -> LoadedBatteries:
    """Return the batteries of a suite's folder. Raises InputError with the faults of both files."""
    path = folder / BATTERY_FILE
    if not path.is_file():
        raise input_error(path, "does not exist", "it says which batteries this suite measures; see docs/batteries.md")
    loaded = read_record(BatterySuite, path)
    suite, document = loaded.record, loaded.document
    faults = FaultList()
    names = [use.battery for use in suite.batteries]
    for index, name in enumerate(names):
        if name in names[:index]:
            faults.add(document.fault(("batteries", index, "battery"), f"{name} stands twice", "keep one"))
    files = {}
    for field in ("decisions", "classifier"):
        named = getattr(suite, field)
        try:
            files[field] = inside_suite(named, folder) if named else None
        except PathError as error:
            faults.add(document.fault((field,), str(error), "a path relative to the suite's folder"))
    faults.raise_if_any()
    decisions = files["decisions"] or path
    expected, sha256 = _read_expected(decisions, {use.battery: use for use in suite.batteries})
    return LoadedBatteries(suite, decisions, sha256, expected, files["classifier"])


def _read_expected(path: Path, uses: dict[str, BatteryUse]) -> tuple[dict[str, list[ExpectedLine]], str]:
    digest = hashlib.sha256()
    decoder = Decoder(ExpectedDecision, path)
    faults = FaultList()
    found: dict[str, list[ExpectedLine]] = {}
    seen: dict[tuple[str, str, str | None], int] = {}
    for line in read_lines(path, digest):
        try:
            decision = decoder.decode(line)
        except InputError as error:
            faults.absorb(error)
            continue
        problems = list(_problems(decision, uses))
        first = seen.setdefault((decision.case_id, decision.battery, decision.item), line.number)
        if first != line.number:
            problems.append(("case_id", f"the same decision stands on line {first}", "keep one"))
        for field, problem, remedy in problems:
            faults.add(Fault(file=str(path), line=line.number, field=field, problem=problem, remedy=remedy))
        found.setdefault(decision.case_id, []).append(ExpectedLine(decision, line.number))
    faults.raise_if_any()
    if not found:
        raise input_error(path, "holds no expected decision", "one JSON object a line was expected")
    return found, digest.hexdigest()


def _problems(decision: ExpectedDecision, uses: dict[str, BatteryUse]) -> Iterator[tuple[str, str, str]]:
    """Yield field, problem and remedy of what does not fit the battery."""
    name = decision.battery
    use = uses.get(name)
    if use is None:
        yield "battery", f"{name} is not in {BATTERY_FILE}", f"it has {', '.join(uses)}"
        return
    wanted, other = ("keep", "expected") if name in SELECTIONS else ("expected", "keep")
    if getattr(decision, other) is not None:
        yield other, f"{name} has no `{other}`", f"its decisions stand in `{wanted}`"
    if getattr(decision, wanted) is None:
        yield wanted, "is missing", f"{name} needs it"
    options = _options(use)
    if decision.expected is not None and decision.expected not in options:
        yield "expected", f"is {shown_text(decision.expected)}", f"one of {', '.join(sorted(options))} was expected"
    yield from _item_problems(decision)


def _item_problems(decision: ExpectedDecision) -> Iterator[tuple[str, str, str]]:
    item, name = decision.item, decision.battery
    if name == "tool_guard":
        if item is None or not (item.isascii() and item.isdecimal()) or str(int(item)) != item:
            yield "item", f"is {'missing' if item is None else shown_text(item)}", "name the call: `0` is the first"
    elif name == "content_guard":
        if item not in {"input", "output"}:
            yield "item", f"is {'missing' if item is None else shown_text(item)}", "`input` or `output` was expected"
    elif item is not None:
        yield "item", f"{name} has one decision a case", "leave it out"


def _options(use: BatteryUse) -> frozenset[str]:
    if use.battery == "agent_router":
        return frozenset(_leaves(use.agents or {})) | {str(use.fallback)}
    if use.battery == "model_router":
        return frozenset(use.models or {}) | {str(use.fallback)}
    return EXPECTED.get(use.battery, frozenset())


def _leaves(agents: dict[str, str | AgentGroup]) -> Iterator[str]:
    for name, entry in agents.items():
        if isinstance(entry, AgentGroup):
            yield from _leaves(entry.agents)
        else:
            yield name
