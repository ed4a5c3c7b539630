"""The written-out table of deterministic scorers: name -> where its class stands. A scorer is imported when a suite asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from evalkit.errors import Fault, InputError
from evalkit.records.scores import Scorer
from evalkit.records.suites import ScorerUse
from evalkit.scoring.settings import Resources
from evalkit.text.nearest import nearest

CATALOGUE: Mapping[str, str] = {
    "approval": "evalkit.scoring.approval:Approval",
    "arithmetic": "evalkit.scoring.arithmetic:Arithmetic",
    "citations": "evalkit.scoring.citations:Citations",
    "classifier": "evalkit.scoring.classifier:ClassifierScorer",
    "contains": "evalkit.scoring.contains:Contains",
    "cost_limit": "evalkit.scoring.limits:CostLimit",
    "evidence_path": "evalkit.scoring.evidence_path:EvidencePath",
    "exact_match": "evalkit.scoring.exact_match:ExactMatch",
    "forbidden_tools": "evalkit.scoring.forbidden_tools:ForbiddenTools",
    "json_schema": "evalkit.scoring.json_schema:JsonSchema",
    "latency_limit": "evalkit.scoring.limits:LatencyLimit",
    "length_limit": "evalkit.scoring.limits:LengthLimit",
    "lexicon": "evalkit.scoring.lexicon:LexiconScorer",
    "no_invented_numbers": "evalkit.scoring.no_invented_numbers:NoInventedNumbers",
    "personal_data": "evalkit.scoring.personal_data:PersonalData",
    "refusal": "evalkit.scoring.refusal:Refusal",
    "regex": "evalkit.scoring.regex:Regex",
    "required_fields": "evalkit.scoring.required_fields:RequiredFields",
    "retrieval": "evalkit.scoring.retrieval:Retrieval",
    "token_f1": "evalkit.scoring.token_f1:TokenF1",
    "tool_calls": "evalkit.scoring.tool_calls:ToolCalls",
}


def build_scorer(use: ScorerUse, resources: Resources) -> Scorer:
    """Return the scorer that a suite asks for.

    Raises InputError for an unknown name, with the nearest known one, and for bad settings.
    """
    if ":" in use.scorer:
        from evalkit.scoring.custom import CustomScorer

        return CustomScorer(use.scorer, use.settings, resources)
    place = CATALOGUE.get(use.scorer)
    if place is None:
        remedy = nearest(use.scorer, CATALOGUE, "scorers")
        raise InputError([Fault(file=resources.file, problem=f"unknown scorer {use.scorer!r}", remedy=remedy)])
    module, name = place.split(":")
    make = getattr(import_module(module), name)
    scorer: Scorer = make(use.settings, resources)
    return scorer
