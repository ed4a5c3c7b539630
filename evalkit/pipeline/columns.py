"""What a run measures: per capability the deterministic scorers and the judge uses, each with the folds of its rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from evalkit.aggregation.health import LengthFold
from evalkit.aggregation.rows import RowFold, RowKey
from evalkit.aggregation.sample_spread import SpreadFold, with_spread
from evalkit.judging.requests import Measurement
from evalkit.judging.results import specs_of
from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.pipeline.case_record import RowRecord
from evalkit.pipeline.scorers import CLASSIFIER, BuiltScorer, build_scorers
from evalkit.records.cases import Case
from evalkit.records.reports import Row
from evalkit.records.rubrics import Rubric
from evalkit.records.scores import CriterionSpec, Scorer, Unscored
from evalkit.records.suites import Selection


@dataclass(slots=True)
class CodeColumn:
    """One deterministic scorer of one capability."""

    capability: str
    scorer: Scorer
    folds: list[RowFold]
    policy: bool = False
    asks: bool = False
    """Whether the scorer asks a classifier: its cases are put by until everything is read."""
    kept: list[RowRecord] = field(default_factory=list)
    """Beside each fold: its cases, for scores.jsonl."""

    def __post_init__(self) -> None:
        """Keep the cases of each row."""
        self.kept = [_record(fold) for fold in self.folds]


@dataclass(slots=True)
class JudgeColumn:
    """One judge use of one capability."""

    measurement: Measurement
    folds: list[RowFold]
    lengths: list[LengthFold]
    kept: list[RowRecord] = field(default_factory=list)
    """Beside each fold: what code decided about its cases, for scores.jsonl."""
    spreads: dict[str, SpreadFold] = field(default_factory=dict)
    """Rows that count what stands in a text: their numbers, sample by sample."""

    def __post_init__(self) -> None:
        """Keep the cases of each row."""
        self.kept = [_record(fold) for fold in self.folds]
        self.spreads = {spec.id: SpreadFold() for spec in self.specs if spec.without_output == "exclude"}

    def rows(self) -> list[Row]:
        """Return the finished rows; counts with the spread of their samples."""
        rules = self.measurement.judge.client == "floor"
        rows = [fold.row() for fold in self.folds]
        found = {name: spread.spread() for name, spread in self.spreads.items()}
        return [with_spread(row, found.get(row.criterion), rules=rules) for row in rows]

    @property
    def specs(self) -> tuple[CriterionSpec, ...]:
        """What each row measures, beside `folds`."""
        return specs_of(self.measurement)

    def unasked(self, case: Case) -> Unscored | None:
        """Return why the judge cannot be asked about a case in this mode, or None where it can."""
        return self.measurement.mode.unasked(case)


def _record(fold: RowFold) -> RowRecord:
    return RowRecord(mean=fold.key.estimate == "mean")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What is done with the cases of one combination of capabilities."""

    code: list[CodeColumn]
    """Deterministic columns, policy conditions included."""
    asking: list[CodeColumn]
    """Columns whose scorers ask a classifier."""
    judged: list[JudgeColumn]
    unmeasured: tuple[str, ...]
    """Capabilities that the suite does not measure."""
    nowhere: bool
    """Whether no capability of the suite measures such a case."""


@dataclass(slots=True)
class Columns:
    """Everything that a run measures, in the order of suite.yaml."""

    code: list[CodeColumn] = field(default_factory=list)
    judged: list[JudgeColumn] = field(default_factory=list)
    code_by_name: dict[str, list[CodeColumn]] = field(default_factory=dict)
    judged_by_name: dict[str, list[JudgeColumn]] = field(default_factory=dict)
    selected: list[tuple[str, Selection]] = field(default_factory=list)
    always: list[CodeColumn] = field(default_factory=list)
    _kinds: dict[tuple[str, ...], Kind] = field(default_factory=dict)
    """What is done with a case by the names of its capabilities: cases come in few kinds."""

    def in_order(self) -> list[CodeColumn | JudgeColumn]:
        """Return the columns in the order of their rows in report.json: code first, then judge uses."""
        return [*self.code, *self.judged]

    def names_for(self, case: Case) -> Iterable[str]:
        """Return the capabilities that cover a case."""
        if not self.selected:
            return case.capabilities
        chosen = [name for name, rule in self.selected if _covers(rule, case)]
        own = {name for name, _ in self.selected}
        return [*(name for name in case.capabilities if name not in own), *chosen]

    def kind_of(self, case: Case) -> Kind:
        """Return what is to be done with a case."""
        names = tuple(self.names_for(case))
        kind = self._kinds.get(names)
        if kind is None:
            once = tuple(dict.fromkeys(names))
            known = [name for name in once if name in self.code_by_name]
            code = [column for name in once for column in self.code_by_name.get(name, ())]
            kind = self._kinds[names] = Kind(
                nowhere=not known,
                code=[column for column in code if not column.asks] + self.always,
                asking=[column for column in code if column.asks],
                judged=[column for name in once for column in self.judged_by_name.get(name, ())],
                unmeasured=tuple(name for name in once if name not in self.code_by_name),
            )
        return kind


def _covers(rule: Selection, case: Case) -> bool:
    return rule.all or case.id in rule.ids or not set(rule.tags).isdisjoint(case.tags)


def build_columns(loaded: LoadedSuite) -> Columns:
    """Return the columns of a suite. Raises InputError with the faults of every scorer's settings at once."""
    columns = Columns()
    columns.code = [_code(built) for built in build_scorers(loaded)]
    columns.always = [column for column in columns.code if column.policy]
    for capability in loaded.suite.capabilities:
        if capability.cases is not None:
            columns.selected.append((capability.name, capability.cases))
        columns.code_by_name[capability.name] = [
            column for column in columns.code if column.capability == capability.name and not column.policy
        ]
        judged = [
            _judged(_measurement(loaded, capability.name, loaded.rubrics[use.rubric]))
            for use in capability.judge
            if loaded.rubrics[use.rubric].mode != "pairwise"  # two outputs: `compare` asks
        ]
        columns.judged += judged
        columns.judged_by_name[capability.name] = judged
    return columns


def _code(built: BuiltScorer) -> CodeColumn:
    asks = built.scorer.signature.scorer == CLASSIFIER
    folds = [
        RowFold(
            RowKey(
                capability=built.capability,
                scorer=built.name,
                criterion=spec.id,
                mode="classifier" if asks else "code",
                kind="policy" if built.policy else "classifier" if asks else "deterministic",
                estimate=spec.estimate,
                within=spec.within,
                signature=built.scorer.signature.as_json(),
            )
        )
        for spec in built.scorer.criteria
    ]
    return CodeColumn(built.capability, built.scorer, folds, built.policy, asks)


def _measurement(loaded: LoadedSuite, capability: str, rubric: Rubric) -> Measurement:
    """Return a judge use: with the judge's cascade, where a classifier can decide by the rubric."""
    judge = loaded.judge_for(capability)
    cheap = loaded.cheap_for(capability)
    if judge.cascade is None or cheap is None:
        return Measurement(capability, rubric, judge)
    from evalkit.judging.cascade import CheapTier, why_not

    config, canned = cheap
    return Measurement(
        capability, rubric, judge, None if why_not(rubric) else CheapTier(rubric, judge.cascade, config, canned)
    )


def _judged(measurement: Measurement) -> JudgeColumn:
    specs = specs_of(measurement)
    folds = [
        RowFold(
            RowKey(
                capability=measurement.capability,
                scorer=measurement.rubric.id,
                criterion=spec.id,
                mode=measurement.rubric.mode,
                kind="judge",
                estimate=spec.estimate,
                within=spec.within,
                signature=measurement.identity,
                judge_config_hash=measurement.config_hash,
            )
        )
        for spec in specs
    ]
    return JudgeColumn(measurement, folds, [LengthFold(measurement.capability, spec.id) for spec in specs])
