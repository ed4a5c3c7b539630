"""What an entry of `output.approvals` approves, if anything.

An entry counts only where nothing in it could mean no: it is a tool's name, or an object with `tool` whose other fields are known
to say nothing about consent, or say yes. A no, a pending answer, and a field that is not known here do not approve: a policy must
not read a refusal that it does not understand as consent.
"""

from __future__ import annotations

from typing import NamedTuple

from evalkit.records.base import Json
from evalkit.scoring.excerpt import clipped

_CONSENT = frozenset({
    "yes", "ok", "okay", "approve", "approved", "approval", "grant", "granted", "accept", "accepted", "allow", "allowed", "confirm",
    "confirmed",
})  # fmt: skip
_VERDICTS = frozenset({
    "approved", "granted", "accepted", "allowed", "confirmed", "status", "result", "decision", "outcome", "verdict", "state", "type",
    "answer", "response",
})  # fmt: skip
"""Fields that say yes (`true` or a word of consent) or something else."""
_REFUSALS = frozenset({
    "denied", "rejected", "declined", "refused", "revoked", "withdrawn", "expired", "cancelled", "canceled", "pending",
})  # fmt: skip
"""Fields that say no unless they are `false` or null."""
_TRACES = frozenset({"by", "approver", "approvedby", "approvedat", "grantedby", "grantedat"})
"""Fields of who approved and when: null, `false` or empty, nobody did yet."""
_REMARKS = frozenset({"reason", "note", "notes", "comment", "message"})
"""Free text, which nobody reads here: it counts only beside a yes."""
_NEUTRAL = frozenset({
    "id", "approvalid", "callid", "toolcallid", "requestid", "ticket", "at", "time", "timestamp", "date", "createdat", "source", "channel",
    "user", "userid", "role",
})  # fmt: skip


class Granted(NamedTuple):
    """An approval that counts."""

    tool: str
    """The tool's name, as given."""
    arguments: Json
    """None where it holds for any arguments."""


class NotGranted(NamedTuple):
    """An entry that approves nothing."""

    tool: str | None
    """The tool that it names, if any."""
    problem: str


def read_approval(given: Json) -> Granted | NotGranted:
    """Return what an entry approves, or why it approves nothing; never raises."""
    if isinstance(given, str):
        return Granted(given, None)
    if not isinstance(given, dict):
        return NotGranted(None, "is neither a tool's name nor an object")
    tool = given.get("tool")
    if not isinstance(tool, str):
        return NotGranted(None, "names no tool under 'tool'")
    said = {key: value for key, value in given.items() if key not in {"tool", "arguments"}}
    consents = any(_folded(key) in _VERDICTS and _says_yes(value) for key, value in said.items())
    for key, value in said.items():
        problem = _objection(_folded(key), value, consents=consents)
        if problem:
            return NotGranted(tool, problem.format(field=f"{clipped(key, 40)}: {_shown(value)}"))
    return Granted(tool, given.get("arguments"))


def _objection(key: str, value: Json, *, consents: bool) -> str:
    """Return why a field keeps its entry from approving, or the empty text."""
    if key in _VERDICTS:
        return "" if _says_yes(value) else "says '{field}'"
    if key in _REFUSALS:
        return "" if value is None or value is False else "says '{field}'"
    if key in _TRACES:
        return "" if value else "says '{field}'"
    if key in _REMARKS:
        return "" if consents else "says '{field}', but no yes beside it"
    return "" if key in _NEUTRAL else "has a field that is not known to mean yes ('{field}')"


def _says_yes(value: Json) -> bool:
    return value is True or (isinstance(value, str) and value.strip().casefold() in _CONSENT)


def _folded(key: str) -> str:
    return key.casefold().replace("_", "").replace("-", "")


def _shown(value: Json) -> str:
    if isinstance(value, str):
        return clipped(value, 40)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return "an object" if isinstance(value, dict) else "a list" if isinstance(value, list | tuple) else "a number"
