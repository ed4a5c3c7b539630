"""`routes` of judge.yaml: one judge per capability, each in a file of its own beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from evalkit.errors import Fault, InputError
from evalkit.loading.faults import nearest
from evalkit.loading.files import PathError, resolve_inside
from evalkit.loading.judge_files import read_judge_alone
from evalkit.records.judges import JudgeConfig
from evalkit.text.shown import shown_text


def read_routes(
    routes: Mapping[str, str], file: Path, capabilities: Iterable[str]
) -> tuple[dict[str, JudgeConfig], list[Fault]]:
    """Return the judge of each routed capability, and every fault; `file` is the judge.yaml, `capabilities` those with a judge.

    A route may not leave the folder of judge.yaml, nor lead to a file with routes of its own. One file is read once.
    """
    known = list(capabilities)
    found: dict[str, JudgeConfig] = {}
    read: dict[str, JudgeConfig] = {}
    faults: list[Fault] = []
    for capability, name in routes.items():
        field = f"routes.{shown_text(capability, quote=False)}"
        if capability not in known:
            remedy = nearest(capability, known, "capabilities with a judge")
            faults.append(Fault(file=str(file), field=field, problem="no capability that asks a judge", remedy=remedy))
            continue
        try:
            judge = read.get(name) or read_judge_alone(resolve_inside(file.parent / name, [file.parent]))
        except PathError as error:
            faults.append(Fault(file=str(file), field=field, problem=str(error), remedy="put it beside judge.yaml"))
            continue
        except InputError as error:
            faults += error.faults
            continue
        if judge.routes:
            faults.append(Fault(file=str(file), field=field, problem=f"{shown_text(name)} has routes of its own"))
        found[capability] = read[name] = judge
    return found, faults
