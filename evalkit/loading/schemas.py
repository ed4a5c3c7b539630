"""The formats as JSON Schema (draft 2020-12), generated from the records that read and write them.

What a field means stands as a docstring under it in the record's source; here, and only here, it is read from there.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from itertools import pairwise

from evalkit.errors import UsageError
from evalkit.records.base import Json, Record
from evalkit.text.nearest import nearest
from evalkit.text.shown import shown_text

DIALECT = "https://json-schema.org/draft/2020-12/schema"

SCHEMAS: Mapping[str, tuple[str, str]] = {
    "golden": ("evalkit.records.cases:Case", "A line of golden.jsonl."),
    "outputs": ("evalkit.records.outputs:Output", "A line of outputs/<candidate>/outputs.jsonl."),
    "candidate": ("evalkit.records.outputs:Candidate", "outputs/<candidate>/candidate.yaml."),
    "suite": ("evalkit.records.suites:Suite", "suite.yaml."),
    "rubric": ("evalkit.records.rubrics:Rubric", "rubrics/NAME.yaml."),
    "lexicon": ("evalkit.records.lexicons:Lexicon", "NAME.yaml of a lexicon."),
    "judge": ("evalkit.records.judges:JudgeConfig", "judge.yaml."),
    "classifier": ("evalkit.records.classifiers:ClassifierConfig", "classifier.yaml."),
    "canned-answers": ("evalkit.records.classifiers:CannedAnswer", "A line of a file of canned answers."),
    "decision": ("evalkit.records.decisions:Decision", "What a classifier answered."),
    "policy": ("evalkit.records.policies:Policy", "Rules over a classifier's answers."),
    "external-verdicts": (
        "evalkit.records.external_verdicts:ExternalVerdict",
        "A line of a file of verdicts made elsewhere.",
    ),
    "labels": ("evalkit.records.labels:Label", "A line of labels.jsonl: a person's label."),
    "acceptance": ("evalkit.records.acceptance:AcceptanceSpec", "An acceptance specification, e.g. acceptance.yaml."),
    "label-sheet": ("evalkit.records.sheets:SheetRow", "A line of a sheet of answers to be labelled."),
    "faults": ("evalkit.records.planted:PlantedFault", "A line of a suite's faults.jsonl."),
    "payloads": ("evalkit.records.payloads:Payload", "A line of a file of injection payloads."),
    "verdicts": ("evalkit.records.verdicts:Judgement", "A line of a run's verdicts.jsonl."),
    "classified": ("evalkit.records.classified:ClassifiedCase", "A line of a run's classified.jsonl."),
    "report": ("evalkit.records.reports:Report", "A run's report.json."),
    "manifest": ("evalkit.records.manifests:Manifest", "A run's manifest.json."),
    "calibration": ("evalkit.records.calibrations:Calibration", "How far a judge agrees with people."),
    "disagreements": ("evalkit.records.calibrations:Disagreement", "A line of a calibration's disagreements."),
    "acceptance-log": ("evalkit.records.acceptance_log:AcceptanceLine", "A line of acceptance.jsonl."),
    "acceptance-purchases": (
        "evalkit.records.acceptance_log:AcceptancePurchases",
        "purchases.json of an acceptance run.",
    ),
    "acceptance-report": ("evalkit.records.acceptance_log:AcceptanceReport", "acceptance.json."),
    "review": ("evalkit.records.review:ReviewItem", "A line of a run's review_queue.jsonl."),
    "resolution": ("evalkit.records.review:Resolution", "A line of resolutions.jsonl: what came of an item."),
    "comparison": ("evalkit.records.comparisons:Comparison", "comparison.json: candidates compared in pairs."),
    "pairs": ("evalkit.records.comparisons:PairLine", "A line of a comparison's pairs.jsonl."),
    "choice": ("evalkit.records.choices:Choice", "Which judge to take, by labels."),
    "trust": ("evalkit.records.trust:Ledger", "A suite's trust.json."),
    "battery": ("evalkit.records.battery_suites:BatterySuite", "battery.yaml: the batteries that a suite measures."),
    "battery-decisions": ("evalkit.records.battery_suites:ExpectedDecision", "A line of a suite's decisions.jsonl."),
    "battery-report": ("evalkit.records.battery_reports:BatteryReport", "What `evalkit battery` found."),
    "experiment": ("evalkit.records.experiments:Experiment", "What an experiment on the judge found."),
}
"""Name of a format -> its record, and the file that it describes."""
OPEN_ENTRIES = frozenset({"ScorerUse", "Strategy"})
"""Records in whose entries a scorer's settings stand beside their own fields."""


def format_schema(name: str) -> dict[str, Json]:
    """Return a format's JSON Schema. Raises UsageError for an unknown name, with the nearest known one."""
    if name not in SCHEMAS:
        raise UsageError(f"no format {shown_text(name)}; {nearest(name, SCHEMAS, 'formats')}")
    place, description = SCHEMAS[name]
    module, record = place.split(":")
    model: type[Record] = getattr(import_module(module), record)
    schema = model.model_json_schema()
    definitions: dict[str, dict[str, Json]] = schema.get("$defs", {})
    known = {one.__name__: one for one in _records(Record)}
    for title, part in (*definitions.items(), (record, schema)):
        _describe(part, known[title])
        if title in OPEN_ENTRIES:
            _open_entry(part)
    return {"$schema": DIALECT, **schema, "title": name, "description": description}


def _records(base: type[Record]) -> Iterator[type[Record]]:
    """Yield the records of the records room; a scorer's settings may bear the same names."""
    for record in base.__subclasses__():
        if record.__module__.startswith(Record.__module__.rpartition(".")[0]):
            yield record
        yield from _records(record)


def _describe(part: dict[str, Json], record: type[Record]) -> None:
    """Put the docstrings under a record's fields into its properties."""
    texts = field_texts(record)
    for name, entry in part.get("properties", {}).items():
        entry.pop("title", None)
        if name in texts:
            entry["description"] = texts[name]


def field_texts(record: type[Record]) -> dict[str, str]:
    """Return field name -> docstring under the field, from the record's source."""
    tree = ast.parse(inspect.getsource(sys.modules[record.__module__]))
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == record.__name__)
    texts = {}
    for line, after in pairwise(body):
        if (
            isinstance(line, ast.AnnAssign)
            and isinstance(line.target, ast.Name)
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
            and isinstance(after.value.value, str)
        ):
            texts[line.target.id] = inspect.cleandoc(after.value.value)
    return texts


def _open_entry(part: dict[str, Json]) -> None:
    """Let a scorer's entry carry its settings beside its name, as people write it."""
    part["properties"].pop("settings")
    part["additionalProperties"] = True
    part["description"] = "A scorer and, beside it, its settings; `docs/scorers.md` lists them."
