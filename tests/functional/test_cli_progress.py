"""Progress on stderr: rate, cost so far and time left, on a terminal and elsewhere."""

from __future__ import annotations

import io

import pytest

from evalkit.cli import progress as progress_module
from evalkit.cli.progress import Watcher, watcher


class Terminal(io.StringIO):
    """A stream that people look at."""

    def isatty(self):
        return True


class Clock:
    """A clock that a test moves."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(progress_module.time, "monotonic", made)
    return made


def test_a_pipe_gets_a_plain_line_every_few_seconds(clock):
    stream = io.StringIO()
    watching = Watcher(stream, overwrite=False)
    watching.stage("judging", 100)
    for done in range(1, 101):
        clock.now += 0.25
        watching.step(done, cost_usd=done * 0.01)
    lines = stream.getvalue().splitlines()
    assert len(lines) == 5
    assert lines[0] == "judging 20 of 100, 4.0/s, $0.2000 so far, 0:20 left"


def test_a_terminal_has_one_line_that_is_written_over(clock):
    stream = io.StringIO()
    watching = Watcher(stream, overwrite=True)
    watching.stage("judging", 2)
    for done in (1, 2):
        clock.now += 2
        watching.step(done)
    watching.close()
    assert stream.getvalue() == "\rjudging 1 of 2, 0.5/s, 0:02 left\x1b[K\rjudging 2 of 2, 0.5/s, 0:00 left\x1b[K\n"


def test_an_unknown_cost_and_an_unknown_total_are_left_out(clock):
    stream = io.StringIO()
    watching = Watcher(stream, overwrite=False)
    watching.stage("scoring", None)
    clock.now += 10
    watching.step(5000)
    assert stream.getvalue() == "scoring 5,000, 500.0/s\n"


def test_a_quick_stage_says_nothing(clock):
    stream = io.StringIO()
    watching = Watcher(stream, overwrite=True)
    watching.stage("scoring", 10)
    watching.step(10)
    watching.close()
    assert stream.getvalue() == ""


def test_a_note_stays_and_cannot_forge_a_line(clock):
    stream = io.StringIO()
    watching = Watcher(stream, overwrite=True)
    watching.stage("judging", 2)
    clock.now += 1
    watching.step(1)
    watching.note("damaged\n::error::x")
    assert stream.getvalue().endswith("\x1b[K\nnote: damaged\\n\\x3a:error::x\n")


def test_hours_are_shown_as_hours(clock):
    stream = io.StringIO()
    watching = Watcher(stream, overwrite=False)
    watching.stage("judging", 1000)
    clock.now += 10
    watching.step(1)
    assert "2:46:30 left" in stream.getvalue()


def test_quiet_says_nothing():
    stream = io.StringIO()
    with watcher(stream, quiet=True) as watching:
        watching.stage("judging", 2)
        watching.step(1)
        watching.note("x")
    assert stream.getvalue() == ""


def test_a_line_that_is_written_over_ends_where_the_watching_ends(clock):
    stream = Terminal()
    with watcher(stream, quiet=False) as watching:
        watching.stage("judging", 2)
        clock.now += 2
        watching.step(1)
    assert stream.getvalue().endswith("left\x1b[K\n")
