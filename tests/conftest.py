"""Fixtures that several test packages share."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from fakes.browser import MISSING, find_chromium, launched
from fakes.chat_server import ChatServer
from fakes.measuring import untraced
from hypothesis import settings

# A deadline per example measures how busy the machine is, not the code; the same examples each time, and no folder of earlier ones,
# let a run fail only for what was changed. New examples: pytest --hypothesis-profile explore
settings.register_profile("evalkit", deadline=None, derandomize=True, database=None)
settings.register_profile("explore", deadline=None, derandomize=False, max_examples=1000)
settings.load_profile("evalkit")


# A job in the background is started with Ctrl-C ignored, and so would be every process that a test interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Run the tests that are marked `unmeasured` without coverage's tracer."""
    if item.get_closest_marker("unmeasured") is None:
        return (yield)
    with untraced():
        return (yield)


@pytest.fixture
def chat_server() -> Iterator[ChatServer]:
    """Return a server on the loopback that speaks the OpenAI chat wire; set `reply`, `script` or `latency` on it."""
    with ChatServer() as server:
        yield server


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Return the system's chromium; where there is none the test is skipped with a word, and fails in CI.

    Of a module and no longer: while playwright's blocking API is started, an event loop counts as running in this thread, and code
    of ours that runs one of its own would be refused.
    """
    executable = find_chromium()
    if executable is None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{MISSING}; .ci/run should have installed it")
        pytest.skip(MISSING)
    with launched(executable) as started:
        yield started
