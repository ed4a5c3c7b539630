"""Which verdicts the judge may decide alone: those of enough confidence that their error, by labels, stays within a risk.

Confidence is the share of a case's samples that gave the commonest grade. Thresholds are tested from the strictest to the loosest, each
by its one-sided 95 % Clopper-Pearson bound; the loosest before the first that fails is taken, and what lies under it goes to people.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from evalkit.calibration.people import Labelled
from evalkit.calibration.rows import BINARY, PASS
from evalkit.judging.pointwise_grades import OVERALL
from evalkit.judging.results import grade_of
from evalkit.records.calibrations import Selective
from evalkit.records.judges import FLOOR_NAME
from evalkit.records.reports import Report
from evalkit.records.verdicts import Judgement
from evalkit.stats.results import Refused
from evalkit.stats.sequences import levels_of, selective_threshold

ONE_SAMPLE = "one sample a case: no vote to take a confidence from; judge.yaml's `samples` buys more"
BY_VERDICT = "labels were drawn by verdict: the error of all verdicts takes a random sample"
NO_LABELS = "no test labels of a random sample"


class Vote(NamedTuple):
    """What the samples of one answer say on one criterion."""

    case_id: str
    output_sha256: str
    judge_config_hash: str
    label: str
    share: float
    """Samples that gave the label, of all that were asked for."""
    counts: dict[str, int]


@dataclass
class Votes:
    """The votes of a run, gathered as its verdicts go by."""

    by_criterion: dict[tuple[str, str, str], list[Vote]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, judgements: Iterable[Judgement]) -> Votes:
        """Return the votes of a run's verdicts; answers without a readable grade have none."""
        votes = cls()
        grouped: dict[tuple[str, str, str, str], list[Judgement]] = defaultdict(list)
        for one in judgements:
            grouped[one.capability, one.rubric, one.case_id, one.output_sha256].append(one)
        for (capability, rubric, _, _), samples in grouped.items():
            for criterion, vote in _votes(samples):
                votes.by_criterion[capability, rubric, criterion].append(vote)
        return votes


def _votes(samples: Sequence[Judgement]) -> Iterator[tuple[str, Vote]]:
    names = dict.fromkeys(name for one in samples if one.graded for name in (*one.graded.criteria, OVERALL))
    for criterion in names:
        grades = [grade for one in samples if isinstance(grade := grade_of(criterion, one), str)]
        counts = Counter(grades)
        if counts:
            label, count = min(counts.items(), key=lambda entry: (-entry[1], entry[0]))
            first = samples[0]
            yield (
                criterion,
                Vote(
                    first.case_id,
                    first.output_sha256,
                    first.judge_config_hash,
                    label,
                    count / len(samples),
                    dict(sorted(counts.items())),
                ),
            )


def selective_rows(report: Report, votes: Votes, labelled: Sequence[Labelled], risk: float) -> tuple[Selective, ...]:
    """Return, per criterion with votes, the loosest threshold whose error bound holds; range of `risk`: above 0, below 1."""
    headers = {(judge.capability, judge.rubric): judge for judge in report.judges}
    return tuple(
        _row(key, given, headers[key[0], key[1]].samples, labelled, risk)
        for key, given in votes.by_criterion.items()
        if headers[key[0], key[1]].judge != FLOOR_NAME
    )


def _row(
    key: tuple[str, str, str], votes: Sequence[Vote], samples: int, labelled: Sequence[Labelled], risk: float
) -> Selective:
    decided = [vote for vote in votes if vote.label in BINARY]
    chosen = [one for one in labelled if (one.item[2], one.item[3]) == key[1:] and _counts(one)]
    pairs = _paired(decided, chosen)
    row = Selective(
        capability=key[0],
        rubric=key[1],
        criterion=key[2],
        risk=risk,
        samples=samples,
        labels=len(pairs),
        judged=len(decided),
        threshold=None,
        coverage=None,
        error=None,
        upper=None,
        to_people=len(decided),
        reading="",
    )
    if samples < 2:
        return row.model_copy(update={"reading": ONE_SAMPLE, "to_people": 0})
    if not pairs:
        return row.model_copy(update={"reading": NO_LABELS})
    if any(one.drawn.design == "by-verdict" for one in chosen):
        return row.model_copy(update={"reading": BY_VERDICT})
    found = selective_threshold(levels_of(pairs), len(pairs), risk)
    if isinstance(found, Refused):
        return row.model_copy(update={"reading": found.reason})
    kept = sum(vote.share >= found.threshold for vote in decided)
    return row.model_copy(
        update={
            "threshold": found.threshold,
            "coverage": kept / len(decided),
            "error": found.error,
            "upper": found.upper,
            "to_people": len(decided) - kept,
        }
    )


def _counts(one: Labelled) -> bool:
    return one.split == "test" and one.sample == "drawn" and one.label in BINARY


def _paired(votes: Iterable[Vote], labelled: Iterable[Labelled]) -> list[tuple[float, bool]]:
    """Return (confidence, right) of every labelled answer that has a vote."""
    said: Mapping[tuple[str, object], Vote] = {(vote.case_id, vote.output_sha256): vote for vote in votes}
    pairs = []
    for one in labelled:
        vote = said.get((one.item[0], one.item[1]))
        if vote is not None:
            pairs.append((vote.share, (vote.label == PASS) == (one.label == PASS)))
    return pairs


def uncertain(row: Selective, votes: Votes) -> list[Vote]:
    """Return the votes that go to people: those under the threshold, all of them where there is none; the least sure first."""
    given = votes.by_criterion[row.capability, row.rubric, row.criterion]
    under = [v for v in given if v.label in BINARY and (row.threshold is None or v.share < row.threshold)]
    return sorted(under, key=lambda vote: (vote.share, vote.case_id))
