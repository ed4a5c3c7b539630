r"""Untrusted text made harmless for terminals, CI logs and markdown.

Ids, outputs, contexts, rationales and judge replies come from anywhere. Where they are printed,
- control characters, ANSI and OSC sequences, carriage returns, bidi controls and invisible characters stand escaped (`\x1b`),
- a line break stands as `\n` (page.py prints blocks, line by line behind a margin),
- log commands of CI systems (`::error::`, `##[error]`, `##vso[`) are broken up wherever they stand, because a terminal may wrap
  a line anywhere and some runners look for a command behind leading spaces,
- a long text ends with a mark that says how long it is.
"""

from __future__ import annotations

import re

from evalkit.runstore.files import UNSHOWN

_CONTROLS = re.compile("[\x00-\x1f\x7f]|" + UNSHOWN.pattern)
_LOG_COMMAND = re.compile(r":(?=:[A-Za-z][\w-]*(?: [^:]*)?::)|#(?=#(?:\[|vso\[|teamcity\[))")
_MARKDOWN = re.compile(r"[\\`*_\[\]~|$]")
_MENTION = re.compile(r"@(?=[A-Za-z_])|(?<!\w)@(?=\d)|#(?=\d)|(?<=\w):(?=//)|(?i:(?<=\bwww)\.)")

LINE_CHARS = 240
"""Characters of an untrusted text on one line of a summary."""
LONGEST_WORD = 30
"""Characters that are given up so that a text is not cut within a word."""
BLOCK_CHARS = 8000
"""Characters of an untrusted text in a block."""


def visible(text: str) -> str:
    r"""Return a text in which every character can be seen; line breaks become `\n` too."""
    return _LOG_COMMAND.sub(_shown, _CONTROLS.sub(_shown, text))


def _shown(match: re.Match[str]) -> str:
    character = match.group()[0]
    if character == "\n":
        return "\\n"
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def one_line(text: str, limit: int = LINE_CHARS) -> str:
    """Return a text as one harmless line of at most about `limit` characters, with a mark where it was cut."""
    if len(text) <= limit:
        return visible(text)
    return f"{visible(at_word(text, limit))}... (truncated, {len(text):,} characters)"


def at_word(text: str, limit: int) -> str:
    """Return the first `limit` characters of a longer text, without the beginning of a word at their end."""
    start = text[:limit]
    if text[limit : limit + 1].isspace() or start[-1:].isspace():
        return start.rstrip()
    space = start.rfind(" ", max(0, limit - LONGEST_WORD))
    return start if space <= 0 else start[:space].rstrip()


def markdown(text: str, limit: int = LINE_CHARS) -> str:
    """Return a text as one harmless piece of markdown, for a table cell too: no markup, no HTML, no mention, no link."""
    shown = _MARKDOWN.sub(lambda match: "\\" + match.group(), one_line(text, limit))
    shown = shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MENTION.sub(lambda match: f"{match.group()}&#8203;", shown)
