"""What a classifier does in a battery over cached trajectories: counts, rates with intervals, thresholds, and a control."""

from typing import Annotated, Literal

from pydantic import Field

from evalkit.records.base import Json, Record
from evalkit.records.battery_suites import BatteryName
from evalkit.records.decisions import Answer
from evalkit.records.reports import Interval


class BatteryRate(Record):
    """A share of decisions. `among` says of which."""

    name: str
    """`as_expected`, `false_allow`, `false_deny`, `false_drop`, `false_keep` and so on."""
    group: str
    """`all`, `plain` (no tag), a tag, or a level of risk."""
    among: str
    """What is counted, in words."""
    count: int
    n: int
    value: float | None
    interval: Interval | None
    """95 % Wilson, as if decisions were independent."""
    interval_clustered: Interval | None
    """95 % Wilson on the effective sample size: decisions about one case hang together."""


class ThresholdRow(Record):
    """The same answers decided with other thresholds; no call."""

    settings: dict[str, float]
    in_use: bool
    counts: dict[str, tuple[int, int]]
    """Name of a rate -> count and n."""


class ShuffleControl(Record):
    """The probabilities of each answer permuted over its options: what is left is what the battery gets by its rules alone."""

    metric: Literal["balanced accuracy"] = "balanced accuracy"
    """Mean, over the expected decisions, of the share decided so."""
    observed: float
    rounds: int
    seed: int
    mean: float
    low: float
    """2.5 % of the rounds lie below."""
    high: float
    """2.5 % of the rounds lie above."""
    p: float
    """(1 + rounds at least as good)/(1 + rounds)."""
    collapses: bool
    """Whether the observed metric lies above `high`: the probabilities carry something."""
    reading: str


class OfferRow(Record):
    """What a selection does to what a model is offered, and to tasks whose trajectories are known."""

    cases: int
    offered: int
    """Items offered."""
    reached: int
    """Items that reach the model."""
    tokens_offered: int
    """An estimate: a quarter of the characters."""
    tokens_reached: int
    success_before: int
    """Cases whose trajectory used everything that it needed."""
    success_after: int
    """Of those: everything that the trajectory needed still reaches the model. A failed trajectory stays failed."""
    difference: float
    """(success_after - success_before)/cases."""
    interval: Interval
    """95 % Tango, paired."""
    reading: str


class BatteryMiss(Record):
    """A decision that was not the expected one."""

    case_id: str
    item: str
    tags: tuple[str, ...]
    expected: str
    decided: str
    answers: dict[str, Annotated[Answer, Field(discriminator="type")]]
    note: str = ""


class BatteryFigures(Record):
    """One battery. n + sum(excluded) = decisions."""

    battery: BatteryName
    signature: str
    """Everything that decides: classifier, wording, bands, cuts, on_error."""
    wording: str
    """Version of the questions."""
    calibrated: bool
    """False where any answer was not: thresholds tuned elsewhere mean nothing here."""
    cases: int
    decisions: int
    n: int
    excluded: dict[str, int]
    """Reason -> decisions; never zero entries."""
    confusion: dict[str, dict[str, int]]
    """Expected decision -> what was decided -> count."""
    rates: tuple[BatteryRate, ...]
    thresholds: tuple[ThresholdRow, ...]
    shuffle: ShuffleControl | None
    """None where nothing was decided."""
    offers: OfferRow | None
    """Of selections."""
    misses: tuple[BatteryMiss, ...]


class BatteryReport(Record):
    """The file of one measurement."""

    schema_version: Literal[1] = 1
    made_at: str
    """UTC, ISO 8601."""
    evalkit_version: str
    suite: str
    outputs: str
    """Name of the trajectories."""
    golden_sha256: str
    outputs_sha256: str
    decisions_sha256: str
    selection: dict[str, Json] = Field(default_factory=dict)
    classifier: dict[str, Json]
    """Style, model, endpoint, layout: all that makes the answers, without keys."""
    models: tuple[str, ...]
    """Models that answered, sorted."""
    seed: int
    requests: int
    """Requests that servers answered for this measurement, now or earlier."""
    bought: int
    """Evaluations that were asked now; the others were in the cache."""
    input_tokens: int | None
    output_tokens: int | None
    errors: dict[str, int]
    """Why evaluations failed -> how many."""
    not_asked: int = 0
    """Evaluations that were never asked: 20 in a row failed before them, or the server refused the key."""
    batteries: tuple[BatteryFigures, ...]
