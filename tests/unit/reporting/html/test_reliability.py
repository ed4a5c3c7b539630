from __future__ import annotations

from fakes.calibrated import calibration, probability_row
from fakes.pages import material
from fakes.stored_runs import manifest, report

from evalkit.records.calibrations import ProbabilityBin
from evalkit.records.classified import ClassifierUse
from evalkit.reporting.html.document import report_html
from evalkit.reporting.html.probabilities_view import probability_views
from evalkit.reporting.html.reliability import SIDE, STRIP, reliability_picture


def bin_of(low, stated, observed, n, interval=None):
    return ProbabilityBin(low=low, high=low + 0.1, n=n, stated=stated, observed=observed, interval=interval)


BINS = (bin_of(0.9, 0.95, 0.8, 40, (0.65, 0.9)), bin_of(0.1, 0.15, 0.3, 10), bin_of(0.5, 0.55, None, 4))


def test_true_probabilities_lie_on_the_diagonal():
    picture = reliability_picture([bin_of(0.2, 0.25, 0.25, 8), bin_of(0.7, 0.75, 0.75, 8)])
    assert [mark.x + mark.y for mark in picture.marks] == [40.0 + 8.0 + SIDE] * 2


def test_bins_are_joined_in_the_order_of_what_they_state_and_those_without_a_label_are_left_out():
    picture = reliability_picture(BINS)
    assert [(mark.x, mark.y) for mark in picture.marks] == [(67.0, 134.0), (211.0, 44.0)]
    assert picture.line == "67.0,134.0 211.0,44.0"
    assert [mark.interval for mark in picture.marks] == [None, (71.0, 26.0)]


def test_bars_count_every_answer_to_scale():
    picture = reliability_picture(BINS)
    assert [(bar.x, bar.width, bar.height) for bar in picture.bars] == [
        (203.0, 16.0, STRIP),
        (59.0, 16.0, 8.5),
        (131.0, 16.0, 3.4),
    ]
    assert picture.most == "40"


def test_the_label_says_every_bin_and_there_is_no_curve_without_labels():
    assert reliability_picture(BINS).label == (
        "stated against passed by people: 0.15 stated, 30.0 % of 10 passed; 0.95 stated, 80.0 % of 40 passed"
    )
    assert reliability_picture(BINS[2:]) is None


def test_the_page_shows_the_curve_beside_its_table():
    row = probability_row(bins=BINS)
    use = ClassifierUse(capability="tone", scorer="kind", configuration_hash=row.configuration_hash, identity={})
    made = material(manifest=manifest(classifiers=(use,)), calibrations=[calibration(probabilities=(row,))])
    (view,) = probability_views(made.calibrations, made.manifest, report())
    assert (len(view.curve.marks), len(view.bins)) == (2, 3)
    text = report_html(made)
    assert view.curve.label in text
    assert "Reliability table, tone / kind" in text
