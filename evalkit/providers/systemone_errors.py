"""A failed System One exchange as a ProviderError. A body that comes with 401 or 403 may hold the key and is never repeated."""

from __future__ import annotations

import json
from collections.abc import Mapping

from evalkit.errors import ProviderError
from evalkit.providers.http_errors import REFUSALS, brief, message_in, status_error
from evalkit.providers.keys import scrub
from evalkit.records.base import Json

_TRANSIENT = frozenset({408, 429})
_REMEDIES = {
    401: "check the key: classifier.yaml names its variable with `api_key_env`",
    402: "the account behind the key cannot pay for the request",
    403: "the key may not use this model or server",
    404: "check `model` and `base_url` in classifier.yaml",
}
_REQUEST = "the request cannot be served as it is: check the state and the questions"


def systemone_error(status: int, body: str, headers: Mapping[str, str], key: str | None) -> ProviderError:
    """Return the error for a response with a status other than 200.

    Transient: 408, 429 and every 5xx, 529 (overloaded) among them. Everything else can only fail again.
    """
    if status in _TRANSIENT or status >= 500:
        return status_error(status, detail_in(body), headers, key)
    remedy = _REMEDIES.get(status, _REQUEST)
    said = "" if status in REFUSALS else brief(scrub(detail_in(body), key))
    text = f"the server answered with HTTP {status}" + (f": {said}" if said else "")
    return ProviderError("rejected", f"{text} ({remedy})", permanent=True, refused=status in REFUSALS)


def detail_in(body: str) -> str:
    """Return the words of an error body: its `detail` as text, object or list of {loc, msg}; else what other servers write."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return body
    detail = data.get("detail") if isinstance(data, dict) else None
    if detail is None:
        return message_in(body)
    entries = detail if isinstance(detail, list) else [detail]
    return "; ".join(_words(entry) for entry in entries)


def _words(entry: Json) -> str:
    if not isinstance(entry, dict):
        return str(entry)
    place = entry.get("loc")
    where = ".".join(str(step) for step in place) if isinstance(place, list) else ""
    message = entry.get("msg") or entry.get("message") or entry.get("error")
    said = json.dumps(entry, ensure_ascii=False) if message is None else str(message)
    return f"{where}: {said}" if where else said
