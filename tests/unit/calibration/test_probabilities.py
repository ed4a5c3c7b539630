from __future__ import annotations

import pytest
from fakes.labels import label_of
from fakes.stored_runs import judgement
from hypothesis import assume, given
from hypothesis import strategies as st

from evalkit.calibration.people import labelled_items
from evalkit.calibration.probabilities import (
    cut_under,
    probability_rows,
    stated_by_cascades,
    stated_by_scorers,
    sureness,
)
from evalkit.classifiers.banding import side
from evalkit.records.bands import Bands
from evalkit.records.classified import ClassifiedCase
from evalkit.records.decisions import ChoiceAnswer, NoulAnswer
from evalkit.records.tiers import CascadeReport, CheapAnswer, TierReading
from evalkit.reporting.calibration_words import probabilities

HASH = "a" * 64


def answer(number, p, **changes):
    fields = {
        "case_id": f"c{number}",
        "capability": "promises",
        "scorer": "polite",
        "output_sha256": HASH,
        "configuration_hash": "f" * 64,
        "answer": NoulAnswer(p=p),
        "p_pass": p,
        "model": "m",
        "calibrated": True,
        "outcome": "pass",
        "why": "",
    }
    return ClassifiedCase(**fields | changes)


def label(number, passed, **changes):
    fields = {"output_sha256": HASH, "rubric": "polite", "criterion": "classifier"}
    return label_of(f"c{number}", "pass" if passed else "fail", **fields | changes)


def row(answers, labels, risk=None):
    (found,) = probability_rows(stated_by_scorers(answers), labelled_items(labels), risk=risk, seed=1)
    return found


def test_the_table_holds_what_was_stated_beside_what_people_said():
    answers = [answer(number, 0.95 if number < 80 else 0.15) for number in range(120)]
    labels = [label(number, number < 76 or number >= 110) for number in range(120)]
    found = row(answers, labels)
    assert [(one.low, one.n, one.stated) for one in found.bins] == [
        (0.1, 40, pytest.approx(0.15)),
        (0.9, 80, pytest.approx(0.95)),
    ]
    assert [one.observed for one in found.bins] == [10 / 40, 76 / 80]
    assert found.error == pytest.approx((40 * 0.1 + 0) / 120)
    squares = 76 * 0.05**2 + 4 * 0.95**2 + 10 * 0.85**2 + 30 * 0.15**2
    assert found.brier == pytest.approx(squares / 120)
    base = 86 / 120
    assert found.skill == pytest.approx(1 - squares / 120 / (base * (1 - base)))
    assert (found.labels, found.answers, found.reading, found.high) == (120, 120, "", None)


def test_a_threshold_is_the_loosest_whose_error_bound_holds():
    answers = [answer(number, 0.99 if number < 60 else 0.02 if number < 120 else 0.6) for number in range(200)]
    labels = [label(number, number < 60 or (number >= 120 and number % 2)) for number in range(200)]
    found = row(answers, labels, risk=0.05)
    assert (found.low, found.high, found.coverage, found.to_people) == (0.03, 0.97, 120 / 200, 80)
    assert found.threshold_error == 0
    assert found.threshold_upper == pytest.approx(1 - 0.05 ** (1 / 120))
    assert found.threshold_upper <= 0.05


def test_a_classifier_that_is_never_wrong_decides_however_fine_its_probabilities_are():
    answers = [answer(number, 0.99 - number / 1000 if number < 105 else 0.5) for number in range(160)]
    labels = [label(number, number < 105) for number in range(160)]
    assert row(answers, labels, risk=0.05).coverage == 105 / 160
    assert row(answers, labels, risk=0.02).threshold_reading.endswith(
        "it takes 149, with the answers right on all of them; there are 105, so 44 more"
    )


def test_where_the_surest_answers_err_too_often_all_go_to_people():
    answers = [answer(number, 0.99) for number in range(100)]
    found = row(answers, [label(number, number % 2) for number in range(100)], risk=0.1)
    assert (found.low, found.high, found.to_people) == (None, None, 100)
    assert found.threshold_reading.startswith("no threshold holds the risk of 10 %: of the ")


@given(st.lists(st.integers(0, 40).map(lambda p: p / 40), min_size=40, max_size=80), st.integers(0, 10))
def test_the_cuts_as_bands_decide_exactly_the_answers_that_were_counted(stated, unlabelled):
    answers = [answer(number, p) for number, p in enumerate([*stated, *stated[:unlabelled]])]
    labels = [label(number, p > 0.5) for number, p in enumerate(stated)]
    found = row(answers, labels, risk=0.2)
    assume(found.high is not None)
    bands = Bands(low=found.low, high=found.high)
    sides = [side(one.answer, bands) for one in answers]
    decided = len(answers) - sides.count("uncertain")
    assert (found.coverage, found.to_people) == (decided / len(answers), len(answers) - decided)
    wrong = [p for p, on in zip(stated, sides, strict=False) if on == ("no" if p > 0.5 else "yes")]
    assert (found.threshold_error, wrong) == (0, [])


def test_an_answer_of_one_half_is_on_no_side_of_any_cut():
    answers = [answer(number, 0.5 if number < 40 else 0.9) for number in range(80)]
    found = row(answers, [label(number, number >= 40) for number in range(80)], risk=0.2)
    assert (found.coverage, found.to_people, found.threshold_error) == (0.5, 40, 0)
    even = [answer(number, 0.5) for number in range(40)]
    assert row(even, [label(number, False) for number in range(40)], risk=0.2).high is None


def test_the_cuts_of_a_choice_are_said_to_fit_no_bands():
    told = ChoiceAnswer(choice="a", probabilities={"a": 0.95, "b": 0.05}, confidence=0.9)
    found = row([answer(n, 0.95, answer=told) for n in range(60)], [label(n, True) for n in range(60)], risk=0.1)
    assert (found.high, found.cuttable) == (0.94, False)
    assert "no `bands` say so" in dict(probabilities(found))["error at most 10 %"]


@pytest.mark.parametrize(
    ("threshold", "below", "cut"),
    [(0.95, 0.9, 0.94), (1.0, 0.5, 0.99), (0.95, 0.945, 0.949), (0.9512, 0.951, 0.951), (0.500000000001, 0.5, 0.5)],
)
def test_a_cut_has_few_places_and_lies_under_the_threshold(threshold, below, cut):
    assert cut_under(threshold, below) == cut


def test_few_labels_are_said_to_be_few():
    found = row([answer(0, 0.9), answer(1, 0.2)], [label(0, True)], risk=0.1)
    assert (found.labels, found.answers) == (1, 2)
    assert found.reading == "1 forecast, 100 needed"
    assert found.threshold_reading.endswith("there are 1, so 29 more")


@pytest.mark.parametrize(
    "changes",
    [
        {"split": "dev"},
        {"design": "by-verdict"},
        {"design": "planted"},
        {"blind": False},
        {"output_sha256": "b" * 64},
        {"rubric": "another"},
        {"label": "not_applicable"},
    ],
)
def test_labels_that_stand_for_something_else_do_not_count(changes):
    found = row(
        [answer(0, 0.9)],
        [label_of("c0", changes.pop("label"), output_sha256=HASH, rubric="polite", criterion="classifier")]
        if "label" in changes
        else [label(0, True, **changes)],
    )
    assert (found.labels, found.bins, found.error) == (0, (), None)
    assert found.reading == "no blind test labels of a random draw are about its answers"


@pytest.mark.parametrize(("p", "sure"), [(0.5, 0.5), (0.9, 0.9), (0.1, 0.9), (0.0, 1.0)])
def test_an_answer_is_as_sure_as_its_likelier_side(p, sure):
    assert sureness(p) == sure


def tiers(p, **changes):
    answers = {"F1": CheapAnswer(p_pass=p, band="uncertain", model="m", calibrated=True)}
    return TierReading(
        **{"decided_by": "judge", "why": "uncertain", "low": 0.3, "high": 0.7, "answers": answers} | changes
    )


def cascade(**changes):
    fields = {
        "capability": "faithfulness",
        "rubric": "faithfulness",
        "judge_config_hash": "1" * 64,
        "classifier": "m",
        "configuration_hash": "2" * 64,
        "low": 0.3,
        "high": 0.7,
        "cases": 2,
        "by_classifier": 0,
        "escalated": {},
        "share_escalated": None,
        "sampled": 0,
        "seed": 1,
        "rows": (),
    }
    return CascadeReport(**fields | changes)


def test_what_a_cascade_stated_counts_once_a_case_whoever_decided_and_belongs_to_the_classifiers_configuration():
    judgements = [
        judgement("c0", "pass").model_copy(update={"tiers": tiers(0.9, decided_by="classifier", why="sure")}),
        judgement("c1", "fail").model_copy(update={"tiers": tiers(0.5)}),
        judgement("c1", "fail", sample=1).model_copy(update={"tiers": tiers(0.5)}),
        judgement("c2", "pass"),
        judgement("c3", "pass").model_copy(update={"tiers": tiers(0.1), "rubric": "other"}),
    ]
    stated = list(stated_by_cascades([cascade()], judgements))
    assert [(one.row, one.case_id, one.p_pass, one.configuration_hash) for one in stated] == [
        (("faithfulness", "faithfulness", "F1"), "c0", 0.9, "2" * 64),
        (("faithfulness", "faithfulness", "F1"), "c1", 0.5, "2" * 64),
    ]
    about = {"output_sha256": "f" * 64, "rubric": "faithfulness", "criterion": "F1"}
    labels = [label_of("c0", "pass", **about), label_of("c1", "partial", **about)]
    (found,) = probability_rows(stated, labelled_items(labels), risk=None, seed=1)
    assert (found.criterion, found.labels, found.answers) == ("F1", 2, 2)
    assert found.brier == pytest.approx((0.1**2 + 0.5**2) / 2)


def test_a_run_without_a_cascade_reads_no_verdict_for_it():
    def never():
        raise AssertionError("the verdicts were read")
        yield

    assert list(stated_by_cascades([], never())) == []
