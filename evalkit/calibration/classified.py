"""Classifier scorers against people: what the bands read of each answer beside what people say of the same case.

An answer that was not sure is compared with nothing and counted as `uncertain`. Of a choice people name the option: its row
`classifier` holds pass and fail by the scorer's pass rule, a second one, `option`, the options themselves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from evalkit.calibration.compare import Comparison, Criterion, compare
from evalkit.calibration.ends import End, Source, Text
from evalkit.calibration.people import Labelled
from evalkit.calibration.rows import BINARY, FAIL, PASS
from evalkit.calibration.weighting import Population
from evalkit.records.calibrations import Disagreement
from evalkit.records.classified import CRITERION, UNCERTAIN, ClassifiedCase, ClassifierUse
from evalkit.records.labels import Label
from evalkit.records.reports import Row
from evalkit.records.scores import SCORER_ERROR

MODE = "classifier"
OPTION = "option"
"""Criterion of the row that compares options."""
NO_OPTION = "no_option"
"""Why a label of a choice is not compared with its option: it says pass or fail, or names an option that is gone."""


class AboutClassifiers(NamedTuple):
    """Labelled items about classifier scorers."""

    named: list[Labelled]
    """With the labels that people gave: of a choice an option."""
    outcomes: list[Labelled]
    """The same with pass or fail in the place of the option."""
    others: list[Labelled]
    """Items about something else."""
    ambiguous: tuple[str, ...]
    """Scorers whose labels are left out, because two questions of the run have one name."""


def about_classifiers(labelled: Iterable[Labelled], uses: Sequence[ClassifierUse]) -> AboutClassifiers:
    """Return the labelled items about a run's classifier scorers, and the others."""
    asked: dict[str, set[str | None]] = defaultdict(set)
    for use in uses:
        asked[use.scorer].add(use.asked_sha256)
    passing = {use.scorer: use.labels for use in uses}
    found = AboutClassifiers([], [], [], tuple(name for name, hashes in asked.items() if len(hashes) > 1))
    for one in labelled:
        scorer = one.item[2] or ""
        if scorer not in asked or one.item[3] != CRITERION:
            found.others.append(one)
        elif scorer not in found.ambiguous:
            found.named.append(one)
            found.outcomes.append(_as_outcome(one, passing[scorer]))
    return found


def _as_outcome(one: Labelled, passing: Mapping[str, bool]) -> Labelled:
    return one._replace(
        label=outcome_of(one.label, passing), labels=tuple(_label_as_outcome(label, passing) for label in one.labels)
    )


def _label_as_outcome(label: Label, passing: Mapping[str, bool]) -> Label:
    return label.model_copy(update={"label": outcome_of(label.label, passing)})


def outcome_of(label: str | None, passing: Mapping[str, bool]) -> str | None:
    """Return pass or fail for a label that says so or names an option, and any other label as it is."""
    if label is None or label not in passing:
        return label
    return PASS if passing[label] else FAIL


def compare_classifiers(
    rows: Sequence[Row],
    uses: Sequence[ClassifierUse],
    answers: Sequence[ClassifiedCase],
    about: AboutClassifiers,
    *,
    seed: int,
) -> Comparison:
    """Return what people and each classifier scorer of a run say of the same cases; `rows` are the run's."""
    sure = [_source(use, answers) for use in uses]
    found = compare(sure, about.outcomes, seed=seed, populations=_populations(rows))
    choices = [use for use in uses if not set(use.labels) <= BINARY]
    if not choices:
        return found
    options = compare(
        [_source(use, answers, options=True) for use in choices], _with_options(about.named, choices), seed=seed
    )
    by_option = {_place(one) for one in options.disagreements}
    disagreements = [one for one in found.disagreements if _place(one) not in by_option]
    return Comparison(
        (*found.rows, *(row.model_copy(update={"criterion": OPTION}) for row in options.rows)),
        (*disagreements, *options.disagreements),
        found.unmatched,
        found.labellers,
    )


def _place(one: Disagreement) -> tuple[str, str, str]:
    return one.capability, one.rubric, one.case_id


def _source(use: ClassifierUse, answers: Iterable[ClassifiedCase], *, options: bool = False) -> Source:
    own = [one for one in answers if (one.capability, one.scorer) == (use.capability, use.scorer)]
    given: dict[tuple[Text, str], End] = {}
    for one in own:
        said = one.answer.choice if options and one.answer.type == "choice" else one.outcome
        end = End(None, UNCERTAIN) if one.outcome == UNCERTAIN else End(said)
        given[(one.case_id, one.output_sha256), CRITERION] = end
    return Source(
        judge=", ".join(use.models) or str(use.identity.get("style", MODE)),
        capability=use.capability,
        rubric=use.scorer,
        mode=MODE,
        judge_config_hash=use.configuration_hash,
        criteria=(CRITERION,),
        given=given,
        cases={one.case_id for one in own},
    )


def _with_options(labelled: Iterable[Labelled], uses: Sequence[ClassifierUse]) -> list[Labelled]:
    """Return the items about these choices; a label that is none of the options says why it is not compared."""
    known = {use.scorer: use.labels for use in uses}
    about = [one for one in labelled if one.item[2] in known]
    return [
        one
        if one.label is None or one.label in known[one.item[2] or ""]
        else one._replace(label=None, reason=NO_OPTION)
        for one in about
    ]


def _populations(rows: Iterable[Row]) -> dict[Criterion, Population]:
    """Return, per classifier row, how many sure answers the run has and how many of them passed."""
    return {
        (row.capability, row.scorer, row.criterion): Population(
            row.n, row.passed or 0, row.excluded.get(SCORER_ERROR, 0)
        )
        for row in rows
        if row.kind == MODE
    }
