"""A batch that was bought and whose replies are not all in the cache yet: kept on disk, so that no other run buys it again."""

from typing import Literal

from evalkit.records.base import Record


class OpenBatch(Record):
    """One file beside the reply cache."""

    schema_version: Literal[1] = 1
    address: str
    """Base URL of the server that holds it."""
    file_id: str
    """The provider's id of the uploaded requests."""
    batch_id: str | None
    """The provider's id of the batch; None where it is not known whether the batch was started."""
    submitted_at: float
    """Unix time, in seconds."""
    keys: tuple[str, ...]
    """Requests in it whose reply has not been taken yet."""
