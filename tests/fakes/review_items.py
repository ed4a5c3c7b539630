"""Items of a review queue as the tests need them."""

from __future__ import annotations

from typing import Any

from evalkit.records.review import ReviewItem
from fakes.stored_runs import JUDGE_HASH


def item(kind: Any = "finding", case_id: str = "c1", **changes: Any) -> ReviewItem:
    """Return an item about F1 of a case of the small stored run."""
    fields = {
        "case_id": case_id,
        "capability": "faithfulness",
        "rubric": "faithfulness",
        "criterion": "F1",
        "judge_config_hash": JUDGE_HASH,
        "output_sha256": "f" * 64,
        "why": "somebody should look",
    }
    return ReviewItem.of(kind=kind, **{**fields, **changes})
