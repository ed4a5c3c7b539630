"""Where a suite's rubrics, lexicons and other files stand, and where they may not.

A bare name is looked up in the suite's folder, in its rubrics/ or lexicons/, and then in what the package ships. A path may not
leave the suite's folder, except into the project's rubrics/ (beside the suite, or beside the folder of suites) and the shipped
one; symlinks are resolved before that is decided, because what a rubric names ends up in a prompt.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from evalkit.loading.files import PathError, resolve_inside
from evalkit.text.shown import shown_text

Kind = Literal["rubrics", "lexicons"]
SUFFIX = ".yaml"

_PACKAGE = Path(__file__).resolve().parents[1]


def shipped_folder(kind: Kind) -> Path:
    """Return where the package's own files of a kind stand: inside the wheel, or at the top of a checkout."""
    installed = _PACKAGE / "shipped" / kind
    return installed if installed.is_dir() else _PACKAGE.parent / kind


def allowed_roots(suite_folder: Path) -> list[Path]:
    """Return the folders that a suite's rubrics and what they name may come from."""
    folder = suite_folder.resolve()
    return [suite_folder, folder.parent / "rubrics", folder.parent.parent / "rubrics", shipped_folder("rubrics")]


def find_named(name: str, kind: Kind, suite_folder: Path) -> Path:
    """Return the file that a suite means by a name or a path. Raises PathError where there is none, or where it may not be used."""
    if "/" in name or "\\" in name or name.endswith((SUFFIX, ".yml")):
        path = suite_folder / name
        resolve_inside(path, allowed_roots(suite_folder))
        if not _is_file(path):
            raise PathError(f"there is no file {shown_text(name)} in the suite's folder")
        return path
    folders = [suite_folder, suite_folder / kind, shipped_folder(kind)]
    for folder in folders:
        path = folder / (name + SUFFIX)
        if _is_file(path):
            resolve_inside(path, allowed_roots(suite_folder))
            return path
    known = sorted({file.stem for folder in folders[1:] for file in folder.glob("*" + SUFFIX)})
    raise PathError(f"there is no {kind[:-1]} {shown_text(name)}{_listing(known)}")


def inside_suite(name: str, suite_folder: Path) -> Path:
    """Return the path of a file of the suite's own. Raises PathError where it leaves the folder or does not exist."""
    path = suite_folder / name
    resolve_inside(path, [suite_folder])
    if not _is_file(path):
        raise PathError(f"there is no file {shown_text(name)} in the suite's folder")
    return path


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file system takes
        return False


def _listing(known: Sequence[str]) -> str:
    return f"; known: {', '.join(known)}" if known else ""
