"""Acceptance from Python: one request, a generator that is a function, a judge, a specification; the same chain and the same machine.

result = await accept("How long do I have?", generate, "judge.yaml", "acceptance.yaml")
if result.state == "complete":
send(result.output.text)
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evalkit.acceptance.chain import Chain, Trust, nobody_trusted
from evalkit.acceptance.criteria import Criteria, build_criteria
from evalkit.acceptance.generator import request_of
from evalkit.acceptance.independence import independence_of
from evalkit.errors import UsageError
from evalkit.judging.requests import JudgeRequest
from evalkit.judging.stop import Stop
from evalkit.judging.verdicts import buy, lookup, not_bought
from evalkit.loading.acceptance_files import LoadedSpec, load_spec
from evalkit.loading.output_objects import UnreadableOutputError, output_from
from evalkit.loading.suites import load_judge
from evalkit.providers.meter import Meter
from evalkit.providers.reply_cache import ReplyCache, open_cache
from evalkit.records.acceptance_log import AcceptanceLine
from evalkit.records.base import Json
from evalkit.records.cases import Case
from evalkit.records.judges import JudgeConfig
from evalkit.records.outputs import Candidate, Output
from evalkit.records.verdicts import Judgement

Answer = Output | Mapping[str, Json] | str
Generate = Callable[[dict[str, Json], str | None, int], Awaitable[Answer] | Answer]
"""(request, feedback, attempt) -> the candidate: a text, an output's fields, or an Output. May be async. What it raises is the caller's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """How a request ended, and why. Only `complete` says that the result is done."""

    state: str
    reason: str
    detail: str
    output: Output | None
    """The candidate that was looked at last; what it is worth says `state`."""
    lines: tuple[AcceptanceLine, ...]
    """An entry per attempt, as in acceptance.jsonl."""
    judgements: tuple[Judgement, ...]
    independence: Mapping[str, Json]

    @property
    def complete(self) -> bool:
        """Whether every term was met."""
        return self.state == "complete"


async def accept(
    request: Case | Mapping[str, Json] | str,
    generate: Generate,
    judge: JudgeConfig | Path | str | None,
    spec: LoadedSpec | Path | str,
    *,
    trust: Trust = nobody_trusted,
    candidate: Candidate | None = None,
    cache: Path | None = None,
    judge_blocked: bool = False,
    on_attempt: Callable[[Output], None] | None = None,
) -> Accepted:
    """Ask for candidates until one is accepted or a limit ends it, and return how it ended.

    `request` is a text, a golden case's fields (input, context, evidence), or a Case; `judge` a judge.yaml, a JudgeConfig, or None for the
    specification's own. `candidate` says what makes the answers, for independence. `cache` is the folder of the reply cache; without
    one, verdicts are bought each time. `on_attempt` takes each attempt before it is judged.
    Raises InputError for faulty files and specifications before anything is generated, UsageError for a request that is none.
    """
    loaded = spec if isinstance(spec, LoadedSpec) else load_spec(Path(spec))
    asked = load_judge(Path(judge)) if isinstance(judge, str | Path) else judge
    criteria = build_criteria(loaded, asked)
    independence = independence_of(criteria, candidate or Candidate())
    chain = Chain(
        criteria=criteria,
        case=_case(request),
        trust=trust,
        independent=independence["independent"],
        judge_blocked=judge_blocked,
    )
    folder = Path(judge).parent if isinstance(judge, str | Path) else loaded.folder
    opened = _opened(criteria, cache)
    try:
        await _drive(chain, generate, _Judge(criteria, folder, opened), on_attempt)
    finally:
        if opened:
            opened.close()
    now = chain.situation
    return Accepted(
        state=now.state,
        reason=now.reason,
        detail=now.detail,
        output=chain.last,
        lines=tuple(chain.lines),
        judgements=tuple(chain.judgements),
        independence=independence,
    )


async def _drive(chain: Chain, generate: Generate, judge: _Judge, on_attempt: Callable[[Output], None] | None) -> None:
    attempt = 0
    while chain.wants_candidate:
        attempt += 1
        answer = generate(request_of(chain.case), chain.feedback, attempt)
        if inspect.isawaitable(answer):
            answer = await answer
        output = _output(answer, chain.case.id, attempt, chain.feedback)
        if on_attempt:
            on_attempt(output)
        chain.take(output)
        if chain.pending:
            chain.judged(await judge.ends(chain.pending))


def _output(answer: Answer, case_id: str, attempt: int, feedback: str | None) -> Output:
    """Return what a generator gave as this attempt's output; what is none is the attempt's error."""
    if isinstance(answer, str):
        return Output(case_id=case_id, attempt=attempt, text=answer, feedback=feedback)
    if isinstance(answer, Output):
        return answer.model_copy(update={"case_id": case_id, "attempt": attempt, "feedback": feedback})
    problem = f"the generator returned {type(answer).__name__}"
    if isinstance(answer, Mapping):
        try:
            return output_from(dict(answer), case_id, attempt, feedback)
        except UnreadableOutputError as error:
            problem = str(error)
    return Output(case_id=case_id, attempt=attempt, feedback=feedback, error=f"unreadable_output: {problem}")


def _case(request: Case | Mapping[str, Json] | str) -> Case:
    if isinstance(request, Case):
        return request
    fields: dict[str, Any] = {"input": request} if isinstance(request, str) else dict(request)
    try:
        return Case.model_validate({"id": "request", **fields}, strict=False)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise UsageError(f"request: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def _opened(criteria: Criteria, cache: Path | None) -> ReplyCache | None:
    judged = criteria.judged
    if cache is None or not judged or judged[0].measurement.judge.client == "floor":
        return None
    return open_cache(cache, lambda _: None)


@dataclass(slots=True)
class _Judge:
    """The judge of one request, within the caller's event loop."""

    criteria: Criteria
    folder: Path
    cache: ReplyCache | None
    _stop: Stop | None = None

    async def ends(self, requests: Sequence[JudgeRequest]) -> list[Judgement]:
        """Return the end of each request, in order."""
        found, misses = lookup(requests, self.cache)
        if misses:
            bought = await self._buy(misses)
            found = [end or bought.get(id(request)) for request, end in zip(requests, found, strict=True)]
        return [end or not_bought(request) for request, end in zip(requests, found, strict=True)]

    async def _buy(self, misses: Sequence[JudgeRequest]) -> dict[int, Judgement]:
        from evalkit.providers.channel import Channel
        from evalkit.providers.clients import make_client

        judge = misses[0].measurement.judge
        if self._stop is None:
            self._stop = Stop(Meter(judge.prices), max_cost=judge.max_cost, failures_allowed=judge.stop_after_failures)
        client = make_client(judge, self.folder)
        bought: dict[int, Judgement] = {}
        try:
            async for settled in buy(misses, Channel(client, judge, self._stop.meter), self.cache, self._stop):
                bought |= {id(request): judgement for request, judgement in settled}
        finally:
            await client.aclose()
        return bought
