"""`routes` of judge.yaml: one judge per capability, each in a file of its own beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from evalkit.errors import Fault, InputError
from evalkit.loading.classifier_files import CheapFiles, read_cheap_tier
from evalkit.loading.files import PathError, resolve_inside
from evalkit.loading.judge_files import read_judge
from evalkit.records.judges import JudgeConfig
from evalkit.text.nearest import nearest
from evalkit.text.shown import shown_text


class Route(NamedTuple):
    """Who is asked about a routed capability."""

    judge: JudgeConfig
    cheap: CheapFiles | None
    """The classifier of the judge's cascade; None where it has none."""


def read_routes(
    routes: Mapping[str, str], file: Path, capabilities: Iterable[str]
) -> tuple[dict[str, Route], list[Fault]]:
    """Return who is asked about each routed capability, and every fault; `file` is the judge.yaml, `capabilities` those with a judge.

    A route may not leave the folder of judge.yaml, nor lead to a file with routes of its own; a cascade's classifier stands beside the
    file that names it. One file is read once.
    """
    known = list(capabilities)
    found: dict[str, Route] = {}
    read: dict[str, Route] = {}
    faults: list[Fault] = []
    for capability, name in routes.items():
        field = f"routes.{shown_text(capability, quote=False)}"
        if capability not in known:
            remedy = nearest(capability, known, "capabilities with a judge")
            faults.append(Fault(file=str(file), field=field, problem="no capability that asks a judge", remedy=remedy))
            continue
        try:
            route = read.get(name) or _route(resolve_inside(file.parent / name, [file.parent]))
        except PathError as error:
            faults.append(Fault(file=str(file), field=field, problem=str(error), remedy="put it beside judge.yaml"))
            continue
        except InputError as error:
            faults += error.faults
            continue
        if route.judge.routes:
            faults.append(Fault(file=str(file), field=field, problem=f"{shown_text(name)} has routes of its own"))
        found[capability] = read[name] = route
    return found, faults


def _route(file: Path) -> Route:
    judge = read_judge(file)
    return Route(judge, read_cheap_tier(judge.cascade, file) if judge.cascade else None)
