"""A run's report, put together from its inputs, its criteria and its counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evalkit.acceptance.criteria import Criteria
from evalkit.acceptance.summary import Summary
from evalkit.providers.families import known_family
from evalkit.records.acceptance_log import AcceptanceReport
from evalkit.records.base import Json
from evalkit.records.outputs import Candidate

INTERRUPTED = 130


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What a run works on."""

    suite: str
    folder: Path
    """The suite's folder."""
    outputs: str
    outputs_sha256: str
    mode: str
    """replay or live."""
    generator: Candidate
    independence: dict[str, Json]


def report_of(
    inputs: Inputs,
    criteria: Criteria,
    summary: Summary,
    *,
    golden_sha256: str,
    selection: dict[str, Json],
    notes: Sequence[str],
    interrupted: bool,
    blocked_judged: bool,
) -> AcceptanceReport:
    """Return the report. In a replay it holds nothing of clock, machine or purchases."""
    incomplete = interrupted or summary.unfinished
    return AcceptanceReport.model_validate({
        "suite": inputs.suite,
        "golden_sha256": golden_sha256,
        "outputs": inputs.outputs,
        "outputs_sha256": inputs.outputs_sha256,
        "mode": inputs.mode,
        **_specified(criteria),
        **_judged(criteria),
        "generator": {
            "name": inputs.generator.name,
            "model": inputs.generator.model,
            "family": known_family(inputs.generator),
        },
        "independence": inputs.independence,
        "completeness": "incomplete" if incomplete else "partial" if selection else "complete",
        "selection": selection,
        **_counted(criteria, summary),
        "blocked_judged": blocked_judged,
        "exit_status": _exit_status(summary, interrupted=interrupted),
        "notes": tuple(notes),
    })  # fmt: skip


def _specified(criteria: Criteria) -> dict[str, object]:
    """Return the fields about the specification, its policy included."""
    loaded = criteria.loaded
    return {
        "specification": loaded.spec.name,
        "specification_version": loaded.spec.version,
        "specification_sha256": loaded.sha256,
        "terms": loaded.spec.terms,
        "criteria": tuple(
            {
                "name": one.name,
                "required": one.required,
                "weight": one.weight,
                "strategy": one.strategy.model_dump(mode="json", exclude_defaults=True),
            }
            for one in loaded.spec.criteria
        ),
        "policy": tuple(condition.name for condition in criteria.policy),
    }


def _judged(criteria: Criteria) -> dict[str, object]:
    """Return the fields about the judge, which is one for all criteria; null where code decides them all."""
    judge = criteria.judged[0].measurement.judge if criteria.judged else None
    return {
        "judge": None if judge is None else judge.name,
        "judge_family": None if judge is None else known_family(judge),
        "judge_config_hashes": {
            f"{use.measurement.capability}/{use.measurement.rubric.id}": use.measurement.config_hash
            for use in criteria.judged
        },
    }


def _counted(criteria: Criteria, summary: Summary) -> dict[str, object]:
    """Return the fields that say how the requests ended."""
    return {
        "cases": summary.cases,
        "endings": dict(sorted(summary.endings.items())),
        "reasons": dict(sorted(summary.reasons.items())),
        "untrusted": dict(sorted(summary.untrusted.items())),
        "by_trusted_judge": summary.by_trusted_judge,
        "unfinished": summary.unfinished,
        "accepted": summary.accepted(),
        "safe_but_insufficient": summary.insufficient.named(),
        "good_but_blocked": summary.blocked.named(),
        "retries": summary.retry_counts(),
        "feedback": summary.effects(one.name for one in criteria.loaded.spec.criteria),
    }


def _exit_status(summary: Summary, *, interrupted: bool) -> int:
    """Return 130 interrupted, 3 where a judgment was skipped, 0 where everything is complete, else 1."""
    if interrupted:
        return INTERRUPTED
    if summary.endings["judgment_skipped"]:
        return 3
    return 0 if summary.endings["complete"] == summary.cases else 1
