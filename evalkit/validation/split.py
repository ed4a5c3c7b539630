"""Every check of a split of a reference into facts that code can make.

Facts are numbered from 1, none is said twice, each stands on the reference's own words, and every sentence of the reference is
accounted for: quoted by a fact, or listed as one that states nothing. Code cannot see whether a fact says what its passage says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evalkit.records.texts import ShownText
from evalkit.records.verdicts import ReferenceFact, ReferenceSplit
from evalkit.text.sentences import sentence_spans
from evalkit.validation.forms import Fault
from evalkit.validation.material import Material
from evalkit.validation.quotes import Quotes, says_something

MOST_FACTS = 100
"""Facts of one reference; a table with more is no reading of an answer."""


class SplitReading:
    """One reply while it is being checked."""

    def __init__(self, material: Material, value: Mapping[str, Any]) -> None:
        self.reference = material.candidate
        self.value = value
        self.facts: list[Mapping[str, Any]] = value["facts"]
        self.quotes = Quotes(material)

    def faults(self) -> Iterator[Fault]:
        """Yield every fault, in the order of the checks."""
        yield from self._listed()
        for number, fact in enumerate(self.facts, 1):
            yield from self._stands(f"fact {number}", fact["quote"])
        for quote in self.value["silent"]:
            yield from self._stands("silent", quote)
        yield from self.quotes.finding_faults(self.value["findings"])
        yield from self._complete()

    def _listed(self) -> Iterator[Fault]:
        numbers, due = [fact["id"] for fact in self.facts], list(range(1, len(self.facts) + 1))
        if not 1 <= len(numbers) <= MOST_FACTS:
            yield "inconsistent", f"{len(numbers)} facts are listed; a reference has 1 to {MOST_FACTS}"
        if numbers != due:
            yield "dangling_reference", f"the facts are numbered {numbers[:40]}, not 1 to {len(due)} in order"
        first: dict[str, int] = {}
        for number, fact in enumerate(self.facts, 1):
            if not says_something(fact["text"]):
                yield "inconsistent", f"fact {number} says nothing: {fact['text'][:120]!r}"
                continue
            before = first.setdefault(" ".join(fact["text"].casefold().split()), number)
            if before != number:
                yield "inconsistent", f"fact {number} is fact {before} again: {fact['text'][:120]!r}"

    def _stands(self, name: str, quote: str) -> Iterator[Fault]:
        if not says_something(quote) or self.reference.locate(quote) is None:
            yield "evidence_not_found", f"{name}: {quote[:120]!r} does not stand in the reference, or says nothing"

    def _complete(self) -> Iterator[Fault]:
        """Yield the sentences that nothing quotes; a quote covers every place at which it stands."""
        quotes = [fact["quote"] for fact in self.facts] + self.value["silent"]
        covered = [place for quote in dict.fromkeys(quotes) for place in _places(self.reference, quote)]
        for sentence in sentence_spans(self.reference.stored):
            if says_something(sentence.text) and not any(
                start < sentence.end and sentence.start < end for start, end in covered
            ):
                problem = f"the split leaves out the sentence {sentence.text[:120]!r}"
                yield "inconsistent", f"{problem}: a fact, or silent where it states nothing"

    def split(self) -> ReferenceSplit:
        """Return the reply as a record; only after `faults` yielded nothing."""
        facts = (
            ReferenceFact(id=number, text=fact["text"], quote=self._stored(fact["quote"]))
            for number, fact in enumerate(self.facts, 1)
        )
        return ReferenceSplit(facts=tuple(facts), findings=self.quotes.findings(self.value["findings"]))

    def _stored(self, quote: str) -> str:
        start, end = self.reference.locate(quote) or (0, 0)
        return self.reference.stored[start:end]


def _places(text: ShownText, quote: str) -> Iterator[tuple[int, int]]:
    """Yield where a quote stands in the stored text; one that stands only as shown, at its first place."""
    place = text.locate(quote) if says_something(quote) else None
    while place is not None:
        yield place
        at = text.stored.find(quote, place[1])
        place = (at, at + len(quote)) if at >= 0 else None
