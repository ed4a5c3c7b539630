from __future__ import annotations

from fakes.pages import case, output, texts
from fakes.stored_runs import failure, manifest

from evalkit.records.diffs import Instrument, RowDiff, RowName, RunDiff
from evalkit.reporting.html.diff_material import OUTCOMES, DiffMaterial, changed_cases, diff_details, diff_index
from evalkit.reporting.html.diff_screen import diff_screen
from evalkit.reporting.html.document import diff_html

EXACT = {"capability": "short_answer", "scorer": "exact_match", "criterion": "exact_match"}
F1 = {"capability": "faithfulness", "scorer": "faithfulness", "criterion": "F1"}


def diff(**changes):
    exact = RowDiff(
        **EXACT, kind="deterministic", estimate="rate", n=4, value_a=0.5, value_b=0.5, difference=0.0, fixed=("c1",), broken=("c2",),
        still_failing=("c3",), unpaired={"not in B": ("c4",), "not_applicable in both": ("c5",)}, moved=None,
    )  # fmt: skip
    judged = RowDiff(
        **F1,
        kind="judge",
        estimate="rate",
        n=2,
        value_a=1.0,
        value_b=0.5,
        difference=-0.5,
        drift=("c1",),
        moved="worse",
    )
    instrument = Instrument(
        run="a", self_agreement="not measured", judged=4, judge_errors=1, judge_error_rate=0.25, within_budget=False
    )
    fields = {
        "run_a": "a", "run_b": "b", "suite": "shop", "instruments": (instrument,), "notes": ("n",), "family": 2,
        "rows": (exact, judged), "refused": (), "only_a": (RowName(**F1, kind="judge"),), "only_b": (),
    }  # fmt: skip
    return RunDiff(**{**fields, **changes})


def material(**changes):
    answers_a = {"c1": output("c1", "It costs 10."), "c2": output("c2", "Yes.")}
    answers_b = {"c1": output("c1", "It costs 12.")}
    known = [case("c1"), case("c2", tags=("hard",))]
    fields = {
        "diff": diff(),
        "manifests": (manifest(run_id="a"), manifest(run_id="b")),
        "failures": ((failure("c1", reason="was wrong"),), (failure("c2", reason="is wrong", output="No."),)),
        "texts": (texts(*known, outputs=answers_a), texts(*known, outputs=answers_b)),
    }
    return DiffMaterial(**{**fields, **changes})


def test_each_case_is_listed_with_what_came_of_each_criterion():
    found = {one.case_id: set(one.outcomes.values()) for one in changed_cases(diff())}
    assert found == {
        "c1": {"fixed", "drifted"},
        "c2": {"broken"},
        "c3": {"still failing"},
        "c4": {"not comparable"},
    }


def test_the_list_stands_broken_first_then_drift():
    found = changed_cases(diff())
    index = diff_index(found, material())
    assert [found[number].case_id for number in index["worst"]][:2] == ["c2", "c1"]
    assert [OUTCOMES[number] for number in index["mend"]] == ["broken", "drifted"]
    assert sorted(index["tags"]) == ["answerable", "hard"]


def test_a_case_holds_both_answers_in_pieces_and_why_it_failed_in_either_run():
    found = changed_cases(diff())
    by_id = {one["id"]: one for one in diff_details(found, material())}
    assert by_id["c1"]["answers"][1] == [("same", "It costs "), ("changed", "12"), ("same", ".")]
    (fixed,) = [change for change in by_id["c1"]["changes"] if change["outcome"] == "fixed"]
    assert fixed["reasons"] == ["was wrong", ""]
    assert by_id["c2"]["answers"][1] == [("changed", "No"), ("same", ".")]
    assert by_id["c4"]["answers"] == [None, None]
    assert by_id["c4"]["changes"][0]["why"] == "not in B"


def test_the_first_screen_says_what_moved_and_counts_cases_once():
    screen = diff_screen(material(), changed_cases(diff()))
    assert screen["headline"].answer == "Worse"
    assert screen["worse"] == ["faithfulness/F1"]
    assert screen["counted"] == [("broken", 1), ("fixed", 1), ("drifted", 1), ("still failing", 1)]
    assert screen["instruments"] == [
        ("a", "self-agreement not measured; 1 judge errors of 4 = 25.0 %, OVER the budget")
    ]
    assert screen["only"] == [("only in A", "faithfulness/F1", "judge")]


def test_without_a_row_that_moved_or_that_compares_nothing_is_claimed():
    still = diff().rows[0]
    quiet = diff_screen(material(diff=diff(rows=(still,))), [])["headline"]
    assert quiet.answer == "No difference shown"
    empty = still.model_copy(update={"n": 0})
    assert diff_screen(material(diff=diff(rows=(empty,))), [])["headline"].answer == "Not comparable"
    better = diff().rows[1].model_copy(update={"moved": "better"})
    assert diff_screen(material(diff=diff(rows=(*diff().rows, better))), [])["headline"].answer == "Better and worse"


def test_the_page_holds_no_hostile_markup():
    hostile = "</script><script>alert(1)</script>"
    text = diff_html(
        material(diff=diff(run_a=hostile, notes=(hostile,)), failures=((failure("c1", reason=hostile),), ()))
    )
    assert text.count("<script") == 3
    assert "&lt;/script&gt;" in text
