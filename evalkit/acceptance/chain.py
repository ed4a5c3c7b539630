"""One request on its way to an ending: attempts go in, judge requests come out, verdicts go in, a line of the log comes out.

The chain asks nobody and waits for nothing; whoever drives it (a recording, a live generator, a caller of the library) brings candidates
and verdicts. The machine decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field

from evalkit.acceptance.assessment import Assessment, assess, result_of
from evalkit.acceptance.criteria import CodeCriterion, Criteria, JudgeUse
from evalkit.acceptance.events import failure, policy_event, verdict_event
from evalkit.acceptance.feedback import feedback_on
from evalkit.acceptance.machine import (
    Event,
    Failed,
    NoCandidate,
    Produced,
    Situation,
    Subject,
    step,
)
from evalkit.aggregation.exclusions import hides_outcome
from evalkit.judging.requests import JudgeRequest, Measurement, requests_for
from evalkit.judging.results import results_of, specs_of
from evalkit.records.acceptance import AcceptanceCriterion
from evalkit.records.acceptance_log import (
    AcceptanceLine,
    ConditionResult,
    CriterionResult,
    Retries,
    VerdictReference,
)
from evalkit.records.cases import Case
from evalkit.records.identity import text_sha256
from evalkit.records.outputs import Output
from evalkit.records.scores import NO_OUTPUT, Result, Score, Unscored
from evalkit.records.verdicts import Judgement
from evalkit.text.normalise import is_blank


@dataclass(frozen=True, slots=True)
class Untrusted:
    """That a judge is not trusted, and why; false, like a plain False."""

    reason: str

    def __bool__(self) -> bool:
        return False


Trust = Callable[[Measurement, str, frozenset[str]], bool | Untrusted]
"""Whether a judge has earned trust in a criterion of a judge use, answered by these snapshots; the trust ledger answers."""


UNSAID = "nobody answers for the judge"


def nobody_trusted(measurement: Measurement, criterion: str, snapshots: frozenset[str]) -> bool:
    """Answer for a suite without a trust ledger."""
    del measurement, criterion, snapshots
    return False


@dataclass(slots=True)
class _Looked:
    """The attempt that is being looked at."""

    output: Output | None
    before: str
    path: list[str]
    unchanged: bool = False
    policy: tuple[ConditionResult, ...] = ()
    uses: list[tuple[JudgeUse, list[JudgeRequest]]] = field(default_factory=list)
    verdicts: list[Judgement] = field(default_factory=list)
    assessment: Assessment | None = None
    trusted: bool | None = None
    doubts: dict[str, list[str]] = field(default_factory=dict)
    """Why not -> criteria."""


@dataclass(slots=True)
class Chain:
    """One request. `wants_candidate`, `take` or `failed`, then `pending` and `judged`, until `situation.ended`."""

    criteria: Criteria
    case: Case
    trust: Trust
    independent: bool | None
    judge_blocked: bool
    """Whether a candidate that policy blocks is judged all the same, for the record only."""
    situation: Situation = field(default_factory=Situation)
    feedback: str | None = None
    """The instructions for the next attempt."""
    lines: list[AcceptanceLine] = field(default_factory=list)
    judgements: list[Judgement] = field(default_factory=list)
    last: Output | None = None
    """The candidate that was looked at last."""
    _now: _Looked | None = None

    def __post_init__(self) -> None:
        """End at once where no criterion covers the request: nothing could say that it is done."""
        if not self.criteria.of(self.case):
            self.nothing("no_criterion", "no criterion of the specification covers this request")

    @property
    def wants_candidate(self) -> bool:
        """Whether the generator is to be asked."""
        return self.situation.state == "requested"

    @property
    def pending(self) -> list[JudgeRequest]:
        """The judge requests that wait for a verdict."""
        return [] if self._now is None else [request for _, requests in self._now.uses for request in requests]

    def nothing(self, reason: str, detail: str = "", *, exhausted: bool = False) -> None:
        """End for want of a candidate: a recording is over, or nobody can be asked."""
        event = NoCandidate(reason=reason, detail=detail, ending="exhausted" if exhausted else "error")
        if self.lines and exhausted:
            self._end_of_recording(event)
            return
        self._now = _Looked(None, self.situation.state, [self.situation.state])
        self._step(event)
        self._write()

    def _end_of_recording(self, event: NoCandidate) -> None:
        """Let the last attempt's line say that nothing came after it."""
        last = self.lines.pop()
        self.situation = step(self.situation, event, self.criteria.loaded.spec.terms)
        now = self.situation
        path = (*last.path, now.state)
        changed = {"path": path, "state_after": now.state, "reason": now.reason, "detail": now.detail}
        self.lines.append(last.model_copy(update=changed))

    def take(self, output: Output, *, more: bool = False) -> None:
        """Look at an attempt: policy and criteria in code; what is left stands in `pending`. `more`: a recording goes on after it."""
        now = self._now = _Looked(output, self.situation.state, [self.situation.state])
        again = output.transport_retries or 0
        if output.error is not None:
            self._fail(failure(output.error, again, more=more))
            return
        if output.text is None and not output.tool_calls:
            self._fail(Failed(reason="null_text", again=more, transport_retries=again))
            return
        subject = Subject(request=self.case.id, attempt=output.attempt, output_sha256=text_sha256(output.text or ""))
        now.unchanged = self.last is not None and (self.last.text or "") == (output.text or "")
        self._step(Produced(subject=subject, transport_retries=again, tool_turns=output.tool_turns or 0))
        now.policy = tuple(self._policy(output))
        self._step(policy_event(now.policy))
        if self.situation.state == "cleared" or (self.situation.state == "blocked_by_policy" and self.judge_blocked):
            now.uses = list(self._requests(output))
            if now.uses:
                return
            self.judged([])
            return
        self._write()

    def judged(self, judgements: Sequence[Judgement]) -> None:
        """Take the ends of all `pending` requests, in their order."""
        now = self._now
        if now is None or now.output is None:
            return
        now.verdicts = list(judgements)
        assessment = now.assessment = assess(list(self._results(now.output)))
        now.trusted = self._trusted(assessment, now)
        if self.situation.subject is not None and self.situation.state == "cleared":
            self._step(
                verdict_event(
                    self.situation.subject,
                    assessment,
                    trusted=now.trusted is not False,
                    doubt="; ".join(f"{why} ({', '.join(names)})" for why, names in now.doubts.items()),
                    verdicts=now.verdicts,
                )
            )
        self._write()

    def _fail(self, event: Failed) -> None:
        self._step(event)
        self._write()

    def _step(self, event: Event) -> None:
        self.situation = step(self.situation, event, self.criteria.loaded.spec.terms)
        if self._now is not None:
            self._now.path.append(self.situation.state)

    def _policy(self, output: Output) -> Iterable[ConditionResult]:
        for condition in self.criteria.policy:
            yield _condition(condition.name, condition.scorer.score(self.case, output))

    def _requests(self, output: Output) -> Iterable[tuple[JudgeUse, list[JudgeRequest]]]:
        """Yield what is to be asked; nothing about a text that says nothing, which code fails."""
        if is_blank(output.text or ""):
            return
        held = self._held()
        for use in self.criteria.judged:
            if any(criterion.name in held for criterion in use.wanted):
                yield use, requests_for(use.measurement, self.case, output)

    def _held(self) -> dict[str, AcceptanceCriterion]:
        return {criterion.name: criterion for criterion in self.criteria.of(self.case)}

    def _results(self, output: Output) -> Iterable[CriterionResult]:
        """Yield a result per criterion that covers the case, in the specification's order."""
        found = {**_by_code(self.criteria.code, self._held(), self.case, output), **self._by_judge(output)}
        for criterion in self.criteria.of(self.case):
            yield result_of(criterion, found[criterion.name])

    def _by_judge(self, output: Output) -> dict[str, Result]:
        if is_blank(output.text or ""):
            return {c.name: NO_OUTPUT for use in self.criteria.judged for c in use.wanted}
        found: dict[str, Result] = {}
        ends = iter(self._now.verdicts if self._now else ())
        for use, requests in self._now.uses if self._now else ():
            samples = [next(ends) for _ in requests]
            results = dict(
                zip((spec.id for spec in specs_of(use.measurement)), results_of(use.measurement, samples), strict=True)
            )
            for criterion in use.wanted:
                found[criterion.name] = results[criterion.strategy.criterion or ""]
        return found

    def _trusted(self, assessment: Assessment, now: _Looked) -> bool | None:
        """Return whether every judged criterion that had a say is trusted, and note why not; None where no judge had one."""
        said = {r.name for r in assessment.results if r.strategy == "judge" and r.result in {"passed", "missed"}}
        verdicts = now.verdicts
        asked = [(use.measurement, c) for use in self.criteria.judged for c in use.wanted if c.name in said]
        if not asked or not verdicts:
            return None
        trusted = True
        for measurement, criterion in asked:
            answer = self.trust(measurement, criterion.strategy.criterion or "", _snapshots(measurement, verdicts))
            trusted = trusted and bool(answer)
            if not answer:
                why = answer.reason if isinstance(answer, Untrusted) else UNSAID
                now.doubts.setdefault(why, []).append(criterion.name)
        return trusted

    def _write(self) -> None:
        """Close the attempt: its line, and the instructions for the next one."""
        now = self._now
        if now is None:
            return
        told = None
        if self.situation.state == "requested" and now.assessment is not None:
            told = self.feedback = self._feedback(now.assessment, now)
        self.lines.append(self._line(now, told))
        self.judgements += now.verdicts
        if "candidate" in now.path:
            self.last = now.output
        self._now = None

    def _line(self, now: _Looked, feedback: str | None) -> AcceptanceLine:
        output, assessment, situation = now.output, now.assessment, self.situation
        subject = situation.subject if "candidate" in now.path else None
        return AcceptanceLine(
            case_id=self.case.id,
            attempt=output.attempt if output else None,
            output_sha256=subject.output_sha256 if subject else None,
            subject=subject.sentence() if subject and assessment else "",
            unchanged=now.unchanged,
            feedback_given=output.feedback if output else None,
            state_before=now.before,
            path=tuple(now.path),
            state_after=situation.state,
            reason=situation.reason,
            detail=situation.detail,
            policy=now.policy,
            criteria=assessment.results if assessment else (),
            score=assessment.score if assessment else None,
            meets=assessment.meets(self.criteria.loaded.spec.terms.threshold) if assessment else None,
            trusted=now.trusted,
            verdicts=tuple(map(_reference, now.verdicts)),
            feedback=feedback,
            counts=Retries(**asdict(situation.counts)),
            independent=self.independent,
        )

    def _feedback(self, assessment: Assessment, now: _Looked) -> str:
        by_rubric = {(j.capability, j.rubric): j.verdict for j in now.verdicts}
        held = self._held()
        uses = {c.name: use.measurement for use in self.criteria.judged for c in use.wanted}
        missed = []
        for result in assessment.results:
            if result.result == "missed":
                criterion = held[result.name]
                asked = uses.get(result.name)
                verdict = by_rubric.get((asked.capability, asked.rubric.id)) if asked else None
                missed.append((criterion, self.criteria.description(criterion), result, verdict))
        return feedback_on(missed, now.output.attempt if now.output else 0)


def _by_code(
    code: Sequence[CodeCriterion], held: dict[str, AcceptanceCriterion], case: Case, output: Output
) -> dict[str, Result]:
    return {one.criterion.name: one.scorer.score(case, output)[one.place] for one in code if one.criterion.name in held}


def _condition(name: str, results: Sequence[Result]) -> ConditionResult:
    """Return one condition's result: any fail breaks it, and what hides an outcome leaves it undecided."""
    scores = [result for result in results if isinstance(result, Score)]
    broken = [score for score in scores if score.passed is False]
    if broken:
        return ConditionResult(condition=name, result="broken", reason=broken[0].reason)
    hidden = [result for result in results if isinstance(result, Unscored) and hides_outcome(result.reason)]
    if hidden:
        detail = f": {hidden[0].detail}" if hidden[0].detail else ""
        return ConditionResult(condition=name, result="undecided", reason=hidden[0].reason + detail)
    if not any(score.passed for score in scores):
        reason = next((r.reason for r in results if isinstance(r, Unscored)), "no_pass_rule")
        return ConditionResult(condition=name, result="not_applicable" if not scores else "undecided", reason=reason)
    return ConditionResult(condition=name, result="held")


def _snapshots(measurement: Measurement, verdicts: Sequence[Judgement]) -> frozenset[str]:
    """Return the snapshots that answered one judge use."""
    answered = (end.purchase.model for end in verdicts if end.purchase and end.rubric == measurement.rubric.id)
    return frozenset(model for model in answered if model)


def _reference(judgement: Judgement) -> VerdictReference:
    return VerdictReference(
        capability=judgement.capability,
        rubric=judgement.rubric,
        sample=judgement.sample,
        request_key=judgement.request_key,
        output_sha256=judgement.output_sha256,
        judge_config_hash=judgement.judge_config_hash,
        outcome="verdict" if judgement.verdict is not None else "no_verdict",
    )
