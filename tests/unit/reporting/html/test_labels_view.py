from __future__ import annotations

from fakes.calibrated import calibration, calibration_row
from fakes.pages import material, valid
from fakes.stored_runs import JUDGE_HASH, report

from evalkit.records.calibrations import ClassRate
from evalkit.reporting.html.beliefs import headline
from evalkit.reporting.html.labels_view import labels_views


def test_a_criterion_shows_confusion_the_judge_and_the_readers_beside_it():
    (view,) = labels_views([calibration()], report())
    assert view.title == "faithfulness F1"
    assert view.about == "test split, drawn labels of ada, 2026-01-02"
    assert view.labels == ("pass", "fail")
    assert view.confusion == (("pass", (("20", True), ("4", False))), ("fail", (("0", False), ("6", True))))
    assert [(reader.name, reader.agreement, reader.counts) for reader in view.readers] == [
        ("judge", "86.7 %", "26 of 30"),
        ("always pass", "80.0 %", "24 of 30"),
    ]
    assert view.readers[0].note == "kappa 0.68"
    assert view.readers[0].drawing.label == "agrees on 86.7 %, 95 % interval 70.3 to 94.7 %"


def test_rates_say_their_bound_and_what_they_cannot_carry():
    rate = ClassRate(correct=20, n=24, value=20 / 24, lower=0.66, reading="few")
    (view,) = labels_views(
        [calibration(calibration_row(tpr=rate, tnr=ClassRate(correct=0, n=0, value=None)))], report()
    )
    assert view.rates == (
        ("true pass rate", "83.3 %, 20 of 24, at least 66.0 % (one-sided 95 %, labels taken as independent); few"),
        ("true fail rate", "no data, 0 of 0"),
    )


def test_only_the_newest_calibration_of_this_configuration_with_data_is_shown():
    other = calibration(calibration_row(judge_config_hash="0" * 64, criterion="other"))
    empty = calibration(calibration_row(n=0, agreement=None, agreement_interval=None))
    older = calibration(calibration_row(criterion="F2"))
    assert [view.title for view in labels_views([other, empty, older, calibration()], report())] == ["faithfulness F2"]
    assert labels_views([other, empty], report()) == []


def test_a_reader_without_data_is_named_and_not_drawn():
    (view,) = labels_views([calibration(calibration_row(agreement=None, agreement_interval=None))], report())
    assert (view.readers[0].drawing, view.readers[0].agreement) == (None, "no data")


def test_a_measured_judge_is_not_said_to_be_unmeasured():
    assert calibration().rows[0].judge_config_hash == JUDGE_HASH
    found = headline(material(report=valid(), calibrations=(calibration(),)))
    assert found.reasons == ("the judge was set beside people's labels, but that has not made its rows trusted",)
