"""A specification made ready: scorers built, judge uses put together, every strategy resolved before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from evalkit.aggregation.policy import condition_of
from evalkit.errors import Fault, InputError, UsageError
from evalkit.judging.requests import Measurement
from evalkit.loading.acceptance_files import LoadedSpec
from evalkit.loading.faults import FaultList
from evalkit.records.acceptance import AcceptanceCriterion
from evalkit.records.cases import Case
from evalkit.records.identity import canonical_json
from evalkit.records.judges import JudgeConfig
from evalkit.records.scores import Scorer
from evalkit.records.suites import ScorerUse
from evalkit.scoring.catalogue import build_scorer
from evalkit.scoring.settings import Resources
from evalkit.text.nearest import nearest


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeCriterion:
    """A criterion that a scorer decides."""

    criterion: AcceptanceCriterion
    scorer: Scorer
    place: int
    """Which of the scorer's results is meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeUse:
    """One question to the judge: a rubric, and which of its criteria the specification wants to know."""

    measurement: Measurement
    wanted: tuple[AcceptanceCriterion, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A policy condition."""

    name: str
    scorer: Scorer


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """Everything that decides, in the order of the specification."""

    loaded: LoadedSpec
    code: tuple[CodeCriterion, ...]
    judged: tuple[JudgeUse, ...]
    policy: tuple[Condition, ...]

    def of(self, case: Case) -> tuple[AcceptanceCriterion, ...]:
        """Return the criteria that a case is held to, in order."""
        return tuple(criterion for criterion in self.loaded.spec.criteria if covers(criterion, case))

    def description(self, criterion: AcceptanceCriterion) -> str:
        """Return what passes, in words."""
        return description_of(criterion, self.loaded)


def covers(criterion: AcceptanceCriterion, case: Case) -> bool:
    """Tell whether a case is held to a criterion."""
    rule = criterion.cases
    if rule is not None:
        return rule.all or case.id in rule.ids or not set(rule.tags).isdisjoint(case.tags)
    return criterion.capability is None or criterion.capability in case.capabilities


def description_of(criterion: AcceptanceCriterion, loaded: LoadedSpec) -> str:
    """Return a criterion's own description, or the pass condition of the rubric's criterion that it is."""
    rubric = criterion.strategy.rubric
    if rubric is None:
        return criterion.description or ""
    return next(c.pass_condition for c in loaded.spec.rubrics[rubric].criteria if c.id == criterion.strategy.criterion)


def build_criteria(loaded: LoadedSpec, judge: JudgeConfig | None = None) -> Criteria:
    """Return a specification ready to run; `judge` takes the place of its own.

    Raises InputError with every fault: unknown scorers and settings, a criterion that a scorer does not have, a scorer without a
    pass rule, judged criteria without a judge. Raises UsageError for a judge with a cascade.
    """
    faults = FaultList()
    asked = judge or loaded.judge
    if asked is not None and asked.cascade is not None:
        raise UsageError("the judge has a `cascade`, and acceptance asks the judge alone: name one without")
    code = [_code(loaded, at, criterion, faults) for at, criterion in enumerate(loaded.spec.criteria)]
    policy = [_condition(loaded, at, use, faults) for at, use in enumerate(loaded.spec.policy)]
    wanted = [c for c in loaded.spec.criteria if c.strategy.rubric]
    if wanted and asked is None:
        remedy = "give `judge`, e.g. `judge: {client: floor}`, or name a judge.yaml; nothing is judged by default"
        faults.add(loaded.fault(("judge",), f"is missing: {wanted[0].name!r} is judged", remedy))
    faults.raise_if_any()
    judged = _uses(loaded, wanted, asked) if asked else ()
    return Criteria(
        loaded=loaded,
        code=tuple(one for one in code if one),
        judged=tuple(judged),
        policy=tuple(one for one in policy if one),
    )


def _uses(loaded: LoadedSpec, wanted: Sequence[AcceptanceCriterion], judge: JudgeConfig) -> Iterator[JudgeUse]:
    """Yield one judge use per capability, selection and rubric: its criteria are graded by one verdict."""
    groups: dict[tuple[str, str, bytes], list[AcceptanceCriterion]] = {}
    for criterion in wanted:
        selection = canonical_json(criterion.cases.model_dump() if criterion.cases else None)
        key = (criterion.capability or loaded.spec.name, criterion.strategy.rubric or "", selection)
        groups.setdefault(key, []).append(criterion)
    for (capability, rubric, _), criteria in groups.items():
        measurement = Measurement(capability, loaded.spec.rubrics[rubric], judge)
        yield JudgeUse(measurement=measurement, wanted=tuple(criteria))


def _code(loaded: LoadedSpec, at: int, criterion: AcceptanceCriterion, faults: FaultList) -> CodeCriterion | None:
    strategy = criterion.strategy
    if strategy.scorer is None:
        return None
    where = ("criteria", at, "strategy")
    scorer = _built(loaded, ScorerUse(scorer=strategy.scorer, settings=strategy.settings), where, faults)
    if scorer is None:
        return None
    ids = [spec.id for spec in scorer.criteria]
    if strategy.criterion is None and len(ids) > 1:
        faults.add(loaded.fault(where, f"{strategy.scorer} decides {len(ids)} criteria", f"name one: {', '.join(ids)}"))
        return None
    if strategy.criterion is not None and strategy.criterion not in ids:
        problem = f"{strategy.scorer} has no criterion {strategy.criterion[:60]!r}"
        faults.add(loaded.fault((*where, "criterion"), problem, nearest(strategy.criterion, ids, "criteria")))
        return None
    place = ids.index(strategy.criterion) if strategy.criterion else 0
    if not has_pass_rule(scorer, place):
        problem = f"{strategy.scorer}: {ids[place]} gives a number and has no pass rule, so nothing could miss it"
        faults.add(loaded.fault(where, problem, "give it a threshold, e.g. `min`"))
        return None
    return CodeCriterion(criterion=criterion, scorer=scorer, place=place)


def has_pass_rule(scorer: Scorer, place: int) -> bool:
    """Tell whether a scorer's criterion can fail: a rate can, a mean only with a threshold."""
    return scorer.criteria[place].estimate == "rate" or scorer.signature.settings.get("min") is not None


def _condition(loaded: LoadedSpec, at: int, use: ScorerUse, faults: FaultList) -> Condition | None:
    where = ("policy", at)
    scorer = _built(loaded, use, where, faults)
    if scorer is None:
        return None
    if not any(has_pass_rule(scorer, place) for place in range(len(scorer.criteria))):
        problem = f"the policy condition {use.scorer} has no pass rule, so nothing could break it"
        faults.add(loaded.fault(where, problem, "give it a threshold, e.g. `min`"))
    return Condition(name=condition_of(scorer, use.name), scorer=scorer)


def _built(loaded: LoadedSpec, use: ScorerUse, where: tuple[str | int, ...], faults: FaultList) -> Scorer | None:
    resources = Resources(
        folder=loaded.folder,
        file=str(loaded.file),
        lexicons=loaded.spec.lexicons,
        allow_custom=loaded.spec.allow_custom_scorers,
    )
    try:
        return build_scorer(use, resources)
    except InputError as error:
        place = loaded.fault(where, "")
        named = [_placed(fault, place) for fault in error.faults]
        faults.absorb(InputError(named, error.total))
        return None


def _placed(fault: Fault, place: Fault) -> Fault:
    """Return a scorer's fault at the place in the specification that asks for it."""
    field = f"{place.field}, {fault.field}" if fault.field else place.field
    return replace(fault, line=fault.line or place.line, field=field)
