"""What to write in place of a name that is not known."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str], what: str) -> str:
    """Return a remedy for an unknown name: the nearest known one, or all of them; `what` is their kind, in the plural."""
    from difflib import get_close_matches

    names = list(known)
    near = get_close_matches(name, names, n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"known {what}: {', '.join(names)}" if names else f"there are no {what}"
