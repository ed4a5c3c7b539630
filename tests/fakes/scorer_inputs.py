"""Cases and outputs in memory, for tests of one scorer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from evalkit.records.cases import Case
from evalkit.records.outputs import Output
from evalkit.records.scores import Result, Scorer
from evalkit.records.suites import ScorerUse
from evalkit.scoring.catalogue import build_scorer
from evalkit.scoring.settings import Resources


def case(*documents: str, **fields: Any) -> Case:
    """Return a case with these document ids as context; other fields as in golden.jsonl."""
    context = [{"id": document, "text": f"About {document}."} for document in documents]
    return Case.model_validate_json(json.dumps({"id": "c1", "input": "How long?", "context": context, **fields}))


def output(text: str | None = "An answer.", **fields: Any) -> Output:
    """Return an output with this text; other fields as in outputs.jsonl."""
    return Output.model_validate_json(json.dumps({"case_id": "c1", "text": text, **fields}))


def build(scorer: str, folder: Path | None = None, **settings: Any) -> Scorer:
    """Return a scorer of the catalogue, built as a suite builds it; with a folder, one of the user's own may be built."""
    resources = Resources(folder=folder or Path(), allow_custom=folder is not None)
    return build_scorer(ScorerUse(scorer=scorer, settings=settings), resources)


def scores(scorer: Scorer, the_case: Case, the_output: Output) -> dict[str, Result]:
    """Return a scorer's results by criterion."""
    results = scorer.score(the_case, the_output)
    return {spec.id: result for spec, result in zip(scorer.criteria, results, strict=True)}


def outcome(result: Result) -> bool | str | None:
    """Return `passed` of a score, or the reason of none."""
    return result.passed if hasattr(result, "passed") else result.reason
