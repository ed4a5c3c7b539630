r"""What is suspicious about a pattern that somebody wrote: it compiles, and still does not say what was meant.

Each rule is a fault that was seen: "\b" in a double-quoted YAML text is a backspace; `\ban|a|the\b` matches inside words, because
the alternation binds weaker than the word boundaries; `x*` is found in every text.
"""

from __future__ import annotations

import re
import unicodedata

_ALLOWED_CONTROLS = frozenset("\t\n\r")
_OPENING_ANCHORS = ("\\b", "^", "\\A")
_CLOSING_ANCHORS = ("\\b", "$", "\\Z")
_PART = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)


def check_pattern(pattern: str) -> tuple[str, ...]:
    """Return warnings about a pattern that compiles, in words for its author; empty where nothing is suspicious."""
    warnings = [_control_warning(character) for character in dict.fromkeys(pattern) if _is_control(character)]
    branches = _branches(pattern)
    if len(branches) > 1 and (
        _mixed(branches, _OPENING_ANCHORS, str.startswith) or _mixed(branches, _CLOSING_ANCHORS, str.endswith)
    ):
        warnings.append(
            f"in {pattern!r} an anchor belongs to one branch of the alternation only; write (?:...) around the branches"
        )
    if _matches_nothing(pattern):
        warnings.append(f"{pattern!r} matches the empty text, so it is found in every answer")
    return tuple(warnings)


def _is_control(character: str) -> bool:
    return unicodedata.category(character) == "Cc" and character not in _ALLOWED_CONTROLS


def _control_warning(character: str) -> str:
    name = "a backspace" if character == "\b" else "a control character"
    hint = (
        r'; in a double-quoted YAML text "\b" is a backspace, write the pattern in single quotes'
        if character == "\b"
        else ""
    )
    return f"the pattern holds {name} (U+{ord(character):04X}){hint}"


def _branches(pattern: str) -> list[str]:
    """Return the branches of a pattern's outermost alternation."""
    branches, depth = [""], 0
    for part in _PART.findall(pattern):
        depth += {"(": 1, ")": -1}.get(part, 0)
        if part == "|" and depth == 0:
            branches.append("")
        else:
            branches[-1] += part
    return branches


def _mixed(branches: list[str], anchors: tuple[str, ...], has: object) -> bool:
    assert callable(has)  # noqa: S101 - one of two methods of str; narrows the type
    anchored = [bool(has(branch, anchors)) for branch in branches]
    return any(anchored) and not all(anchored)


def _matches_nothing(pattern: str) -> bool:
    import regex

    try:
        return (
            regex.fullmatch(pattern, "", timeout=1) is not None
            and regex.search(pattern, "x\u00e9 1", timeout=1) is not None
        )
    except (regex.error, TimeoutError):
        return False
