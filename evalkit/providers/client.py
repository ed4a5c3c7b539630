"""What a client of a model server is."""

from __future__ import annotations

from typing import Protocol

from evalkit.records.chat import ChatCall
from evalkit.records.verdicts import Reply


class Client(Protocol):
    """One way to a model server."""

    async def complete(self, call: ChatCall) -> Reply:
        """Send the call once and return the reply. Raises ProviderError; an exception of another type is a fault of ours."""
        ...

    async def aclose(self) -> None:
        """Close connections; the client is of no use afterwards."""
        ...
