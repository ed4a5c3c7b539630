"""The characters of a text that are not plain ASCII, so that a pattern for rare characters need not be tried on every letter.

Most texts hold none or few of them, and deleting the plain ones is a C call, many times quicker than looking through all.
"""

from __future__ import annotations

_PLAIN = bytes(byte for byte in range(128) if chr(byte).isprintable()) + b"\t\n\r"


def beyond_plain(text: str) -> str:
    """Return the characters of a text, in their order, that are neither printable ASCII nor tab, line feed or carriage return."""
    return text.encode("utf-8", "surrogatepass").translate(None, _PLAIN).decode("utf-8", "surrogatepass")
