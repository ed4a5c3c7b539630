"""Where comparisons of candidates are kept: OUT/comparisons/SUITE/NAME/, each replaced whole when it is made again.

comparison.json    rows, rankings, position, health
pairs.jsonl        every pair with both orders' verdicts and their quotes
comparison.md      to be read
manifest.json      what was bought, when, under which configuration: all that differs between two runs over the same inputs
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from evalkit.errors import RunStoreError
from evalkit.records.comparisons import Comparison, ComparisonPurchases, PairLine
from evalkit.runstore.files import LineWriter, disk_faults, write_json, write_text
from evalkit.runstore.names import check_run_id, folder_part
from evalkit.runstore.staging import partial_folder, put_back, remove_unfinished, swap_in

FOLDER = "comparisons"
COMPARISON = "comparison.json"
PAIRS = "pairs.jsonl"
MARKDOWN = "comparison.md"
MANIFEST = "manifest.json"


class StoredComparison(NamedTuple):
    """A comparison read back."""

    folder: Path
    comparison: Comparison
    purchases: ComparisonPurchases | None
    """None for verdicts made elsewhere."""

    def pairs(self) -> Iterator[PairLine]:
        """Yield the lines of pairs.jsonl. Raises RunStoreError, naming the file."""
        path = self.folder / PAIRS
        try:
            with path.open("rb") as lines:
                yield from (PairLine.model_validate_json(line) for line in lines)
        except (OSError, ValueError) as error:
            raise RunStoreError(f"{path}: cannot be read: {error}") from None


def comparison_name(candidates: Iterable[str]) -> str:
    """Return the name that a comparison has by default: its candidates."""
    return "-vs-".join(folder_part(name) for name in candidates)[:100]


def comparison_folder(out: Path, suite: str, name: str) -> Path:
    """Return where a comparison of that name stands. Raises UsageError for a name that is no safe folder's."""
    return out / FOLDER / folder_part(suite) / check_run_id(name)


def write_comparison(
    folder: Path,
    comparison: Comparison,
    pairs: Iterable[PairLine],
    markdown: str,
    purchases: ComparisonPurchases | None,
) -> None:
    """Write a comparison's folder, whole or not at all, in the place of an earlier one.

    Raises RunStoreError where the disk refuses or something else stands there.
    """
    staged = partial_folder(folder)
    with disk_faults(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        put_back(folder)
        remove_unfinished(folder)
        if folder.exists() and not (folder / COMPARISON).is_file():
            raise RunStoreError(f"{folder}: is no comparison and is left alone; choose another --name or --out")
        staged.mkdir()
    try:
        lines = LineWriter(staged / PAIRS)
        for pair in pairs:
            lines.write_record(pair)
        lines.close()
        write_text(staged / MARKDOWN, markdown)
        if purchases:
            write_json(staged / MANIFEST, purchases.model_dump(mode="json"))
        write_json(staged / COMPARISON, comparison.model_dump(mode="json"))
        with disk_faults(folder):
            swap_in(staged, folder)
    except BaseException:
        shutil.rmtree(staged, ignore_errors=True)
        raise


def is_comparison(folder: Path) -> bool:
    """Tell whether a folder holds a comparison."""
    return (folder / COMPARISON).is_file()


def comparison_at(name: str) -> Path | None:
    """Return the folder of the comparison that a path means, its comparison.json included; None where it means something else."""
    path = Path(name)
    folder = path.parent if path.name == COMPARISON else path
    return folder if name and is_comparison(folder) else None


def stored_comparisons(out: Path, suite: str) -> list[StoredComparison]:
    """Return a suite's comparisons, the newest first, those of verdicts made elsewhere last.

    Raises RunStoreError, naming the file, where one cannot be read.
    """
    folder = out / FOLDER / folder_part(suite)
    places = sorted(path.parent for path in folder.glob(f"[!.]*/{COMPARISON}")) if folder.is_dir() else []
    found = [stored for stored in map(open_comparison, places) if stored.comparison.suite.get("name") == suite]
    found.sort(key=lambda stored: stored.purchases.made_at if stored.purchases else "", reverse=True)
    return found


def open_comparison(folder: Path) -> StoredComparison:
    """Return a comparison. Raises RunStoreError, naming the file, where it cannot be read."""
    path = folder / COMPARISON
    try:
        comparison = Comparison.model_validate_json(path.read_bytes())
        path = folder / MANIFEST
        purchases = ComparisonPurchases.model_validate_json(path.read_bytes()) if path.is_file() else None
    except (OSError, ValueError) as error:
        raise RunStoreError(f"{path}: is no comparison of this version of evalkit: {str(error)[:300]}") from None
    return StoredComparison(folder, comparison, purchases)
