"""A case of a stored run, put together again: its lines in the run, and the case and the answer from the suite's files.

A run keeps verdicts and failures, not the golden set. The manifest names the files and their hashes, so that a reader is told
where they have changed since, or are gone.
"""

from __future__ import annotations

import difflib
from pathlib import Path

from evalkit.errors import UsageError, UserError
from evalkit.records.cases import Case
from evalkit.records.outputs import Output
from evalkit.reporting.case_view import CaseView
from evalkit.runstore.reader import StoredRun

CASES_SHOWN = 5
"""Cases that are named where none is near the one asked for."""


def find_case(run: StoredRun, case_id: str, suite: Path | None) -> CaseView:
    """Return all that is known about a case of a run; `suite` overrides where the manifest says the suite is.

    Raises UsageError where neither the run nor the golden set knows the case, naming the nearest, or the first there are.
    """
    failures = [line for line in run.failures() if line.get("case_id") == case_id]
    judgements = [judgement for judgement in run.judgements() if judgement.case_id == case_id]
    classified = [line for line in run.classified() if line.case_id == case_id]
    notes: list[str] = []
    case, known = _from_golden(run, case_id, suite, notes)
    output = _from_outputs(run, case_id, suite, notes)
    if case is None and not (failures or judgements or classified):
        raise UsageError(f"run {run.name!r} knows no case {case_id[:120]!r}; {_instead(case_id, known or _ids(run))}")
    return CaseView(
        case_id=case_id,
        case=case,
        output=output,
        judgements=tuple(judgements),
        failures=tuple(failures),
        classified=tuple(classified),
        notes=tuple(notes),
    )


def _instead(case_id: str, known: list[str]) -> str:
    near = difflib.get_close_matches(case_id, known, n=3, cutoff=0.6)
    if near:
        return f"nearest: {', '.join(near)}"
    more = f" and {len(known) - CASES_SHOWN:,} more" if len(known) > CASES_SHOWN else ""
    return f"its cases are {', '.join(known[:CASES_SHOWN])}{more}" if known else "it names no case"


def _ids(run: StoredRun) -> list[str]:
    return sorted({str(line.get("case_id")) for line in run.failures()} | {j.case_id for j in run.judgements()})


def _from_golden(run: StoredRun, case_id: str, suite: Path | None, notes: list[str]) -> tuple[Case | None, list[str]]:
    """Return the case, and the ids of the golden set; notes say why there is none, or that the file has changed."""
    from evalkit.pipeline.read_back import UNKNOWN_SUITE, golden_of

    if suite is None and not run.manifest.suite_path:
        notes.append(UNKNOWN_SUITE)
        return None, []
    found, ids = None, []
    try:
        golden = golden_of(run.manifest, suite)
        for case in golden:
            ids.append(case.id)
            if case.id == case_id:
                found = case
    except UserError as error:
        notes.append(f"the golden set cannot be read: {str(error).splitlines()[0]}")
        return found, ids
    if golden.sha256 != run.manifest.golden_sha256:
        notes.append(f"{golden.path} has changed since this run: the case may not be what was scored")
    return found, ids


def _from_outputs(run: StoredRun, case_id: str, suite: Path | None, notes: list[str]) -> Output | None:
    from evalkit.pipeline.read_back import outputs_of

    try:
        outputs = outputs_of(run.manifest, suite)
    except UserError as error:
        notes.append(f"the outputs cannot be read: {str(error).splitlines()[0]}")
        return None
    if outputs is None:
        return None
    if outputs.sha256 != run.manifest.outputs_sha256:
        notes.append(f"{outputs.path} has changed since this run: the answer may not be what was scored")
    return outputs.last_attempt(case_id)
