"""A structured answer: JSON as the whole of the text, bare or in one code fence."""

from __future__ import annotations

import re

from evalkit.records.base import Json
from evalkit.text.strict_json import strict_json

_FENCED = re.compile(r"\s*(`{3,}|~{3,})[ \t]*(?:[jJ][sS][oO][nN])?[ \t]*\r?\n(.*)\n[ \t]*\1\s*", re.DOTALL)


def read_json_answer(text: str, *, fenced: bool) -> Json:
    """Return the JSON value that an answer is, out of its fence where `fenced` allows one.

    Raises ValueError for anything else: prose around the JSON, NaN, a key given twice, a number beyond range.
    """
    match = _FENCED.fullmatch(text) if fenced else None
    return strict_json(match[2] if match else text)
