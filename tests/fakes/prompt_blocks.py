"""Reads the text of a block back out of a prompt, as a judge would find it."""

from __future__ import annotations

from evalkit.judging.markers import TAG_DIGITS


def read_block(prompt: str, name: str) -> str:
    """Return the text of a block: from the first begin marker of that name to the last end marker with the same tag.

    Raises ValueError where the prompt holds no such block.
    """
    head = f"<<<BEGIN {name} "
    start = prompt.find(head)
    if start < 0:
        raise ValueError(f"no block {name!r} in the prompt")
    tag = prompt[start + len(head) :][:TAG_DIGITS]
    begin = start + len(head) + TAG_DIGITS + len(">>>\n")
    end = prompt.rfind(f"\n<<<END {name} {tag}>>>")
    if end < begin:
        raise ValueError(f"block {name!r} is not closed")
    return prompt[begin:end]
