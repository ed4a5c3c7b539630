"""Which judge to take: candidates on the same labelled answers, and per capability the cheapest that clears the suite's bars."""

from typing import Literal

from pydantic import Field

from evalkit.records.base import Record
from evalkit.records.calibrations import Beside, ClassRate
from evalkit.records.manifests import Latency
from evalkit.records.reports import Interval
from evalkit.records.tiers import ExperimentCascade
from evalkit.records.trust import TrustState


class JudgeCandidate(Record):
    """One judge.yaml that was tried."""

    file: str
    """As it was named."""
    judge: str
    """The model asked for, or `floor, not a model`."""
    requests: int
    """Verdicts asked for."""
    verdicts: int
    """Verdicts that passed every check."""
    cost_per_verdict: float | None
    """US dollars, from prices and the tokens that each verdict took when it was bought; None where either is unknown."""
    latency_ms: Latency | None
    """Of the calls made now; None where every verdict was cached."""
    cost_usd: float | None
    """What this comparison bought."""
    cascade: ExperimentCascade | None = Field(default=None, exclude_if=lambda cascade: cascade is None)
    """What the classifier before this judge did, where there is one."""


class CriterionFigures(Record):
    """One candidate on one criterion, over the blind test labels that were drawn by chance."""

    file: str
    capability: str
    rubric: str
    criterion: str
    n: int
    excluded: dict[str, int]
    agreement: float | None
    agreement_interval: Interval | None
    tpr: ClassRate
    tnr: ClassRate
    balanced_accuracy: float | None
    state: TrustState
    """What the labels alone say: TRUSTED where both rates clear their bars, also with every missing verdict wrong."""
    reading: str = ""


class CapabilityChoice(Record):
    """The cheapest judge of a capability that clears the bars: candidates in the order given, stopping at the first that does not."""

    capability: str
    chosen: str | None
    """The judge.yaml; None where the first candidate does not clear."""
    criteria: tuple[str, ...]
    """What was tested; every one must clear."""
    unlabelled: tuple[str, ...]
    """Criteria without such labels: nothing is known about them."""
    states: dict[str, TrustState]
    """File -> how it came out; a candidate after the first that does not clear is shown, but not tested."""
    saves_per_verdict: float | None
    """US dollars less than the first candidate; None where a cost is unknown."""
    saves_share: float | None
    reading: str


class CrossJudge(Record):
    """Two candidates on the same answers."""

    capability: str
    rubric: str
    criterion: str
    agreement: Beside


class Choice(Record):
    """The whole of one comparison of judges."""

    schema_version: Literal[1] = 1
    made_at: str
    """UTC, ISO 8601."""
    evalkit_version: str
    suite: str
    outputs: str
    outputs_sha256: str
    labels_sha256: str
    completeness: Literal["complete", "incomplete"]
    candidates: tuple[JudgeCandidate, ...]
    """In the order given: strongest, or most expensive, first."""
    figures: tuple[CriterionFigures, ...]
    capabilities: tuple[CapabilityChoice, ...]
    routes: dict[str, str] = Field(default_factory=dict)
    """For `routes` of the suite's judge.yaml: capability -> file, relative to its folder. A capability whose choice is that judge.yaml has none."""
    cross: tuple[CrossJudge, ...] = ()
    unmatched: dict[str, int] = Field(default_factory=dict)
    """Reason -> labelled items that are about nothing here."""
    notes: tuple[str, ...] = ()
