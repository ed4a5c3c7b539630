"""classified.jsonl and the manifest's part on classifiers: what a classifier answered about each case, and what asking took."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from evalkit.records.base import Json, Record
from evalkit.records.decisions import Answer, Probability

CRITERION = "classifier"
"""The criterion of a classifier scorer's row, and of labels about it."""
UNCERTAIN = "uncertain"
"""Why a case is not scored whose answer lies between the bands: it is neither rounded to a pass nor to a fail."""

ClassifiedOutcome = Literal["pass", "fail", "uncertain"]


class ClassifiedCase(Record):
    """One line of classified.jsonl: the answer to one classifier scorer's question about one case."""

    case_id: str
    capability: str
    scorer: str
    """What its rows are called."""
    output_sha256: str
    """Hash of the answer's text."""
    configuration_hash: str
    """Classifier, question, bands and pass rule together: what figures and trust belong to."""
    answer: Annotated[Answer, Field(discriminator="type")]
    """Probabilities, as they were given."""
    p_pass: Probability
    """Probability that the case passes, under the pass rule and without the bands."""
    model: str
    """The model that answered, as the server named it."""
    calibrated: bool
    """Whether its probabilities are meant to be frequencies."""
    outcome: ClassifiedOutcome
    """How the bands and the pass rule read the answer."""
    why: str
    """The same in words."""


class ClassifierUse(Record):
    """One classifier scorer in a manifest: which configuration answered, and what this run asked and was spared."""

    capability: str
    scorer: str
    """What its rows are called."""
    configuration_hash: str
    identity: dict[str, Json]
    """The classifier without question and bands."""
    asked_sha256: str | None = None
    """Hash of what people are asked where they label its cases; None in runs that do not say."""
    labels: dict[str, bool] = Field(default_factory=dict)
    """Label that people may give -> whether the case then passes; empty in runs that do not say, for `pass` and `fail`."""
    models: tuple[str, ...] = ()
    """Models that answered, sorted."""
    cases: int = 0
    """Cases about which an answer was needed."""
    asked: int = 0
    """Questions answered in this run."""
    cache_hits: int = 0
    """Answers read from the cache."""
    shared: int = 0
    """Cases with the same question about the same state as another one of this run."""
    failed: int = 0
    """Questions without an answer that can be used."""
    not_asked: int = 0
    """Questions that were never asked: an interruption, or too many failures in a row."""
    input_tokens: int | None = None
    """Of the answers of this run; None where a server did not say, or nothing was asked."""
    output_tokens: int | None = None
