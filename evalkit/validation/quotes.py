"""The quotes of one reply: each must stand, character for character, in the graded text that it names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from evalkit.records.verdicts import Finding, Span
from evalkit.validation.forms import Fault
from evalkit.validation.material import Material

_SAYS_SOMETHING = re.compile(r"\w.*\w|[^\W\x00-\x7f]", re.DOTALL)
"""Two word characters, or one of a script in which one is a word: a blank or a single letter stands in every text."""


def says_something(quote: str) -> bool:
    """Tell whether a quote holds enough to stand for anything."""
    return _SAYS_SOMETHING.search(quote) is not None


class Quotes:
    """The evidence and the findings of one reply while they are being looked for."""

    def __init__(self, material: Material) -> None:
        self.material = material
        self.spans: dict[str, Span] = {}
        """Evidence id -> the span that was found."""

    def faults(self, evidence: Iterable[Mapping[str, Any]]) -> Iterator[Fault]:
        """Look for each piece of evidence (`id`, `source`, `quote`); yield what cannot be found and what is named twice."""
        for raw in evidence:
            text = self.material.text_of(raw["source"])
            if text is None:
                yield (
                    "evidence_not_found",
                    f"evidence {raw['id']!r} names the source {raw['source'][:80]!r}, which was not given",
                )
                continue
            found = text.locate(raw["quote"]) if says_something(raw["quote"]) else None
            if found is None:
                quoted = raw["quote"][:120]
                yield (
                    "evidence_not_found",
                    f"evidence {raw['id']!r}: {quoted!r} does not stand in {raw['source'][:80]!r}, or says nothing",
                )
                continue
            if raw["id"] in self.spans:
                yield "dangling_reference", f"evidence id {raw['id'][:40]!r} is used twice"
            self.spans[raw["id"]] = Span(**raw, start=found[0], end=found[1])

    def finding_faults(self, findings: Iterable[Mapping[str, Any]]) -> Iterator[Fault]:
        """Yield the findings whose quote stands in no given text."""
        for finding in findings:
            if self.material.place_of(finding["quote"]) is None:
                yield "evidence_not_found", f"finding {finding['quote'][:120]!r} stands in none of the given texts"

    def findings(self, findings: Iterable[Mapping[str, Any]]) -> tuple[Finding, ...]:
        """Return the judge's findings as records, each with the text that it stands in."""
        return tuple(
            Finding(kind=f["kind"], quote=f["quote"], source=self.material.place_of(f["quote"]) or "") for f in findings
        )
