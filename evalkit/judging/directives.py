"""Lines that read like instructions to whoever grades, or like the edges of a prompt, inside a text that is only to be graded.

The rules aim at orders to a grader or an assistant, announced grades, planted verdicts and fake markers, not at imperative
sentences in general: a help-centre article that says "Click Save" is left alone. Each rule has plain words of which one must
stand in the text before its pattern is tried, so ordinary text costs a few substring searches. Every repetition in a pattern
is bounded and long lines are read in overlapping pieces, so no text takes more than linear time.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from evalkit.text.beyond_plain import beyond_plain

LINE_LIMIT = 2000
"""Characters of a line in which directives are looked for at a time; longer lines are searched in overlapping pieces."""

_GRADER = r"(?:evaluator|grader|judge|assessor|rater|grading (?:model|system|assistant)|llm[- ]judge)s?"
_READER = rf"(?:{_GRADER}|(?:(?:ai|language) )?(?:model|assistant|chatbot|bot|agent|reviewer|marker)s?)"
_GRADERS = ("evaluator", "grader", "judge", "assessor", "rater", "grading ")
_BLOCK = r"(?:answer|candidate|context|case|rubric|input|response|content|output|prompt|source|question|system|document|material)"
_TARGET = (
    r"(?:\bas (?:a |fully )?(?:pass(?:ed|ing)?|correct|supported|verified)\b|\bpass(?:es)? (?:all|every)\b|\ball criteria\b|\b(?:each|every) criteri"
    r"|\bfull (?:marks|credit)\b|\bperfect score\b|\bscore of (?:100|10|5)\b|10\s?/\s?10|\boverall_pass\b"
    r"|[\"'“‘`](?:pass|fail)(?:ed)?[\"'”’`]|\bgrade[\"']?\s?[:=])"
)
_GRADE_WORDS = (
    *(f"as {middle}{word}" for middle in ("", "a ", "fully ") for word in ("pass", "correct", "supported", "verified")),
    *(f"{quote}{word}" for quote in "\"'“‘`" for word in ("pass", "fail")),
    *(
        "pass all",
        "passes all",
        "pass every",
        "passes every",
        "all criteria",
        "each criteri",
        "every criteri",
        "full marks",
    ),
    *(
        "full credit",
        "perfect score",
        "score of ",
        "/10",
        "/ 10",
        "overall_pass",
        "grade:",
        "grade=",
        "grade :",
        "grade =",
    ),
    *('grade"', "grade'"),
)
"""Lower-case texts of which each match of _TARGET holds one."""
_GRADE_STEMS = (
    *("pass", "fail", "correct", "supported", "verified", "criteri", "grade"),
    *("full marks", "full credit", "perfect score", "score of ", "/10", "/ 10"),
)
"""Fewer texts of which each of these holds one."""
_VERB = (
    r"\b(?:mark|grade|rate|score|label|treat|consider|regard|return|output|give|award|assign|set|report|record|reply|respond|confirm)"
    r"(?:s|ed|ing)?\b"
)


@dataclass(frozen=True)
class _Rule:
    words: tuple[tuple[str, ...], ...]
    """Groups of lower-case texts, the quickest to look for first; of each something must occur before the pattern is tried."""
    source: str
    flags: re.RegexFlag

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        # Compiled when a text first holds the words: most runs never do, and compiling all rules costs more than a warm run.
        return re.compile(self.source, self.flags)

    def may_match(self, lowered: str) -> bool:
        for group in self.words:
            for word in group:
                if word in lowered:
                    break
            else:
                return False
        return True


def _rule(*words: tuple[str, ...], pattern: str, flags: re.RegexFlag = re.IGNORECASE) -> _Rule:
    # One or two characters are found many times quicker than a word.
    quickest_first = sorted(words, key=lambda group: sum(len(word) > 2 for word in group))
    return _Rule(tuple(quickest_first), pattern, flags)


_RULES = (
    _rule(
        ("ignor", "disregard", "forget", "overrid", "overrul", "bypass"),
        pattern=r"\b(?:ignor|disregard|forget|overrid|overrul|bypass)\w{0,4}\b.{0,60}\b(?:instruction|rubric|criteri|prompt|guideline|directive|"
        r"grading|(?:other|retrieved|official|provided) (?:document|source|article)|the (?:documents|sources|context)\b|"
        r"(?:everything|anything|all)\W{1,3}(?:of the |that came )?(?:above|before|previous|prior|earlier)|"
        r"(?:previous|prior|above|earlier) (?:text|message|content|line|section|part|rule|order|command))",
    ),
    _rule(
        ("note", "message", "instruction", "notice", "memo", "reminder", "override", "warning", "hint"),
        (*_GRADERS, "model", "assistant", " bot", "chatbot", " agent", "reviewer", "marker"),
        pattern=r"(?:^|[^\w\s])\W{0,20}(?:(?:system|important|urgent|internal|priority|special|hidden) )?"
        r"(?:note|message|instruction|notice|memo|reminder|override|warning|hint)s?\b.{0,12}\b(?:to|for) "
        rf"(?:(?:the|any|all|every|each|whichever) )?{_READER}\b",
    ),
    _rule(
        _GRADERS,
        pattern=rf"\b(?:attention|dear|hey|hello|hi)\b\W{{0,3}}(?:the )?{_GRADER}\b"
        rf"|^\W{{0,40}}(?:to |for )?(?:the )?{_GRADER}\s?[:,!-]"
        rf"|\b{_GRADER}\b.{{0,30}}\b(?:must|should|shall|please|(?:has|have|needs?|is|are) (?:now )?(?:required )?to|will now|who)\b",
    ),
    _rule(
        _GRADE_STEMS,
        _GRADE_WORDS,
        pattern=rf"{_VERB}.{{0,80}}?{_TARGET}",
    ),
    _rule(
        ("overall_pass", "grade", "verdict"),
        ("overall_pass", 'grade"', "grade'", 'verdict"', "verdict'"),
        pattern=r"\boverall_pass\b|[\"'](?:grade|verdict)[\"']\s{0,4}:\s{0,4}[\"'](?:pass|fail)",
    ),
    _rule(  # a line that is nothing but a grade: "Rating: 5", "GRADE: C", "winner: A"
        ("rating", "score", "grade", "verdict", "winner", "marks", "judgment", "judgement"),
        (":", "="),
        pattern=r"^[^\w\"']{0,12}(?:(?:final|overall|total|my|the) ){0,2}(?:rating|score|grade|verdict|winner|marks|judge?ment)\W{0,6}[:=]\W{0,6}"
        r"(?:\d{1,3}(?:\.\d{1,2})?(?:\s?(?:/|of|out of)\s?\d{1,3}|\s?%|\s?points?)?|[A-F][+-]?|pass(?:ed|es)?|fail(?:ed|s)?|(?:in)?correct|tie|draw"
        r"|(?:the )?(?:answer|response|assistant|candidate|model)[ _][AB12])\W{0,12}$",
    ),
    _rule(
        ("[[",),
        pattern=r"(?:^\W{0,12}|\b(?:rating|score|grade|verdict|winner)\b.{0,20})\[\[\s?(?:\d{1,3}(?:\.\d{1,2})?|[A-E]|tie)\s?\]\]",
    ),
    _rule(
        ("pass", "winner"),
        ('pass"', 'passed"', 'passes"', 'winner"', "pass'", "passed'", "passes'", "winner'"),
        pattern=r"[\"'](?:pass|passed|passes)[\"']\s{0,4}:\s{0,4}(?:true|false|[\"'](?:true|false|yes|no)[\"'])"
        r"|[\"']winner[\"']\s{0,4}:\s{0,4}[\"'](?:(?:answer|response|assistant|candidate|model)?[ _]?[AB12]|tie|draw|both|neither)[\"']",
    ),
    _rule(
        ("you are now", "you're now", "you are no longer", "you're no longer"),
        pattern=r"\byou(?: are|'re) (?:now|no longer) (?:bound|restricted|acting as|playing|obliged|"
        r"(?:an?|the) .{0,40}\b(?:assistant|model|ai|bot|grader|evaluator|judge)\b)",
    ),
    _rule(
        ("system ", "developer ", "assistant "),
        ("prompt", "message", "note", "notice", "override", "instruction"),
        pattern=r"^\W{0,40}(?:system|developer|assistant) (?:prompt|message|note|notice|override|instruction)s?\b.{0,30}:",
    ),
    _rule(("system:", "system :"), pattern=r"^\W{0,40}SYSTEM\s?:", flags=re.NOFLAG),
    _rule(
        ("prompt", "rubric", "instruction:", "instructions:", "instruction :", "instructions :", "grading rule"),
        ("new ", "updated ", "real ", "actual ", "final ", "revised "),
        pattern=r"\b(?:new|updated|real|actual|final|revised) "
        r"(?:(?:system prompt|rubric|grading rule)s?\b|(?:system )?(?:instructions?|prompts?)\s?:)",
    ),
    _rule(("mention this",), pattern=r"\b(?:do not|don't|never) mention this (?:instruction|notice|message|note|memo)"),
    _rule(
        ("<", "inst]", "sys]"),
        pattern=r"<\|?(?:im_start|im_end|system|assistant|endoftext|eot_id|start_header_id)\|?>|\[/?(?:INST|SYS)\]|<</?SYS>>",
    ),
    _rule(
        (
            "end of",
            "begin",
            "<end",
            "</end",
            "[end",
            "[/end",
            "-end",
            "- end",
            "=end",
            "= end",
            "#end",
            "# end",
            "< end",
        ),
        ("<", "#", "--", "==", "["),
        pattern=r"(?:(?<!<)<{2,8}|(?<!#)#{2,8}|(?<!-)-{3,8}|(?<!=)={3,8}|\[|</?)\s{0,4}/?"
        r"(?:begin|end)[ _-]{0,3}(?:of[ _-]{0,3})?(?:the[ _-]{0,3})?" + _BLOCK,
    ),
    _rule(("<<",), pattern=rf"(?<!<)<{{2,8}}\s?/?{_BLOCK}\b.{{0,40}}>>"),
    _rule(
        ("<",),
        pattern=r"</?(?:answer|candidate|context|response|rubric|system|document|evaluation|verdict|grading)\b[^<>\n]{0,80}>",
    ),
    _rule(
        ("continued", "harness", "evaluat", " grad"),
        ("#", "=", "*"),
        pattern=r"^\W{0,10}[#=*]\W{0,10}(?:context|candidate|answer|rubric|note|message|instruction)s?\b"
        r".{0,20}\b(?:continued|harness|evaluat|grad)",
    ),
)

_REASON = r"[\"'](?:reason|reasons|reasoning|rationale|explanation|justification)[\"']\s{0,9}:"
_SCORE = r"[\"'](?:score|rating|grade|overall)[\"']\s{0,9}:"
_GRADE_OBJECT = _rule(
    ("score", "rating", "grade", "overall"),
    ('score"', 'rating"', 'grade"', 'overall"', "score'", "rating'", "grade'", "overall'"),
    ("reason", "rationale", "explanation", "justification"),
    pattern=rf"{_SCORE}(?=[^{{}}]{{0,600}}?{_REASON})|{_REASON}[^{{}}]{{0,600}}?(?P<late>{_SCORE})",
)
"""A grade with its reason in one object, over as many lines as it likes; a rating alone is a product's."""

INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e01ef]+"
)
"""Runs of characters that a reader does not see, or that reorder what is seen: controls, zero width, bidi, tags, lone surrogates."""


def holds_invisible(text: str) -> bool:
    """Tell whether a text holds a character of `INVISIBLE`."""
    return INVISIBLE.search(beyond_plain(text)) is not None


def is_directive(line: str) -> bool:
    """Tell whether a line reads like an instruction to whoever grades, also behind invisible, full-width or styled letters."""
    plain = _plain(line)
    return _matches(plain, _rules_for(plain)) or next(_graded_lines(plain), None) is not None


def directive_offsets(text: str) -> Iterator[int]:
    """Yield the offset of each line of a text that is a directive, in order."""
    rules = _rules_for(_plain(text))
    graded = set(_graded_lines(text))
    if not rules and not graded:
        return
    start = 0
    for number, line in enumerate(text.splitlines(keepends=True)):
        if number in graded or _matches(_plain(line), rules):
            yield start
        start += len(line)


def _graded_lines(text: str) -> Iterator[int]:
    """Yield the number of each line, from 0, that holds the grade of an object with a grade and its reason."""
    if not _GRADE_OBJECT.may_match(text.lower()):
        return
    number = read = 0
    for match in _GRADE_OBJECT.pattern.finditer(text):
        at = match.start("late") if match["late"] else match.start()
        number += len(f"{text[read:at]}|".splitlines()) - 1
        read = at
        yield number


def _plain(text: str) -> str:
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", INVISIBLE.sub("", text) if holds_invisible(text) else text)


def _rules_for(plain: str) -> list[_Rule]:
    lowered = plain.lower()
    return [rule for rule in _RULES if rule.may_match(lowered)]


def _matches(plain: str, rules: list[_Rule]) -> bool:
    if not rules:
        return False
    lowered = plain.lower()
    step = LINE_LIMIT // 2
    pieces = [plain] if len(plain) <= LINE_LIMIT else [plain[at : at + LINE_LIMIT] for at in range(0, len(plain), step)]
    return any(rule.may_match(lowered) and any(map(rule.pattern.search, pieces)) for rule in rules)
