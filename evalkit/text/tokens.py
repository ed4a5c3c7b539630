"""Tokens for overlap measures and length limits: words, cut further where a script does not put spaces between them.

Chinese, Japanese, Thai, Lao, Khmer, Myanmar and Tibetan write words without spaces, so a whole answer would be one token and
overlap all or nothing. There each character, with the marks that belong to it, is a token of its own; everything else stays
the word that it is. No dictionary, no model: the same tokens on every machine.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

TOKENIZER = "words+unspaced-characters/1"
"""Name of this tokenizer, for signatures; changes whenever a text could be cut differently."""

_MARKS = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"  # Thai
    "\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece"  # Lao
    "\u0f18\u0f19\u0f35\u0f37\u0f39\u0f3e\u0f3f\u0f71-\u0f84\u0f86\u0f87\u0f8d-\u0fbc"  # Tibetan
    "\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d"  # Myanmar
    "\u17b4-\u17d3\u17dd"  # Khmer
    "\u3099\u309a\ufe00-\ufe0f"  # kana voicing, variation selectors
)
_UNSPACED = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Tibetan, Myanmar, Khmer
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3040-\u30ff\u31f0-\u31ff"  # radicals, iteration marks, kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"  # ideographs, half-width kana
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"  # further kana and ideographs
)
_TOKEN = re.compile(f"[{_UNSPACED}][{_MARKS}]*|[^{_UNSPACED}]+")
_ANY_UNSPACED = re.compile(f"[{_UNSPACED}]")


def tokens(words: Sequence[str]) -> Sequence[str]:
    """Return the tokens of a text that was already split at white space."""
    if "".join(words).isascii():
        return words
    cut: list[str] = []
    for word in words:
        if word.isascii():
            cut.append(word)
        else:
            cut.extend(_TOKEN.findall(word))
    return cut


def is_unspaced(character: str) -> bool:
    """Tell whether a character belongs to a script that puts no spaces between words."""
    return _ANY_UNSPACED.match(character) is not None
