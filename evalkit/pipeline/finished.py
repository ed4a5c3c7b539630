"""Everything that a run measured, before it becomes a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalkit.judging.stop import Stop
from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.loading.outputs import OutputsFolder
from evalkit.pipeline.columns import Columns
from evalkit.pipeline.judged import Verdicts
from evalkit.pipeline.scored import CaseScorer
from evalkit.records.base import Json
from evalkit.records.case_scores import CaseScores
from evalkit.records.classified import ClassifiedCase, ClassifierUse
from evalkit.records.reports import Completeness
from evalkit.records.verdicts import Judgement
from evalkit.runstore.baselines import StoredBaseline
from evalkit.runstore.ledger import StoredLedger

if TYPE_CHECKING:
    # A suite without a cascade imports no classifier.
    from evalkit.pipeline.cascade import CascadeStage


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """Everything that was measured, before it becomes a report."""

    loaded: LoadedSuite
    outputs: OutputsFolder
    columns: Columns
    scorer: CaseScorer
    verdicts: Verdicts
    golden_sha256: str
    golden_count: int
    selection: dict[str, Json]
    stop: Stop
    not_bought: int
    scores: CaseScores
    """What code decided about each case."""
    baseline: StoredBaseline | None = None
    """What the suite's runs are held against."""
    ledger: StoredLedger | None = None
    """Which criteria of which judge are trusted."""
    classifiers: tuple[ClassifierUse, ...] = ()
    """The classifier scorers, and what asking took."""
    classified: tuple[ClassifiedCase, ...] = ()
    """What they answered, in the order of the golden set."""
    cascade: CascadeStage | None = None
    """What decided between the tiers; None where every judge was asked alone."""

    @property
    def completeness(self) -> Completeness:
        """complete; partial where a selection was asked for; incomplete where something that was asked for is missing."""
        if self.not_bought:
            return "incomplete"
        return "partial" if self.selection else "complete"

    @property
    def judgements(self) -> list[Judgement]:
        """Every end of a judge request."""
        return [judgement for _, judgements, _ in self.verdicts.lines for judgement in judgements]

    @property
    def bought(self) -> list[Judgement]:
        """Every end of a request that was bought, those about a cascade's sample included."""
        return self.verdicts.bought + (self.cascade.checks.bought if self.cascade else [])

    @property
    def saved(self) -> list[Judgement]:
        """Every verdict that the cache held, those about a cascade's sample included."""
        return self.verdicts.saved + (self.cascade.checks.hits if self.cascade else [])
