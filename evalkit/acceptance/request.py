"""What `evalkit accept` is asked for, and what comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evalkit.acceptance.generator import GeneratorConfig
from evalkit.pipeline.request import RunRequest
from evalkit.records.acceptance_log import AcceptanceLine, AcceptanceReport
from evalkit.records.manifests import Purchases


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptRequest:
    """One `evalkit accept`."""

    run: RunRequest
    """Suite, outputs, judge, folders, selection, cost limit."""
    spec: Path | None = None
    """A specification instead of the suite's own terms."""
    generator: GeneratorConfig | None = None
    """A live generator; None replays cached attempts."""
    judge_blocked: bool = False
    """Live only: also judge candidates that policy blocks. Replays always do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptOutcome:
    """A finished acceptance run."""

    folder: Path
    report: AcceptanceReport
    purchases: Purchases
    """What was bought of the judge."""
    not_complete: Sequence[AcceptanceLine]
    """The last lines of the first requests that did not complete."""
