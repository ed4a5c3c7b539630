"""Verdicts x labels -> rows and disagreements. Everything is joined by what it is about; what finds no partner is counted by reason."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from evalkit.calibration.ends import End, Source
from evalkit.calibration.pair_grounds import pair_grounds
from evalkit.calibration.people import Labelled
from evalkit.calibration.rows import Compared, calibration_row
from evalkit.calibration.weighting import Population
from evalkit.judging.pointwise_grades import OVERALL
from evalkit.records.base import Json
from evalkit.records.calibrations import CalibrationRow, Disagreement
from evalkit.records.labels import LabelledItem
from evalkit.records.verdicts import Judgement, Span

Criterion = tuple[str, str, str]
"""Capability, rubric, criterion."""
SPLITS = ("test", "dev")
SAMPLES = ("drawn", "planted", "flips")


class Floor(NamedTuple):
    """What the floor judge says of the labelled items of each capability."""

    name: str
    labels: Mapping[str, Mapping[LabelledItem, str]]


class Comparison(NamedTuple):
    """What came of it."""

    rows: tuple[CalibrationRow, ...]
    """Per judge use in order, criterion, split (test first) and sample (drawn first)."""
    disagreements: tuple[Disagreement, ...]
    unmatched: dict[str, int]
    """Reason -> labelled items that are about nothing here."""
    labellers: frozenset[str]
    """Who labelled something that is compared here."""


def compare(
    sources: Sequence[Source],
    labelled: Iterable[Labelled],
    *,
    seed: int,
    populations: Mapping[Criterion, Population] | None = None,
    floor: Floor | None = None,
) -> Comparison:
    """Return what people and each judge say of the same items."""
    groups: dict[tuple[int, int, int, int], list[Compared]] = defaultdict(list)
    unmatched: Counter[str] = Counter()
    labellers: set[str] = set()
    for one in labelled:
        met = [(place, source.end(one.item)) for place, source in enumerate(sources)]
        found = [(place, end) for place, end in met if end is not None]
        if not found:
            unmatched[why_unmatched(one.item, sources)] += 1
        else:
            labellers |= one.labellers
        for place, end in found:
            order = sources[place].criteria.index(one.item[3])
            key = place, order, SPLITS.index(one.split), SAMPLES.index(one.sample)
            groups[key].append(Compared(one, end))
    rows, disagreements = [], []
    for (place, order, _, _), compared in sorted(groups.items(), key=lambda group: group[0]):
        source = sources[place]
        criterion = source.criteria[order]
        named = source.capability, source.rubric or "", criterion
        rows.append(
            calibration_row(
                source,
                criterion,
                compared,
                seed=seed,
                population=(populations or {}).get(named),
                floor=floor.labels.get(source.capability, {}) if floor else None,
                floor_name=floor.name if floor else "",
            )
        )
        disagreements += [_disagreement(source, one) for one in compared if one.differs]
    return Comparison(tuple(rows), tuple(disagreements), dict(sorted(unmatched.items())), frozenset(labellers))


def why_unmatched(item: LabelledItem, sources: Sequence[Source]) -> str:
    """Return why a labelled item is about nothing that these judges were asked."""
    case_id, _, rubric, criterion = item
    of_rubric = [source for source in sources if source.rubric == rubric]
    if not of_rubric:
        return "rubric_not_judged"
    if not any(criterion in source.criteria for source in of_rubric):
        return "criterion_not_judged"
    return "other_text" if any(case_id in source.cases for source in of_rubric) else "case_not_judged"


def _disagreement(source: Source, compared: Compared) -> Disagreement:
    labelled, end = compared
    case_id, output, _, criterion = labelled.item
    return Disagreement(
        case_id=case_id,
        output_sha256=output,
        judge=source.judge,
        capability=source.capability,
        rubric=source.rubric or "",
        criterion=criterion,
        judge_config_hash=source.judge_config_hash,
        split=labelled.split,
        sample=labelled.sample,
        decided_by=_decided_by(source, end),
        human=labelled.label or "",
        verdict=end.label or "",
        labels=tuple({"labeller": one.labeller, "label": one.label, "note": one.note} for one in labelled.labels),
        **(
            {"candidates": end.candidates, **_grounds(end.judgement, criterion)}
            if end.pair is None
            else pair_grounds(end.pair, criterion)
        ),
    )


def _decided_by(source: Source, end: End) -> Literal["judge", "classifier"]:
    tiers = end.judgement.tiers if end.judgement is not None else None
    if tiers is not None:
        return tiers.decided_by
    return "classifier" if source.mode == "classifier" else "judge"


def _grounds(judgement: Judgement | None, criterion: str) -> dict[str, Json]:
    """Return rationale, claims and spans that a grade rests on; of the overall verdict those of the criteria that failed."""
    verdict = judgement.graded if judgement is not None else None
    if verdict is None:
        return {}
    failed = [name for name, entry in verdict.criteria.items() if entry.grade not in {"pass", "not_applicable"}]
    names = (failed or list(verdict.criteria)) if criterion == OVERALL else [criterion]
    entries = [verdict.criteria[name] for name in names]
    claims = {number for entry in entries for number in entry.claims}
    spans = {name for entry in entries for name in entry.evidence}
    known = {
        span.id: span for span in (*verdict.evidence, *(span for claim in verdict.claims for span in claim.evidence))
    }
    return {
        "rationale": "; ".join(entry.rationale for entry in entries if entry.rationale),
        "claims": tuple(
            {"text": claim.text, "status": claim.status, "evidence": [_span(span) for span in claim.evidence]}
            for claim in verdict.claims
            if claim.id in claims
        ),
        "evidence": tuple(_span(known[name]) for name in sorted(spans) if name in known),
    }


def _span(span: Span) -> dict[str, Json]:
    return {"source": span.source, "quote": span.quote, "start": span.start, "end": span.end}
