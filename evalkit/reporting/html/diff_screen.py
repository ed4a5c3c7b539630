"""What the page of a comparison says before any case is opened: is it one, what moved, each row as a slope, what is not comparable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from evalkit.records.base import Json
from evalkit.records.diffs import Instrument, RunDiff
from evalkit.reporting import figures
from evalkit.reporting.diff_words import all_in_words, place
from evalkit.reporting.html.case_list import ListedCase
from evalkit.reporting.html.diff_material import WORDS, DiffMaterial
from evalkit.reporting.html.differences import diff_changes, refused_rows


class DiffHeadline(NamedTuple):
    """The answer in one word and one sentence."""

    answer: str
    sentence: str


def diff_screen(material: DiffMaterial, listed: Sequence[ListedCase]) -> dict[str, Json]:
    """Return what the template of a comparison names."""
    diff = material.diff
    counted = Counter(outcome for case in listed for outcome in set(case.outcomes.values()))
    return {
        "suite": diff.suite,
        "run_a": diff.run_a,
        "run_b": diff.run_b,
        "headline": _headline(diff),
        "better": [place(row) for row in diff.rows if row.moved == "better"],
        "worse": [place(row) for row in diff.rows if row.moved == "worse"],
        "counted": [(outcome, counted[outcome]) for outcome in ("broken", "fixed", "drifted", "still failing")],
        "instruments": [(one.run, _instrument(one)) for one in diff.instruments],
        "changes": diff_changes(diff),
        "changes_refused": refused_rows(diff),
        "figures": [(place(row), list(all_in_words(row))) for row in diff.rows],
        "only": [
            (where, place(row), row.kind)
            for where, rows in (("only in A", diff.only_a), ("only in B", diff.only_b))
            for row in rows
        ],
        "family": diff.family,
        "notes": [*diff.notes, *dict.fromkeys((*material.texts[0].notes, *material.texts[1].notes))],
        "listed": len(listed),
        "listed_because": "those that were fixed, broke or drifted, that fail in both, or that are no pair",
        "step_name": WORDS.name,
        "provenance": [
            (f"{side}, {name}", text)
            for side, made in zip("AB", material.manifests, strict=True)
            for name, text in (
                ("run", made.run_id),
                ("finished", made.finished_at or "not finished"),
                ("suite", made.suite_sha256),
                ("golden set", made.golden_sha256),
                ("outputs", made.outputs_sha256),
            )
        ],
    }


def _headline(diff: RunDiff) -> DiffHeadline:
    moved = {row.moved for row in diff.rows} - {None}
    compared = f"{figures.counted(sum(bool(row.n) for row in diff.rows), 'row')} compared"
    if diff.refused:
        compared += f", {len(diff.refused)} not comparable"
    if not any(row.n for row in diff.rows):
        return DiffHeadline("Not comparable", "No row of the two runs measures the same.")
    if not moved:
        return DiffHeadline("No difference shown", f"{compared}; none can carry the word better or worse.")
    words = {"better": "Better", "worse": "Worse"}
    answer = "Better and worse" if len(moved) > 1 else words[str(next(iter(moved)))]
    return DiffHeadline(answer, f"{compared}; said only of rows whose q is at most .05 and whose pairs suffice.")


def _instrument(found: Instrument) -> str:
    rate = "" if found.judge_error_rate is None else f" = {figures.percent(found.judge_error_rate)}"
    over = "" if found.within_budget else ", OVER the budget"
    return f"self-agreement {found.self_agreement}; {found.judge_errors} judge errors of {found.judged}{rate}{over}"
