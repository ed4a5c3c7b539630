"""The manifest: which configuration produced a run, and what differs between two runs over the same inputs."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import metadata

from evalkit import __version__
from evalkit.aggregation.independence import CLASSIFIER, independence, least_independent
from evalkit.judging.requests import Measurement
from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.loading.outputs import OutputsFolder
from evalkit.pipeline.columns import Columns
from evalkit.providers.families import known_family
from evalkit.providers.meter import cost_of_purchases
from evalkit.records.base import Json
from evalkit.records.judges import JudgeConfig
from evalkit.records.manifests import CaseCost, JudgeUseManifest, Manifest
from evalkit.records.outputs import Candidate
from evalkit.records.reports import JudgeHeader
from evalkit.records.verdicts import Judgement, Purchase

_VERSION = re.compile(r"^Version: *(\S+)", re.MULTILINE)
PACKAGES = ("pydantic", "jsonschema-rs", "diskcache", "litellm", "aiohttp")


def now() -> str:
    """Return the time in UTC, ISO 8601 with microseconds, so that of two runs one is the newer."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def independence_of(loaded: LoadedSuite, outputs: OutputsFolder, columns: Columns) -> dict[str, Json]:
    """Return whether all who may decide a case are independent of the candidate, with the reason; never guessed silently."""
    candidate = outputs.candidate
    tiers = [column.measurement.cheap for column in columns.judged if column.measurement.cheap is not None]
    classifiers = [
        independence(
            tier.name,
            tier.family,
            candidate.model,
            known_family(candidate),
            floor=not tier.is_model,
            who=CLASSIFIER,
        )
        for tier in tiers
    ]
    return least_independent([independence_between(judge, candidate) for judge in loaded.judges], classifiers)


def independence_between(judge: JudgeConfig, candidate: Candidate) -> dict[str, Json]:
    """Return `family_differs`, `independent` and `reason`, as `aggregation.independence` has them."""
    return independence(
        judge.model,
        known_family(judge),
        candidate.model,
        known_family(candidate),
        floor=judge.client == "floor",
    )


def first_manifest(run_id: str, loaded: LoadedSuite, outputs: OutputsFolder, columns: Columns) -> Manifest:
    """Return the manifest as it is written first: incomplete, with everything that is known before anything is judged."""
    found = independence_of(loaded, outputs, columns)
    return Manifest(
        run_id=run_id,
        suite=loaded.suite.name,
        completeness="incomplete",
        started_at=now(),
        evalkit_version=__version__,
        python=platform.python_version(),
        machine=f"{platform.system()} {platform.machine()}, {sys.implementation.name}",
        packages={name: _version(name) for name in PACKAGES},
        suite_sha256=loaded.sha256,
        outputs_sha256=outputs.sha256,
        outputs=outputs.name,
        suite_path=str(loaded.file),
        outputs_path=str(outputs.path),
        candidate=outputs.candidate.model_dump(mode="json", exclude_none=True),
        judges=judge_uses(columns, ()),
        family_differs=found["family_differs"],
        independent=found["independent"],
        independence_reason=found["reason"],
        budgets=loaded.suite.budgets.model_dump(mode="json"),
        scorers=tuple(column.scorer.signature.as_json() for column in columns.code),
    )


def _version(package: str) -> str:
    """Return a package's version; read off its header, for parsing whole metadata takes longer than scoring fifty cases."""
    try:
        head = metadata.distribution(package).read_text("METADATA") or ""
    except metadata.PackageNotFoundError:
        return "not installed"
    found = _VERSION.search(head)
    return found.group(1) if found else metadata.version(package)


def judge_header(measurement: Measurement, judgements: Sequence[Judgement]) -> JudgeHeader:
    """Return what a report says of one judge use, with the snapshots that answered."""
    return JudgeHeader(
        capability=measurement.capability,
        rubric=measurement.rubric.id,
        mode=measurement.rubric.mode,
        judge=measurement.judge.name,
        snapshots=snapshots_of(judgements, measurement.capability, measurement.config_hash),
        classifier_snapshots=classifiers_of(judgements, measurement.capability, measurement.config_hash),
        prompt=str(measurement.identity["prompt"]),
        judge_config_hash=measurement.config_hash,
        samples=measurement.judge.samples,
    )


def judge_uses(columns: Columns, judgements: Sequence[Judgement]) -> tuple[JudgeUseManifest, ...]:
    """Return one entry per judge use, with the snapshots that answered."""
    return tuple(
        JudgeUseManifest(
            capability=column.measurement.capability,
            judge_config_hash=column.measurement.config_hash,
            identity=column.measurement.identity,
            client=column.measurement.judge.client,
            snapshots=snapshots_of(judgements, column.measurement.capability, column.measurement.config_hash),
            classifier_snapshots=classifiers_of(
                judgements, column.measurement.capability, column.measurement.config_hash
            ),
            family=known_family(column.measurement.judge),
            structured_output_sent=column.measurement.judge.structured_output
            and column.measurement.judge.client != "floor",
            wordings=column.measurement.rubric.wordings(),
            batched=sum(one.batch is not None for one in _purchases(column.measurement, judgements)),
            per_case=_case_cost(column.measurement, judgements),
        )
        for column in columns.judged
    )


def _purchases(measurement: Measurement, judgements: Sequence[Judgement]) -> list[Purchase]:
    """Return what a judge use took; a purchase that identical requests share is counted once."""
    use = (measurement.capability, measurement.config_hash)
    own = [one for one in judgements if (one.capability, one.judge_config_hash) == use]
    return list({one.request_key: one.purchase for one in own if one.purchase}.values())


def _case_cost(measurement: Measurement, judgements: Sequence[Judgement]) -> CaseCost | None:
    """Return what a judge use took per case."""
    use = (measurement.capability, measurement.config_hash)
    bought = [one for one in judgements if one.purchase and (one.capability, one.judge_config_hash) == use]
    purchases = _purchases(measurement, judgements)
    cases = len({one.case_id for one in bought})
    if not cases:
        return None
    tokens_in = sum(purchase.input_tokens or 0 for purchase in purchases)
    tokens_out = sum(purchase.output_tokens or 0 for purchase in purchases)
    cost = cost_of_purchases(measurement.judge, purchases)
    return CaseCost(
        cases=cases,
        input_tokens=tokens_in / cases,
        output_tokens=tokens_out / cases,
        cost_usd=None if cost is None else cost / cases,
        unknown_usage=sum(purchase.input_tokens is None or purchase.output_tokens is None for purchase in purchases),
    )


def snapshots_of(judgements: Sequence[Judgement], capability: str, config_hash: str) -> tuple[str, ...]:
    """Return the snapshots that answered one judge use, sorted."""
    return tuple(
        sorted(
            {
                j.purchase.model
                for j in judgements
                if j.purchase and j.purchase.model and (j.capability, j.judge_config_hash) == (capability, config_hash)
            }
        )
    )


def classifiers_of(judgements: Sequence[Judgement], capability: str, config_hash: str) -> tuple[str, ...]:
    """Return the models that answered for the classifier of a cascade in one judge use, sorted."""
    asked = (j.tiers for j in judgements if (j.capability, j.judge_config_hash) == (capability, config_hash))
    return tuple(sorted({answer.model for told in asked if told for answer in told.answers.values()}))
