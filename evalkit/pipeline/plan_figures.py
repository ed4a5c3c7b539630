"""What a plan says: tokens by component, cost and levers, from the counts of its requests."""

from __future__ import annotations

from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.pipeline.plan_counts import CHARS_PER_TOKEN, OUTPUT_TOKENS, Counting, Seen, Use
from evalkit.providers.meter import cost_of
from evalkit.records.plans import Lever, Plan, PlanRow, Tokens

SPLIT_BASIS = "; a reference that is still to be split counts as one fact in the verdicts that wait for it"


def plan_of(loaded: LoadedSuite, outputs: str, cases: int, uses: list[Use], counted: Counting) -> Plan:
    """Return the plan of so many cases of one candidate; tokens are estimates, and its classifiers are added by the caller."""
    seen = counted.seen
    names = [judge.name for judge in loaded.judges]
    rows = tuple(_row(use, seen) for use in uses)
    total = Tokens(**{name: sum(getattr(row.input_tokens, name) for row in rows) for name in Tokens.model_fields})
    out = sum(row.output_tokens for row in rows)
    to_buy = sum(row.to_buy for row in rows)
    splits = sum(row.splits for row in rows)
    measured = f"the usage of {seen.known} cached verdicts of this judge"
    ruled = f"{CHARS_PER_TOKEN:.0f} characters a token and {OUTPUT_TOKENS} tokens a reply, as a rule of thumb"
    return Plan(
        suite=loaded.suite.name,
        outputs=outputs,
        judge=", ".join(dict.fromkeys(names)),
        cases=cases,
        rows=rows,
        to_buy=to_buy,
        splits=splits,
        batches=counted.batches.count,
        too_large=counted.batches.too_large,
        already_open=counted.batches.already_open,
        input_tokens=total,
        output_tokens=out,
        input_share=total.total / (total.total + out) if to_buy else None,
        cost_usd=_cost(uses, rows, seen),
        levers=_levers(cases, rows, loaded.judge.samples, seen),
        basis=f"estimates from {measured if seen.known else ruled}; one reply per request{SPLIT_BASIS if splits else ''}",
    )


def _cost(uses: list[Use], rows: tuple[PlanRow, ...], seen: Seen) -> float | None:
    """Return what the verdicts to buy cost, each use at its own judge's prices; None where these are not known."""
    costs = [_cost_of_use(use, row, seen) for use, row in zip(uses, rows, strict=True) if row.to_buy]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _cost_of_use(use: Use, row: PlanRow, seen: Seen) -> float | None:
    """Return what a judge use costs: at the prices of batches, but for the requests that are too large for one."""
    judge = use.column.measurement.judge
    given, replied = round(use.too_large_chars / seen.chars_per_token), round(use.too_large * seen.output_tokens)
    alone = cost_of(judge.prices, given, replied)
    rest = cost_of(judge.batch_prices or judge.prices, row.input_tokens.total - given, row.output_tokens - replied)
    return None if alone is None or rest is None else alone + rest


def _row(use: Use, seen: Seen) -> PlanRow:
    tokens = {name: round(chars / seen.chars_per_token) for name, chars in use.chars.items()}
    return PlanRow(
        capability=use.column.measurement.capability,
        rubric=use.column.measurement.rubric.id,
        cases=use.cases,
        requests=use.requests,
        cached=use.cached,
        at_once=use.at_once,
        shared=use.shared,
        already_open=use.already_open,
        to_buy=use.to_buy,
        splits=use.splits,
        input_tokens=Tokens(**tokens),
        output_tokens=round((use.to_buy + use.splits) * seen.output_tokens),
    )


def _levers(cases: int, rows: tuple[PlanRow, ...], samples: int, seen: Seen) -> tuple[Lever, ...]:
    each = _tokens_of_a_request(rows, seen)
    spared = cases * len(rows) * samples - sum(row.requests for row in rows)
    needed = Lever(
        name="judge only what needs it",
        saves="requests that a judge for every case and rubric would add",
        requests=spared,
        tokens=spared * each,
    )
    if any(row.at_once for row in rows):
        return (needed,)  # the other levers save money, and the floor judge costs none
    cached = sum(row.cached + row.shared for row in rows)
    prefix = round(seen.prefix_chars / seen.chars_per_token)
    return (
        needed,
        Lever(
            name="verdict cache",
            saves="requests whose verdict is cached or shared with an identical request",
            requests=cached,
            tokens=cached * each,
        ),
        Lever(
            name="shared prompt prefix",
            saves=f"about {prefix} input tokens that a provider's prompt cache can serve, calls being sent next to each other",
            requests=0,
            tokens=prefix,
        ),
    )


def _tokens_of_a_request(rows: tuple[PlanRow, ...], seen: Seen) -> int:
    """Return the tokens that a call takes, prompt and reply: of those to be bought, else of those in the cache, else 0."""
    calls = sum(row.to_buy + row.splits for row in rows)
    if calls:
        return round(sum(row.input_tokens.total + row.output_tokens for row in rows) / calls)
    return round((seen.known_input + seen.known_output) / seen.known) if seen.known else 0
