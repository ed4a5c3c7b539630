"""What a run itself gives to its review queue: replies that nobody could use, samples that differ, instructions in the material."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evalkit.judging.pointwise_grades import OVERALL
from evalkit.judging.results import grade_of
from evalkit.pipeline.failure_lines import preview
from evalkit.records.base import Json
from evalkit.records.classified import CRITERION, ClassifiedCase
from evalkit.records.review import Passage, ReviewItem
from evalkit.records.scores import Unscored
from evalkit.records.verdicts import Judgement
from evalkit.stats.agreement import pair_agreement

if TYPE_CHECKING:
    # A run without calibration imports none.
    from evalkit.calibration.selective import Vote
    from evalkit.records.calibrations import Disagreement

PASSAGES = 20
"""Passages of one item; more are counted."""


def items_of(judgements: Sequence[Judgement]) -> Iterator[ReviewItem]:
    """Yield what is to be looked at of one case under one judge use; `judgements` are its samples."""
    first = judgements[0]
    about = {
        "case_id": first.case_id,
        "capability": first.capability,
        "rubric": first.rubric,
        "judge_config_hash": first.judge_config_hash,
        "output_sha256": first.output_sha256,
    }
    yield from _flips(about, judgements)
    yield from _errors(about, judgements)
    yield from _findings(about, judgements)


def _flips(about: dict[str, Any], judgements: Sequence[Judgement]) -> Iterator[ReviewItem]:
    names = dict.fromkeys(name for one in judgements if one.graded for name in (*one.graded.criteria, OVERALL))
    for criterion in names if len(judgements) > 1 else ():
        given = [grade_of(criterion, one) for one in judgements]
        grades = [grade for grade in given if not isinstance(grade, Unscored)]
        if len(set(grades)) > 1:
            yield flip(about, criterion, grades, judgements)


def flip(about: dict[str, Any], criterion: str, grades: Sequence[str], judgements: Sequence[Judgement]) -> ReviewItem:
    """Return the item of a criterion on which repeated verdicts differ; `about` holds case, judge use, hashes."""
    rationales: dict[str, str] = {}
    for judgement in judgements:
        if judgement.graded is not None and criterion in judgement.graded.criteria:
            entry = judgement.graded.criteria[criterion]
            rationales.setdefault(entry.grade, entry.rationale)
    counts = dict(sorted(Counter(grades).items()))
    said = ", ".join(f"{count} {grade}" for grade, count in counts.items())
    return ReviewItem.of(
        kind="flip",
        **about,
        criterion=criterion,
        why=f"{criterion} flipped: the same question, asked {len(grades)} times, got {said}",
        read=tuple(
            Passage(title=f"rationale of {grade}", text=preview(text) or "") for grade, text in rationales.items()
        ),
        grades=tuple(grades),
        counts=counts,
        disagreement=1 - pair_agreement(grades),
        rationales=rationales,
    )


def _errors(about: dict[str, Any], judgements: Sequence[Judgement]) -> Iterator[ReviewItem]:
    failed = [one for one in judgements if one.verdict is None and one.rejected]
    if not failed:
        return
    last = failed[-1].rejected[-1].rejection
    refused = [reply for one in failed for reply in one.rejected]
    yield ReviewItem.of(
        kind="judge_error",
        **about,
        why=f"no reply passed the checks, so the case has no verdict: {last.kind}: {last.message}",
        read=tuple(
            Passage(
                title=f"refused reply {number} ({reply.rejection.kind}: {reply.rejection.message})",
                text=preview(reply.text) or "(no text)",
            )
            for number, reply in enumerate(refused[:PASSAGES], 1)
        ),
    )


def _findings(about: dict[str, Any], judgements: Sequence[Judgement]) -> Iterator[ReviewItem]:
    by_judge = {
        (finding.source, finding.quote): finding.kind
        for one in judgements
        for finding in (one.verdict.findings if one.verdict else ())
    }
    by_code = {(a["source"], a["offset"]): a for one in judgements for a in one.alterations}
    if not by_judge and not by_code:
        return
    noticed = [f"{len(by_judge)} found by the judge"] if by_judge else []
    noticed += [f"{len(by_code)} by code"] if by_code else []
    overall = [grade_of(OVERALL, one) for one in judgements]
    verdict = ", ".join(dict.fromkeys("none" if isinstance(one, Unscored) else one for one in overall))
    passages = [
        Passage(title=f"{kind} in {source or 'the material'}", text=preview(quote) or "")
        for (source, quote), kind in by_judge.items()
    ]
    passages += [
        Passage(
            title=f"{a['kind']} in {a['source']} at {a['offset']}",
            text=f"{a['original']!r} was shown to the judge as {a['shown']!r}",
        )
        for a in by_code.values()
    ]
    yield ReviewItem.of(
        kind="finding",
        **about,
        why=f"the material holds what could steer a judge ({', '.join(noticed)}); overall verdict: {verdict}",
        read=tuple(passages[:PASSAGES]),
    )


def classified_items(classified: Iterable[ClassifiedCase]) -> Iterator[ReviewItem]:
    """Yield the cases on which a classifier scorer was not sure."""
    for one in classified:
        if one.outcome == "uncertain":
            yield ReviewItem.of(
                kind="uncertain",
                case_id=one.case_id,
                capability=one.capability,
                rubric=one.scorer,
                criterion=CRITERION,
                judge_config_hash=one.configuration_hash,
                output_sha256=one.output_sha256,
                why=f"{one.scorer}, answered by {one.model}, is not sure: {one.why}",
            )


def disagreement_items(found: Iterable[Disagreement]) -> Iterator[ReviewItem]:
    """Yield what a calibration found: verdicts on one answer that a person's label contradicts."""
    for one in found:
        if one.judge_config_hash is None or not isinstance(one.output_sha256, str):
            continue  # verdicts made elsewhere, and pairs, are no answers of a run
        said = "; ".join(_label_text(label) for label in one.labels)
        passages = [Passage(title=f"people: {one.human}", text=said)] if said else []
        if one.rationale:
            passages.append(Passage(title=f"{one.decided_by}: {one.verdict}", text=preview(one.rationale) or ""))
        passages += [Passage(title=f"claim, {claim['status']}", text=str(claim["text"])) for claim in one.claims]
        yield ReviewItem.of(
            kind="disagreement",
            case_id=one.case_id,
            capability=one.capability,
            rubric=one.rubric,
            criterion=one.criterion,
            judge_config_hash=one.judge_config_hash,
            output_sha256=one.output_sha256,
            why=f"people say {one.human}, {_who(one)} says {one.verdict} ({one.split} label, {one.sample})",
            read=tuple(passages[:PASSAGES]),
            hint="a test label: editing the wording because of it spends it" if one.split == "test" else "",
        )


def _who(one: Disagreement) -> str:
    return f"the classifier {one.rubric}" if one.criterion == CRITERION else f"the {one.decided_by}"


def _label_text(label: Mapping[str, Json]) -> str:
    note = f" ({label['note']})" if label.get("note") else ""
    return f"{label.get('labeller')}: {label.get('label') or 'skipped'}{note}"


def uncertain_items(
    capability: str, rubric: str, criterion: str, threshold: float | None, votes: Iterable[Vote]
) -> Iterator[ReviewItem]:
    """Yield verdicts whose samples agree too little for the judge to decide alone; `threshold` is None where none is enough."""
    for vote in votes:
        said = ", ".join(f"{count} {label}" for label, count in vote.counts.items())
        asked = "no share of agreeing samples is enough" if threshold is None else f"{threshold:.0%} must agree"
        yield ReviewItem.of(
            kind="uncertain",
            case_id=vote.case_id,
            capability=capability,
            rubric=rubric,
            criterion=criterion,
            judge_config_hash=vote.judge_config_hash,
            output_sha256=vote.output_sha256,
            why=f"{vote.share:.0%} of the samples agree on {criterion} ({said}); {asked} for the judge to decide alone",
        )
