"""A text that tries to steer a judge, for the injection experiment."""

from typing import Annotated, Literal

from pydantic import Field

from evalkit.records.base import Record
from evalkit.records.cases import Identifier


class Payload(Record):
    """One line of a payload file."""

    id: Identifier
    """Its name in results; a user's payload takes the place of a shipped one of the same id."""
    text: Annotated[str, Field(min_length=1)]
    """What is put into the answer or into a document, as it stands."""
    aim: Literal["pass", "fail"] = "pass"
    """What it tries to bring about."""
