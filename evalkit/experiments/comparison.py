"""Candidates' answers to the same cases, compared in pairs by the suite's own judge: `evalkit compare`.

    pairs      every case on which both candidates can be judged; the same text, or an empty one, is decided in code
    questions  both orders of each pair through lookup and buy
    rows       per pair of candidates, judge use and criterion; three or more candidates are ranked too

The judge uses are the suite's pairwise rubrics; a suite without one compares every judged capability by the shipped `preference`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

from evalkit import __version__
from evalkit.aggregation.health import HealthFold
from evalkit.errors import UsageError
from evalkit.experiments.candidate_pairs import (
    Pair,
    decided_in_code,
    hashes_of,
    pair_columns,
    require_distinct,
    words_of,
)
from evalkit.experiments.pair_outcomes import IN_CODE, outcome_on, place_on, was_asked
from evalkit.experiments.pair_rows import PairFold
from evalkit.experiments.position_rows import position_row
from evalkit.experiments.questions import Questions
from evalkit.experiments.rankings import rankings
from evalkit.experiments.subject import Subject
from evalkit.judging.requests import Measurement, pair_requests
from evalkit.judging.results import criteria_of
from evalkit.loading.outputs import OutputsFolder
from evalkit.pipeline.columns import JudgeColumn
from evalkit.pipeline.describe import independence_between, judge_header, now
from evalkit.pipeline.request import Selector
from evalkit.pipeline.scored import exclusion_of
from evalkit.providers.families import known_family
from evalkit.records.cases import Case
from evalkit.records.comparisons import Compared, Comparison, ComparisonPurchases, PairLine
from evalkit.records.experiments import PositionRow
from evalkit.records.outputs import Output
from evalkit.records.reports import Completeness
from evalkit.records.scores import Unscored
from evalkit.records.verdicts import PairJudgement
from evalkit.stats.bradley_terry import Game
from evalkit.stats.positions import Outcome


@dataclass
class PairComparison:
    """One comparison: `questions` to be planned or answered, then `result` and `lines`."""

    subject: Subject
    candidates: list[OutputsFolder]
    rubric: str | None = None
    """A rubric for every judged capability, instead of the suite's own pairwise ones."""
    seed: int = 1
    questions: Questions = field(init=False)
    columns: list[JudgeColumn] = field(init=False)
    pairs: list[Pair] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Gather the questions. Raises UsageError where there is nothing to compare, InputError for the files' faults."""
        require_distinct(self.candidates)
        self.questions = Questions(self.subject)
        self.columns = pair_columns(self.subject.loaded, self.rubric)
        selector = Selector(self.subject.request)
        for case in self.subject.golden:
            found = {folder.name: folder.last_attempt(case.id) for folder in self.candidates}
            if selector.takes(case):
                covered = set(self.subject.columns.names_for(case))
                for column in self.columns:
                    if column.measurement.capability in covered:
                        self.pairs += self._gathered(case, column, found)
        selector.check(self.subject.golden.count)
        if not self.pairs:
            raise UsageError("no selected case belongs to a capability that is compared; nothing was asked")

    def _gathered(self, case: Case, column: JudgeColumn, found: dict[str, Output | None]) -> Iterator[Pair]:
        for names in combinations(found, 2):
            one, other = found[names[0]], found[names[1]]
            excluded = exclusion_of(one) or exclusion_of(other)
            if one is None or other is None or excluded is not None:
                reason = excluded.reason if excluded else "missing_output"
                yield Pair(case, column, names, None, reason, "", "tie", ())
                continue
            how, winner = decided_in_code(one, other)
            asked = () if how else self.questions.ask(column, pair_requests(column.measurement, case, one, other))
            yield Pair(case, column, names, (one, other), "", how, winner, tuple(asked))

    def result(self) -> Comparison:
        """Return rows, rankings and health. After `answer`."""
        folds: dict[tuple[str, ...], PairFold] = {}
        games: dict[tuple[str, str, str], dict[str, list[Game]]] = defaultdict(lambda: defaultdict(list))
        health = HealthFold(self.subject.loaded.suite.budgets.judge_error)
        for judgement in {judgement.request_key: judgement for judgement in self.questions.judgements}.values():
            health.add(judgement)  # capabilities of one rubric share their verdicts: each counts once
        for pair in self.pairs:
            self._fold(pair, folds, games)
        loaded, judged = self.subject.loaded, health.health()
        return Comparison(
            suite={"name": loaded.suite.name, "version": loaded.suite.version, "sha256": loaded.sha256},
            golden_sha256=self.subject.golden.sha256,
            candidates=tuple(self._compared(folder) for folder in self.candidates),
            judges=tuple(judge_header(column.measurement, self.questions.judgements) for column in self.columns),
            completeness=self._completeness(judged.not_bought),
            selection=self.subject.request.selection,
            seed=self.seed,
            rows=tuple(fold.row() for fold in folds.values()),
            rankings=rankings(games, self.subject.loaded.judge.name, self.seed) if len(self.candidates) > 2 else (),
            position=self._positions(),
            health=judged,
        )

    def _positions(self) -> tuple[PositionRow, ...]:
        """Return what the swap did per criterion and sample, over every pair that the judge was asked about, each once."""
        places: dict[tuple[str, int], list[list[Outcome | None]]] = defaultdict(list)
        left: Counter[tuple[str, int]] = Counter()
        for criteria, orders in self._asked_pairs():
            for criterion in criteria:
                key = criterion, orders[0].sample
                if all(map(was_asked, orders)):
                    places[key].append([place_on(criterion, order) for order in orders])
                else:
                    left[key] += 1
        keys = dict.fromkeys((*places, *left))
        return tuple(
            position_row(self.subject.loaded.judge.name, *key, places[key], not_asked=left[key]) for key in keys
        )

    def _asked_pairs(self) -> Iterator[tuple[tuple[str, ...], list[PairJudgement]]]:
        """Yield criteria and both orders of each sample; capabilities of one rubric ask the same, which is one pair."""
        seen: set[str] = set()
        for pair in self.pairs:
            by_sample: dict[int, list[PairJudgement]] = defaultdict(list)
            for judgement in self._orders(pair):
                by_sample[judgement.sample].append(judgement)
            for orders in by_sample.values():
                if orders[0].request_key not in seen:
                    seen.update(order.request_key for order in orders)
                    yield criteria_of(pair.column.measurement), orders

    def _fold(
        self,
        pair: Pair,
        folds: dict[tuple[str, ...], PairFold],
        games: dict[tuple[str, str, str], dict[str, list[Game]]],
    ) -> None:
        measurement = pair.column.measurement
        for criterion in criteria_of(measurement):
            key = (*pair.names, measurement.capability, measurement.rubric.id, criterion)
            fold = folds.setdefault(key, PairFold(self._key(pair, measurement, criterion)))
            if pair.outputs is None:
                fold.exclude(pair.excluded)
                continue
            outcome = IN_CODE[pair.winner] if pair.in_code else outcome_on(criterion, self._orders(pair))
            if isinstance(outcome, Unscored):
                fold.exclude(outcome.reason)
                continue
            fold.add(outcome, words_of(pair.outputs), pair.case.cluster, in_code=bool(pair.in_code))
            score = {"first": 1.0, "tie": 0.5, "second": 0.0}[outcome.winner]
            games[measurement.capability, measurement.rubric.id, criterion][pair.case.id].append(
                Game(*pair.names, score)
            )

    def _key(self, pair: Pair, measurement: Measurement, criterion: str) -> dict[str, str]:
        return {
            "first": pair.names[0],
            "second": pair.names[1],
            "judge": self.subject.loaded.judge.name,
            "capability": measurement.capability,
            "rubric": measurement.rubric.id,
            "criterion": criterion,
            "judge_config_hash": measurement.config_hash,
        }

    def _orders(self, pair: Pair) -> list[PairJudgement]:
        found = [self.questions.judgements[place] for place in pair.places]
        return [judgement for judgement in found if isinstance(judgement, PairJudgement)]

    def lines(self) -> Iterator[PairLine]:
        """Yield what pairs.jsonl says: every pair that could be compared. After `answer`."""
        for pair in self.pairs:
            if pair.outputs is None:
                continue
            measurement, orders = pair.column.measurement, self._orders(pair)
            outcomes = {
                criterion: IN_CODE[pair.winner] if pair.in_code else outcome_on(criterion, orders)
                for criterion in criteria_of(measurement)
            }
            yield PairLine(
                case_id=pair.case.id,
                capability=measurement.capability,
                rubric=measurement.rubric.id,
                first=pair.names[0],
                second=pair.names[1],
                output_sha256=hashes_of(pair.outputs),
                words=words_of(pair.outputs),
                decided_in_code=pair.in_code,
                outcomes={name: None if isinstance(o, Unscored) else o.winner for name, o in outcomes.items()},
                positions={name: o.position for name, o in outcomes.items() if not isinstance(o, Unscored)},
                judgements=tuple(orders),
            )

    def texts(self) -> tuple[dict[str, Case], dict[tuple[str, str], Output]]:
        """Return the cases by id and the compared outputs by (candidate, case id)."""
        cases = {pair.case.id: pair.case for pair in self.pairs}
        outputs = {
            (name, pair.case.id): output
            for pair in self.pairs
            for name, output in zip(pair.names, pair.outputs or (), strict=False)
        }
        return cases, outputs

    def purchases(self) -> ComparisonPurchases:
        """Return what the comparison bought. After `answer`."""
        bought = self.questions.purchases
        return ComparisonPurchases(
            made_at=now(),
            evalkit_version=__version__,
            suite=self.subject.loaded.suite.name,
            requests=bought.requests,
            in_code=sum(bool(pair.in_code) for pair in self.pairs),
            cached=bought.cached,
            bought=bought.bought,
            failed=bought.failed,
            not_bought=bought.not_bought,
            cost_usd=bought.cost_usd,
            stopped=bought.stopped,
            identities={column.measurement.config_hash: column.measurement.identity for column in self.columns},
            suite_path=str(self.subject.loaded.file),
            outputs_paths={folder.name: str(folder.path) for folder in self.candidates},
            rubrics=tuple({use.rubric.id: use.rubric for use in (one.measurement for one in self.columns)}.values()),
        )

    def _completeness(self, not_bought: int) -> Completeness:
        if not_bought:
            return "incomplete"
        return "partial" if self.subject.request.selection else "complete"

    def _compared(self, folder: OutputsFolder) -> Compared:
        candidate = folder.candidate
        return Compared(
            name=folder.name,
            outputs_sha256=folder.sha256,
            model=candidate.model,
            family=known_family(candidate),
            independence=independence_between(self.subject.loaded.judge, candidate),
        )
