"""Verdicts made elsewhere: kept as they are, refused where two readers could differ about what they say."""

from __future__ import annotations

import pytest
from fakes.external_verdicts import pair, write_verdicts

from evalkit.errors import InputError
from evalkit.loading.external_verdicts import read_external_verdicts


def read(tmp_path, *lines):
    return read_external_verdicts(write_verdicts(tmp_path / "v.jsonl", lines))


def refusal(tmp_path, *lines):
    with pytest.raises(InputError) as caught:
        read(tmp_path, *lines)
    return str(caught.value)


def test_an_unreadable_verdict_is_kept_as_such(tmp_path):
    (found,) = read(tmp_path, pair("c", "red", None)).verdicts
    assert (found.verdict, found.unreadable, found.winner) == (None, True, None)


def test_a_verdict_that_is_missing_for_another_reason_is_no_unreadable_one(tmp_path):
    (found,) = read(tmp_path, pair("c", "red", None, unreadable=False)).verdicts
    assert (found.verdict, found.unreadable) == (None, False)


def test_a_names_the_first_candidate_whatever_was_shown_first(tmp_path):
    found = read(tmp_path, pair("c", "red", "A"), pair("c", "blue", "A"), pair("c", "blue", "tie", 1)).verdicts
    assert [one.winner for one in found] == ["red", "red", "tie"]


def test_labels_of_single_answers_are_free_and_integers_are_not_labels(tmp_path):
    line = {"judge": "j", "case_id": "c", "mode": "pointwise", "verdict": "full_compliance"}
    assert read(tmp_path, line).verdicts[0].verdict == "full_compliance"
    assert "v.jsonl:1: verdict" in refusal(tmp_path, {**line, "verdict": 1})


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"verdict": "C"}, "verdict"),
        ({"verdict": "Tie"}, "verdict"),
        ({"unreadable": True}, "unreadable"),
        ({"candidates": ["red"]}, "candidates"),
        ({"candidates": ["red", "red"]}, "candidates"),
        ({"candidates": ["red", "tie"]}, "candidates"),
        ({"first_shown": None}, "first_shown"),
        ({"first_shown": "green"}, "first_shown"),
        ({"mode": "pointwise"}, "first_shown"),
        ({"sample": -1}, "sample"),
        ({"preference": 1}, "preference"),
    ],
)
def test_what_does_not_fit_together_is_named_by_line_and_field(tmp_path, changes, field):
    assert f"v.jsonl:1: {field}: " in refusal(tmp_path, pair("c", "red", "A") | changes)


def test_the_same_question_twice_is_a_fault_even_with_the_candidates_exchanged(tmp_path):
    message = refusal(tmp_path, pair("c", "red", "A"), pair("c", "red", "B", candidates=["blue", "red"]))
    assert "lines 1 and 2" in message


def test_a_file_without_verdicts_is_refused(tmp_path):
    assert "holds no verdict" in refusal(tmp_path)
