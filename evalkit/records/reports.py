"""report.json: rows beside each other, never merged, each with n, what was excluded and why, and an interval."""

from typing import Literal

from pydantic import Field

from evalkit.records.base import Json, Record
from evalkit.records.tiers import CascadeReport

Interval = tuple[float, float]
Completeness = Literal["complete", "partial", "incomplete"]


class ConstitutionUse(Record):
    """A content standard that a judge applied, and whether the outputs were written under it."""

    rubric: str
    sha256: str
    """Of the text in the judge's prompt."""
    candidate_sha256: str | None
    """What candidate.yaml says; None where it says nothing."""
    state: Literal["same", "differs", "unknown"]


class SampleSpread(Record):
    """How far a count is rerun noise: the same answers, read several times."""

    samples: int
    """Readings of each answer."""
    per_sample: tuple[float, ...]
    """Mean over the answers, reading by reading."""
    item_variance: float | None
    """Variance between answers; None where it cannot be told."""
    rerun_variance: float | None
    """Variance between readings of one answer."""
    standard_error: float | None
    """Of the row's value, from both."""
    note: str = ""
    """What this cannot carry, or why there is none."""


class Row(Record):
    """One number about one capability. n + sum(excluded) = total, always."""

    capability: str
    scorer: str
    """Scorer or rubric name."""
    criterion: str
    mode: Literal["code", "classifier", "pointwise", "pairwise", "reference", "triage"]
    kind: Literal["deterministic", "classifier", "judge", "policy"]
    estimate: Literal["rate", "mean"]
    n: int
    """Cases scored."""
    excluded: dict[str, int]
    """Reason -> cases; never zero entries."""
    total: int
    """Cases that the capability covers."""
    passed: int | None
    """Cases that passed; None where the criterion has no pass rule."""
    value: float | None
    """passed/n for a rate, the mean for a mean; None where n is 0."""
    interval: Interval | None
    """95 %: Wilson for a rate (fractions), t over cases for a mean."""
    interval_clustered: Interval | None = None
    """95 % with clusters (`meta.cluster`) respected."""
    clusters: int | None = None
    """Clusters behind `interval_clustered`."""
    bounds: Interval | None = None
    """Worst case over the exclusions whose outcome is unknown: all of them fail, all of them pass. Rates only."""
    insufficient: bool
    """True where n is too small to read the value as a rate or a mean; such a row supports no decision."""
    note: str = ""
    """What an interval or a value cannot say, e.g. `no data`, `SD = 0`."""
    signature: dict[str, Json]
    """What makes the number; rows compare only where equal."""
    judge_config_hash: str | None = None
    trust: Literal["provisional", "trusted"] | None = None
    """Rows of judges and classifiers only; a classifier's are provisional."""
    reading: str = ""
    """What the row says and may not be used for."""
    spread: SampleSpread | None = Field(default=None, exclude_if=lambda spread: spread is None)
    """Counts per answer of a triage only."""


class JudgeHeader(Record):
    """Which judge stood behind a capability's rows."""

    capability: str
    rubric: str
    mode: str
    judge: str
    """The model asked for, or `floor, not a model`."""
    snapshots: tuple[str, ...]
    """Snapshots that answered, sorted."""
    classifier_snapshots: tuple[str, ...] = Field(default=(), exclude_if=lambda snapshots: not snapshots)
    """Of a cascade: models that answered for the classifier, sorted."""
    prompt: str
    judge_config_hash: str
    samples: int


class Counts(Record):
    """How cases and outputs joined."""

    cases: int
    """Cases of the golden set that this run covers."""
    golden: int
    """Cases in the golden set."""
    missing_outputs: int
    null_texts: int
    empty_texts: int
    output_errors: int
    extra_outputs: int
    """Outputs whose case is not in the golden set."""
    extra_ids: tuple[str, ...]
    """The first 20 of them."""
    earlier_attempts: int
    """Outputs that are not a case's last attempt."""


class Association(Record):
    """Length of the answer against the verdict, over the cases of one judge row (design: an audit, not a cause)."""

    capability: str
    criterion: str
    n: int
    somers_d: float | None
    interval: Interval | None
    spearman: float | None
    spearman_ceiling: float | None
    """sqrt(3pq): what Spearman cannot exceed at this pass rate."""
    note: str = ""


class Health(Record):
    """The judge as an instrument, in this run."""

    judged: int
    """Judge requests that were answered or failed, those about a cascade's sample included."""
    verdicts: int
    judge_errors: dict[str, int]
    """Rejection kind of the last try -> requests."""
    judge_error_rate: float | None
    budget: float
    within_budget: bool
    not_bought: int
    """Requests without an answer: max_cost, early stop, interruption, a batch that has not ended."""
    in_open_batches: int = Field(default=0, exclude_if=lambda count: not count)
    """Of these: submitted in a batch that had not ended, or of which nobody could say whether it was started; the rest was never asked."""
    left_to_buy: int = Field(default=0, exclude_if=lambda count: not count)
    """What was never asked, identical requests once, as `evalkit plan` counts it."""
    first_try_valid: float | None
    """Share of answered requests whose first reply passed every check."""
    verdict_retries: int
    findings: int
    """Cases with an instruction in the material or an altered text."""
    length: tuple[Association, ...] = ()
    self_agreement: str = "not measured"


class Gating(Record):
    """Whether the run's numbers may support a decision at all."""

    valid: bool
    reasons: tuple[str, ...]


class PolicyBreach(Record):
    """A condition that blocks, and the cases that broke it."""

    condition: str
    breaches: int
    unknown: int
    """Cases in which the condition could not be decided."""
    cases: tuple[str, ...]
    """The first 20."""


class Report(Record):
    """The whole of report.json. It never changes after the run and holds nothing of clock, machine or purchases."""

    schema_version: Literal[1] = 1
    suite: dict[str, str]
    """name, version, sha256 (of everything in the suite that makes the measurement)."""
    golden_sha256: str
    outputs: dict[str, str]
    """name, sha256."""
    candidate: dict[str, str | None]
    """name, model, family."""
    judges: tuple[JudgeHeader, ...]
    independence: dict[str, Json]
    """family_differs (true, false, unknown), independent, reason."""
    completeness: Completeness
    selection: dict[str, Json]
    """What narrowed the run (`case`, `tag`, `limit`); empty for a whole one."""
    gating: Gating
    constitutions: tuple[ConstitutionUse, ...] = Field(default=(), exclude_if=lambda uses: not uses)
    """Content standards that judges applied; left out where there are none."""
    counts: Counts
    rows: tuple[Row, ...]
    health: Health | None
    cascades: tuple[CascadeReport, ...] = Field(default=(), exclude_if=lambda cascades: not cascades)
    """Judge uses with a classifier before the judge: who decided what; left out where there are none."""
    policy: tuple[PolicyBreach, ...]
    trust: dict[str, str] | None = None
    """SHA-256 of the trust.json that the rows' trust was read from; None where the suite has none."""
    baseline: dict[str, Json] | None = None
