"""A command as a generator, in this process; what it does on a user's machine is driven by tests/functional/test_accept_live.py."""

from __future__ import annotations

import _thread
import sys
import threading
import time

import pytest

from evalkit.acceptance.command import CommandGenerator
from evalkit.acceptance.generator import GeneratorConfig, Turn
from evalkit.records.cases import Case


def test_an_interruption_that_wakes_nobody_is_seen_all_the_same():
    """A signal whose handler ran just before a wait does not end that wait; `interrupt_main` leaves the same state behind."""
    endless = (sys.executable, "-S", "-c", "import time; time.sleep(600)")
    generator = CommandGenerator(GeneratorConfig(command=endless, time_limit_s=120.0))
    turn = Turn(case=Case(id="c", input="x"), attempt=1, feedback=None, previous=None, resends=0)
    told = []
    timer = threading.Timer(0.5, _thread.interrupt_main)
    began = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        generator.generate([turn], lambda *ended: told.append(ended))
    timer.join()
    assert time.monotonic() - began < 60  # unseen, it waits for the time limit
    assert told == []
