"""A cascade's record: what the classifier said before the judge, who decided a case, how the two agree, what each tier took."""

from typing import Annotated, Literal

from pydantic import Field

from evalkit.records.bands import Cut
from evalkit.records.base import Record
from evalkit.records.decisions import Probability

CheapBand = Literal["pass", "fail", "uncertain"]
Why = Literal["sure", "uncertain", "classifier_failed", "altered_text", "not_asked"]
"""sure: the classifier decides. Otherwise the judge does: an answer lies between the cuts; there is none; the material has a text that
is shown altered; the run was interrupted before anybody was asked."""


class CheapAnswer(Record):
    """What the classifier said about one criterion."""

    p_pass: Probability
    """Probability that the pass condition holds."""
    band: CheapBand
    model: str
    """The model that answered, as the server named it."""
    calibrated: bool
    """Whether its probabilities are meant to be frequencies."""


class JudgeCheck(Record):
    """What the judge said about a case that the classifier decides; it changes no grade."""

    request_key: str
    """Cache key of the judge's reply, which holds its evidence."""
    grades: dict[str, str]
    """Criterion, and `overall` -> grade; empty where the judge gave no verdict."""


class TierReading(Record):
    """How a cascade came to a case's verdict. A verdict of the classifier quotes nothing: what carries it are these probabilities."""

    decided_by: Literal["classifier", "judge"]
    why: Why
    detail: str = ""
    """The classifier's failure, in words."""
    low: Cut
    high: Cut
    answers: dict[str, CheapAnswer] = Field(default_factory=dict)
    """Criterion -> answer; without those that nobody answered."""
    check: JudgeCheck | None = None
    """Of a sampled case that the classifier decides."""


class CascadeRow(Record):
    """One row of a cascade: who decided its cases, and whether both tiers say the same of those that both read."""

    criterion: str
    """A criterion of the rubric, or `overall`."""
    by_classifier: int
    by_judge: int
    """Cases sent on to the judge, with or without a verdict in the end."""
    uncertain: int | None
    """Cases in which this criterion lies between the cuts; None for `overall`."""
    checked: int
    """Sampled cases with a grade from both tiers."""
    agreed: int
    agreement: Annotated[float, Field(ge=0, le=1)] | None
    """agreed / checked; None without a checked case."""
    interval: tuple[float, float] | None
    """95 %, Wilson."""


class CascadeReport(Record):
    """A cascade in report.json: one judge use."""

    capability: str
    rubric: str
    judge_config_hash: str
    """Of the whole: the judge, the classifier, its questions, the cuts."""
    classifier: str
    """The model asked for, or the style that asks none."""
    configuration_hash: str
    """Of the classifier with its questions and cuts."""
    low: Cut
    high: Cut
    cases: int
    """Cases that some tier had to decide."""
    by_classifier: int
    escalated: dict[str, int]
    """Why a case went on to the judge -> cases."""
    share_escalated: float | None
    """Of `cases`, 0 to 1; None where there is none."""
    sampled: int
    """Cases of the classifier that the judge was to read as well."""
    sample_errors: dict[str, int] = Field(default_factory=dict, exclude_if=lambda errors: not errors)
    """Rejection kind of the judge's last try -> cases of the sample without its verdict; they count in the run's judge errors."""
    seed: int
    rows: tuple[CascadeRow, ...]


class TierUse(Record):
    """What one tier took in this run."""

    asked: int
    """Questions, or judge requests, answered by a server or by rules in this run."""
    cache_hits: int
    failed: int
    input_tokens: int | None
    """Of what was asked in this run; None where a server did not say, or nothing was asked."""
    output_tokens: int | None
    replayed: int = Field(default=0, exclude_if=lambda count: not count)
    """Answers of a recording, of `client: replay`: nobody was asked."""
    cost_usd: float | None
    """None where the tier's prices or tokens are not known; 0 where nothing was asked and prices are known, and of a rule or a
    list of answers, which ask nobody."""


class ExperimentCascade(Record):
    """What classifiers did before the judge in an experiment. Each sample and each version of a text is decided by itself."""

    verdicts: int
    """Verdicts that cascades had to give."""
    by_classifier: int
    classifier_failed: int
    """Verdicts that the judge gave because the classifier had no answer."""
    not_asked: int = Field(default=0, exclude_if=lambda count: not count)
    """Verdicts about which nobody asked the classifier, so that nobody decided."""
    classifier: TierUse
    """Questions, not verdicts."""
    answers_cost_usd: float | None
    """US dollars that all answers behind these verdicts took, whenever they were asked; None where prices or tokens are not known."""


class CascadeUse(Record):
    """A cascade in a manifest: one judge use, and the cost of each tier."""

    capability: str
    rubric: str
    models: tuple[str, ...]
    """Models that answered the classifier's questions, sorted."""
    classifier: TierUse
    judge: TierUse
    """The cases that went on."""
    check: TierUse
    """The judge on the sample."""
