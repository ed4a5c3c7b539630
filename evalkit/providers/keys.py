"""Keys come from the environment only, and nothing that evalkit writes may hold one.

`key_in` is the one place that reads a key. `scrub` is applied to every text that an error carries: known key values, whole
or as the partly masked forms that servers send back, and by shape everything that usually carries a secret (Authorization
headers, the query and the user part of a URL, `key=...`), because a server may echo a key that is not ours.
"""

from __future__ import annotations

import os
import re

from evalkit.errors import UsageError
from evalkit.records.judges import JudgeConfig
from evalkit.records.verdicts import Reply

REMOVED = "[removed]"
OPENAI_VARIABLE = "OPENAI_API_KEY"
NO_KEY = "no-key"
"""Sent where a wire needs some key and none may be sent; also keeps a library from looking for one itself."""

_SECRET_NAME = re.compile(r"(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)(?:_ID)?$")
_SHORTEST_SECRET = 8
_SHAPES = (
    (
        re.compile(r"(?i)\b((?:proxy-)?authorization|x-api-key|api-key|x-goog-api-key)([\"']?\s*[:=]\s*).*"),
        rf"\1\2{REMOVED}",
    ),
    (re.compile(r"(?i)\b(bearer|basic)\s+[^\s\"',;]+"), rf"\1 {REMOVED}"),
    (re.compile(r"(?i)(\b[a-z][a-z0-9+.-]*://)[^\s/@\"'<>]*@"), rf"\1{REMOVED}@"),
    (re.compile(r"(?i)(\b[a-z][a-z0-9+.-]*://[^\s?\"'<>]*)\?[^\s\"'<>]*"), rf"\1?{REMOVED}"),
    (
        re.compile(
            r"(?i)([?&;]?\b(?:api[_-]?key|key|access[_-]?token|token|secret|password|sig|signature)=)[^\s&\"'<>]+"
        ),
        rf"\1{REMOVED}",
    ),
    (re.compile(r"\b(?:sk|pk|rk|gsk|xai|hf|nvapi|ghp|AIza|AKIA)[-_A-Za-z0-9*.…•]{8,}"), REMOVED),
    (re.compile(r"[^\s\"'<>]*[\w-][*•…]{3,}[^\s\"'<>]*"), REMOVED),
)


def key_for(config: JudgeConfig) -> str | None:
    """Return the key that a judge's server gets, or None where none is sent.

    `api_key_env` names the variable. Without it the usual variable of the OpenAI wire is read, but only when no `base_url`
    is set: a key never goes to a server that was not named together with it. litellm reads its providers' usual variables itself.
    Raises UsageError where the variable is missing, empty, or holds what no header can carry.
    """
    variable = config.api_key_env
    if variable is None:
        if config.base_url is not None or config.client != "openai":
            return None
        variable = OPENAI_VARIABLE
    return key_in(variable, f"the judge {config.model!r}", "judge.yaml")


def key_in(variable: str, needed_by: str, file: str) -> str:
    """Return the key that an environment variable holds; `file` is where another one would be named.

    Raises UsageError where the variable is missing, empty, or holds what no header can carry.
    """
    value = os.environ.get(variable, "").strip()
    if not value:
        raise UsageError(
            f"{needed_by} needs a key: the environment variable {variable} is not set or empty "
            f"(export it, or name another one with `api_key_env` in {file})"
        )
    if not value.isascii() or not value.isprintable() or " " in value:
        raise UsageError(
            f"the environment variable {variable} holds characters that no key has (white space or non-ASCII)"
        )
    return value


def scrub(text: str, *keys: str | None) -> str:
    """Return an error text without anything that is or looks like a secret; `keys` are removed besides those known."""
    text = without_known_keys(text, *keys)
    for pattern, replacement in _SHAPES:
        text = pattern.sub(replacement, text)
    return text


def without_known_keys(text: str, *keys: str | None) -> str:
    """Return a text without the values of the environment's keys, whole or partly masked; `keys` are removed besides those."""
    for secret in _secrets(keys):
        text = _without(text, secret)
    return text


def without_key(text: str | None, key: str | None) -> str | None:
    """Return a server's text without the key that was sent to it, in case it echoes its request; otherwise untouched."""
    if not text or not key or len(key) < _SHORTEST_SECRET or key not in text:
        return text
    return text.replace(key, REMOVED)


def reply_without_key(reply: Reply, key: str | None) -> Reply:
    """Return a reply in none of whose texts stands the key that was sent for it."""
    texts = {name: without_key(getattr(reply, name), key) for name in ("text", "refusal", "finish_reason", "model")}
    if all(getattr(reply, name) == text for name, text in texts.items()):
        return reply
    return reply.model_copy(update=texts)


def _secrets(keys: tuple[str | None, ...]) -> list[str]:
    """Return all values that may not be shown, the longest first so that none leaves a rest of another."""
    known = {value.strip() for name, value in os.environ.items() if _SECRET_NAME.search(name.upper())}
    known = {value for value in known if len(value) >= _SHORTEST_SECRET}
    known |= {key for key in keys if key and key != NO_KEY}
    return sorted(known, key=lambda secret: (-len(secret), secret))


def _without(text: str, secret: str) -> str:
    """Remove a secret, and each word that begins or ends like one: servers mask the middle and show the ends."""
    text = text.replace(secret, REMOVED)
    if len(secret) < _SHORTEST_SECRET:
        return text
    shown = max(4, len(secret) // 4)
    head, tail = re.escape(secret[:shown]), re.escape(secret[-shown:])
    return re.sub(rf"[^\s\"'<>]*{head}[^\s\"'<>]*|[^\s\"'<>]*[*•….x]{tail}", REMOVED, text)
