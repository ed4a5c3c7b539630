"""A calibration made by hand: thirty labels of one person on one criterion of the judge of `stored_runs`."""

from __future__ import annotations

from typing import Any

from evalkit.records.calibrations import (
    Beside,
    Calibration,
    CalibrationRow,
    Cell,
    Figure,
    ProbabilityBin,
    ProbabilityRow,
)
from fakes.stored_runs import JUDGE_HASH


def calibration_row(**changes: Any) -> CalibrationRow:
    """Return a row on which judge and person differ on 4 of 30 items."""
    fields: dict[str, Any] = {
        "judge": "floor, not a model",
        "capability": "faithfulness",
        "rubric": "faithfulness",
        "criterion": "F1",
        "mode": "pointwise",
        "judge_config_hash": JUDGE_HASH,
        "split": "test",
        "sample": "drawn",
        "designs": {"random": 30},
        "items": 30,
        "n": 30,
        "excluded": {},
        "binary": True,
        "agree": 26,
        "agreement": 26 / 30,
        "agreement_interval": (0.703, 0.947),
        "confusion": (
            Cell(human="pass", judge="pass", count=20),
            Cell(human="pass", judge="fail", count=4),
            Cell(human="fail", judge="fail", count=6),
        ),
        "rules": (),
        "unreadable": 0,
        "kappa": Figure(value=0.68),
        "ac1": Figure(value=0.77),
        "always": Beside(
            name="always pass", n=30, agree=24, agreement=0.8, interval=(0.627, 0.905), kappa=Figure(value=None)
        ),
    }
    return CalibrationRow(**{**fields, **changes})


def calibration(*rows: CalibrationRow, **changes: Any) -> Calibration:
    """Return a calibration of these rows, by default of one."""
    fields: dict[str, Any] = {
        "made_at": "2026-01-02T03:04:05+00:00",
        "evalkit_version": "0.1.0",
        "suite": "shop",
        "run": "r1",
        "checked": True,
        "labels_sha256": "1" * 64,
        "verdicts_sha256": None,
        "outputs_sha256": "d" * 64,
        "labellers": ("ada",),
        "unlabelled": 0,
        "rows": rows or (calibration_row(),),
    }
    return Calibration(**{**fields, **changes})


def probability_row(**changes: Any) -> ProbabilityRow:
    """Return the row of a classifier's probabilities, by default with two bins."""
    fields: dict[str, Any] = {
        "capability": "tone",
        "scorer": "kind",
        "configuration_hash": "9" * 64,
        "models": ("small",),
        "calibrated": True,
        "answers": 60,
        "labels": 50,
        "seed": 1,
        "bins": (
            ProbabilityBin(low=0.1, high=0.2, n=10, stated=0.15, observed=0.3, interval=(0.11, 0.6)),
            ProbabilityBin(low=0.9, high=1.0, n=40, stated=0.95, observed=0.8, interval=(0.65, 0.9)),
        ),
    }
    return ProbabilityRow(**{**fields, **changes})
