"""Simulated suites: how often a judge whose true rates are below a bar is trusted. Seeded; the labels are a probability sample."""

from __future__ import annotations

from collections import Counter
from functools import cache, partial
from random import Random

import pytest
from fakes import stored_runs
from fakes.labels import label_of
from fakes.trust import asked

from evalkit.calibration.compare import compare
from evalkit.calibration.ends import End, Source
from evalkit.calibration.people import Labelled
from evalkit.calibration.trust import trust_rows
from evalkit.calibration.weighting import Population
from evalkit.stats.begg_greenes import begg_greenes

pytestmark = pytest.mark.unmeasured
SUITES = 200
HASH = "a" * 64
CASES = 600


def simulated(seed, tpr, tnr, *, passes=0.7, labels=300, by_verdict=False):
    """Return the state of one suite: 600 answers judged with these true rates, some of them labelled right."""
    draw = Random(seed)
    human = [draw.random() < passes for _ in range(CASES)]
    judge = [draw.random() < tpr if good else draw.random() >= tnr for good in human]
    chosen = (
        _by_verdict(draw, judge, labels)
        if by_verdict
        else dict.fromkeys(draw.sample(range(CASES), labels), labels / CASES)
    )
    given = [
        Labelled((f"c{place}", HASH, "faithfulness", "F1"), said.label, "", said, (said,))
        for place, chance in chosen.items()
        for said in [_label("pass" if human[place] else "fail", chance, "by-verdict" if by_verdict else "random")]
    ]
    source = Source(
        judge="j",
        capability="faithfulness",
        rubric="faithfulness",
        mode="pointwise",
        judge_config_hash=stored_runs.JUDGE_HASH,
        criteria=("F1",),
        given={((f"c{place}", HASH), "F1"): End("pass" if judge[place] else "fail") for place in chosen},
    )
    # Only weighted labels need the run's verdicts; without them no corrected rate is computed, which takes most of the time.
    populations = {("faithfulness", "faithfulness", "F1"): Population(CASES, sum(judge))} if by_verdict else {}
    found = compare([source], given, seed=seed, populations=populations)
    return state(found.rows)


@cache
def _label(label, chance, design):
    """Return one label for all items that were drawn and labelled alike: nothing but these three is read of it."""
    return label_of("c", label, design=design, inclusion_probability=chance)


def _by_verdict(draw, judge, labels):
    chosen = {}
    for verdict in (True, False):
        places = [place for place, one in enumerate(judge) if one is verdict]
        size = min(labels // 2, len(places))
        chosen |= dict.fromkeys(draw.sample(places, size), size / len(places))
    return chosen


def state(rows):
    """Return what the labels alone say: every other condition is left aside."""
    (row,) = trust_rows(asked(), rows)
    states = {one.state for one in row.conditions if one.name in {"true-pass rate", "true-fail rate", "worst case"}}
    return "TRUSTED" if states == {"met"} else "NOT TRUSTED" if "failed" in states else "UNDECIDED"


def states(tpr, tnr, suites=SUITES, **changes):
    return Counter(simulated(seed, tpr, tnr, **changes) for seed in range(suites))


@pytest.mark.parametrize(("tpr", "tnr"), [(0.895, 0.99), (0.99, 0.795)])
def test_a_judge_below_a_bar_is_trusted_in_at_most_one_suite_of_twenty(tpr, tnr):
    assert states(tpr, tnr)["TRUSTED"] <= SUITES * 0.05


def test_a_judge_far_below_is_rejected_and_one_far_above_is_trusted():
    assert states(0.6, 0.5, 20)["NOT TRUSTED"] == 20
    assert states(0.99, 0.97, 20)["TRUSTED"] == 20


def test_with_few_labels_hardly_anything_is_decided_on_a_good_judge():
    assert states(0.97, 0.92, 20, labels=40)["UNDECIDED"] == 20


def test_labels_drawn_by_verdict_trust_no_more_often(monkeypatch):
    # A tenth of the draws: a bound is then off by some .006 to either side, and nearly all the time goes into them.
    monkeypatch.setattr("evalkit.calibration.rows.begg_greenes", partial(begg_greenes, draws=2000))
    assert states(0.99, 0.795, by_verdict=True)["TRUSTED"] <= SUITES * 0.05
