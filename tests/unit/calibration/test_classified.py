"""What the bands of a classifier read, beside what people say of the same cases."""

from __future__ import annotations

import pytest
from fakes.labels import label_of

from evalkit.calibration.classified import about_classifiers, compare_classifiers, outcome_of
from evalkit.calibration.people import labelled_items
from evalkit.records.classified import ClassifiedCase, ClassifierUse
from evalkit.records.decisions import NoulAnswer, choice_answer
from evalkit.records.reports import Row

HASH = "a" * 64
OPTIONS = {"billing": True, "sales": False, "technical": True}


def row(**changes):
    fields = {
        "capability": "promises",
        "scorer": "polite",
        "criterion": "classifier",
        "mode": "classifier",
        "kind": "classifier",
        "estimate": "rate",
        "n": 100,
        "excluded": {},
        "total": 100,
        "passed": 60,
        "value": 0.6,
        "interval": None,
        "insufficient": False,
        "signature": {},
    }
    return Row(**fields | changes)


def use(scorer="polite", **changes):
    fields = {"capability": "promises", "scorer": scorer, "configuration_hash": "f" * 64, "identity": {"style": "x"}}
    return ClassifierUse(**fields | {"models": ("m",), "labels": {"pass": True, "fail": False}} | changes)


def answered(number, outcome, **changes):
    fields = {
        "case_id": f"c{number}",
        "capability": "promises",
        "scorer": "polite",
        "output_sha256": HASH,
        "configuration_hash": "f" * 64,
        "answer": NoulAnswer(p=0.9),
        "p_pass": 0.9,
        "model": "m",
        "calibrated": True,
        "outcome": outcome,
        "why": "",
    }
    return ClassifiedCase(**fields | changes)


def chosen(number, option, outcome):
    answer = choice_answer({name: float(name == option) for name in OPTIONS})
    return answered(number, outcome, scorer="team", answer=answer)


def label(number, said, **changes):
    fields = {"output_sha256": HASH, "rubric": "polite", "criterion": "classifier"}
    return label_of(f"c{number}", said, **fields | changes)


def compared(answers, labels, uses=None, rows=()):
    uses = [use()] if uses is None else uses
    about = about_classifiers(labelled_items(labels), uses)
    return compare_classifiers(rows, uses, answers, about, seed=1)


def test_labels_about_a_classifier_are_told_from_those_about_a_judge():
    labels = labelled_items(
        [label(0, "pass"), label(1, "pass", rubric="faithfulness"), label(2, "pass", criterion="F1")]
    )
    about = about_classifiers(labels, [use()])
    assert [one.item[0] for one in about.named] == ["c0"]
    assert [one.item[0] for one in about.others] == ["c1", "c2"]


def test_two_questions_under_one_name_leave_its_labels_out_and_say_so():
    twice = [use(asked_sha256="1" * 64), use(capability="refunds", asked_sha256="2" * 64)]
    about = about_classifiers(labelled_items([label(0, "pass")]), twice)
    assert (about.named, about.outcomes, about.others, about.ambiguous) == ([], [], [], ("polite",))
    same = [use(asked_sha256="1" * 64), use(capability="refunds", asked_sha256="1" * 64)]
    assert about_classifiers(labelled_items([label(0, "pass")]), same).ambiguous == ()


def test_sure_answers_are_compared_and_uncertain_ones_counted():
    answers = [answered(0, "pass"), answered(1, "pass"), answered(2, "fail"), answered(3, "uncertain")]
    labels = [label(0, "pass"), label(1, "fail"), label(2, "fail"), label(3, "pass"), label(9, "pass")]
    found = compared(answers, labels)
    (one,) = found.rows
    assert (one.judge, one.rubric, one.criterion, one.mode, one.judge_config_hash) == (
        "m",
        "polite",
        "classifier",
        "classifier",
        "f" * 64,
    )
    assert (one.items, one.n, one.agree, one.excluded) == (4, 3, 2, {"uncertain": 1})
    assert (one.tpr.correct, one.tpr.n, one.tnr.correct, one.tnr.n) == (1, 1, 1, 2)
    assert found.unmatched == {"case_not_judged": 1}
    assert [(gone.case_id, gone.human, gone.verdict) for gone in found.disagreements] == [("c1", "fail", "pass")]


def test_rates_of_labels_drawn_by_verdict_are_weighted_back_to_the_runs_own_counts():
    answers = [answered(number, "pass" if number < 60 else "fail") for number in range(100)]
    labels = [
        label(number, "pass" if number < 27 else "fail", design="by-verdict", inclusion_probability=chance)
        for numbers, chance in ((range(30), 0.5), (range(60, 80), 0.25))
        for number in numbers
    ]
    (one,) = compared(answers, labels, rows=[row(n=140, passed=60, excluded={"scorer_error": 3})]).rows
    assert one.weighting == "begg-greenes"
    assert one.tnr.value == pytest.approx(80 / (80 + 60 * 0.1))
    assert one.corrected.raw == pytest.approx(60 / 140)


def test_of_a_choice_the_outcome_and_the_option_are_compared_apart():
    answers = [chosen(0, "billing", "pass"), chosen(1, "technical", "pass"), chosen(2, "sales", "fail")]
    labels = [
        label(0, "billing", rubric="team"),
        label(1, "billing", rubric="team"),
        label(2, "technical", rubric="team"),
    ]
    found = compared(answers, labels, [use("team", labels=OPTIONS)])
    outcome, option = found.rows
    assert (outcome.criterion, outcome.agree, outcome.n, outcome.binary) == ("classifier", 2, 3, True)
    assert (option.criterion, option.agree, option.n, option.binary) == ("option", 1, 3, False)
    assert sorted((one.case_id, one.human, one.verdict) for one in found.disagreements) == [
        ("c1", "billing", "technical"),
        ("c2", "technical", "sales"),
    ]


def test_a_label_of_a_choice_that_is_no_option_counts_for_the_outcome_only():
    answers = [chosen(0, "billing", "pass"), chosen(1, "sales", "fail")]
    labels = [label(0, "fail", rubric="team"), label(1, None, rubric="team")]
    found = compared(answers, labels, [use("team", labels=OPTIONS)])
    outcome, option = found.rows
    assert (outcome.n, outcome.agree, outcome.excluded) == (1, 0, {"skipped": 1})
    assert (option.n, option.excluded) == (0, {"no_option": 1, "skipped": 1})
    assert [(one.human, one.verdict) for one in found.disagreements] == [("fail", "pass")]


def test_labellers_of_a_choice_are_compared_with_each_other_by_outcome_and_by_option():
    labels = [
        label(number, said, rubric="team", labeller=who)
        for number in range(3)
        for who, said in (("ann", "billing"), ("ben", "technical" if number else "billing"))
    ]
    outcome, option = compared(
        [chosen(number, "billing", "pass") for number in range(3)], labels, [use("team", labels=OPTIONS)]
    ).rows
    assert [(pair.agree, pair.n) for pair in outcome.ceiling] == [(3, 3)]
    assert [(pair.agree, pair.n) for pair in option.ceiling] == [(1, 3)]


@pytest.mark.parametrize(
    ("given", "outcome"), [("billing", "pass"), ("sales", "fail"), ("pass", "pass"), (None, None), ("gone", "gone")]
)
def test_an_option_is_read_as_pass_or_fail(given, outcome):
    assert outcome_of(given, OPTIONS) == outcome
