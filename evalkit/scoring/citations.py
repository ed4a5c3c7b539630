"""Citations: are there any in a known format, do they name documents of the case, are they the expected ones.

What counts as a marker is defined in `evalkit.text.citations`. Whether a cited document supports the claim that it marks is a
judge's question (faithfulness, F3); everything here is decided in code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from evalkit.records.base import Json, Record
from evalkit.records.cases import Case
from evalkit.records.outputs import Output
from evalkit.records.scores import CriterionSpec, Result, Score, Signature, Unscored
from evalkit.scoring.answer import without_text
from evalkit.scoring.excerpt import clipped
from evalkit.scoring.settings import Resources, read_settings
from evalkit.text.citations import Cited, parse_citations

_PASS = Score(1.0, passed=True)
_MUST_CITE = Score(0.0, passed=False, reason="the answer cites nothing")
_NEEDS_NONE = Unscored("not_applicable", "the answer should decline, and cites nothing")
_NONE_CITED = Unscored("not_applicable", "the answer cites nothing")
_NO_DOCUMENTS = Unscored("not_applicable", "the case has no documents")
_NONE_EXPECTED = Unscored("no_expectation", "expected.sources is not given")


class CitationSettings(Record):
    """Settings of `citations`."""

    match: Literal["covers", "exact", "any"] = "covers"
    """`covers`: every expected source is cited; `exact`: those and no other; `any`: at least one of them."""
    required: Literal["with_documents", "with_sources", "never"] = "with_documents"
    """When an answer without citations fails: where the case has documents or expected sources, where it has expected sources,
    or never. An answer that should decline (`expected.refusal: true`) needs none."""


class Citations:
    """Three rates: `parse` (citations are present, none is malformed), `resolve` (each names a document), `match` (the right ones)."""

    criteria = (CriterionSpec(id="parse"), CriterionSpec(id="resolve"), CriterionSpec(id="match"))

    def __init__(self, settings: Mapping[str, Json], resources: Resources) -> None:
        self._settings = read_settings(CitationSettings, "citations", settings, resources)
        self.signature = Signature(scorer="citations", version="1", settings=self._settings.model_dump(mode="json"))

    def score(self, case: Case, output: Output) -> tuple[Result, ...]:
        """Return the scores of parse, resolve and match. An empty text fails all three."""
        missing = without_text(output, calls_suffice=True)
        if missing is not None:
            return (missing, missing, missing)
        documents = [document.id for document in case.context]
        cited = parse_citations(output.text or "", output.citations, documents)
        if not (cited.resolved or cited.unresolved or cited.malformed) and case.expected.refusal is True:
            return (_NEEDS_NONE, _NEEDS_NONE, _NEEDS_NONE)
        return (self._parse(case, cited), self._resolve(case, cited), self._match(case, cited))

    def _required(self, case: Case) -> bool:
        rule = self._settings.required
        return rule != "never" and bool(case.expected.sources or (rule == "with_documents" and case.context))

    def _parse(self, case: Case, cited: Cited) -> Result:
        if cited.malformed:
            shown = clipped(", ".join(cited.malformed[:5]))
            reason, metadata = f"citations in no known format: {shown}", {"malformed": list(cited.malformed)}
            return Score(0.0, passed=False, reason=reason, metadata=metadata)
        if cited.resolved or cited.unresolved:
            return _PASS
        return _MUST_CITE if self._required(case) else _NONE_CITED

    def _resolve(self, case: Case, cited: Cited) -> Result:
        if not (cited.resolved or cited.unresolved):
            return _NONE_CITED
        if not case.context:
            return _NO_DOCUMENTS
        if not cited.unresolved:
            return _PASS
        shown = clipped(", ".join(cited.unresolved[:5]))
        known = [document.id for document in case.context]
        metadata = {"unresolved": list(cited.unresolved), "documents": known}
        return Score(0.0, passed=False, reason=f"cited, but no document of the case: {shown}", metadata=metadata)

    def _match(self, case: Case, cited: Cited) -> Result:
        sources, rule = case.expected.sources, self._settings.match
        if sources is None or (not sources and rule != "exact"):
            return _NONE_EXPECTED
        if rule == "covers" and sources and all(map(cited.resolved.__contains__, sources)):
            return _PASS
        # An expected source that the case does not carry as a document can still be cited by its id.
        found = dict.fromkeys((*cited.resolved, *cited.unresolved))
        if not found and sources and not self._required(case):
            return _NONE_CITED
        missing = [source for source in sources if source not in found]
        extra = [name for name in found if name not in sources]
        if (rule == "any" and len(missing) < len(sources)) or (not missing and not (rule == "exact" and extra)):
            return _PASS
        wrong = [f"not cited: {', '.join(missing[:5])}"] if missing else []
        if rule == "exact" and extra:
            wrong.append(f"cited, but not expected: {', '.join(extra[:5])}")
        metadata = {"cited": list(found), "expected": list(sources), "missing": missing, "extra": extra}
        return Score(0.0, passed=False, reason="; ".join(wrong)[:500], metadata=metadata)
