"""A stored run read back with what it was scored from: golden set and outputs, held against the hashes in its manifest.

A run keeps verdicts and failures, not the texts. The manifest names the files; `suite` is where they are if they have moved since.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from evalkit.errors import UsageError, UserError
from evalkit.loading.golden import GoldenSet
from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.loading.outputs import OutputsFolder, open_outputs
from evalkit.loading.suites import load_suite
from evalkit.records.cases import Case
from evalkit.records.manifests import Manifest
from evalkit.records.outputs import Output
from evalkit.text.shown import shown_text

UNKNOWN_SUITE = "the run does not say where its suite is; name it with --suite to see question and sources"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBack:
    """The texts of some cases, as they were when the run scored them, and why some are missing."""

    cases: Mapping[str, Case]
    """Case id -> case, in the order of the golden set; empty where the golden set is gone or is another now."""
    outputs: Mapping[str, Output]
    """Case id -> the attempt that was scored; empty where the outputs are gone or are others now."""
    notes: tuple[str, ...]
    """What a reader must know first: which file has changed since the run, or cannot be read."""


def golden_of(manifest: Manifest, suite: Path | None) -> GoldenSet:
    """Return the golden set of a run. Raises UserError where it cannot be found, or `suite` is another than the run's."""
    path = suite or (Path(manifest.suite_path) if manifest.suite_path else None)
    if path is None:
        raise UsageError(UNKNOWN_SUITE)
    loaded = load_suite(path) if suite is None else _named(manifest, suite)
    return GoldenSet(loaded.folder / loaded.suite.golden)


def _named(manifest: Manifest, suite: Path) -> LoadedSuite:
    """Return the suite that somebody said was the run's. Raises UserError where it is another."""
    loaded = load_suite(suite)
    if loaded.suite.name != manifest.suite:
        raise UsageError(
            f"--suite {suite} is {shown_text(loaded.suite.name)}, and the run is of {shown_text(manifest.suite)}: "
            "its texts are not those of the run"
        )
    return loaded


def outputs_of(manifest: Manifest, suite: Path | None) -> OutputsFolder | None:
    """Return the outputs of a run, all lines checked, or None where nobody knows where they are. Raises UserError."""
    if not manifest.outputs_path and suite is None:
        return None
    if suite is not None and not Path(manifest.outputs_path).is_file():
        return open_outputs(_named(manifest, suite).folder, manifest.outputs)
    return open_outputs(Path(manifest.suite_path).parent, manifest.outputs_path)


def read_back(manifest: Manifest, ids: Collection[str], suite: Path | None) -> ReadBack:
    """Return the texts of the cases `ids`. A file whose hash is not the run's is not shown, and a note says so."""
    notes: list[str] = []
    cases = _cases(manifest, ids, suite, notes)
    outputs = _outputs(manifest, ids, suite, notes)
    return ReadBack(cases=cases, outputs=outputs, notes=tuple(notes))


def _cases(manifest: Manifest, ids: Collection[str], suite: Path | None, notes: list[str]) -> dict[str, Case]:
    try:
        golden = golden_of(manifest, suite)
        cases = {case.id: case for case in golden if case.id in ids}
    except UserError as error:
        notes.append(f"questions and sources are missing: {_first_line(error)}")
        return {}
    if golden.sha256 != manifest.golden_sha256:
        notes.append(f"questions and sources are missing: {golden.path} has changed since this run")
        return {}
    return cases


def _outputs(manifest: Manifest, ids: Collection[str], suite: Path | None, notes: list[str]) -> dict[str, Output]:
    try:
        folder = outputs_of(manifest, suite)
        if folder is None:
            notes.append("answers are only quoted from the failures: the run does not say where its outputs are")
            return {}
        if folder.sha256 != manifest.outputs_sha256:
            notes.append(f"answers are only quoted from the failures: {folder.path} has changed since this run")
            return {}
        found = {case_id: folder.last_attempt(case_id) for case_id in ids}
    except UserError as error:
        notes.append(f"answers are only quoted from the failures: {_first_line(error)}")
        return {}
    return {case_id: output for case_id, output in found.items() if output is not None}


def _first_line(error: UserError) -> str:
    return str(error).splitlines()[0]
