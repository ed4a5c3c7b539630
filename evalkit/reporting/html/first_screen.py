"""What the page says before any case is opened: may it be believed, what failed, what was measured, the rows, where they come from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evalkit.records.base import Json
from evalkit.reporting import figures, wording
from evalkit.reporting.baseline_view import baseline_of
from evalkit.reporting.cascade_words import cascade_cells, cascade_lines
from evalkit.reporting.experiment_view import rows_in_words, swap_head, swap_in_words
from evalkit.reporting.html import labels_view, pictures, row_view
from evalkit.reporting.html.beliefs import beliefs, headline
from evalkit.reporting.html.case_index import Entry
from evalkit.reporting.html.differences import baseline_changes
from evalkit.reporting.html.material import PageMaterial, unlisted
from evalkit.reporting.html.probabilities_view import probability_views
from evalkit.reporting.outcome import outcome

WORST_SHOWN = 6


class WorstCase(NamedTuple):
    """A case on the first screen."""

    case_id: str
    address: str
    title: str
    why: str
    failed: str


class ExperimentView(NamedTuple):
    """An experiment beside the run, in words."""

    title: str
    mismatch: str
    lines: tuple[str, ...]


def first_screen(material: PageMaterial, listed: Sequence[Entry]) -> dict[str, Json]:
    """Return what the templates name; texts are data still, the environment makes them harmless."""
    report, manifest = material.report, material.manifest
    return {
        "suite": report.suite.get("name", "?"),
        "candidate": report.outputs.get("name", "?"),
        "run_id": manifest.run_id,
        "finished": (manifest.finished_at or "not finished")[:16].replace("T", " "),
        "headline": headline(material),
        "beliefs": beliefs(material),
        "outcome": outcome(report).split("; "),
        "policy_lines": row_view.policy_lines(report),
        "measured": list(_measured(material)),
        "code_groups": row_view.groups(report, kind="deterministic"),
        "classifier_groups": row_view.groups(report, kind="classifier"),
        "judge_groups": row_view.groups(report, kind="judge"),
        "without_data": row_view.without_data(report),
        "readings": row_view.readings(report),
        "cautions": list(wording.cautions(report)),
        **_against_baseline(material),
        "worst": _worst(listed),
        "failing": _failing(material, listed),
        "listed": len(listed),
        "cases": report.counts.cases,
        "unlisted": unlisted(material),
        "probabilities": probability_views(material.calibrations, manifest, report),
        "labels": labels_view.labels_views(material.calibrations, report),
        "classifier_labels": labels_view.classifier_views(material.calibrations, manifest),
        "bands": pictures.band_pictures(material.bands, report),
        "tiers": list(cascade_lines(report, manifest)),
        "tier_rows": list(cascade_cells(report)),
        "agreement": pictures.agreement_views(material.beside),
        "cost_bars": pictures.cost_bars(manifest),
        "token_bars": pictures.token_bars(material.tokens),
        "purchases": wording.purchases(manifest.purchases),
        "health": None if report.health is None else wording.requests(report.health),
        "experiments": _experiments(material),
        "unread": material.unread,
        "notes": [*material.texts.notes, *manifest.notes],
        "provenance": list(_provenance(material)),
    }


def _measured(material: PageMaterial) -> Iterator[tuple[str, str]]:
    report, manifest = material.report, material.manifest
    yield "Suite", f"{report.suite.get('name')}, version {report.suite.get('version')}"
    who = ", ".join(str(text) for name in ("model", "family") if (text := report.candidate.get(name)))
    yield "Candidate", f"{report.candidate.get('name')}{f' ({who})' if who else ''}"
    for judge in dict.fromkeys(wording.judge(header) for header in report.judges):
        yield "Judge", judge
    for use in manifest.classifiers:
        yield "Classifier", wording.classifier(use)
    rubrics = dict.fromkeys(
        f"{use.identity.get('rubric')} {use.identity.get('rubric_version')}" for use in manifest.judges if use.identity
    )
    if rubrics:
        yield "Rubrics", ", ".join(rubrics)
    against = baseline_of(report)
    yield "Baseline", "none: this run is compared with nothing" if against is None else f"run {against.run_id}"


def _against_baseline(material: PageMaterial) -> dict[str, Json]:
    found = baseline_of(material.report)
    if found is None:
        return {"changes": None, "changes_refused": [], "baseline_run": ""}
    kinds = {(row.capability, row.scorer, row.criterion): row.kind for row in material.report.rows}
    changes, refused = baseline_changes(found, kinds)
    return {"changes": changes, "changes_refused": refused, "baseline_run": found.run_id}


def _failing(material: PageMaterial, listed: Sequence[Entry]) -> tuple[int, int]:
    """Return how many cases failed something in code, and how many only by a classifier or the judge."""
    judged = {
        (row.capability, row.scorer, row.criterion)
        for row in material.report.rows
        if row.kind in {"judge", "classifier"}
    }
    in_code = sum(any(place not in judged for place in entry.failed) for entry in listed)
    return in_code, sum(bool(entry.failed) for entry in listed) - in_code


def _worst(listed: Sequence[Entry]) -> list[WorstCase]:
    failing = sorted((entry for entry in listed if entry.failed), key=lambda entry: entry.severity, reverse=True)
    return [
        WorstCase(
            case_id=entry.case_id,
            address=row_view.cases_address(case=entry.case_id),
            title=entry.title,
            why=entry.why,
            failed=", ".join(dict.fromkeys(_named(*place) for place in entry.failed)),
        )
        for entry in failing[:WORST_SHOWN]
    ]


def _named(capability: str, scorer: str, criterion: str) -> str:
    return " / ".join(dict.fromkeys((capability, scorer, criterion)))


def _experiments(material: PageMaterial) -> list[ExperimentView]:
    found = [
        ExperimentView(
            title=f"{one.experiment.kind}, {one.experiment.made_at[:10]}",
            mismatch=one.mismatch,
            lines=tuple(rows_in_words(one.experiment)),
        )
        for one in material.beside
    ]
    swapped = material.swapped
    if swapped is not None:
        found.append(ExperimentView(title=swap_head(swapped), mismatch="", lines=tuple(swap_in_words(swapped))))
    return found


def _provenance(material: PageMaterial) -> Iterator[tuple[str, str]]:
    report, manifest = material.report, material.manifest
    yield "run", manifest.run_id
    yield "started", manifest.started_at
    yield "finished", manifest.finished_at or "not finished"
    yield "evalkit", f"{manifest.evalkit_version}, Python {manifest.python}, {manifest.machine}"
    yield "suite", report.suite.get("sha256", "")
    yield "golden set", report.golden_sha256
    yield "outputs", report.outputs.get("sha256", "")
    for judge in report.judges:
        yield f"judge_config_hash, {judge.capability} / {judge.rubric}", judge.judge_config_hash
    for use in manifest.classifiers:
        yield f"configuration_hash, {use.capability} / {use.scorer}", use.configuration_hash
    yield "bought by this run", figures.dollars(manifest.purchases.cost_usd) if manifest.purchases.calls else "nothing"
