"""What a selection saves, and what it costs: items and tokens that reach the model, and tasks that still can succeed.

Success is read from trajectories that exist. Before: the trajectory used everything that the case needs. After: and all of that still
reaches the model. A trajectory that failed stays failed, since whether a shorter list would have helped takes a fresh run to know.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from evalkit.experiments.batteries.deciding import KEEP, Trial
from evalkit.providers.estimates import CHARACTERS_PER_TOKEN
from evalkit.records.base import Json
from evalkit.records.battery_reports import OfferRow
from evalkit.stats.differences import tango


def offer_row(cases: Sequence[Sequence[Trial]]) -> OfferRow | None:
    """Return what became of a selection's offers, given the trials of each case; None without a case."""
    if not cases:
        return None
    before = after = lost = offered = reached = 0
    tokens = [0, 0]
    for trials in cases:
        subject = trials[0].subject
        kept = {trial.item for trial in trials if trial.decided == KEEP}
        needed = set(subject.expected.keep or ())
        works = needed <= subject.used
        still = works and needed <= kept
        before, after, lost = before + works, after + still, lost + (works and not still)
        offered, reached = offered + len(trials), reached + len(kept)
        for trial, item in zip(trials, subject.items, strict=True):
            size = _tokens(item)
            tokens[0] += size
            tokens[1] += size if trial.decided == KEEP else 0
    n = len(cases)
    return OfferRow(
        cases=n,
        offered=offered,
        reached=reached,
        tokens_offered=tokens[0],
        tokens_reached=tokens[1],
        success_before=before,
        success_after=after,
        difference=(after - before) / n,
        interval=tango(0, lost, n),
        reading="a failed trajectory stays failed; success of fresh runs is not measured here",
    )


def _tokens(item: Json) -> int:
    return len(json.dumps(item, ensure_ascii=False)) // CHARACTERS_PER_TOKEN
