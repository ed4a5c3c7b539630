"""A comparison's judge against people's preferences. Nothing is bought, nothing is earned: pairs gate nothing and are never trusted.

A pair is found by its case and the texts of both answers, whichever of them a label calls A. What the swap changed is a tie, and the
figures say what it comes to by the other rules. The floor is the rule that the answer with more words wins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from evalkit.calibration.compare import Floor, compare
from evalkit.calibration.ends import End, Source, Text
from evalkit.calibration.people import Labelled, Wordings, labelled_items, unsaid
from evalkit.calibration.report import Calibrated, new_calibration, refuse_nothing, standard
from evalkit.errors import UsageError
from evalkit.experiments.pair_outcomes import outcome_on
from evalkit.loading.labels import read_labels
from evalkit.records.calibrations import Disagreement
from evalkit.records.comparisons import Comparison, PairLine, PairSide
from evalkit.records.labels import Label, LabelledItem, item_key
from evalkit.records.reports import JudgeHeader
from evalkit.records.scores import Unscored
from evalkit.runstore.comparisons import StoredComparison, open_comparison

MODE = "pairwise"
FLOOR = "floor: the longer one wins"
NEVER_TRUSTED = "pairs gate nothing and earn no trust: a win rate moves when the opponent does"
ALL = ""
"""Capability of the row over all capabilities of a rubric."""
_LABEL: Mapping[PairSide, str] = {"first": "A", "second": "B", "tie": "tie"}

Named = dict[tuple[str, frozenset[str]], tuple[str, str]]
"""Case id and the hashes of two answers -> the hashes of A and B."""


def calibrate_pairs(folder: Path, labels: Path, *, labellers: Sequence[str] = (), seed: int = 1) -> Calibrated:
    """Return how far the judge of a comparison prefers what people prefer.

    Raises InputError with the faults of the labels, RunStoreError for a comparison that cannot be read, UsageError for an unknown
    labeller, for verdicts made elsewhere, for a comparison that an earlier version made, and where no label is about one of its pairs.
    """
    stored = open_comparison(folder)
    if stored.purchases is None:
        raise UsageError(f"{folder}: is made of verdicts from elsewhere; calibrate these with --verdicts FILE")
    if not stored.purchases.rubrics:
        raise UsageError(
            f"{folder}: does not say which texts it compared by which rubric; compare again, what was bought is in the cache"
        )
    given = read_labels(labels)
    judged = _judged(stored.comparison, stored.pairs(), {item_key(label.item)[:2] for label in given.labels})
    wordings = _wordings(stored)
    ours = [_as_named(label, judged.named) for label in given.labels]
    items = labelled_items(ours, standard(ours, labellers), wordings)
    floor = Floor(FLOOR, _longer(judged, items))
    found = compare(judged.sources, items, seed=seed, floor=floor)
    refuse_nothing(found.rows, found.unmatched, len(items), f"comparison {folder}")
    calibration = new_calibration(given, labellers, found).model_copy(
        update={
            "suite": stored.comparison.suite.get("name", ""),
            "comparison": folder.name,
            "unlabelled": _unlabelled(judged.sources, items),
            "notes": tuple(_notes(stored, ours, wordings)),
        }
    )
    return Calibrated(calibration, _each_once(found.disagreements))


class _Judged(NamedTuple):
    """What a comparison's judge was asked about."""

    sources: list[Source]
    """Per capability and rubric, in the order of the comparison; before those of a rubric that several use, one over all of them."""
    named: Named
    longer: dict[Text, str]
    """Pair -> whose answer has more words: A, B or tie."""


def _judged(comparison: Comparison, lines: Iterable[PairLine], labelled: Collection[tuple[object, ...]]) -> _Judged:
    """Gather pairs that the judge was asked about; the same two texts count once in a judge use, whosever they are."""
    uses = {(use.capability, use.rubric): use for use in comparison.judges}
    sources: dict[tuple[str, str], Source] = {}
    found = _Judged([], {}, {})
    for line in lines:
        use = uses.get((line.capability, line.rubric))
        if line.decided_in_code or line.output_sha256 is None or use is None or not line.judgements:
            continue
        key = line.case_id, frozenset(line.output_sha256)
        if found.named.setdefault(key, line.output_sha256) != line.output_sha256:
            continue  # another two candidates gave these texts the other way round: the same question
        text: Text = (line.case_id, line.output_sha256)
        ends = {(text, criterion): _end(line, criterion, keep=key in labelled) for criterion in line.outcomes}
        for capability in (ALL, line.capability):
            source = sources.setdefault((capability, line.rubric), _source(capability, line, use))
            source.cases.add(line.case_id)
            source.given.update(ends)
        if line.words is not None:
            one, other = line.words
            found.longer[text] = "tie" if one == other else "A" if one > other else "B"
    shared = Counter(rubric for capability, rubric in sources if capability != ALL)
    found.sources.extend(source for key, source in sources.items() if key[0] != ALL or shared[key[1]] > 1)
    return found


def _source(capability: str, line: PairLine, use: JudgeHeader) -> Source:
    return Source(
        judge=use.judge,
        capability=capability,
        rubric=line.rubric,
        mode=MODE,
        judge_config_hash=use.judge_config_hash,
        criteria=tuple(line.outcomes),
    )


def _each_once(disagreements: Iterable[Disagreement]) -> tuple[Disagreement, ...]:
    """Return the disagreements without those of capabilities that a row over all capabilities lists already."""
    found: dict[object, Disagreement] = {}
    for one in disagreements:
        found.setdefault((one.case_id, one.output_sha256, one.rubric, one.criterion), one)
    return tuple(found.values())


def _end(line: PairLine, criterion: str, *, keep: bool) -> End:
    """Return what both orders come to; the verdicts themselves are kept of labelled pairs only."""
    outcome = outcome_on(criterion, line.judgements)
    pair = line if keep else None
    if isinstance(outcome, Unscored):
        return End(None, outcome.reason, pair=pair)
    divided = outcome.position != "consistent"
    return End(_LABEL[outcome.winner], depends_on_order=divided, pair=pair)


def _about_a_pair(label: Label) -> bool:
    return isinstance(label.output_sha256, tuple)


def _as_named(label: Label, named: Named) -> Label:
    """Return a label with A and B named as the comparison names them."""
    if not isinstance(label.output_sha256, tuple):
        return label
    ours = named.get((label.case_id, frozenset(label.output_sha256)))
    return label if ours is None else label.named_as(ours)


def _longer(judged: _Judged, items: Iterable[Labelled]) -> dict[str, dict[LabelledItem, str]]:
    """Return what "the longer one wins" says of each labelled pair, the same in every capability."""
    said = {one.item: judged.longer[one.item[:2]] for one in items if one.item[:2] in judged.longer}
    return {source.capability: said for source in judged.sources}


def _unlabelled(sources: Iterable[Source], items: Iterable[Labelled]) -> int:
    about = {one.item for one in items}
    asked = {(*text, source.rubric, criterion) for source in sources for text, criterion in source.given}
    return len(asked - about)


def _wordings(stored: StoredComparison) -> Wordings:
    """Return what the judge was asked, by rubric and criterion."""
    rubrics = stored.purchases.rubrics if stored.purchases else ()
    return {(rubric.id, name): asked for rubric in rubrics for name, asked in rubric.wordings().items()}


def _notes(stored: StoredComparison, labels: Sequence[Label], wordings: Wordings) -> Iterator[str]:
    names = [one.name for one in stored.comparison.candidates]
    yield (
        f"A is {names[0]}, B is {names[1]}"
        if len(names) == 2
        else f"A is the one of two candidates that comes first in: {', '.join(names)}"
    )
    yield NEVER_TRUSTED
    if len(names) > 2:
        yield "pairs of several candidates share their cases: intervals take every label as independent and are too narrow"
    count = unsaid(filter(_about_a_pair, labels), wordings)
    if count:
        yield f"{count} labels do not say under which wording of the criterion they were made: they count as if under this one"
