"""classifier.yaml: which classifier is asked, how, and what counts as sure. Keys never stand here; they come from the environment."""

from typing import Annotated, Literal

from pydantic import Field

from evalkit.records.bands import Bands
from evalkit.records.base import Json, Record
from evalkit.records.judges import Params, Positive
from evalkit.records.questions import Question, Words

Style = Literal["static", "systemone", "llm", "floor"]

SYSTEMONE_RPM = 1200.0
"""Requests a minute that the System One service allows."""


class Retries(Record):
    """Transport retries: doubling waits with jitter, Retry-After honoured, all within one span of time."""

    first_s: Positive = 0.5
    """Wait before the second try, in seconds."""
    cap_s: Positive = 5.0
    """Longest wait that is not asked for by the server, in seconds."""
    total_s: Positive = 30.0
    """Seconds for one evaluation in all; what cannot be done within them is given up at once."""


class ClassifierConfig(Record):
    """classifier.yaml."""

    schema_version: Literal[1] = 1
    """Version of this format."""
    style: Style = "floor"
    """`systemone`: the System One wire; `llm`: a chat model that states probabilities; `static`: canned answers; `floor`: no model."""
    model: str | None = None
    """Model asked for; `systemone` has a default, `llm` needs one."""
    base_url: Words | None = None
    """Base URL of the server, with or without `/v1` and `/v1/systemone`."""
    api_key_env: str | None = None
    """Name of the environment variable that holds the key. With a `base_url` no key is sent unless this is set."""
    family: str | None = Field(default=None, exclude_if=lambda family: family is None)
    """Model family; overrides the table of known names. Says whether a cascade is independent of its candidate; no part of the identity."""
    layout: Literal["together", "alone"] = "together"
    """Whether all questions on a state share one request, or each has its own: dearer, and surer."""
    calibrated: bool = True
    """Whether a `systemone` server's probabilities are calibrated; every other style's count as not, but for canned answers."""
    bands: Bands = Bands.model_construct()
    """What counts as sure. Part of the configuration's hash."""
    timeout_s: Positive = 10.0
    """Longest wait for one reply, in seconds."""
    retries: Retries = Retries.model_construct()
    """When a request is sent again."""
    max_in_flight: Annotated[int, Field(ge=1, le=1000)] = 8
    """Most requests at once."""
    rpm: Positive = SYSTEMONE_RPM
    """Requests a minute, kept on our side."""
    client: Literal["litellm", "openai"] = "litellm"
    """How an `llm` is reached: any provider, or the OpenAI wire at a base URL."""
    params: Params = Params.model_construct()
    """What an `llm` is sent with every request."""
    structured_output: bool = True
    """Whether an `llm` is also sent the reply's schema; replies are checked all the same."""
    answers: str | None = None
    """File of canned answers, for `style: static`; a path beside this file."""


class CannedAnswer(Record):
    """A line of a file of canned answers."""

    state: Json
    """The state, exactly as it is asked about."""
    question: Annotated[Question, Field(discriminator="type")]
    """The question, exactly as it is asked; its id does not matter."""
    answer: bool | float | str | tuple[float, ...] | dict[str, float]
    """A noul's probability; a choice's option, or its probabilities; a score's level, or its probabilities, lowest first."""
