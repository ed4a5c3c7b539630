"""The review queue of a run and what came of it: OUT/reviews/RUN/, beside the run, which never changes.

    review_queue.jsonl    what is to be looked at, the kinds in their order; made anew from its sources at any time
    KIND.jsonl            what a source other than the run itself and stability found (uncertain, disagreement)
    resolutions.jsonl     what people decided; kept when the run is replaced, for an item's id names its answer and its judge

A source is written with `write_source`; that it is there, even empty, says that the run was measured so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from evalkit.errors import RunStoreError
from evalkit.records.base import Record
from evalkit.records.review import KINDS, Resolution, ReviewItem, ReviewKind
from evalkit.runstore.files import disk_faults, json_text, write_text
from evalkit.runstore.locks import one_writer

FOLDER = "reviews"
QUEUE = "review_queue.jsonl"
RESOLUTIONS = "resolutions.jsonl"

R = TypeVar("R", bound=Record)


def reviews_folder(run: Path) -> Path:
    """Return the folder of a run's reviews; `run` is the run's folder."""
    return run.parent / FOLDER / run.name


def write_queue(run: Path, items: Iterable[ReviewItem]) -> Path:
    """Replace a run's queue and return its path: flips first, findings last, each once. Raises RunStoreError."""
    path = reviews_folder(run) / QUEUE
    write_records(path, in_order(items))
    return path


def in_order(items: Iterable[ReviewItem]) -> list[ReviewItem]:
    """Return each item once: the kinds in their order, within one as they came."""
    once = {item.id: item for item in items}
    return sorted(once.values(), key=lambda item: KINDS.index(item.kind))


def drop_queue(run: Path) -> None:
    """Remove the queue that an earlier run of this id left behind. Raises RunStoreError."""
    path = reviews_folder(run) / QUEUE
    with disk_faults(path):
        path.unlink(missing_ok=True)


def write_source(run: Path, kind: ReviewKind, items: Iterable[ReviewItem]) -> None:
    """Replace what a source found; the queue takes it in when it is made anew. Raises RunStoreError."""
    write_records(reviews_folder(run) / f"{kind}.jsonl", items)


def drop_source(run: Path, kind: ReviewKind) -> None:
    """Forget what a source found: the run counts as not measured so. Raises RunStoreError."""
    path = reviews_folder(run) / f"{kind}.jsonl"
    with disk_faults(path):
        path.unlink(missing_ok=True)


def read_source(run: Path, kind: ReviewKind) -> list[ReviewItem] | None:
    """Return what a source found, None where the run was never measured so. Raises RunStoreError."""
    return read_records(reviews_folder(run) / f"{kind}.jsonl", ReviewItem)


def read_resolutions(run: Path) -> dict[str, Resolution]:
    """Return item id -> resolution. Raises RunStoreError."""
    return {one.item: one for one in read_records(reviews_folder(run) / RESOLUTIONS, Resolution) or ()}


def keep_resolutions(run: Path, changed: Iterable[Resolution]) -> None:
    """Put resolutions on the disk, each in the place of an earlier one of its item. Raises RunStoreError."""
    path = reviews_folder(run) / RESOLUTIONS
    with one_writer(path):
        kept = read_resolutions(run) | {one.item: one for one in changed}
        write_records(path, kept.values())


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Replace a file by records, a line each, whole or not at all. Raises RunStoreError."""
    with disk_faults(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, "".join(json_text(record.model_dump(mode="json")) + "\n" for record in records))


def read_records(path: Path, model: type[R]) -> list[R] | None:
    """Return the records of a file that evalkit wrote, None where there is none. Raises RunStoreError, naming the line."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RunStoreError(f"{path}: cannot be read: {error.strerror or error}") from error
    return list(_records(path, raw, model))


def _records(path: Path, raw: bytes, model: type[R]) -> Iterator[R]:
    for number, line in enumerate(raw.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            yield model.model_validate(json.loads(line), strict=False)
        except (ValueError, RecursionError) as error:
            count = f"{error.error_count()} fields do not fit" if isinstance(error, ValidationError) else str(error)
            raise RunStoreError(f"{path}:{number}: cannot be read: {count}; measure again, or move it away") from None
