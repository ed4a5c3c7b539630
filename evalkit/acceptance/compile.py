"""A suite's criteria as an acceptance specification: the same scorers, rubrics, policy and judge, and the terms that the suite sets.

Every scorer's pass rule is required and weighs 1; a rubric's criteria keep their own `critical` and `weight`. Numbers without a
threshold, and judge uses that compare candidates, accept nobody: they are left out, by name.
"""

from __future__ import annotations

from collections.abc import Iterator

from evalkit.acceptance.criteria import has_pass_rule
from evalkit.errors import InputError
from evalkit.loading.acceptance_files import LoadedSpec
from evalkit.loading.files import input_error
from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.pipeline.scorers import BuiltScorer, build_scorers
from evalkit.records.acceptance import AcceptanceCriterion, AcceptanceSpec, Strategy
from evalkit.records.suites import Capability, JudgeUse


def compile_suite(loaded: LoadedSuite) -> LoadedSpec:
    """Return the specification that a suite comes to.

    Raises InputError where suite.yaml sets no `acceptance` terms, for faults of its scorers, and where nothing is left to accept by.
    """
    suite = loaded.suite
    if suite.acceptance is None:
        remedy = (
            "set `acceptance: {threshold: 1.0, on_skipped: block, require_trust: true}`: what follows where nobody could "
            "judge, and whether an unproven judge may complete, have no default"
        )
        raise input_error(loaded.file, "has no `acceptance`, so nobody has said when a result is done", remedy)
    notes: list[str] = []
    built = build_scorers(loaded)
    criteria = [
        criterion
        for capability in suite.capabilities
        for criterion in (
            *_by_code(capability, [one for one in built if one.capability == capability.name], notes),
            *_by_judge(capability, loaded, notes),
        )
    ]
    if not criteria:
        raise _nothing(loaded, notes)
    rubrics = {c.strategy.rubric: loaded.rubrics[c.strategy.rubric] for c in criteria if c.strategy.rubric}
    spec = AcceptanceSpec(
        name=suite.name,
        version=suite.version,
        terms=suite.acceptance,
        criteria=tuple(criteria),
        policy=suite.policy,
        judge=loaded.judge if rubrics else None,
        rubrics=rubrics,
        lexicons=dict(loaded.lexicons),
        allow_custom_scorers=suite.allow_custom_scorers,
    )
    return LoadedSpec(spec=spec, file=loaded.file, notes=tuple(notes))


def _nothing(loaded: LoadedSuite, notes: list[str]) -> InputError:
    return input_error(
        loaded.file, f"no criterion of it can accept anything ({'; '.join(notes)})", "give scorers a `min`"
    )


def _by_code(capability: Capability, built: list[BuiltScorer], notes: list[str]) -> Iterator[AcceptanceCriterion]:
    for one, use in zip(built, capability.scorers, strict=True):
        ids = [spec.id for spec in one.scorer.criteria]
        for place, criterion in enumerate(ids):
            name = f"{capability.name}/{one.name}" + (f"/{criterion}" if criterion != use.scorer else "")
            if not has_pass_rule(one.scorer, place):
                notes.append(f"{name} has no pass rule and takes no part")
                continue
            settings = ", ".join(f"{key} {value}" for key, value in use.settings.items())
            yield AcceptanceCriterion(
                name=name,
                description=f"The check {use.scorer} passes{f' ({settings})' if settings else ''}.",
                required=True,
                strategy=Strategy(
                    scorer=use.scorer, criterion=criterion if len(ids) > 1 else None, settings=use.settings
                ),
                capability=capability.name,
                cases=capability.cases,
            )


def _by_judge(capability: Capability, loaded: LoadedSuite, notes: list[str]) -> Iterator[AcceptanceCriterion]:
    for use in capability.judge:
        if not _pointwise(use, loaded):
            notes.append(f"{capability.name}/{use.rubric} does not judge one candidate by itself and takes no part")
            continue
        rubric = loaded.rubrics[use.rubric]
        for criterion in rubric.criteria:
            yield AcceptanceCriterion(
                name=f"{capability.name}/{rubric.id}/{criterion.id}",
                required=criterion.critical,
                weight=criterion.weight,
                strategy=Strategy(rubric=use.rubric, criterion=criterion.id),
                capability=capability.name,
                cases=capability.cases,
            )


def _pointwise(use: JudgeUse, loaded: LoadedSuite) -> bool:
    return loaded.rubrics[use.rubric].mode == "pointwise"
