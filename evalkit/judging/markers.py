"""Marked blocks: where untrusted text begins and ends in a prompt.

A block's tag is taken from the hash of the block's own text, so a candidate that wanted to print its own end marker would have
to find a text that holds its own hash. While a tag occurs in any untrusted text of the request, a counter is hashed in. The
same input gives the same prompt, and a context block's tag does not depend on the candidate, so prefixes stay shared.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

TAG_DIGITS = 20
"""Hex digits of a tag: 80 bits."""


def block_tag(text: str, untrusted: Sequence[str]) -> str:
    """Return the tag of a block: hex digits that occur in none of the untrusted texts of the request."""
    data = text.encode("utf-8", "surrogatepass")
    counter = 0
    while True:
        tag = hashlib.sha256(b"evalkit-block\0%d\0" % counter + data).hexdigest()[:TAG_DIGITS]
        if not any(tag in other for other in untrusted):
            return tag
        counter += 1


def block(name: str, text: str, untrusted: Sequence[str]) -> str:
    """Return a text between its markers, each on a line of its own; the text itself is untouched."""
    tag = block_tag(text, untrusted)
    return f"<<<BEGIN {name} {tag}>>>\n{text}\n<<<END {name} {tag}>>>"
