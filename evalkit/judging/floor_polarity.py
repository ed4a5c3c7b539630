"""Negation as the floor judge reads it: words that negate, words that are each other's contrary, and what is flipped.

Two sentences that share their words say the opposite where a word is negated in one and plain in the other. A word counts as
negated within a few words after a negator, as plain in a clause without one, and as neither elsewhere in a negated clause,
since a subject stands before its "not" ("SSO is not part of Team" and "Team has no SSO" agree). A contrary (unavailable,
disabled, forbidden) reads as the negation of its partner.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

NEGATORS = frozenset(
    (
        "no not nor neither never none without cannot nothing nobody nowhere hardly rarely seldom unable unless except excluding "
        "lack lacks lacked lacking kein keine keinen nicht ni sin pas aucun"
    ).split()
)
NO_NEGATION = frozenset("more less fewer later earlier sooner only matter".split())
"""Words before which a negator sets a bound or stresses, and negates nothing ("no later than Monday", "not only")."""
EXCLUSIVE = frozenset("only solely exclusively".split())
CLAUSE_WORDS = frozenset("but while whereas although though".split())
"""Words that end the reach of a negation, as a comma does."""

_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "non-")
_SHORTEST = 4
_NO_PREFIX = frozenset(
    "import inform incom discount display dispatch discover disclos dispos improv impress insid input intak intend invest inlin intent inbox "
    "inclin indoor install".split()
)
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
    "more": "less", "less": "more", "all": "some", "some": "all", "every": "some",
}  # fmt: skip
"""Small words and their contrary. They are compared by what follows them, as the same sentence may hold both."""


def contraries(word: str, among: frozenset[str]) -> Iterator[str]:
    """Yield the stems in `among` that say the contrary of a stem: its partner, or either with a negating prefix."""
    yield from _CONTRARIES.get(word, frozenset()) & among
    for prefix in _PREFIXES:
        if prefix + word in among and len(word) >= _SHORTEST and prefix + word not in _NO_PREFIX:
            yield prefix + word
        rest = word.removeprefix(prefix)
        if rest != word and len(rest) >= _SHORTEST and rest in among and word not in _NO_PREFIX:
            yield rest


def contrary_relation(relations: Iterable[str], found: frozenset[str]) -> str | None:
    """Return a relation ("before payment") whose contrary stands in `found` and which does not, else None."""
    for relation in sorted(relations):
        word, _, rest = relation.partition(" ")
        if f"{RELATIONS[word]} {rest}" in found and relation not in found:
            return relation
    return None
