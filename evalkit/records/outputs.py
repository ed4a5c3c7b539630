"""A candidate's cached output, and what is known about the candidate. The judge never sees the latter."""

from typing import Annotated, Literal

from pydantic import Field

from evalkit.records.base import Json, Record
from evalkit.records.cases import Identifier

Count = Annotated[int, Field(ge=0)]
Amount = Annotated[float, Field(ge=0)]


class Usage(Record):
    """Tokens that producing the output took."""

    input_tokens: Count | None = None
    """Prompt tokens; None is unknown, never free."""
    output_tokens: Count | None = None
    """Completion tokens; None is unknown."""


class Item(Record):
    """A part of an output that must name the evidence it rests on, e.g. a follow-up question."""

    text: str
    """The item's words."""
    evidence_path: str | None = None
    """JSON Pointer into the case's evidence."""


class Output(Record):
    """One line of outputs.jsonl. Identity is (case_id, attempt)."""

    case_id: Identifier
    """The case that this output answers."""
    attempt: Annotated[int, Field(ge=1)] = 1
    """1 for the first try; `run` scores the last."""
    text: str | None = None
    """The answer. Null is excluded (`null_text`); empty is scored and fails (`no_output`)."""
    citations: tuple[str, ...] | None = None
    """Document ids that the answer cites, beside those in its text; None where the candidate gives no such field."""
    retrieved: tuple[str, ...] | None = None
    """Document ids that were retrieved, best first."""
    items: tuple[Item, ...] | None = None
    """Parts that must name their evidence."""
    tool_calls: tuple[Json, ...] | None = None
    """Tool calls as the candidate made them, unchecked: a malformed call is a finding of the scorer, not a load error."""
    tools_offered: tuple[Json, ...] = ()
    """Tools that the candidate was given: names, or objects with `name` and `parameters` (JSON Schema)."""
    approvals: tuple[Json, ...] = ()
    """Approvals that were given: tool names, or objects with `tool`."""
    finish_reason: str | None = None
    """Why generation ended, as the provider said."""
    latency_ms: Amount | None = None
    """Milliseconds from request to full answer."""
    usage: Usage | None = None
    """Tokens used."""
    cost_usd: Amount | None = None
    """What the output cost, in US dollars; None is unknown, never 0."""
    tool_turns: Count | None = None
    """Turns in which tools were called."""
    transport_retries: Count | None = None
    """Requests that were sent again."""
    feedback: str | None = None
    """Instructions that led to this attempt."""
    error: str | None = None
    """Why there is no output; such an output is excluded (`output_error`)."""
    meta: dict[str, Json] = Field(default_factory=dict)
    """Anything else."""


class Candidate(Record):
    """candidate.yaml: who produced a folder of outputs."""

    schema_version: Literal[1] = 1
    """Version of this format."""
    name: str | None = None
    """A name for reports; the folder's by default."""
    model: str | None = None
    """Model asked for."""
    provider: str | None = None
    """Who served it."""
    family: str | None = None
    """Model family; overrides the table of known names."""
    prompt_version: str | None = None
    """Version of the writer's prompt."""
    constitution_sha256: str | None = None
    """Hash of the constitution that the writer was given."""
    generated_at: str | None = None
    """When the outputs were made."""
