"""What a call will use, before it is sent: rules of thumb, for rate limits and for the cost limit."""

from __future__ import annotations

from evalkit.records.chat import ChatCall

CHARACTERS_PER_TOKEN = 4


def prompt_tokens(call: ChatCall) -> int:
    """Return an estimate of a call's input tokens: a quarter of its characters."""
    return sum(len(message.get("content", "")) for message in call.messages) // CHARACTERS_PER_TOKEN


def reply_cap(call: ChatCall) -> int:
    """Return the most tokens that the reply may have; 0 where no cap is sent."""
    cap = call.params.get("max_tokens") or call.params.get("max_completion_tokens") or 0
    return cap if isinstance(cap, int) else 0


def estimated_tokens(call: ChatCall) -> int:
    """Return an estimate of a call's tokens: its prompt and the whole cap of its reply."""
    return prompt_tokens(call) + reply_cap(call)
