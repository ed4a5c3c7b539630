"""A failed HTTP exchange as a ProviderError: its kind, whether trying again can help, how long to wait, and a text without keys."""

from __future__ import annotations

import json
from collections.abc import Mapping

from evalkit.errors import ProviderError
from evalkit.providers.keys import scrub
from evalkit.providers.retry_after import wait_asked

SHOWN = 300
"""Characters of a server's own words that an error quotes."""

REFUSALS = frozenset({401, 403})
"""Statuses with which a server takes no call with this key."""

_REMEDIES = {
    400: "the request cannot be served as it is: check model, params and structured_output in judge.yaml",
    401: "check the key: judge.yaml names its variable with `api_key_env`",
    403: "the key may not use this model or server",
    404: "check `model` and `base_url` in judge.yaml; a base URL usually ends in /v1",
}


def status_error(status: int, message: str, headers: Mapping[str, str], key: str | None = None) -> ProviderError:
    """Return the error for a response with a status other than 200; `message` is the server's own text, untrusted.

    Transient: 408 and 504 (timeout), 409, 425 and other 5xx (server), 429 (rate_limited) unless the quota itself is used up.
    Everything else can only fail again and is permanent.
    """
    said = brief(scrub(message, key))
    text = f"the server answered with HTTP {status}" + (f": {said}" if said else "")
    wait = wait_asked(headers)
    if status == 429 and "insufficient_quota" in message:
        return ProviderError("rejected", text, permanent=True, status=status)
    if status == 429:
        return ProviderError("rate_limited", text, retry_after=wait, status=status)
    if status in {408, 504}:
        return ProviderError("timeout", text, retry_after=wait, status=status)
    if status in {409, 425} or status >= 500:
        return ProviderError("server", text, retry_after=wait, status=status)
    remedy = _REMEDIES.get(status) or _REMEDIES[400 if status >= 400 else 404]
    return ProviderError("rejected", f"{text} ({remedy})", permanent=True, refused=status in REFUSALS, status=status)


def message_in(body: str) -> str:
    """Return the words of an error body: its `error.message` or `message` where it is JSON, otherwise the body itself."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return body
    error = data.get("error", data) if isinstance(data, dict) else data
    if isinstance(error, dict):
        words = [str(error[field]) for field in ("message", "code") if error.get(field)]
        return " ".join(words) or body
    return str(error)


def brief(text: str) -> str:
    """Return text on one line, at most `SHOWN` characters of it."""
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else line[:SHOWN] + "..."
