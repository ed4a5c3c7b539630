"""manifest.json, the judge manifest: which configuration produced a run, and all that differs between two runs over the same inputs."""

from typing import Literal

from pydantic import Field

from evalkit.records.base import Json, Record
from evalkit.records.classified import ClassifierUse
from evalkit.records.reports import Completeness
from evalkit.records.tiers import CascadeUse


class CaseCost(Record):
    """What the verdicts of one judge use took per case when they were bought, now or by an earlier run; all samples and retries."""

    cases: int
    """Cases with a verdict that was bought."""
    input_tokens: float
    output_tokens: float
    cost_usd: float | None
    """US dollars per case; None where the judge has no prices."""
    unknown_usage: int = 0
    """Verdicts whose usage the server did not say; the figures are lower bounds where this is not 0."""


class JudgeUseManifest(Record):
    """One judge use, with everything that makes its measurement."""

    capability: str
    judge_config_hash: str
    identity: dict[str, Json]
    """What the hash covers: model, endpoint, params as sent, prompt, rubric, schema, constitution, preprocessing, validator, samples."""
    client: str
    snapshots: tuple[str, ...]
    """Snapshots that answered, sorted."""
    classifier_snapshots: tuple[str, ...] = Field(default=(), exclude_if=lambda snapshots: not snapshots)
    """Of a cascade: models that answered for the classifier, sorted."""
    family: str | None
    structured_output_sent: bool
    wordings: dict[str, str] = Field(default_factory=dict)
    """Criterion -> hash of what the rubric asked; empty in older runs. Labels about another wording do not count for this run."""
    batched: int = Field(default=0, exclude_if=lambda count: not count)
    """Verdicts whose first reply a batch brought, in this run or when the cache got them; the others were asked for one by one."""
    per_case: CaseCost | None = Field(default=None, exclude_if=lambda cost: cost is None)
    """None where nothing was ever bought: the floor judge, recordings, and older runs."""


class Latency(Record):
    """Wall time of this run's calls, in milliseconds."""

    p50: float
    p90: float
    p99: float
    max: float


class Purchases(Record):
    """What this run bought and what it was spared."""

    calls: int = 0
    """Requests answered by the server, verdict retries and splits of references included."""
    batched: int = 0
    """Of the calls: those whose reply a batch brought."""
    too_large: int = Field(default=0, exclude_if=lambda count: not count)
    """Requests larger than `batch.max_bytes`: they were left to be asked one by one, at the judge's own prices."""
    bought: int = 0
    """Verdicts bought."""
    failed: int = 0
    """Judge requests that ended without a verdict."""
    replayed: int = 0
    """Requests answered from a recording; nothing was bought for them."""
    cache_hits: int = 0
    """Verdicts read from the cache."""
    shared: int = 0
    """Identical requests answered by one purchase."""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    """Input tokens that the provider served from its own cache."""
    unknown_usage: int = 0
    """Calls whose usage the server did not say; the token counts are lower bounds where this is not 0."""
    cost_usd: float | None = None
    """Cost of this run's calls; None where no prices are known, a lower bound where `unknown_usage` is not 0."""
    saved_input_tokens: int = 0
    saved_output_tokens: int = 0
    saved_cost_usd: float | None = None
    """What the cache hits cost when they were bought."""
    verdict_retries: int = 0
    transport_retries: dict[str, int] = Field(default_factory=dict)
    """Reason -> requests sent again."""
    latency_ms: Latency | None = None
    stopped: str | None = None
    """Why buying stopped before everything was bought: `max_cost`, `cost_unknown`, `judge_answers_nothing`, `batch_open` (it was waited for as long as
    judge.yaml allows), `interrupted`; None where it did not."""


class Manifest(Record):
    """The whole of manifest.json."""

    schema_version: Literal[1] = 1
    run_id: str
    suite: str
    completeness: Completeness
    started_at: str
    """UTC, ISO 8601."""
    finished_at: str | None = None
    evalkit_version: str
    python: str
    machine: str
    packages: dict[str, str]
    """Versions of the packages that carried the run."""
    suite_sha256: str
    golden_sha256: str = ""
    outputs_sha256: str = ""
    outputs: str
    suite_path: str = ""
    """suite.yaml as it was found, so that `evalkit show` can print a case beside its verdict; empty where unknown."""
    outputs_path: str = ""
    """Folder or file of the outputs, for the same reason."""
    candidate: dict[str, Json]
    """candidate.yaml."""
    judges: tuple[JudgeUseManifest, ...]
    family_differs: Literal["true", "false", "unknown"]
    independent: bool | None
    """False where judge and candidate share model or family; None where that is unknown."""
    independence_reason: str
    budgets: dict[str, Json]
    scorers: tuple[dict[str, Json], ...] = ()
    """Signatures of the scorers that are no judge."""
    classifiers: tuple[ClassifierUse, ...] = ()
    """The scorers that ask a classifier: which configuration, who answered, what asking took."""
    cascades: tuple[CascadeUse, ...] = Field(default=(), exclude_if=lambda cascades: not cascades)
    """Judge uses with a classifier before the judge: what each tier took."""
    purchases: Purchases = Purchases.model_construct()
    notes: tuple[str, ...] = ()
    """What went wrong without stopping the run, e.g. a damaged cache that was moved aside."""
