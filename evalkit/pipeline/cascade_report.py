"""What a run says of its cascades: who decided what, how the tiers agree (report), and what each tier took (manifest)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from evalkit.judging.cascade import overall_of
from evalkit.judging.pointwise_grades import OVERALL
from evalkit.judging.results import criteria_of, grade_of
from evalkit.pipeline.cascade import Checks, Tiers, tier_of
from evalkit.pipeline.judged import Verdicts
from evalkit.providers.meter import cost_of_purchases
from evalkit.records.judges import JudgeConfig
from evalkit.records.tiers import CascadeReport, CascadeRow, CascadeUse, TierReading, TierUse
from evalkit.records.verdicts import Judgement
from evalkit.stats.intervals import wilson


def report_of(tiers: Tiers) -> CascadeReport:
    """Return the report of one cascade; nothing of purchases is in it."""
    tier, measurement = tier_of(tiers.column), tiers.column.measurement
    escalated = Counter(told.why for _, told in tiers.cases if told.decided_by == "judge")
    cases = len(tiers.cases)
    return CascadeReport(
        capability=measurement.capability,
        rubric=measurement.rubric.id,
        judge_config_hash=measurement.config_hash,
        classifier=tier.name,
        configuration_hash=tier.configuration_hash,
        low=tier.settings.low,
        high=tier.settings.high,
        cases=cases,
        by_classifier=cases - escalated.total(),
        escalated=dict(sorted(escalated.items())),
        share_escalated=escalated.total() / cases if cases else None,
        sampled=len(tiers.sampled),
        sample_errors=dict(sorted(Counter(_failed(tiers.checked.values())).items())),
        seed=tier.settings.seed,
        rows=tuple(_row(tiers, name, cases - escalated.total()) for name in criteria_of(measurement)),
    )


def _failed(checks: Iterable[Judgement]) -> Iterator[str]:
    yield from (one.rejected[-1].rejection.kind for one in checks if one.verdict is None and one.rejected)


def _row(tiers: Tiers, criterion: str, by_classifier: int) -> CascadeRow:
    readings = [told for _, told in tiers.cases]
    pairs = [
        (_grade(tiers, told, criterion), grade_of(criterion, tiers.checked[judged.case.id]))
        for judged, told in tiers.cases
        if judged.case.id in tiers.checked
    ]
    both = [(cheap, judge) for cheap, judge in pairs if isinstance(judge, str)]
    agreed = sum(cheap == judge for cheap, judge in both)
    unsure = sum(criterion in told.answers and told.answers[criterion].band == "uncertain" for told in readings)
    return CascadeRow(
        criterion=criterion,
        by_classifier=by_classifier,
        by_judge=len(readings) - by_classifier,
        uncertain=None if criterion == OVERALL else unsure,
        checked=len(both),
        agreed=agreed,
        agreement=agreed / len(both) if both else None,
        interval=wilson(agreed, len(both)) if both else None,
    )


def _grade(tiers: Tiers, told: TierReading, criterion: str) -> str:
    """Return what the classifier says on a criterion, or on all critical ones together."""
    if criterion != OVERALL:
        return told.answers[criterion].band
    return {True: "pass", False: "fail", None: "not_applicable"}[overall_of(tier_of(tiers.column), told)]


def use_of(tiers: Tiers, checks: Checks, verdicts: Verdicts) -> CascadeUse:
    """Return what each tier of one cascade took in this run."""
    measurement, answers = tiers.column.measurement, tiers.answers
    judge = measurement.judge

    def own(judgements: Iterable[Judgement]) -> list[Judgement]:
        mine = (measurement.capability, measurement.config_hash)
        of_use = [one for one in judgements if (one.capability, one.judge_config_hash) == mine]
        return list({one.request_key: one for one in of_use}.values())

    return CascadeUse(
        capability=measurement.capability,
        rubric=measurement.rubric.id,
        models=tuple(sorted({decision.model for decision in answers.found.values()})),
        classifier=answers.use(),
        judge=_judge_use(own(verdicts.bought), own(verdicts.saved), judge),
        check=_judge_use(own(checks.bought), own(checks.hits), judge),
    )


def _judge_use(bought: Sequence[Judgement], saved: Sequence[Judgement], judge: JudgeConfig) -> TierUse:
    given = _sum([one.purchase.input_tokens if one.purchase else None for one in bought])
    replied = _sum([one.purchase.output_tokens if one.purchase else None for one in bought])
    whole = given is not None and replied is not None
    cost = cost_of_purchases(judge, [one.purchase for one in bought if one.purchase]) if whole or not bought else None
    return TierUse(
        asked=sum(one.verdict is not None for one in bought),
        cache_hits=len(saved),
        failed=sum(one.verdict is None for one in bought),
        input_tokens=given,
        output_tokens=replied,
        cost_usd=cost,
    )


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None
