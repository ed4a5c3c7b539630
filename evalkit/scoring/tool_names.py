"""Tool names as policies list them: exact, or with `*` for any characters; letter case and width do not matter.

A policy must hold where a candidate writes `Delete_Account` or `functions.delete_account` for `delete_account`, so names are
folded before they are compared, and a namespace in front of the last dot is tried with and without.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from fnmatch import fnmatchcase


def folded_name(name: str) -> str:
    """Return a tool name in the form in which policies compare it."""
    return unicodedata.normalize("NFKC", name).strip().casefold()


def bare_name(name: str) -> str:
    """Return a tool name in the compared form, without its namespace."""
    return folded_name(name).rpartition(".")[2]


def same_tool(name: str, other: str) -> bool:
    """Tell whether two names mean one tool: equal in the compared form, where only one has a namespace without it."""
    one, two = folded_name(name), folded_name(other)
    return one == two or one == bare_name(two) or two == bare_name(one)


class ToolNames:
    """A policy's list of tool names."""

    def __init__(self, listed: Iterable[str]) -> None:
        self._patterns = tuple(folded_name(name).replace("[", "[[]").replace("?", "[?]") for name in listed)

    def __contains__(self, name: str) -> bool:
        """Tell whether a tool name is meant by the list."""
        folded = folded_name(name)
        bare = bare_name(name)
        return any(fnmatchcase(folded, pattern) or fnmatchcase(bare, pattern) for pattern in self._patterns)
