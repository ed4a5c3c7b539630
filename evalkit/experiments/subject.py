"""What an experiment works on: a suite, one candidate's outputs, and the cases that a judge sees in a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from evalkit.errors import UsageError
from evalkit.loading.golden import GoldenSet
from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.loading.outputs import OutputsFolder, open_outputs
from evalkit.pipeline.columns import Columns, JudgeColumn, build_columns
from evalkit.pipeline.request import RunRequest, Selector
from evalkit.pipeline.run import configured
from evalkit.pipeline.scored import exclusion_of
from evalkit.records.cases import Case
from evalkit.records.outputs import Output


class Judged(NamedTuple):
    """A case, its output and a judge use that a run would ask about."""

    case: Case
    output: Output
    column: JudgeColumn


@dataclass(frozen=True)
class Subject:
    """A suite and one candidate's outputs."""

    request: RunRequest
    loaded: LoadedSuite
    outputs: OutputsFolder
    columns: Columns
    golden: GoldenSet

    def judged(self) -> Iterator[Judged]:
        """Yield what a run would ask the judge about, in the order of the golden set.

        Raises InputError with the golden set's faults and UsageError for a selection of nothing, at the end of the walk.
        """
        selector = Selector(self.request)
        for case in self.golden:
            output = self.outputs.last_attempt(case.id)
            if not selector.takes(case) or output is None or exclusion_of(output) is not None:
                continue
            if (output.text or "").strip():
                for column in self.columns.kind_of(case).judged:
                    if column.unasked(case) is None:
                        yield Judged(case, output, column)
        selector.check(self.golden.count)


def open_subject(request: RunRequest, name: str | None = None, *, routed: bool = False, pairs: bool = False) -> Subject:
    """Return the suite of a request and the outputs `name` (the request's only ones by default).

    With `pairs`, a suite whose only judge compares candidates is one that asks a judge; no run asks it.
    Raises InputError with the faults of the files, UsageError where the suite asks no judge, or several candidates are named, or,
    but for `routed`, where judge.yaml routes capabilities to several judges.
    """
    loaded = configured(request)
    loaded = loaded if routed else loaded.one_judge("an experiment")
    if name is None and len(request.outputs) > 1:
        raise UsageError("this experiment works on one candidate; name one with --outputs")
    outputs = open_outputs(loaded.folder, name or next(iter(request.outputs), None))
    columns = build_columns(loaded)
    if not columns.judged and not (pairs and any(capability.judge for capability in loaded.suite.capabilities)):
        raise UsageError(f"{loaded.file}: no capability of this suite uses a judge, so there is nothing to measure")
    return Subject(request, loaded, outputs, columns, GoldenSet(loaded.folder / loaded.suite.golden))
