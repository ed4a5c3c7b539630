from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.scoring.approvals import Granted, NotGranted, read_approval


@pytest.mark.parametrize(
    "said",
    [
        {}, {"approved": True}, {"approved": "Yes"}, {"status": "approved"}, {"result": "granted"}, {"decision": "OK"}, {"type": "approve"},
        {"approved_by": "ana", "approvedAt": "2024-03-05", "id": 7}, {"denied": False, "revoked": None}, {"ticket": "T-4", "source": {}},
        {"approved": True, "reason": "not rejected this time"}, {"call_id": "c1", "by": "ana", "at": None},
    ],
)  # fmt: skip
def test_an_object_that_says_yes_or_nothing_about_consent_approves(said: dict[str, Any]) -> None:
    assert read_approval({"tool": "pay", **said}) == Granted("pay", None)


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"denied": True}, "says 'denied: true'"),
        ({"result": "rejected"}, "says 'result: rejected'"),
        ({"status": "not approved"}, "says 'status: not approved'"),
        ({"approved": None}, "says 'approved: null'"),
        ({"approved": 1}, "says 'approved: a number'"),
        ({"approved": 10**5000}, "says 'approved: a number'"),
        ({"decision": {"approved": True}}, "says 'decision: an object'"),
        ({"approved": True, "revoked": True}, "says 'revoked: true'"),
        ({"approved": True, "status": "pending"}, "says 'status: pending'"),
        ({"Denied": "yes"}, "says 'Denied: yes'"),
        ({"approved_by": None}, "says 'approved_by: null'"),
        ({"reason": "over the limit"}, "says 'reason: over the limit', but no yes beside it"),
        ({"verdict_v2": "no"}, "has a field that is not known to mean yes ('verdict_v2: no')"),
        ({"args": {"sum": 1}}, "has a field that is not known to mean yes ('args: an object')"),
        ({"Arguments": {"sum": 1}}, "has a field that is not known to mean yes ('Arguments: an object')"),
        ({"{0}": ["{field}"]}, "has a field that is not known to mean yes ('{0}: a list')"),
    ],
)
def test_a_no_an_open_answer_and_an_unknown_field_approve_nothing(said: dict[str, Any], problem: str) -> None:
    assert read_approval({"tool": "pay", **said}) == NotGranted("pay", problem)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=8), inner, max_size=2),
    max_leaves=4,
)
FIELDS = st.sampled_from(["tool", "arguments", "approved", "status", "denied", "by", "reason", "id"]) | st.text(
    max_size=8
)


@given(st.dictionaries(FIELDS, JSON, max_size=4) | JSON)
def test_any_entry_is_read(given_entry: Any) -> None:
    assert isinstance(read_approval(given_entry), Granted | NotGranted)
