"""Labels on pairs that were judged elsewhere: which candidate a label's A is.

There is no hash that says it. A is the first candidate of the first line about the case; where the file names the same two the other
way round elsewhere, the label is turned with the verdicts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from evalkit.errors import Fault, InputError
from evalkit.loading.external_verdicts import ExternalVerdicts
from evalkit.records.labels import TURNED, Label


def labels_as_named(path: Path, read: ExternalVerdicts, labels: Iterable[Label]) -> list[Label]:
    """Return the labels with A and B as `read` names the pairs of the verdicts in `path`.

    Raises InputError where a labelled case has more than one pair of candidates: its label could be about either.
    """
    given = list(labels)
    pairs: defaultdict[str, set[tuple[str, ...]]] = defaultdict(set)
    for verdict in read.verdicts:
        if verdict.mode == "pairwise":
            pairs[verdict.case_id].add(verdict.candidates)
    labelled = dict.fromkeys(label.case_id for label in given)
    faults = [_several(path, case_id, len(pairs[case_id])) for case_id in labelled if len(pairs[case_id]) > 1]
    if faults:
        raise InputError(faults)
    return [_turned(label) if label.case_id in read.turned else label for label in given]


def _turned(label: Label) -> Label:
    return label.model_copy(update={"label": TURNED.get(label.label or "", label.label)})


def _several(path: Path, case_id: str, pairs: int) -> Fault:
    return Fault(
        file=str(path),
        field="candidates",
        problem=f"case {case_id[:60]!r} has {pairs} pairs of candidates, so a label A could mean either",
        remedy="give each pair a case id of its own, in the verdicts and in the labels",
    )
