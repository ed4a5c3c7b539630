from __future__ import annotations

from fakes.pages import material, valid
from fakes.stored_runs import row

from evalkit.records.baselines import BaselineDiff, BaselineRow
from evalkit.records.diffs import RefusedRow, RowDiff, RunDiff
from evalkit.reporting.html.differences import baseline_changes, diff_changes, refused_rows
from evalkit.reporting.html.first_screen import first_screen

EXACT = {"capability": "short_answer", "scorer": "exact_match", "criterion": "exact_match"}


def row_diff(**changes):
    fields = {
        **EXACT, "kind": "deterministic", "estimate": "rate", "n": 40, "value_a": 0.5, "value_b": 0.75, "difference": 0.25,
        "interval": (0.1, 0.4), "fixed": ("c1",), "p": 0.004, "q": 0.01, "moved": "better",
    }  # fmt: skip
    return RowDiff(**{**fields, **changes})


def run_diff(*rows, **changes):
    fields = {
        "run_a": "a", "run_b": "b", "suite": "shop", "instruments": (), "notes": (), "family": 1, "rows": rows, "refused": (),
        "only_a": (), "only_b": (),
    }  # fmt: skip
    return RunDiff(**{**fields, **changes})


def test_a_row_is_a_slope_and_a_difference_around_the_middle():
    changes = diff_changes(run_diff(row_diff()))
    (change,) = changes.rows
    assert changes.scale == "50"
    assert (change.value_a, change.value_b, change.difference, change.limits) == (
        "50.0",
        "75.0",
        "+25.0",
        "+10.0 to +40.0",
    )
    assert change.slope[0] > change.slope[1]
    assert change.drawing.value == 177.5
    assert change.drawing.label == "difference +25.0 points, 95 % interval +10.0 to +40.0"
    assert (change.moved, change.fixed, change.broken, change.drift) == ("better", "1", "0", "")
    assert change.filter == "#capability=short_answer&criterion=exact_match%2Fexact_match"


def test_all_rows_share_the_smallest_scale_that_holds_them():
    small = row_diff(difference=0.01, interval=(-0.02, 0.04))
    assert diff_changes(run_diff(small)).scale == "5"
    assert diff_changes(run_diff(small, row_diff(interval=(-0.4, 0.9)))).scale == "100"
    assert diff_changes(run_diff()).rows == ()


def test_the_clustered_interval_is_the_one_that_is_drawn():
    (change,) = diff_changes(run_diff(row_diff(interval_clustered=(-0.1, 0.5), clusters=9))).rows
    assert change.limits == "-10.0 to +50.0"


def test_a_mean_outside_0_to_1_is_told_and_not_drawn():
    slow = row_diff(estimate="mean", value_a=800.0, value_b=1200.0, difference=400.0, interval=(100.0, 700.0), fixed=())
    (change,) = diff_changes(run_diff(slow)).rows
    assert (change.slope, change.drawing, change.filter) == (None, None, "")
    assert (change.value_b, change.difference, change.limits) == ("1,200", "+400.000", "+100.000 to +700.000")


def test_a_row_without_pairs_is_left_out_and_one_without_an_interval_says_so():
    none = row_diff(n=0, value_a=None, value_b=None, difference=None, interval=None)
    bare = row_diff(interval=None, p=None, q=None, note="few")
    (change,) = diff_changes(run_diff(none, bare)).rows
    assert change.drawing.label == "difference +25.0 points, no interval"
    assert change.note == "few"


def test_refused_rows_name_what_differs():
    refused = RefusedRow(**EXACT, kind="deterministic", reasons=("version 1 and 2", "settings"))
    assert refused_rows(run_diff(refused=(refused,))) == [
        ("short_answer / exact_match (deterministic)", "version 1 and 2; settings")
    ]


def test_a_report_with_a_baseline_shows_its_differences_and_what_is_not_comparable():
    rows = (
        BaselineRow(**EXACT, n=40, baseline=0.5, value=0.4, broken=4, difference=-0.1, interval=(-0.2, 0.0), p=0.1),
        BaselineRow(
            capability="faithfulness", scorer="faithfulness", criterion="F1", not_comparable=("another judge",)
        ),
    )
    found = BaselineDiff(run_id="frozen", sha256="e" * 64, rows=rows)
    changes, refused = baseline_changes(found, {})
    assert [(change.name, change.by, change.broken, change.note) for change in changes.rows] == [
        ("short_answer / exact_match", "", "4", "p 0.100")
    ]
    assert refused == [("faithfulness / F1", "another judge")]
    assert changes.rows[0].drift == ""
    screen = first_screen(material(report=valid(rows=(row(),), baseline=found.model_dump())), [])
    assert screen["baseline_run"] == "frozen"
    assert ("Baseline", "run frozen") in screen["measured"]


def test_a_drifted_judge_is_told_beside_a_difference_of_nothing_from_the_baseline():
    drifted = BaselineRow(**EXACT, n=80, baseline=1.0, value=0.875, difference=0.0, unchanged=80, drift=10, p=1.0)
    bare = BaselineRow(capability="tone", scorer="tone", criterion="F1")
    changes, refused = baseline_changes(BaselineDiff(run_id="frozen", sha256="e" * 64, rows=(drifted, bare)), {})
    assert changes.rows[0].drift == "10"
    assert changes.rows[0].note.startswith("INSTRUMENT DRIFT 10 of 80 unchanged outputs")
    assert refused == [("tone / F1", "no case was scored in both runs")]
