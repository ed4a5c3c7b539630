"""A case of a golden set: what was asked, what the answer may rest on, what is expected."""

from typing import Annotated, Literal

from pydantic import Field

from evalkit.records.base import Json, Record

Identifier = Annotated[str, Field(min_length=1)]
"""An id: any text but the empty one. It is data: never a path, a format string or markup."""


class Document(Record):
    """A source that an answer may rest on."""

    id: Identifier
    """The id by which answers cite it and verdicts quote it; unique within a case."""
    text: str
    """The text as retrieved, untouched."""


class Message(Record):
    """A chat message of a case's input."""

    role: Literal["system", "user", "assistant", "tool"]
    """Who speaks."""
    content: str
    """What is said."""


class ToolCall(Record):
    """A tool call that the answer is expected to make."""

    name: Identifier
    """The tool's name, compared exactly."""
    arguments: dict[str, Json] = Field(default_factory=dict)
    """Arguments, compared by JSON value: keys in any order, 1 equals 1.0, true is not 1, every digit counts."""


class Expected(Record):
    """What is known to be right about the answer. Every field is optional; a scorer without its field says `no_expectation`."""

    answer: str | None = None
    """The reference answer."""
    answers: tuple[str, ...] | None = None
    """Accepted short answers; the best match counts."""
    facts: tuple[str, ...] | None = None
    """Atomic facts that a full answer states (reference judging)."""
    sources: tuple[Identifier, ...] | None = None
    """Ids of the documents that the answer should rest on."""
    refusal: bool | None = None
    """True where the right answer declines; False where declining is a fault."""
    tool_calls: tuple[ToolCall, ...] | None = None
    """Tool calls that are expected, in order."""
    json_schema: dict[str, Json] | bool | None = None
    """JSON Schema (draft 2020-12) of a structured output; `false` refuses everything, `{}` and `true` take any JSON."""


class Case(Record):
    """One line of golden.jsonl."""

    id: Identifier
    """Unique within the golden set."""
    capabilities: tuple[Identifier, ...] = ()
    """Capabilities of the suite that this case measures."""
    input: str | tuple[Message, ...] | dict[str, Json]
    """What was asked: text, chat messages, or an object."""
    context: tuple[Document, ...] = ()
    """What the answer may rest on, in the order in which it was retrieved."""
    evidence: dict[str, Json] | None = None
    """Structured evidence, addressed by JSON Pointer (RFC 6901)."""
    expected: Expected = Expected.model_construct()
    """What is known to be right."""
    judge_expect: dict[str, str] = Field(default_factory=dict)
    """Criterion id -> grade that a sound judge gives to the suite's reference candidate (judge self-test)."""
    tags: tuple[str, ...] = ()
    """Free labels, e.g. `adversarial:injection`; `--tag` selects by them."""
    meta: dict[str, Json] = Field(default_factory=dict)
    """Anything else; `meta.cluster` names the document or template that several cases share."""

    @property
    def cluster(self) -> str | None:
        """The cluster that this case belongs to, or None."""
        value = self.meta.get("cluster")
        return None if value is None else str(value)
