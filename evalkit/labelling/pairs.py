"""Pairs that can be labelled: those that a stored comparison asked its judge about, with what it said in both orders.

What the judge said goes no further than the draw. A pair whose texts are not those that were judged is left out and counted; one that
code decided is left out too, for no judge was asked that people could agree with. The same two texts under one rubric are labelled once,
whosever they are and in however many capabilities: it is one question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from evalkit.errors import UsageError
from evalkit.labelling.asked import UNSTABLE, Answer, Answers, Asked, PairSubject
from evalkit.loading.golden import GoldenSet
from evalkit.loading.outputs import open_outputs
from evalkit.loading.suites import load_suite
from evalkit.records.cases import Case
from evalkit.records.comparisons import PairLine
from evalkit.records.identity import text_sha256
from evalkit.records.labels import ItemKey, item_key
from evalkit.records.rubrics import OVERALL, Rubric
from evalkit.records.sheets import PREFERENCES
from evalkit.runstore.comparisons import open_comparison

BY_ORDER = "depends on the order"
"""Stratum of a pair whose verdict the swap changed."""
STRATA = ("A in both", "B in both", "tie", BY_ORDER)
_SIDES = {"first": STRATA[0], "second": STRATA[1], "tie": STRATA[2]}


def open_pairs(folder: Path) -> PairSubject:
    """Return a comparison with the suite and the outputs that it was made of.

    Raises RunStoreError where it cannot be read, UsageError where nobody can say what was asked, InputError with the faults of files.
    """
    stored = open_comparison(folder)
    made = stored.purchases
    if made is None:
        raise UsageError(
            f"{folder}: is made of verdicts from elsewhere; their texts are not known and cannot be labelled"
        )
    if not (made.suite_path and made.rubrics):
        raise UsageError(f"{folder}: does not say where its suite is; compare again, what was bought is in the cache")
    loaded = load_suite(Path(made.suite_path))
    outputs = {
        name: open_outputs(loaded.folder, path if Path(path).exists() else name)
        for name, path in made.outputs_paths.items()
    }
    golden = GoldenSet(loaded.folder / loaded.suite.golden)
    return PairSubject(loaded=loaded, outputs=outputs, golden=golden, comparison=stored)


def pairs_of(subject: PairSubject) -> Answers:
    """Return the pairs of a comparison. Raises UsageError where none is left, and as `open_pairs`."""
    made = subject.comparison.purchases
    rubrics = {rubric.id: rubric for rubric in made.rubrics} if made else {}
    cases = {case.id: case for case in subject.golden}
    left: Counter[str] = Counter()
    answers = _answers(subject, rubrics, cases, left)
    notes = [f"pairs left out, {why}: {count}" for why, count in left.items()]
    if subject.golden.sha256 != subject.comparison.comparison.golden_sha256:
        notes.append("the golden set has changed since the comparison; the cases shown are today's")
    if not answers:
        why = "; ".join(notes) or "its judge was asked about no pair"
        raise UsageError(f"{subject.comparison.folder}: nothing can be labelled: {why}")
    return Answers(subject=subject, answers=tuple(answers), notes=tuple(notes))


def _answers(
    subject: PairSubject, rubrics: Mapping[str, Rubric], cases: Mapping[str, Case], left: Counter[str]
) -> list[Answer]:
    found: dict[ItemKey, Answer] = {}
    for line in subject.comparison.pairs():
        if line.decided_in_code:
            left["decided in code (the same text twice, or an empty one)"] += 1
            continue
        texts = _texts(subject, line)
        case, rubric = cases.get(line.case_id), rubrics.get(line.rubric)
        if texts is None or case is None or rubric is None or line.output_sha256 is None:
            left["whose case or text is not what was judged"] += 1
            continue
        key = item_key((line.case_id, line.output_sha256, line.rubric, ""))
        known = found.get(key)
        if known is None:
            found[key] = _answer(case, texts, line, rubric)
        elif line.capability not in {known.capability, *known.also}:
            found[key] = replace(known, also=(*known.also, line.capability))
    return list(found.values())


def _texts(subject: PairSubject, line: PairLine) -> tuple[str, str] | None:
    """Return the two texts that were judged; None where today's are others."""
    folders = [subject.outputs.get(name) for name in (line.first, line.second)]
    found = [folder.last_attempt(line.case_id) if folder else None for folder in folders]
    one, other = ((output.text if output else None) or "" for output in found)
    return (one, other) if (text_sha256(one), text_sha256(other)) == line.output_sha256 else None


def _answer(case: Case, texts: tuple[str, str], line: PairLine, rubric: Rubric) -> Answer:
    return Answer(
        case=case,
        text=texts[0],
        sha256=line.output_sha256 or ("", ""),
        other=texts[1],
        capability=line.capability,
        rubric=rubric.id,
        asked=asked_of_pairs(rubric),
        evidence=case.evidence,
        grades={criterion: grade for criterion in line.outcomes if (grade := _grade(line, criterion)) is not None},
    )


def _grade(line: PairLine, criterion: str) -> str | None:
    """Return the stratum of a pair; None where the judge gave no verdict in one of the orders."""
    winner = line.outcomes[criterion]
    if winner is None:
        whole = line.judgements and all(judgement.preferred is not None for judgement in line.judgements)
        return UNSTABLE if whole else None
    return _SIDES[winner] if line.positions.get(criterion, "consistent") == "consistent" else BY_ORDER


def asked_of_pairs(rubric: Rubric) -> tuple[Asked, ...]:
    """Return what a rubric asks about two answers, in the words in which the judge is asked: its criteria, then `overall`."""
    own = [
        Asked(
            criterion.id,
            criterion.question,
            f"The better answer is the one for which this holds, or holds more fully: {criterion.pass_condition}",
            PREFERENCES,
            rubric.asked_sha256(criterion.id),
        )
        for criterion in rubric.criteria
    ]
    weighed = [f"{one.id} ({'critical' if one.critical else 'not critical'}) {one.question}" for one in rubric.criteria]
    whole = Asked(
        OVERALL,
        "Which answer is better by the criteria together?",
        f"{' '.join(weighed)} A critical one weighs more than any that is not critical; it is a tie where they balance.",
        PREFERENCES,
        rubric.asked_sha256(OVERALL),
    )
    return (*own, whole)
