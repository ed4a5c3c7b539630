from __future__ import annotations

import sys

import pytest

from evalkit.cli.closed_streams import reopen_closed

STREAMS = ("stdin", "stdout", "stderr")


def test_streams_that_are_open_stay_what_they_are():
    before = [getattr(sys, name) for name in STREAMS]
    reopen_closed()
    assert [getattr(sys, name) for name in STREAMS] == before


@pytest.mark.parametrize(("number", "name"), list(enumerate(STREAMS)))
def test_a_stream_that_is_none_gets_its_number_again(number, name, monkeypatch):
    monkeypatch.setattr(sys, name, None)
    reopen_closed()
    assert getattr(sys, name).fileno() == number
