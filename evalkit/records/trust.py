"""trust.json: which criteria of which judge may gate, with every condition and its figures. Committed, and readable in a diff.

Trust belongs to one judge configuration and one criterion: a conjunction of criteria needs labels of its own, and any change of the
configuration starts anew. Rows of other configurations stay, so that what was lost can be said.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal, get_args

from pydantic import Field

from evalkit.records.answered import together
from evalkit.records.base import Json, Record
from evalkit.records.calibrations import ClassRate, Weighting

TrustState = Literal["TRUSTED", "NOT TRUSTED", "UNDECIDED"]
ConditionState = Literal["met", "failed", "undecided"]
ConditionName = Literal[
    "true-pass rate",
    "true-fail rate",
    "worst case",
    "self-agreement",
    "judge errors",
    "independence",
    "padding",
    "a model",
    "one instrument",
    "a whole run",
]
OBJECTIONS: frozenset[ConditionName] = frozenset({"a model", "one instrument", "a whole run"})
"""Conditions that a row names only where they are not met: the floor judged, several snapshots answered, a part of the cases was run."""
NEEDED: frozenset[ConditionName] = frozenset(get_args(ConditionName)) - OBJECTIONS
"""Conditions that a trusted row names, each as met."""
OF_THE_RUN: frozenset[ConditionName] = frozenset({"one instrument", "a whole run"})
"""Conditions that keep a run from earning anything, whatever its labels say; named where they are not met."""


class Condition(Record):
    """One of the conditions that must all be met."""

    name: ConditionName
    state: ConditionState
    """failed where the figures speak against it, undecided where they do not reach."""
    figures: str
    """What was held against what, in words."""
    observed: float | None = None
    """The bound that was held against the bar."""
    bar: float | None = None
    remedy: str = ""
    """What would decide it."""


def state_of(conditions: Iterable[Condition]) -> TrustState:
    """Return NOT TRUSTED where a condition failed, TRUSTED where all are met, UNDECIDED otherwise."""
    states = {condition.state for condition in conditions}
    if "failed" in states:
        return "NOT TRUSTED"
    return "TRUSTED" if states == {"met"} else "UNDECIDED"


class LabelCounts(Record):
    """The labels behind a row: test split, blind, both sides decided."""

    judge_pass_human_pass: int = 0
    judge_pass_human_fail: int = 0
    judge_fail_human_pass: int = 0
    judge_fail_human_fail: int = 0


class Bars(Record):
    """What was asked when the row was decided."""

    tpr: float
    tnr: float
    tolerance: float
    judge_error: float
    self_agreement: float | None
    planted_fails: bool


class TrustRow(Record):
    """A criterion of one judge configuration."""

    capability: str
    rubric: str
    criterion: str
    judge_config_hash: str
    state: TrustState
    reading: str
    """Why, in a line."""
    labels_needed: dict[str, int] = Field(default_factory=dict)
    """Human class (`pass`, `fail`) -> labels of it still needed if the judge is right on every one."""
    conditions: tuple[Condition, ...]
    tpr: ClassRate
    tnr: ClassRate
    tnr_from: Literal["drawn", "planted"] = "drawn"
    """`planted`: the true-fail rate is one on planted fails, as suite.yaml allows it."""
    weighting: Weighting
    labels: LabelCounts
    """Labels drawn by chance."""
    agreement: float | None
    kappa: float | None
    floor_agreement: float | None
    """The floor judge's agreement on the same items; None where it abstains or was not asked."""
    bars: Bars
    run: str
    """The run that was calibrated."""
    outputs_sha256: str
    golden_sha256: str
    labels_sha256: str
    calibrated_at: str
    """UTC, ISO 8601."""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What the row is about: a later calibration of the same takes its place."""
        return self.capability, self.rubric, self.criterion, self.judge_config_hash

    @property
    def earns(self) -> bool:
        """False for a row of a run that could earn nothing: a part of the cases, or several snapshots."""
        return not any(condition.name in OF_THE_RUN for condition in self.conditions)


class TrustedJudge(Record):
    """A judge configuration that rows speak of."""

    judge: str
    """The model asked for, or `floor, not a model`."""
    snapshots: tuple[str, ...]
    """Snapshots that answered when it was calibrated; any other makes the row provisional."""
    classifier_snapshots: tuple[str, ...] = Field(default=(), exclude_if=lambda snapshots: not snapshots)
    """The same of the classifier of a cascade."""
    identity: dict[str, Json]
    """What the hash covers, by name: model, endpoint, params, prompt, rubric, schema, constitution, ..."""


class Ledger(Record):
    """The whole of trust.json."""

    schema_version: Literal[1] = 1
    suite: str
    judges: dict[str, TrustedJudge]
    """judge_config_hash -> the configuration."""
    rows: tuple[TrustRow, ...]
    """By capability, rubric, criterion, configuration."""

    def merged(self, judges: dict[str, TrustedJudge], rows: tuple[TrustRow, ...]) -> "Ledger":
        """Return the ledger with rows added; an older row about the same gives way.

        Where older rows of a configuration stay beside new ones, so do the snapshots behind them: two of one tier are two instruments,
        and nothing is trusted under that configuration until one calibration covers all of it.
        """
        kept = {row.key: row for row in (*self.rows, *rows)}
        ordered = tuple(kept[key] for key in sorted(kept))
        added = {row.key for row in rows}
        stay = {row.judge_config_hash for row in self.rows if row.key not in added}
        both = {name: _joined(self.judges[name], judges[name]) for name in stay & self.judges.keys() & judges.keys()}
        known = {**self.judges, **judges, **both}
        used = {row.judge_config_hash for row in ordered}
        return self.model_copy(
            update={"judges": {name: known[name] for name in sorted(known) if name in used}, "rows": ordered}
        )

    def kept_from(self, rows: Iterable[TrustRow]) -> tuple[TrustRow, ...]:
        """Return those of a calibration's rows that do not enter: their run could earn nothing, and another did under their configuration.

        A part of the cases, or verdicts of several snapshots, neither earn trust nor take away what a whole run's labels decided. The
        rows of a configuration stay out together, for snapshots are kept by configuration.
        """
        earned = {row.judge_config_hash for row in self.rows if row.earns}
        return tuple(row for row in rows if not row.earns and row.judge_config_hash in earned)

    def contradictions(self) -> Iterator[str]:
        """Yield what in the file cannot be so: a row that stands twice, a state that its conditions do not give."""
        for key, times in Counter(row.key for row in self.rows).items():
            if times > 1:
                yield f"the row {_named(key)} stands {times} times"
        for row in self.rows:
            names = Counter(condition.name for condition in row.conditions)
            twice = sorted(name for name, times in names.items() if times > 1)
            missing = sorted(NEEDED - set(names)) if row.state == "TRUSTED" else []
            if twice:
                yield f"the row {_named(row.key)} names a condition twice: {', '.join(twice)}"
            if missing:
                yield f"the row {_named(row.key)} says TRUSTED without the conditions {', '.join(missing)}"
            elif row.state != state_of(row.conditions):
                yield f"the row {_named(row.key)} says {row.state}, and its conditions say {state_of(row.conditions)}"


def _joined(before: TrustedJudge, now: TrustedJudge) -> TrustedJudge:
    snapshots, of_classifier = together((before, now))
    return now.model_copy(update={"snapshots": snapshots, "classifier_snapshots": of_classifier})


def _named(key: tuple[str, str, str, str]) -> str:
    return f"{' / '.join(key[:3])} of configuration {key[3][:12]}"
