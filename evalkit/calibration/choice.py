"""From candidates' figures to the judge of each capability: a fixed sequence from strong to cheap, each tested at one-sided 5 %.

Taking the best of several by its point estimate would be the winner's curse; testing in an order that was fixed before, and stopping at
the first that does not clear, holds 5 % without correction (Maurer, Hothorn & Lehmacher 1995).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

from evalkit.calibration.agreement import beside
from evalkit.calibration.ends import Source
from evalkit.calibration.people import Labelled
from evalkit.calibration.trust import label_conditions, rate_of
from evalkit.records.calibrations import CalibrationRow
from evalkit.records.choices import CapabilityChoice, CriterionFigures, CrossJudge
from evalkit.records.suites import TrustBars
from evalkit.records.trust import TrustState, state_of
from evalkit.stats.results import Refused
from evalkit.stats.sequences import fixed_sequence

FLOOR = "the floor is a rule, not a model, and is never trusted"


def figures_of(
    file: str, rows: Sequence[CalibrationRow], bars: TrustBars, *, floor: bool, withheld: str
) -> list[CriterionFigures]:
    """Return a candidate's figures per criterion; only test labels that were drawn by chance decide.

    `floor` says that a rule decides, in any tier; `withheld` is why these verdicts are not the candidate's, empty where they are.
    """
    planted = {
        (row.capability, row.rubric, row.criterion): row
        for row in rows
        if (row.split, row.sample, row.binary) == ("test", "planted", True)
    }
    found = []
    for row in rows:
        if (row.split, row.sample, row.binary) != ("test", "drawn", True):
            continue
        conditions, _ = label_conditions(bars, row, planted.get((row.capability, row.rubric, row.criterion)))
        missing = [f"{one.name}: {one.figures}" for one in conditions if one.state != "met"]
        state = "UNDECIDED" if withheld else state_of(conditions)
        found.append(
            CriterionFigures(
                file=file,
                capability=row.capability,
                rubric=row.rubric,
                criterion=row.criterion,
                n=row.n,
                excluded=row.excluded,
                agreement=row.agreement,
                agreement_interval=row.agreement_interval,
                tpr=rate_of(row, "tpr"),
                tnr=rate_of(row, "tnr"),
                balanced_accuracy=row.balanced_accuracy,
                state="NOT TRUSTED" if floor else state,
                reading=FLOOR if floor else withheld or "; ".join(missing),
            )
        )
    return found


def choose(
    capability: str, files: Sequence[str], figures: Sequence[CriterionFigures], costs: Mapping[str, float | None]
) -> CapabilityChoice:
    """Return the judge of a capability; `files` are the candidates in their fixed order, `costs` US dollars a verdict."""
    of_file = {
        file: {(one.rubric, one.criterion): one for one in figures if (one.file, one.capability) == (file, capability)}
        for file in files
    }
    tested = sorted({key for found in of_file.values() for key in found})
    states = {
        file: _joint([found[key].state if key in found else None for key in tested]) for file, found in of_file.items()
    }
    place = (
        fixed_sequence([states[file] == "TRUSTED" for file in files])
        if tested
        else Refused("no labels drawn by chance")
    )
    chosen = None if isinstance(place, Refused) else files[place]
    first, cost = costs.get(files[0]), costs.get(chosen) if chosen else None
    saves = first - cost if first is not None and cost is not None else None
    return CapabilityChoice(
        capability=capability,
        chosen=chosen,
        criteria=tuple("/".join(key) for key in tested),
        unlabelled=(),
        states=states,
        saves_per_verdict=saves,
        saves_share=saves / first if saves is not None and first else None,
        reading=place.reason if isinstance(place, Refused) else _reading(files, place, states),
    )


def _joint(states: Sequence[TrustState | None]) -> TrustState:
    """Return TRUSTED where every criterion clears, NOT TRUSTED where one is rejected."""
    if "NOT TRUSTED" in states:
        return "NOT TRUSTED"
    return "TRUSTED" if states and set(states) == {"TRUSTED"} else "UNDECIDED"


def _reading(files: Sequence[str], place: int, states: Mapping[str, TrustState]) -> str:
    if place + 1 == len(files):
        return "the cheapest candidate clears"
    return f"the last that clears; {files[place + 1]} is {states[files[place + 1]]}, and what comes after it was not tested"


def cross_table(
    sources: Sequence[Sequence[Source]], names: Sequence[str], labelled: Sequence[Labelled]
) -> list[CrossJudge]:
    """Return how far every two candidates agree on the labelled answers, per criterion; `sources` are those of each candidate."""
    counted: dict[tuple[str, str, str, str], Counter[tuple[str, str]]] = {}
    for (name, mine), (other, theirs) in combinations(list(zip(names, sources, strict=True)), 2):
        for one, two in zip(mine, theirs, strict=True):
            for item in labelled:
                ends = one.end(item.item), two.end(item.item)
                labels = [end.label for end in ends if end is not None and end.label is not None]
                if len(labels) == 2:
                    key = one.capability, one.rubric or "", item.item[3], f"{name} and {other}"
                    counted.setdefault(key, Counter())[labels[0], labels[1]] += 1
    return [
        CrossJudge(capability=key[0], rubric=key[1], criterion=key[2], agreement=beside(key[3], pairs))
        for key, pairs in sorted(counted.items(), key=lambda entry: entry[0][:3])
    ]
