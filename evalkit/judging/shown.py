"""Untrusted text on its way to the judge: directive-like lines are tagged, invisible characters are shown, nothing is deleted.

Every alteration is logged with its offset and can be undone exactly; a text in which nothing had to be altered reaches the
judge byte for byte. The patterns aim at instructions to whoever grades, not at imperative sentences in general: a help-centre
article that says "Click Save" is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from evalkit.records.texts import Alteration, ShownText

PREPROCESSING_VERSION = "1"
"""Changes whenever a text could be shown differently; part of judge_config_hash."""

DIRECTIVE_TAG = "[directive-like line, quoted as data] "

_GRADER = r"(?:evaluator|grader|judge|assessor|rater|reviewer|marker|grading (?:model|system|assistant)|llm[- ]judge)s?"
_DIRECTIVES = (
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instruction|rubric|criteria|prompt|rule|guideline|directive|above|previous|prior|earlier)",
    rf"\b(?:note|message|instruction|attention|dear|hey|hello|memo|reminder)s?\b[^.\n]{{0,20}}\b{_GRADER}\b",
    rf"^\W*(?:to |for )?(?:the )?{_GRADER}\s*[:,!-]",
    rf"\b{_GRADER}\b.{{0,30}}\b(?:must|should|shall|please|has to|have to|need to|will now)\b",
    r"\b(?:mark|grade|rate|score|label|treat|count|consider|return|output|give|award|assign|set)\b.{0,60}\b(?:as (?:a )?pass(?:ed|ing)?\b|pass(?:es)? all|all criteria|every criteri|full marks|full credit|perfect score|10\s*/\s*10|100\s*%|overall_pass|\"?grade\"?\s*[:=])",
    r"\boverall_pass\b",
    r"[\"']grade[\"']\s*:\s*[\"'](?:pass|fail)",
    r"\byou are (?:now|no longer)\b",
    r"^\W*(?:system|assistant|developer)\s*(?:prompt|message|note|override|instruction)?\s*:",
    r"\b(?:new|updated|real|actual|final) (?:system )?(?:instruction|prompt|rubric|grading rule)s?\b",
    r"<\|?(?:im_start|im_end|system|assistant|endoftext|eot_id|start_header_id)\|?>",
    r"\[/?(?:INST|SYS)\]|<</?SYS>>",
    r"(?:<{2,}|#{2,}|-{3,}|={3,}|\[|</?)\s*/?(?:begin|end)[ _-]*(?:of[ _-]*)?(?:the[ _-]*)?(?:answer|candidate|context|case|rubric|input|response|content|output|prompt|source|question)",
    r"</(?:answer|candidate|context|response|output|rubric)>",
)
_DIRECTIVE = re.compile("|".join(f"(?:{pattern})" for pattern in _DIRECTIVES), re.IGNORECASE)

_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e01ef]"
)

LINE_LIMIT = 2000
"""Characters of a line in which directives are looked for at a time; longer lines are searched in overlapping pieces."""


def show(text: str) -> ShownText:
    """Return a text with what the judge will see instead of it and how to get back."""
    alterations = sorted([*_directive_lines(text), *_invisible(text)], key=lambda a: (a.offset, bool(a.original)))
    if not alterations:
        return ShownText(text, text)
    pieces, position = [], 0
    for alteration in alterations:
        pieces.append(text[position : alteration.offset])
        pieces.append(alteration.shown)
        position = alteration.offset + len(alteration.original)
    pieces.append(text[position:])
    return ShownText(text, "".join(pieces), tuple(alterations))


def _invisible(text: str) -> Iterator[Alteration]:
    for match in _INVISIBLE.finditer(text):
        shown = f"\\u{{{ord(match.group()):04X}}}"
        yield Alteration(kind="invisible_character", offset=match.start(), original=match.group(), shown=shown)


def _directive_lines(text: str) -> Iterator[Alteration]:
    start = 0
    for line in text.splitlines(keepends=True):
        if is_directive(line):
            yield Alteration(kind="directive_line", offset=start, original="", shown=DIRECTIVE_TAG)
        start += len(line)


def is_directive(line: str) -> bool:
    """Tell whether a line reads like an instruction to whoever grades, also when invisible characters are strewn into it."""
    plain = _INVISIBLE.sub("", line) if not line.isascii() else line
    if len(plain) <= LINE_LIMIT:
        return _DIRECTIVE.search(plain) is not None
    step = LINE_LIMIT // 2
    return any(_DIRECTIVE.search(plain, at, at + LINE_LIMIT) for at in range(0, len(plain), step))
