"""What acceptance writes: a line per attempt in acceptance.jsonl, and one report over all requests."""

from typing import Literal

from pydantic import Field

from evalkit.records.acceptance_terms import AcceptanceTerms
from evalkit.records.base import Json, Record
from evalkit.records.manifests import Purchases
from evalkit.records.reports import Completeness, Interval


class Retries(Record):
    """How often something was done again for one request so far, each kind apart."""

    quality_retries: int
    verdict_retries: int
    transport_retries: int
    tool_turns: int


class CriterionResult(Record):
    """One criterion on one candidate."""

    name: str
    required: bool
    weight: float
    strategy: Literal["code", "judge"]
    result: Literal["passed", "missed", "not_applicable", "undecided"]
    reason: str = ""
    """Why, in the scorer's or the judge's words."""


class ConditionResult(Record):
    """One policy condition on one candidate, decided in code."""

    condition: str
    result: Literal["held", "broken", "undecided", "not_applicable"]
    reason: str = ""


class VerdictReference(Record):
    """Where a verdict stands: a line of verdicts.jsonl. It belongs to this attempt's text and to no other."""

    capability: str
    rubric: str
    sample: int
    request_key: str
    output_sha256: str
    judge_config_hash: str
    outcome: Literal["verdict", "no_verdict"]


class AcceptanceLine(Record):
    """One line of acceptance.jsonl: an attempt, what was found about it, and what followed."""

    schema_version: Literal[1] = 1
    case_id: str
    attempt: int | None
    """None where there was no attempt at all."""
    output_sha256: str | None
    """Hash of the candidate's text; None where there is none."""
    subject: str
    """What was judged, in one sentence; empty where nothing was."""
    unchanged: bool = False
    """Whether this retry gave the text of the attempt before it."""
    feedback_given: str | None
    """The instructions that led to this attempt, as its output says; None where it says nothing."""
    state_before: str
    path: tuple[str, ...]
    """Every state in order, `state_before` first and `state_after` last."""
    state_after: str
    reason: str
    detail: str
    policy: tuple[ConditionResult, ...] = ()
    criteria: tuple[CriterionResult, ...] = ()
    score: float | None = None
    """sum(weight x passed) / sum(weight) over the criteria that apply; None where one could not be decided, or none applies."""
    meets: bool | None = None
    """Whether every required criterion passes and the score reaches the threshold; None without a score. Also for a blocked candidate."""
    trusted: bool | None = None
    """Whether each judge that took part has earned trust; None where none did."""
    verdicts: tuple[VerdictReference, ...] = ()
    feedback: str | None = None
    """The instructions for the next attempt."""
    counts: Retries
    independent: bool | None
    """Whether the judge is independent of the generator; None for unknown."""


class AcceptedAt(Record):
    """What one attempt number brought."""

    attempt: int
    candidates: int
    """Requests that had a candidate of this number."""
    complete: int
    complete_provisional: int
    accepted_unjudged: int


class Named(Record):
    """Some requests, counted, the first of them by id."""

    n: int
    cases: tuple[str, ...]
    """The first 20."""


class FeedbackEffect(Record):
    """Whether a fault that feedback named was gone in the next attempt. n + excluded = named."""

    criterion: str
    """A criterion's name; `any` counts retries and asks whether at least one named fault was gone."""
    named: int
    """Retries whose feedback named it."""
    n: int
    """Those in which it was decided again."""
    excluded: int
    changed: int
    """Of n: missed before, passed now."""
    rate: float | None
    interval: Interval | None
    """95 % Wilson; with several retries of one request, on the effective sample size."""
    kept: int
    """Retries in which it passed before and was decided again."""
    broken: int
    """Of `kept`: passed before, missed now; nobody had faulted it."""
    reading: str = ""


class RetryCounts(Record):
    """What the quality retries came to."""

    retries: int
    """Candidates made from feedback and looked at."""
    unchanged: int
    """Of these: the same text again."""
    wasted: int
    """Of these: no named fault was gone, an unchanged text included."""
    broke_something: int
    """Of these: an untouched criterion that had passed is missed now."""
    unread_attempts: int
    """Cached attempts after a request's end; they were made, and nobody looked."""


class AcceptanceReport(Record):
    """acceptance.json."""

    schema_version: Literal[1] = 1
    suite: str
    golden_sha256: str
    outputs: str
    """Name of the recording, or of the live run."""
    outputs_sha256: str
    """Hash of the cached attempts; empty for a live run, whose attempts grow."""
    mode: Literal["replay", "live"]
    specification: str
    specification_version: str
    specification_sha256: str
    """Hash of criteria, rubrics, lexicons, policy and terms; the judge has a hash of its own."""
    terms: AcceptanceTerms
    criteria: tuple[dict[str, Json], ...]
    """name, required, weight, strategy of each criterion."""
    policy: tuple[str, ...]
    judge: str | None
    """The model asked for, or `floor, not a model`; None where code decides everything."""
    judge_family: str | None
    judge_config_hashes: dict[str, str]
    """`capability/rubric` -> hash of the judge's configuration."""
    generator: dict[str, Json]
    """name, model, family of what made the candidates; null where unknown."""
    independence: dict[str, Json]
    """family_differs (true, false, unknown), independent, reason."""
    completeness: Completeness
    selection: dict[str, Json] = Field(default_factory=dict)
    cases: int
    endings: dict[str, int]
    """Ending -> requests; never zero entries. Their sum and `unfinished` are `cases`."""
    reasons: dict[str, int]
    """`ending: reason` -> requests."""
    untrusted: dict[str, int] = Field(default_factory=dict, exclude_if=lambda untrusted: not untrusted)
    """Why a judge's word was not enough (`complete_provisional`) -> requests."""
    by_trusted_judge: int = Field(default=0, exclude_if=lambda count: not count)
    """Of the complete ones: those in which a judge that is trusted had a say."""
    unfinished: int = 0
    """Requests that an interruption left open."""
    accepted: tuple[AcceptedAt, ...]
    safe_but_insufficient: Named
    """Policy held on the last candidate, quality was missed, and a limit ended it."""
    good_but_blocked: Named
    """Meets every criterion and may not run; only where blocked candidates are judged."""
    blocked_judged: bool
    """Whether blocked candidates were judged at all."""
    retries: RetryCounts
    feedback: tuple[FeedbackEffect, ...]
    exit_status: int
    notes: tuple[str, ...] = ()


class AcceptancePurchases(Record):
    """purchases.json: all that differs between two runs over the same inputs. Of the judge; a generator's costs stand in its outputs."""

    schema_version: Literal[1] = 1
    finished_at: str
    """UTC, ISO 8601."""
    evalkit_version: str
    purchases: Purchases
    notes: tuple[str, ...] = ()
    """What went wrong without stopping the run, e.g. a damaged cache that was moved aside."""
