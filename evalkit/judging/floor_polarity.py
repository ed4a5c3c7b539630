"""Negation as the floor judge reads it: words that negate, words that are each other's contrary, and what is flipped.

Two sentences that share their words say the opposite where a word is negated in one and plain in the other. A word counts as
negated within a few words after a negator, as plain in a clause without one, and as neither elsewhere in a negated clause,
since a subject stands before its "not" ("SSO is not part of Team" and "Team has no SSO" agree). A contrary (unavailable,
disabled, forbidden) reads as the negation of its partner.
"""

from __future__ import annotations

from collections.abc import Iterable

_NEGATIVE_WORDS = (
    "no not nor neither never none without cannot nothing nobody nowhere hardly rarely seldom unable except excluding "
    "lack lacks lacked lacking kein keine keinen nicht ni sin pas aucun"
)
NEGATORS = frozenset(_NEGATIVE_WORDS.split())
NO_NEGATION = frozenset(("only", "matter", "even", "but"))
"""Words before which a negator stresses, and negates nothing ("not only")."""
BOUNDS = frozenset(("more", "less", "fewer", "later", "earlier", "sooner"))
"""Words between a negator and "than", where it sets a bound ("no later than Monday")."""
EXCLUSIVE = frozenset(("only", "solely", "exclusively"))
CLAUSE_WORDS = frozenset(("but", "while", "whereas", "although", "though"))
"""Words that end the reach of a negation, as a comma does."""

REACH = 4
"""Content words after a negator that it negates, within its clause."""
STATEMENT_ENDS = ".;!?\n"

_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "non-")
_SHORTEST = 4
_LOOKALIKES = (
    "import inform incom discount display dispatch discover disclos dispos improv impress insid input intak intend invest inlin "
    "intent inbox inclin indoor install"
)
_NO_PREFIX = frozenset(_LOOKALIKES.split())
"""Stems that only look like a negated form of the rest of them."""
_PAIRS = (
    "enabl disabl|includ exclud|inclusiv exclusiv|allow forbid|allow forbidden|allow prohibit|permit prohibit|permit forbidden|accept reject|"
    "accept refus|grant deni|approv reject|mandatory optional|requir optional|free paid|public privat|internal external|onlin offlin|temporary permanent|"
    "automatic manual|automatical manual|increas decreas|rais lower|highest lowest|higher lower|minimum maximum|earliest latest|alway never|alway sometim|"
    "upload download|import export|add remov|start end|open clos|sam different|buyer seller|sender recipient|incom outgo"
)
_CONTRARIES: dict[str, frozenset[str]] = {}
for _pair in _PAIRS.split("|"):
    _one, _other = _pair.split()
    _CONTRARIES[_one] = _CONTRARIES.get(_one, frozenset()) | {_other}
    _CONTRARIES[_other] = _CONTRARIES.get(_other, frozenset()) | {_one}

RELATIONS = {
    "before": "after", "after": "before", "least": "most", "most": "least", "above": "below", "below": "above", "over": "under", "under": "over",
    "more": "less", "less": "more", "if": "unless", "unless": "if", "all": "some", "some": "all", "every": "some",
}  # fmt: skip
"""Small words and their contrary. They are compared by what follows them, as the same sentence may hold both."""


def partners(word: str, among: frozenset[str]) -> frozenset[str]:
    """Return the stems in `among` that are a stem's contraries by themselves (enable, disable)."""
    return _CONTRARIES.get(word, frozenset()) & among


def negated_form(word: str, among: frozenset[str]) -> str | None:
    """Return the stem in `among` that is a stem with a negating prefix, or without its own; None where there is none."""
    if word in _NO_PREFIX:
        return None
    for prefix in _PREFIXES:
        if prefix + word in among and (len(word) >= _SHORTEST or prefix == "un") and prefix + word not in _NO_PREFIX:
            return prefix + word
        rest = word.removeprefix(prefix)
        if rest != word and (len(rest) >= _SHORTEST or prefix == "un") and rest in among:
            return rest
    return None


def contrary_relation(relations: Iterable[str], found: frozenset[str]) -> str | None:
    """Return a relation ("before payment") whose contrary stands in `found` and which does not, else None."""
    for relation in sorted(relations):
        word, _, rest = relation.partition(" ")
        if f"{RELATIONS[word]} {rest}" in found and relation not in found:
            return relation
    return None


class Negation:
    """Which words of a sentence are negated and which are plain, taken word by word."""

    def __init__(self) -> None:
        self.negated: set[str] = set()
        self.plain: set[str] = set()
        self.heads: set[str] = set()
        self._clause: list[str] = []
        self._label: list[str] = []
        self._left = 0
        self._denies = False
        self._lists = False
        self._heads_next = False

    def start(self) -> None:
        """Take a negator."""
        if not self._clause and not self._denies:
            # "SSO: not included" denies what stands before the colon.
            self.negated.update(self._label)
            self.heads.update(self._label)
        self._heads_next = not self._label
        self._label = []
        self._left = REACH
        self._denies = True

    def cancel(self, bound: str) -> None:
        """Take back the negator that was just given, and its word: it sets a bound or stresses."""
        self._left = 0
        self._denies = False
        self.negated.discard(bound)
        self.heads.discard(bound)

    def stop(self) -> None:
        """End the reach of a negator: "not larger than the limit" negates no limit."""
        self._left = 0

    def word(self, stem: str) -> None:
        """Take a content word."""
        if self._left == REACH and self._heads_next:
            self.heads.add(stem)
        if self._left or self._lists:
            self.negated.add(stem)
            self._left = max(0, self._left - 1)
        else:
            self._clause.append(stem)

    def clause(self, mark: str) -> None:
        """Take the mark that ends a clause."""
        if mark == ":" and self._left and not self._clause:
            # "Not included: timeline view, guest accounts" negates the whole list.
            self._lists = True
        elif mark in STATEMENT_ENDS:
            self._lists = False
        self.plain.update(self._label)
        self._label = []
        if not self._denies:
            if mark == ":":
                self._label = self._clause
            else:
                self.plain.update(self._clause)
        self._clause = []
        self._denies = False
        self._left = 0
