"""Of a check: do outputs and golden set meet? What stands where no run looks for it, and ids that only one of both files has."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from evalkit.errors import Fault
from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.loading.outputs import DEFAULT, LINES, OutputsFolder, output_names
from evalkit.text.nearest import nearest
from evalkit.text.shown import shown_text

SHOWN = 5
"""Ids that a warning names."""
COMPARED = 2000
"""Ids among which the nearest is looked for."""


def misplaced(loaded: LoadedSuite) -> Iterator[Fault]:
    """Yield what is wrong with the places of the outputs.

    None at all, files that stand where no run finds them by name, folders of candidates without outputs, or several of which none is
    the default.
    """
    names = output_names(loaded.folder)
    astray = [str(file.relative_to(loaded.folder)) for file in _astray(loaded.folder, names)]
    if not names:
        remedy = f"put them into outputs/NAME/{LINES}, or name them to a run with --outputs PATH"
        found = f"; {_listed(astray)} is not looked at" if astray else ""
        yield Fault(file=str(loaded.folder / "outputs"), problem=f"the suite has no outputs{found}", remedy=remedy)
    elif astray:
        remedy = f"a candidate's file is outputs/NAME/{LINES}; name another one to a run with --outputs PATH"
        yield Fault(file=str(loaded.folder / "outputs"), problem=f"{_listed(astray)} is not looked at", remedy=remedy)
    if names:
        yield from _choice(loaded.folder / "outputs", names)


def _choice(folder: Path, names: list[str]) -> Iterator[Fault]:
    """Yield what keeps a run that names no candidate from the one that is meant."""
    taken = names[0] if len(names) == 1 else DEFAULT
    for entry in sorted(folder.iterdir()):
        if entry.is_dir() and not entry.name.startswith(".") and not any(entry.glob("*.jsonl")):
            problem = f"holds no {LINES}" + (f"; a run takes {shown_text(taken)}" if taken in names else "")
            yield Fault(file=str(entry), problem=problem, remedy="put its outputs there, or take the folder away")
    if taken not in names:
        shown = ", ".join(shown_text(name) for name in names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
        problem = f"several candidates and none is {DEFAULT!r}, so a run that names none is refused: {shown}"
        yield Fault(file=str(folder), problem=problem, remedy=f"name one with --outputs, or call one {DEFAULT}")


def _astray(folder: Path, names: Collection[str]) -> list[Path]:
    """Return files that look like outputs: of a candidate's folder under another name, in outputs/ itself, or beside it."""
    own = folder / "outputs"
    found = list(own.glob("*.jsonl"))
    found += [file for file in own.glob("*/*.jsonl") if file.parent.name not in names and file.name != LINES]
    found += [file for pattern in (LINES, f"*/{LINES}", f"*/*/{LINES}") for file in folder.glob(pattern)]
    return sorted({file for file in found if file.is_file() and not (file.name == LINES and file.parent.parent == own)})


def unmatched(outputs: OutputsFolder, ids: Collection[str]) -> tuple[dict[str, int], list[Fault]]:
    """Return how many ids of the golden set have an output, lack one, and outputs without a case; and warnings that name them."""
    missing = sorted(case_id for case_id in ids if outputs.last_attempt(case_id) is None)
    extra, shown = outputs.unused()
    counts = {"joined": len(ids) - len(missing), "missing": len(missing), "extra": extra}
    file = str(outputs.path)
    warnings = []
    if not counts["joined"] and not extra:
        warnings.append(Fault(file=file, problem="holds no output", remedy="give it a line per case"))
    elif missing:
        problem = f"no output for {len(missing)} of {len(ids)} cases: {_ids(missing, len(missing))}"
        warnings.append(Fault(file=file, field="case_id", problem=problem, remedy="a run counts them as missing"))
    if extra:
        problem = f"ids that are not in the golden set ({extra}): {_ids(shown, extra)}"
        warnings.append(Fault(file=file, field="case_id", problem=problem, remedy=_near(shown, missing or sorted(ids))))
    return counts, warnings


def _near(extra: Collection[str], known: list[str]) -> str:
    """Return the nearest case id of the first extra one that has any."""
    if not known:
        return ""
    for case_id in list(extra)[:SHOWN]:
        remedy = nearest(case_id, known[:COMPARED], "cases")
        if remedy.startswith("did"):
            return f"{shown_text(case_id)}: {remedy}"
    return f"the golden set has e.g. {_ids(known, 0)}"


def _ids(ids: Collection[str], total: int) -> str:
    named = [shown_text(case_id) for case_id in list(ids)[:SHOWN]]
    return ", ".join(named) + (f" and {total - len(named)} more" if total > len(named) else "")


def _listed(files: list[str]) -> str:
    return ", ".join(shown_text(file) for file in files[:SHOWN]) + (" and others" if len(files) > SHOWN else "")
