"""judge.yaml: which judge is asked, how, and within which limits. Keys never stand here; they come from the environment."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from evalkit.records.bands import Cut
from evalkit.records.base import Json, Record

Positive = Annotated[float, Field(gt=0)]
FLOOR_NAME = "floor, not a model"
"""What reports call the embedded floor judge."""

Client = Literal["litellm", "openai", "replay", "floor"]


class Params(Record):
    """Parameters sent with every request, exactly these; part of the judge's identity."""

    temperature: Annotated[float, Field(ge=0)] | None = 0.0
    """Sampling temperature; null sends none."""
    max_tokens: Annotated[int, Field(ge=1)] = 4096
    """Cap on the reply."""
    seed: int | None = None
    """Sampling seed, where the provider has one."""
    extra: dict[str, Json] = Field(default_factory=dict)
    """Other parameters of the provider, sent as they stand."""

    def as_sent(self) -> dict[str, Json]:
        """Return the parameters of a request: those that are set, then the provider's own."""
        named = {"temperature": self.temperature, "max_tokens": self.max_tokens, "seed": self.seed}
        return {**{name: value for name, value in named.items() if value is not None}, **self.extra}


class Rate(Record):
    """Provider limits, kept on our side."""

    rpm: Positive | None = None
    """Requests a minute."""
    tpm: Positive | None = None
    """Tokens a minute, input and output."""


class Backoff(Record):
    """Transport retries: exponential with jitter, Retry-After honoured."""

    tries: Annotated[int, Field(ge=1, le=20)] = 5
    """Requests per call, the first one included."""
    first_s: Positive = 0.5
    """Wait before the second try, in seconds."""
    cap_s: Positive = 60.0
    """Longest wait, in seconds; a longer Retry-After gives up at once."""


class Prices(Record):
    """US dollars per million tokens; without them cost is unknown, never 0."""

    input: Annotated[float, Field(ge=0)]
    output: Annotated[float, Field(ge=0)]
    cached_input: Annotated[float, Field(ge=0)] | None = None


class BatchConfig(Record):
    """`batch` of judge.yaml: what the cache does not answer is bought through the provider's batch interface."""

    max_requests: Annotated[int, Field(ge=1)] = 50_000
    """Most requests of one batch; the provider's limit."""
    max_bytes: Annotated[int, Field(ge=1)] = 200_000_000
    """Most bytes of one batch's file; the provider's limit."""
    poll_s: Positive = 15.0
    """Wait after the first look at a batch, in seconds; each further wait is half as long again."""
    poll_cap_s: Positive = 300.0
    """Longest wait between two looks, in seconds."""
    wait_s: Positive = 90_000.0
    """How long a batch is waited for, in seconds since it was submitted; the provider gives up after 24 hours itself."""
    prices: Prices | None = None
    """Of requests in a batch; where absent, those of the judge hold, and no discount is assumed."""


class CascadeConfig(Record):
    """`cascade` of judge.yaml: a classifier is asked first, and the judge about what it is not sure of."""

    classifier: str
    """classifier.yaml, relative to this file and in its folder."""
    low: Cut = 0.30
    """A criterion whose probability of a pass lies below it fails without the judge."""
    high: Cut = 0.70
    """A criterion whose probability of a pass lies above it passes without the judge."""
    sample: Annotated[int, Field(ge=0)] = 20
    """Cases per judge use that the classifier decides and the judge is asked about all the same, to see whether they agree."""
    seed: int = 0
    """Draws that sample."""
    prices: Prices | None = None
    """Of the classifier, for cost and `max_cost`; unknown where absent."""

    @model_validator(mode="after")
    def _in_order(self) -> "CascadeConfig":
        if self.low > self.high:
            raise ValueError("`low` lies above `high`")
        return self


class JudgeConfig(Record):
    """judge.yaml."""

    schema_version: Literal[1] = 1
    """Version of this format."""
    client: Client = "floor"
    """How the judge is reached. Transport only: no part of the judge's identity."""
    model: str | None = None
    """Model asked for; required but for the floor."""
    endpoint: str | None = None
    """Name of what serves the model, part of the identity; by default the base URL or the client's own."""
    base_url: str | None = None
    """Base URL of the server; for `openai` the OpenAI wire, for `litellm` its `api_base`."""
    api_key_env: str | None = None
    """Name of the environment variable that holds the key. With a `base_url` no key is sent unless this is set."""
    family: str | None = None
    """Model family; overrides the table of known names."""
    params: Params = Params.model_construct()
    """What is sent with every request."""
    structured_output: bool = True
    """Whether the reply schema is also sent as the provider's response format; replies are validated all the same."""
    prompt: Literal["pointwise/1"] = "pointwise/1"
    """Version of the prompt."""
    samples: Annotated[int, Field(ge=1, le=25)] = 1
    """Verdicts bought per case."""
    max_in_flight: Annotated[int, Field(ge=1, le=1000)] = 16
    """Most calls at once."""
    timeout_s: Positive = 120.0
    """Longest wait for one reply, in seconds; a case takes at most tries x (timeout_s + wait)."""
    rate: Rate = Rate.model_construct()
    """Limits per minute."""
    backoff: Backoff = Backoff.model_construct()
    """Transport retries."""
    prices: Prices | None = None
    """For cost; unknown where absent."""
    max_cost: Annotated[float, Field(ge=0)] | None = None
    """US dollars after which nothing more is bought; needs prices. A cascade's classifier counts where `cascade.prices` are given."""
    stop_after_failures: Annotated[int, Field(ge=1)] = 20
    """Consecutive calls that fail for good before the run stops asking."""
    replay: str | None = None
    """File of recorded replies, for `client: replay`."""
    batch: BatchConfig | None = Field(default=None, exclude_if=lambda batch: batch is None)
    """Buys through the provider's batch interface; `client: openai` only. Transport: no part of the judge's identity."""
    routes: dict[str, str] = Field(default_factory=dict)
    """Capability -> the judge.yaml that is asked instead of this one, relative to this file; its own limits of cost do not count."""
    cascade: CascadeConfig | None = Field(default=None, exclude_if=lambda cascade: cascade is None)
    """A cheaper tier that decides what it is sure of; not for the floor judge."""

    @property
    def name(self) -> str:
        """What reports call the judge: its model, or that it is the floor."""
        return FLOOR_NAME if self.client == "floor" else self.model or ""

    @property
    def batch_prices(self) -> Prices | None:
        """Prices of requests in a batch; None where those of the judge hold for them, too."""
        return self.batch.prices if self.batch else None
