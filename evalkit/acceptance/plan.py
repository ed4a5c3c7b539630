"""What an acceptance run would buy at most; nothing is asked. A replay knows its candidates, a live run only how many there can be."""

from __future__ import annotations

from evalkit.acceptance.criteria import Criteria, JudgeUse, build_criteria, covers
from evalkit.acceptance.request import AcceptRequest
from evalkit.acceptance.run import asked_judge, one_candidate, opened
from evalkit.judging.requests import JudgeRequest, requests_for
from evalkit.judging.verdicts import lookup
from evalkit.loading.golden import GoldenSet
from evalkit.loading.outputs import OutputsFolder, open_outputs
from evalkit.pipeline.replies import opened_cache
from evalkit.pipeline.request import Selector
from evalkit.providers.reply_cache import ReplyCache
from evalkit.records.base import Record
from evalkit.records.cases import Case
from evalkit.records.progress import Progress
from evalkit.text.normalise import is_blank


class AcceptPlan(Record):
    """`evalkit accept --plan`: upper bounds, because a request that is accepted early asks nothing further."""

    cases: int
    turns: int
    """Candidates: those that are cached, or that a live generator can be asked for at most."""
    requests: int
    """Judge requests, at most."""
    cached: int
    """Of these: verdicts in the cache, or that the floor judge gives at once; 0 for a live run, whose candidates nobody knows."""
    to_buy: int


def plan_acceptance(request: AcceptRequest, progress: Progress) -> AcceptPlan:
    """Return what a run would buy at most. Raises as `accept_suite`; makes no call and writes nothing."""
    loaded, spec = opened(request)
    criteria = build_criteria(spec, asked_judge(request, loaded, spec))
    golden = GoldenSet(loaded.folder / loaded.suite.golden)
    selector = Selector(request.run)
    most = spec.spec.terms.limits.quality_retries + 1
    if request.generator is not None:
        uses = [_uses(criteria, case) for case in golden if selector.takes(case)]
        selector.check(golden.count)
        samples = criteria.judged[0].measurement.judge.samples if criteria.judged else 0
        asked = most * samples * sum(map(len, uses))
        return AcceptPlan(cases=len(uses), turns=most * len(uses), requests=asked, cached=0, to_buy=asked)
    outputs = open_outputs(loaded.folder, one_candidate(request))
    floor = not criteria.judged or criteria.judged[0].measurement.judge.client == "floor"
    with opened_cache(request.run, progress.note, wanted=not floor) as cache:
        return _replayed(criteria, golden, outputs, selector, cache)


def _replayed(
    criteria: Criteria, golden: GoldenSet, outputs: OutputsFolder, selector: Selector, cache: ReplyCache | None
) -> AcceptPlan:
    cases = turns = requests = cached = 0
    missing: set[str] = set()
    for case in golden:
        if not selector.takes(case):
            continue
        cases += 1
        asked: list[JudgeRequest] = []
        for output in outputs.attempts(case.id):
            turns += 1
            if output.error is None and not is_blank(output.text or ""):
                asked += [one for use in _uses(criteria, case) for one in requests_for(use.measurement, case, output)]
        _, misses = lookup(asked, cache)
        requests += len(asked)
        cached += len(asked) - len(misses)
        missing |= {miss.key for miss in misses}
    selector.check(golden.count)
    return AcceptPlan(cases=cases, turns=turns, requests=requests, cached=cached, to_buy=len(missing))


def _uses(criteria: Criteria, case: Case) -> list[JudgeUse]:
    return [use for use in criteria.judged if any(covers(criterion, case) for criterion in use.wanted)]
