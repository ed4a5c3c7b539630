"""A stored reply as JSON text with a checksum, in the cache's rows and, a line each, in exported and rescued files.

The checksum covers the key too, so a row that was damaged or got under another key is noticed at each read. It guards against
accidents, not against somebody who may write to the cache: that is what file permissions and validation at each read are for.
"""

from __future__ import annotations

import hashlib
import json

from pydantic import ValidationError

from evalkit.records.base import Json
from evalkit.records.verdicts import StoredReply

_HEAD = '{"sha256":"'
_MIDDLE = '","stored":'
_DIGITS = 64
_BODY_AT = len(_HEAD) + _DIGITS + len(_MIDDLE)


def encode(key: str, stored: StoredReply) -> str:
    """Return the row's text: ASCII JSON {"sha256", "stored"}."""
    body = _dump(stored.model_dump(mode="json"))
    return f"{_HEAD}{_checksum(key, body)}{_MIDDLE}{body}}}"


def decode(key: str, text: Json) -> StoredReply:
    """Return the stored reply. Raises ValueError for anything that `encode` did not write under this key."""
    if not isinstance(text, str) or not text.startswith(_HEAD) or text[_BODY_AT - len(_MIDDLE) : _BODY_AT] != _MIDDLE:
        raise ValueError("not a stored reply")
    body = text[_BODY_AT:-1]
    if text[len(_HEAD) : len(_HEAD) + _DIGITS] != _checksum(key, body):
        raise ValueError("the checksum does not match")
    return _stored(json.loads(body))


def is_sound(key: str, text: Json) -> bool:
    """Tell whether `decode` would return a reply."""
    try:
        decode(key, text)
    except ValueError:
        return False
    return True


def to_line(key: str, text: str) -> str:
    """Return a row as a line of an exported file: {"key", "sha256", "stored"}, with its line end."""
    return f'{{"key":{json.dumps(key)},{text[1:]}\n'


def from_line(line: bytes) -> tuple[str, str]:
    """Return key and row text of an exported line. Raises ValueError for one that is torn, tampered with or something else."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("not a JSON object (a line cut short, perhaps)") from None
    if not isinstance(data, dict) or set(data) != {"key", "sha256", "stored"} or not isinstance(data["key"], str):
        raise ValueError('expected {"key": ..., "sha256": ..., "stored": {...}}')
    key, text = data["key"], encode(data["key"], _stored(data["stored"]))
    if text[len(_HEAD) : len(_HEAD) + _DIGITS] != data["sha256"]:
        raise ValueError("the checksum does not match")
    return key, text


def _stored(value: Json) -> StoredReply:
    try:
        return StoredReply.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"stored.{'.'.join(str(part) for part in first['loc'])}: {first['msg']}") from None


def _dump(value: Json) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def _checksum(key: str, body: str) -> str:
    return hashlib.sha256(f"{key}\0{body}".encode("utf-8", "surrogatepass")).hexdigest()
