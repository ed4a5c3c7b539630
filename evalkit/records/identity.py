"""Identity: canonical JSON and tagged content hashes. Everything that is cached, compared or named by content goes through here.

A hash covers its tag, so equal content in two roles has two identities; parts are never glued with a separator, the whole
value is one canonical JSON text (RFC 8785 in spirit: sorted keys, no spaces, ASCII), so no two values share one text.
"""

from __future__ import annotations

import hashlib
import json

from evalkit.records.base import Json


def canonical_json(value: Json) -> bytes:
    """Return the one JSON text of a value: sorted keys, no spaces, ASCII only, so lone surrogates survive too.

    Raises ValueError for NaN and infinities, TypeError for what is not JSON.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode("ascii")


def content_hash(tag: str, value: Json) -> str:
    """Return 64 hex digits: SHA-256 over the tag, a NUL and the canonical JSON of the value."""
    return hashlib.sha256(tag.encode("ascii") + b"\0" + canonical_json(value)).hexdigest()


def short_digest(line: bytes) -> bytes:
    """Return the first 8 bytes of the SHA-256 of a line, white space at its end aside: enough to tell changed from unchanged."""
    return hashlib.sha256(line.rstrip()).digest()[:8]


def text_sha256(text: str) -> str:
    """Return 64 hex digits: plain SHA-256 of the text's UTF-8 bytes, as `sha256sum` gives for a file that holds the text.

    Lone surrogates, which UTF-8 cannot hold, are hashed in their three-byte form.
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
