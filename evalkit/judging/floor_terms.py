"""What the floor judge reads in a sentence: content words in their order, names, figures with their unit, what is negated.

Words are compared by a short stem without stop words; scripts without spaces by pairs of characters. A figure is a number in
one spelling ("1,000" = 1000, "thirty" = 30, 2023-07-01 = 1 July 2023). Nothing here is learnt; every rule can be read off.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from evalkit.judging.floor_polarity import BOUNDS, CLAUSE_WORDS, EXCLUSIVE, NEGATORS, NO_NEGATION, RELATIONS, Negation
from evalkit.judging.floor_units import MEASURES, RATE, TIMES, UNITS, Figure

_NO_SPACES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
_FIRST_WITHOUT_SPACES = "\u0e00"
_ADDRESS = (
    r"(?P<address>[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,6}"
    r"|(?:https?://)?[^\W\d][\w-]{0,64}(?:\.[\w-]{2,64}){1,6}(?:/[\w./-]{0,200})?)|"
)
_OTHER = (
    r"(?P<date>\d{4}-\d{2}-\d{2})(?!\d)"
    r"|(?P<number>\d{1,30}(?:[.,]\d{1,30}){0,10})(?P<percent>\s?%)?"
    rf"|(?P<run>[{_NO_SPACES}]+)"
    rf"|(?P<word>[^\W\d_{_NO_SPACES}][^\W_{_NO_SPACES}]*(?:['’][^\W\d_{_NO_SPACES}]{{1,3}}\b)?)"
    r"|(?P<money>[$€£¥])|(?P<clause>[,;:.!?()\n—–])"
)
_TOKEN = re.compile(_OTHER)
_TOKEN_OR_ADDRESS = re.compile(_ADDRESS + _OTHER)
_ADDRESSES = re.compile(_ADDRESS.replace("(?P<address>", "(?:").removesuffix("|"))
_ADDRESS_HINT = re.compile(r"\w[@.][^\W\d]|://")
_INNER_CAPITAL = re.compile(r"(?<=[a-z,] )[A-Z][^\W\d_]+")
_CAPITAL = re.compile(r"\b[A-Z][^\W\d_]+")
_SMALL_WORD = re.compile(r"\b[a-z]+")
_WORDS = re.compile(rf"[{_NO_SPACES}]+|[^\W\d_{_NO_SPACES}][^\W_{_NO_SPACES}]*")
_STOP_WORDS = (
    "a an the and or of to in on at by for from with as is are was were be been being it its this that these those there here "
    "you your yours we our ours us i my me he she they them their theirs his her who whom which what when where how why if then than "
    "so do does did done have has had having can could will would may might shall should must also just only very still yet both "
    "up down out over under into onto about after before again further once same such own too more most some any all each "
    "but because while until during through between per via get gets got let one yes no not nor neither never none without cannot "
    "please however otherwise either though although since else already even that's it's you'll you'd they're we'll i'm"
)
_STOP = frozenset(_STOP_WORDS.split())
_SMALL = "zero - two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
_TENS = "thirty forty fifty sixty seventy eighty ninety hundred"
# "One" is left out: it is a pronoun more often than a number.
_NUMBER_WORDS = {word: str(value) for value, word in enumerate(_SMALL.split()) if word != "-"} | {
    word: str(10 * value) for value, word in enumerate(_TENS.split(), 3)
}
_MONTH_NAMES = "january february march april may june july august september october november december"
_MONTHS = {
    spelling: f"month {number}" for number, name in enumerate(_MONTH_NAMES.split(), 1) for spelling in (name, name[:3])
}
_PER = frozenset(("per", "a", "an", "each", "every"))
_INSTEAD = frozenset((("rather", "than"), ("instead", "of")))
"""Pairs of words after which comes what is not so."""
_SIGNS = frozenset("%$€£¥")
"""Units that are signs, not words."""
_OPENERS = ".!?:\n"
"""Marks after which a capital says nothing."""


class Terms(NamedTuple):
    """What was read in a sentence."""

    words: frozenset[str]
    """Stems of content words, names and addresses included; without figures."""
    names: frozenset[str]
    """Those stems that are written like names: capitalised inside a sentence, all capitals, addresses."""
    openers: frozenset[str]
    """Stems that are capitalised at the start of a sentence: names only if the sources write them like names elsewhere."""
    figures: frozenset[Figure]
    negated: frozenset[str]
    """Stems in the scope of a negation."""
    plain: frozenset[str]
    """Stems in clauses without a negation. A stem may be both negated and plain, or neither."""
    heads: frozenset[str]
    """Stems right after a negator: what is denied."""
    relations: frozenset[str]
    """Small words with the stem or number after them ("after payment")."""
    exclusive: bool
    """Whether it says "only", other than of a number."""
    order: tuple[str, ...]
    """Stems and numbers as they stand."""

    @property
    def values(self) -> frozenset[str]:
        """The numbers without their units."""
        return frozenset(figure.value for figure in self.figures)


def read_stems(text: str) -> frozenset[str]:
    """Return the stems of a text's content words: nearly what `read_terms` gives as words, at a fraction of its cost."""
    found: set[str] = set()
    if _ADDRESS_HINT.search(text):
        found.update(address.lower().rstrip(".") for address in _ADDRESSES.findall(text))
    for word in _WORDS.findall(text.lower()):
        if word in _MONTHS and word != "may":
            found.add(_MONTHS[word])
        elif word[0] >= _FIRST_WITHOUT_SPACES:
            found.update(_pairs(word))
        elif word not in _STOP:
            found.add(stem(word))
    return frozenset(found)


def read_names(text: str) -> frozenset[str]:
    """Return the stems of a text's names: capitalised inside a sentence, or capitalised at least twice and never small."""
    inner = {name.lower() for name in _INNER_CAPITAL.findall(text)}
    often = [name.lower() for name, times in Counter(_CAPITAL.findall(text)).items() if times > 1]
    small = set(_SMALL_WORD.findall(text)) if often else set()
    return frozenset(map(stem, inner.union(name for name in often if name not in small and name not in _STOP)))


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(max(1, len(run) - 1))]


@lru_cache(maxsize=2048)
def read_terms(text: str) -> Terms:
    """Return what stands in a sentence."""
    reader = _Reader()
    pattern = _TOKEN_OR_ADDRESS if _ADDRESS_HINT.search(text) else _TOKEN
    for match in pattern.finditer(text):
        reader.take(match)
    return reader.terms()


class _Reader:
    """One pass over the tokens of a sentence."""

    def __init__(self) -> None:
        self.words: set[str] = set()
        self.names: set[str] = set()
        self.openers: set[str] = set()
        self.figures: set[Figure] = set()
        self.order: list[str] = []
        self.relations: set[str] = set()
        self.exclusive = False
        self.waiting: str | None = None
        self.counted: str | None = None
        self.rated: str | None = None
        self.currency = ""
        self.rate = False
        self.opening = True
        self.before = self.earlier = ""
        self.relation = ""
        self.negation = Negation()

    def take(self, match: re.Match[str]) -> None:
        kind = match.lastgroup
        token = match.group()
        if kind == "word":
            self.rate = self.rate or match.string.startswith("/", match.start() - 1)
            # "Non-removable" and "un-encrypted" deny as "not" does.
            prefix = token.lower() in ("non", "un") and match.string.startswith("-", match.end())
            self._word("not" if prefix else token)
        elif kind in ("number", "percent"):
            self._number(match["number"], "%" if match["percent"] else self.currency)
        elif kind == "run":
            pairs = _pairs(token)
            self.words.update(pairs)
            self._close_figure(pairs[0])
        elif kind == "date":
            year, month, day = token.split("-")
            self.words.add(f"month {int(month)}")
            self.figures |= {Figure(year, ""), Figure(str(int(day)), "")}
        elif kind == "address":
            self._content(token.lower().rstrip("."), token, name="." in token)
        elif kind == "clause":
            self.negation.clause(token)
            self._close_figure("")
            self.rate = False
            self.counted = self.rated = None
            self.before = self.relation = ""
            self.opening = self.opening or token in _OPENERS
        self.currency = token if kind == "money" else ""

    def _word(self, token: str) -> None:
        lowered = token.lower().replace("’", "'")
        if lowered in NO_NEGATION and self.before in NEGATORS:
            self.negation.cancel("")
            # "Nothing but glass" is only glass.
            self.exclusive = self.exclusive or lowered == "but"
        if lowered in NEGATORS or lowered.endswith("n't"):
            self.negation.start()
        elif lowered in _NUMBER_WORDS:
            self._number(_NUMBER_WORDS[lowered], "")
        elif lowered in _MONTHS and token[0].isupper() and not (self.opening and lowered == "may"):
            self.words.add(_MONTHS[lowered])
            self.order.append(_MONTHS[lowered])
            self._close_figure("")
        elif lowered in _STOP or lowered in RELATIONS or lowered in EXCLUSIVE:
            self._small(lowered)
        else:
            shouted = len(token) > 1 and token.isupper()
            inner = not token[1:].islower() and len(token) > 2 and token[1:].isalpha()
            found = stem(lowered.removesuffix("'s"))
            capital = token[0].isupper()
            if capital and self.opening:
                self.openers.add(found)
            self._content(found, lowered, name=shouted or inner or (capital and not self.opening))
        self.earlier = self.before
        self.before = lowered
        self.opening = False

    def _small(self, lowered: str) -> None:
        """Take a word that carries nothing itself."""
        if lowered in CLAUSE_WORDS and self.before not in NEGATORS:
            self.negation.clause(",")
        elif lowered == "than" and self.before in BOUNDS and self.earlier in NEGATORS:
            self.negation.cancel(stem(self.before))
        elif (self.before, lowered) in _INSTEAD:
            self.negation.clause(",")
            self.negation.start()
        elif lowered == "than":
            self.negation.stop()
        self.counted = None
        if lowered in _PER:
            self.rate = True
            # "120 a minute" counts no minutes.
            self._close_figure("")
        else:
            self.rated = None
        if lowered in RELATIONS:
            self.relation = lowered
        if lowered in EXCLUSIVE and self.before not in NEGATORS:
            self.exclusive = True

    def _content(self, found: str, written: str, *, name: bool) -> None:
        unit = UNITS.get(written, found)
        if self.waiting is not None and unit in _SIGNS:
            self._close_figure(unit)
            return
        if self.rate and self.rated is not None and unit in TIMES:
            self.figures.add(Figure(self.rated, RATE + unit))
        elif self.counted is not None and unit in TIMES:
            # "14 business days" are days.
            self.figures.add(Figure(self.counted, unit))
        self.counted = None if unit in MEASURES else self.waiting
        if unit in MEASURES and self.waiting is not None:
            found, name = unit, False
        self._close_figure(unit)
        self.words.add(found)
        if name:
            self.names.add(found)
        self.order.append(found)
        self._relate(found)
        self.negation.word(found)
        self.rate = False
        self.opening = False

    def _relate(self, following: str) -> None:
        if self.relation:
            self.relations.add(f"{self.relation} {following}")
            self.relation = ""

    def _number(self, text: str, unit: str) -> None:
        self._close_figure("")
        value = canonical_number(text)
        self.order.append(value)
        self._relate(value)
        if self.before in EXCLUSIVE:
            # "Only 30 days" says how little that is, and excludes nobody.
            self.exclusive = False
        self.before = ""
        self.rated, self.counted = value, None
        if unit:
            self.figures.add(Figure(value, unit))
        else:
            self.waiting = value
        self.opening = False

    def _close_figure(self, unit: str) -> None:
        if self.waiting is not None:
            self.figures.add(Figure(self.waiting, unit))
            self.waiting = None

    def terms(self) -> Terms:
        self._close_figure("")
        self.negation.clause(".")
        return Terms(
            frozenset(self.words),
            frozenset(self.names),
            frozenset(self.openers),
            frozenset(self.figures),
            frozenset(self.negation.negated),
            frozenset(self.negation.plain),
            frozenset(self.negation.heads),
            frozenset(self.relations),
            self.exclusive,
            tuple(self.order),
        )


def canonical_number(text: str) -> str:
    """Return one spelling of a number: no thousands separators, no leading or trailing zeros ("1,000.50" -> "1000.5")."""
    text = text.rstrip(".,")
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", text):
        text = text.replace(",", "")
    if text.count(".") == 1 and "," not in text:
        whole, part = text.split(".")
        part = part.rstrip("0")
        return f"{whole.lstrip('0') or '0'}.{part}" if part else whole.lstrip("0") or "0"
    return text.lstrip("0") or "0" if text.isdigit() else text


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return a short stem of a lower-case word: plural, -ed, -ing, -ly, a final e and doubled consonants go."""
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word
