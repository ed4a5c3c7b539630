"""What must hold between the parts of a suite, beyond the form of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from evalkit.errors import Fault
from evalkit.loading.yaml_files import Document
from evalkit.records.rubrics import Rubric
from evalkit.records.suites import Capability, Gate, Suite
from evalkit.text.nearest import nearest
from evalkit.text.shown import shown_text


def suite_faults(suite: Suite, rubrics: Mapping[str, Rubric], document: Document) -> Iterator[Fault]:
    """Yield the faults of a suite whose fields are well formed; `rubrics` holds those that could be read."""
    seen: set[str] = set()
    for index, capability in enumerate(suite.capabilities):
        where = ("capabilities", index)
        if capability.name in seen:
            yield document.fault(
                (*where, "name"), f"the capability {shown_text(capability.name)} stands twice", "names are unique"
            )
        seen.add(capability.name)
        yield from _capability_faults(capability, rubrics, document, where)
    for index, gate in enumerate(suite.gates):
        yield from _gate_faults(gate, suite, rubrics, document, index)
    yield from _shared_ids(rubrics, document)


def _capability_faults(
    capability: Capability, rubrics: Mapping[str, Rubric], document: Document, where: tuple[str, int]
) -> Iterator[Fault]:
    if not capability.scorers and not capability.judge:
        yield document.fault(where, "nothing measures this capability", "give it `scorers` or `judge`")
    selection = capability.cases
    if selection is not None and not (selection.all or selection.tags or selection.ids):
        yield document.fault((*where, "cases"), "selects no case", "give `all: true`, `tags` or `ids`, or leave it out")
    for index, use in enumerate(capability.scorers):
        if (use.name or use.scorer) in {earlier.name or earlier.scorer for earlier in capability.scorers[:index]}:
            yield document.fault(
                (*where, "scorers", index),
                f"the scorer {shown_text(use.name or use.scorer)} stands twice",
                "keep one, or give each a `name` for its rows",
            )
    for index, judged in enumerate(capability.judge):
        rubric = rubrics.get(judged.rubric)
        if rubric is not None and judged.mode not in {None, rubric.mode}:
            problem = f"the rubric {shown_text(judged.rubric)} is for mode {rubric.mode}, not {judged.mode}"
            yield document.fault(
                (*where, "judge", index, "mode"), problem, "leave `mode` out, or choose another rubric"
            )
        if judged.rubric in {earlier.rubric for earlier in capability.judge[:index]}:
            yield document.fault(
                (*where, "judge", index), f"the rubric {shown_text(judged.rubric)} stands twice", "keep one"
            )


def _gate_faults(
    gate: Gate, suite: Suite, rubrics: Mapping[str, Rubric], document: Document, index: int
) -> Iterator[Fault]:
    where = ("gates", index)
    capability = next((one for one in suite.capabilities if one.name == gate.capability), None)
    if capability is None:
        names = [one.name for one in suite.capabilities]
        problem = f"no capability {shown_text(gate.capability)} is measured"
        yield document.fault((*where, "capability"), problem, nearest(gate.capability, names, "capabilities"))
    elif gate.scorer is not None:
        known = [use.name or use.scorer for use in capability.scorers]
        known += [rubrics[use.rubric].id if use.rubric in rubrics else use.rubric for use in capability.judge]
        if gate.scorer not in known:
            problem = f"{shown_text(gate.scorer)} does not measure {shown_text(gate.capability)}"
            yield document.fault((*where, "scorer"), problem, nearest(gate.scorer, known, "scorers"))
    if capability is not None and _only_pairs(gate, capability, rubrics):
        problem = f"only pairs are judged there ({shown_text(gate.capability)}), and pairwise rows never gate"
        remedy = "a win rate moves when the opponent does: gate on another scorer or rubric; `evalkit compare` shows the pairs"
        yield document.fault(where, problem, remedy)
    if gate.min is None and gate.max is None and gate.on != "no_regression":
        yield document.fault(where, "has no threshold", "give `min` or `max`")
    if gate.min is not None and gate.max is not None and gate.min > gate.max:
        yield document.fault((*where, "min"), f"min {gate.min:g} is above max {gate.max:g}", "no value could pass")


def _only_pairs(gate: Gate, capability: Capability, rubrics: Mapping[str, Rubric]) -> bool:
    """Tell whether every row that a gate may mean compares candidates; False where it means none, or a rubric could not be read."""
    modes = {use.name or use.scorer: "code" for use in capability.scorers}
    modes |= {rubrics[use.rubric].id: rubrics[use.rubric].mode for use in capability.judge if use.rubric in rubrics}
    meant = {mode for scorer, mode in modes.items() if gate.scorer in {None, scorer}}
    return meant == {"pairwise"} and all(use.rubric in rubrics for use in capability.judge)


def _shared_ids(rubrics: Mapping[str, Rubric], document: Document) -> Iterator[Fault]:
    """Yield a fault for two names that lead to one rubric id: their rows could not be told apart."""
    names: dict[str, str] = {}
    for name, rubric in rubrics.items():
        first = names.setdefault(rubric.id, name)
        if first != name:
            problem = f"the rubrics {shown_text(first)} and {shown_text(name)} share the id {shown_text(rubric.id)}"
            yield document.fault(("capabilities",), problem, "rubric ids are unique in a suite")
