"""What a run bought and what the cache spared it, for the manifest."""

from __future__ import annotations

from evalkit.pipeline.finished import Finished
from evalkit.providers.meter import cost_of_purchases
from evalkit.records.manifests import Purchases
from evalkit.records.verdicts import Judgement, Purchase


def purchases_of(done: Finished) -> Purchases:
    """Return calls, tokens and US dollars, each request key counted once; of a recording only how much of it was read."""
    saved = {judgement.request_key: judgement.purchase for judgement in done.saved if judgement.purchase}
    tokens_in = sum(purchase.input_tokens or 0 for purchase in saved.values())
    tokens_out = sum(purchase.output_tokens or 0 for purchase in saved.values())
    bought = {judgement.request_key: judgement for judgement in done.bought}
    if all(judge.client == "replay" for judge in done.loaded.judges):
        return Purchases(replayed=len(bought), cache_hits=len(saved), stopped=done.stop.reason)
    return done.stop.meter.to_purchases().model_copy(
        update={
            "bought": sum(judgement.verdict is not None for judgement in bought.values()),
            "failed": sum(judgement.verdict is None for judgement in bought.values()),
            "cache_hits": len(saved),
            "shared": len(done.bought) - len(bought),
            "saved_input_tokens": tokens_in,
            "saved_output_tokens": tokens_out,
            "saved_cost_usd": _saved_cost(done),
            "verdict_retries": sum(_retried(judgement) for judgement in bought.values()),
            "stopped": done.stop.reason,
        }
    )


def _saved_cost(done: Finished) -> float | None:
    """Return what the cached verdicts cost when they were bought, by each one's own judge; None where a judge has no prices."""
    judges = {column.measurement.config_hash: column.measurement.judge for column in done.columns.judged}
    saved = {one.request_key: one for one in done.saved if one.purchase}
    total = 0.0
    by_judge: dict[str, list[Purchase]] = {name: [] for name in judges}
    for one in saved.values():
        if one.purchase is not None:
            by_judge[one.judge_config_hash].append(one.purchase)
    for name, purchases in by_judge.items():
        cost = cost_of_purchases(judges[name], purchases)
        if cost is None:
            return None
        total += cost
    return total


def _retried(judgement: Judgement) -> bool:
    """Tell whether a verdict was asked for again; replies refused before it, of the split of a reference, are no retry of it."""
    return judgement.purchase is not None and (judgement.purchase.tries > 1 or len(judgement.rejected) > 1)
