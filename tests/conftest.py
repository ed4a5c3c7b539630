"""Fixtures that several test packages share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fakes.chat_server import ChatServer


@pytest.fixture
def chat_server() -> Iterator[ChatServer]:
    """Return a server on the loopback that speaks the OpenAI chat wire; set `reply`, `script` or `latency` on it."""
    with ChatServer() as server:
        yield server
