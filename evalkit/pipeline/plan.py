"""`evalkit plan`: what a run would ask, what the cache already answers, what is left to buy. It stops at the lookup."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evalkit.judging.requests import JudgeRequest, requests_for
from evalkit.judging.verdicts import lookup
from evalkit.loading.golden import GoldenSet
from evalkit.loading.outputs import OutputsFolder, open_outputs
from evalkit.loading.suites import LoadedSuite
from evalkit.pipeline.columns import CodeColumn, Columns, JudgeColumn, build_columns
from evalkit.pipeline.replies import keeps_replies, opened_cache
from evalkit.pipeline.request import RunRequest, Selector
from evalkit.pipeline.run import configured
from evalkit.pipeline.scored import JudgedCase, exclusion_of
from evalkit.providers.meter import cost_of
from evalkit.providers.reply_cache import ReplyCache
from evalkit.records.judges import FLOOR_NAME
from evalkit.records.plans import ClassifierPlan, Lever, Plan, PlanRow, Tokens
from evalkit.records.progress import Progress, Silent
from evalkit.records.verdicts import Judgement
from evalkit.text.normalise import is_blank

if TYPE_CHECKING:
    from evalkit.pipeline.classified import PutBy

CHARS_PER_TOKEN = 4.0
"""Rule of thumb for English, used until cached verdicts tell the model's own ratio."""
OUTPUT_TOKENS = 220
"""Tokens of a reply, until cached verdicts tell."""
BATCH = 256
SPLIT_BASIS = "; a reference that is still to be split counts as one fact in the verdicts that wait for it"


@dataclass(slots=True)
class _Use:
    """One judge use while requests stream past; characters, not tokens."""

    column: JudgeColumn
    cases: int = 0
    requests: int = 0
    cached: int = 0
    at_once: int = 0
    shared: int = 0
    to_buy: int = 0
    splits: int = 0
    chars: dict[str, int] = field(default_factory=lambda: dict.fromkeys(Tokens.model_fields, 0))


@dataclass(slots=True)
class _Needed:
    """What a run would need, while cases stream past."""

    columns: Columns
    uses: dict[int, _Use]
    waiting: list[tuple[CodeColumn, PutBy]] = field(default_factory=list)
    """Cases that a classifier would be asked about."""
    cascaded: list[JudgedCase] = field(default_factory=list)
    """Cases that a classifier before the judge would be asked about."""


@dataclass(slots=True)
class _Seen:
    """What the cache tells about tokens, and what prompts share."""

    keys: set[str] = field(default_factory=set)
    last_prompt: str = ""
    prefix_chars: int = 0
    known_chars: int = 0
    known_input: int = 0
    known_output: int = 0
    known: int = 0

    @property
    def chars_per_token(self) -> float:
        return self.known_chars / self.known_input if self.known_input else CHARS_PER_TOKEN

    @property
    def output_tokens(self) -> float:
        return self.known_output / self.known if self.known else OUTPUT_TOKENS


def plan_suite(request: RunRequest, progress: Progress | None = None) -> list[Plan]:
    """Return what a run would buy for each candidate. Raises InputError as `run` does; makes no call and writes nothing."""
    progress = progress or Silent()
    loaded = configured(request)
    plans = []
    for name in request.outputs or (None,):
        outputs = open_outputs(loaded.folder, name)
        columns = build_columns(loaded)
        golden = GoldenSet(loaded.folder / loaded.suite.golden)
        uses = {id(column): _Use(column) for column in columns.judged}
        by_measurement = {id(use.column.measurement): use for use in uses.values()}
        seen = _Seen()
        needed = _Needed(columns, uses)
        with opened_cache(request, progress.note, wanted=keeps_replies(loaded, columns)) as cache:
            cases = 0
            batch: list[JudgeRequest] = []
            for taken, requests in _requests(request, golden, outputs, needed):
                cases = taken
                batch += requests
                if len(batch) >= BATCH:
                    _look(batch, by_measurement, seen, lookup(batch, cache)[0])
                    batch = []
            before, requests = _cascade_plans(columns, needed.cascaded, cache)
            batch += requests
            _look(batch, by_measurement, seen, lookup(batch, cache)[0])
            classifiers = (*_classifier_plans(columns, needed.waiting, cache), *before)
        plan = _plan(loaded, outputs.name, cases, list(uses.values()), seen)
        plans.append(plan.model_copy(update={"classifiers": classifiers}))
    return plans


def plan_requests(
    loaded: LoadedSuite,
    columns: Columns,
    outputs: str,
    asked: Sequence[tuple[JudgeColumn, JudgeRequest]],
    cache: ReplyCache | None,
) -> Plan:
    """Return what an experiment would buy, given all of its requests with their judge uses; makes no call, writes nothing.

    A request may be of another measurement than its use's (a reordered rubric); it counts under that use.
    """
    uses = {id(column): _Use(column) for column in columns.judged}
    by_measurement = {id(request.measurement): uses[id(column)] for column, request in asked}
    seen = _Seen()
    for use in uses.values():
        use.cases = len({request.case_id for column, request in asked if column is use.column})
    for start in range(0, len(asked), BATCH):
        batch = [request for _, request in asked[start : start + BATCH]]
        _look(batch, by_measurement, seen, lookup(batch, cache)[0])
    cases = len({request.case_id for _, request in asked})
    # The levers compare with a run over every case and rubric, which an experiment is not.
    return _plan(loaded, outputs, cases, list(uses.values()), seen).model_copy(update={"levers": ()})


def _requests(
    request: RunRequest,
    golden: GoldenSet,
    outputs: OutputsFolder,
    needed: _Needed,
) -> Iterator[tuple[int, list[JudgeRequest]]]:
    selector = Selector(request)
    for case in golden:
        output = outputs.last_attempt(case.id)
        if not selector.takes(case):
            continue
        asked: list[JudgeRequest] = []
        kind = needed.columns.kind_of(case)
        if kind.asking and output is not None and exclusion_of(output) is None:
            from evalkit.pipeline.classified import put_by

            needed.waiting += [(column, put_by(column, selector.taken, case, output, None)) for column in kind.asking]
        if output is not None and exclusion_of(output) is None and not is_blank(output.text or ""):
            for column in kind.judged:
                if column.unasked(case) is not None:
                    continue
                needed.uses[id(column)].cases += 1
                requests = requests_for(column.measurement, case, output)
                if column.measurement.cheap is None:
                    asked += requests
                else:
                    needed.cascaded.append(JudgedCase((selector.taken, 0), case, output, column, requests))
        yield selector.taken, asked
    selector.check(golden.count)


def _classifier_plans(
    columns: Columns, waiting: list[tuple[CodeColumn, PutBy]], cache: ReplyCache | None
) -> tuple[ClassifierPlan, ...]:
    if not any(column.asks for column in columns.code):
        return ()
    from evalkit.pipeline.classified import by_column, plan_of

    counted: set[str] = set()
    return tuple(plan_of(column, cases, cache, counted) for column, cases in by_column(columns.code, waiting))


def _cascade_plans(
    columns: Columns, waiting: list[JudgedCase], cache: ReplyCache | None
) -> tuple[list[ClassifierPlan], list[JudgeRequest]]:
    """Return what the classifiers before judges would be asked, and what is left to those judges at most."""
    plans: list[ClassifierPlan] = []
    left: list[JudgeRequest] = []
    for column in columns.judged:
        if column.measurement.cheap is not None:
            from evalkit.pipeline.cascade import plan_of

            plan, requests = plan_of(column, [judged for judged in waiting if judged.column is column], cache)
            plans.append(plan)
            left += requests
    return plans, left


def _look(
    batch: list[JudgeRequest], by_measurement: dict[int, _Use], seen: _Seen, found: list[Judgement | None]
) -> None:
    for asked, judgement in zip(batch, found, strict=True):
        request = asked.put()
        use = by_measurement[id(request.measurement)]
        use.requests += 1
        prompt = "".join(message["content"] for message in request.messages)
        if request.measurement.judge.client == "floor":
            use.at_once += 1
        elif judgement is not None:
            use.cached += 1
            _learn(seen, prompt, judgement)
        elif request.key in seen.keys:
            use.shared += 1
        else:
            seen.keys.add(request.key)
            use.to_buy += 1
            seen.prefix_chars += shared_prefix(seen.last_prompt, prompt)
            seen.last_prompt = prompt
            for part, chars in _parts(request, prompt).items():
                use.chars[part] += chars
            if request.split and request.split.key not in seen.keys:
                seen.keys.add(request.split.key)
                use.splits += 1
                for part, chars in _split_parts(request.split).items():
                    use.chars[part] += chars


def shared_prefix(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _learn(seen: _Seen, prompt: str, judgement: Judgement) -> None:
    """Take a cached verdict's own usage as the measure for what is to be bought; a retried one counts another prompt."""
    bought = judgement.purchase
    if bought is None or bought.tries != 1 or not bought.input_tokens or not bought.output_tokens:
        return
    seen.known += 1
    seen.known_chars += len(prompt)
    seen.known_input += bought.input_tokens
    seen.known_output += bought.output_tokens


def _parts(request: JudgeRequest, prompt: str) -> dict[str, int]:
    material = request.material
    candidate = len(material.candidate.shown)
    context = len(request.question) + sum(len(text.shown) for text in material.sources.values())
    rubric = len(request.measurement.mode.closing(request.measurement.form))
    return {
        "template": len(prompt) - candidate - context - rubric,
        "context": context,
        "candidate": candidate,
        "rubric": rubric,
    }


def _split_parts(split: JudgeRequest) -> dict[str, int]:
    """Return the characters of a request to split a reference: the reference counts as context, the rest is the template."""
    context = len(split.material.candidate.shown)
    return {"template": sum(len(message["content"]) for message in split.messages) - context, "context": context}


def _plan(loaded: LoadedSuite, outputs: str, cases: int, uses: list[_Use], seen: _Seen) -> Plan:
    names = [FLOOR_NAME if judge.client == "floor" else judge.model or "" for judge in loaded.judges]
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
        input_tokens=total,
        output_tokens=out,
        input_share=total.total / (total.total + out) if to_buy else None,
        cost_usd=_cost(uses, rows),
        levers=_levers(cases, rows, loaded.judge.samples, seen),
        basis=f"estimates from {measured if seen.known else ruled}; one reply per request{SPLIT_BASIS if splits else ''}",
    )


def _cost(uses: list[_Use], rows: tuple[PlanRow, ...]) -> float | None:
    """Return what the verdicts to buy cost, each use at its own judge's prices; None where these are not known."""
    costs = [
        cost_of(use.column.measurement.judge.prices, row.input_tokens.total, row.output_tokens)
        for use, row in zip(uses, rows, strict=True)
        if row.to_buy
    ]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _row(use: _Use, seen: _Seen) -> PlanRow:
    tokens = {name: round(chars / seen.chars_per_token) for name, chars in use.chars.items()}
    return PlanRow(
        capability=use.column.measurement.capability,
        rubric=use.column.measurement.rubric.id,
        cases=use.cases,
        requests=use.requests,
        cached=use.cached,
        at_once=use.at_once,
        shared=use.shared,
        to_buy=use.to_buy,
        splits=use.splits,
        input_tokens=Tokens(**tokens),
        output_tokens=round((use.to_buy + use.splits) * seen.output_tokens),
    )


def _levers(cases: int, rows: tuple[PlanRow, ...], samples: int, seen: _Seen) -> tuple[Lever, ...]:
    requests = sum(row.requests for row in rows)
    to_buy = sum(row.to_buy for row in rows)
    calls = to_buy + sum(row.splits for row in rows)
    spent = sum(row.input_tokens.total + row.output_tokens for row in rows)
    each = (
        round(spent / calls)
        if calls
        else round((seen.known_input + seen.known_output) / seen.known)
        if seen.known
        else 0
    )
    spared = cases * len(rows) * samples - requests
    cached = sum(row.cached + row.shared for row in rows)
    prefix = round(seen.prefix_chars / seen.chars_per_token)
    needed = Lever(
        name="judge only what needs it",
        saves="requests that a judge for every case and rubric would add",
        requests=spared,
        tokens=spared * each,
    )
    if any(row.at_once for row in rows):
        return (needed,)  # the other levers save money, and the floor judge costs none
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
