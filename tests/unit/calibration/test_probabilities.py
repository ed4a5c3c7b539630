from __future__ import annotations

import pytest
from fakes.labels import label_of

from evalkit.calibration.people import labelled_items
from evalkit.calibration.probabilities import probability_rows, sureness
from evalkit.records.classified import ClassifiedCase
from evalkit.records.decisions import NoulAnswer

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
    (found,) = probability_rows(answers, labelled_items(labels), risk=risk, seed=1)
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
    assert (found.labels, found.answers, found.reading, found.threshold) == (120, 120, "", None)


def test_a_threshold_is_the_loosest_whose_error_bound_holds():
    answers = [answer(number, 0.99 if number < 60 else 0.02 if number < 120 else 0.6) for number in range(200)]
    labels = [label(number, number < 60 or (number >= 120 and number % 2)) for number in range(200)]
    found = row(answers, labels, risk=0.05)
    assert (found.threshold, found.coverage, found.to_people) == (0.98, 120 / 200, 80)
    assert found.threshold_error == 0
    assert found.threshold_upper == pytest.approx(1 - 0.05 ** (1 / 120))
    assert found.threshold_upper <= 0.05


def test_where_the_surest_answers_err_too_often_all_go_to_people():
    answers = [answer(number, 0.99) for number in range(100)]
    found = row(answers, [label(number, number % 2) for number in range(100)], risk=0.1)
    assert (found.threshold, found.to_people) == (None, 100)
    assert "send all to humans" in found.threshold_reading


def test_few_labels_are_said_to_be_few():
    found = row([answer(0, 0.9), answer(1, 0.2)], [label(0, True)], risk=0.1)
    assert (found.labels, found.answers) == (1, 2)
    assert found.reading == "1 forecast, 100 needed"
    assert "30 labels" in found.threshold_reading


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
