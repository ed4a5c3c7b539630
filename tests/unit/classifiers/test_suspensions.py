"""What waits, waits under one id and is answered once."""

from __future__ import annotations

import pytest

from evalkit.classifiers.suspensions import Suspensions, make_request
from evalkit.errors import UsageError


def test_a_request_is_answered_once():
    waiting: Suspensions[str] = Suspensions()
    first, second = make_request("k", "p", {"call": 1}), make_request("k", "p", {"call": 2})
    waiting.put(first, "one")
    waiting.put(second, "two")
    assert waiting.requests == (first, second)
    assert waiting.take(first.id) == "one"
    assert waiting.requests == (second,)
    with pytest.raises(UsageError, match="answered already"):
        waiting.take(first.id)


def test_two_requests_with_one_id_cannot_wait_at_once():
    waiting: Suspensions[str] = Suspensions()
    waiting.put(make_request("k", "p", {"call": 1}), "one")
    with pytest.raises(UsageError, match="waits already"):
        waiting.put(make_request("k", "p", {"call": 1}), "another")


def test_an_id_is_what_is_asked():
    ids = {
        make_request("k", "p", {"call": 1}).id,
        make_request("j", "p", {"call": 1}).id,
        make_request("k", "q", {"call": 1}).id,
        make_request("k", "p", {"call": 2}).id,
    }
    assert len(ids) == 4
    assert make_request("k", "p", {"call": 1}).id in ids


def test_an_id_that_was_stored_long_ago_still_fits_its_request():
    request = make_request("tool_approval", "May this tool call be carried out?", {"call": {"name": "send_mail"}})
    assert request.id == "8ce30d629c8f12e63769733193c6212302a1ac76e1d80977e411bc10cfbad8ea"
