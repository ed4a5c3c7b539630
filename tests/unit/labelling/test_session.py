from __future__ import annotations

import pytest
from fakes.label_sheets import label, sheet_row

from evalkit.labelling.label_file import labels_in
from evalkit.labelling.session import Session
from evalkit.labelling.wanted import Wanted


def session(tmp_path, *, known=(), labeller="ada", blind=True):
    rows = tuple(sheet_row(n, f"c{n}") for n in (1, 2, 3))
    return Session(Wanted(rows, tuple(known), tmp_path / "labels.jsonl", ()), labeller, blind=blind)


def said(tmp_path):
    return {one.case_id: one.label for one in labels_in(tmp_path / "labels.jsonl")}


def test_each_label_is_on_the_disk_before_the_next_row(tmp_path):
    work = session(tmp_path)
    assert work.current.case_id == "c1"
    work.give("pass", "clear")
    assert said(tmp_path) == {"c1": "pass"}
    assert work.current.case_id == "c2"
    (stored,) = labels_in(tmp_path / "labels.jsonl")
    assert (stored.note, stored.blind, stored.design, stored.inclusion_probability) == ("clear", True, "random", 0.5)


def test_a_second_session_goes_on_where_the_first_stopped(tmp_path):
    session(tmp_path).give("fail")
    again = session(tmp_path, known=labels_in(tmp_path / "labels.jsonl"))
    assert (again.done, again.total, again.current.case_id) == (1, 3, "c2")


def test_another_persons_labels_are_nobody_elses(tmp_path):
    assert session(tmp_path, known=[label("c1", labeller="ben")]).current.case_id == "c1"


def test_a_label_on_another_text_of_the_case_does_not_count(tmp_path):
    assert session(tmp_path, known=[label("c1", output_sha256="0" * 64)]).current.case_id == "c1"


def test_going_back_shows_the_label_and_another_one_takes_its_place(tmp_path):
    work = session(tmp_path)
    work.give("pass")
    assert work.label is None
    assert work.back()
    assert work.current.case_id == "c1"
    assert work.label.label == "pass"
    assert said(tmp_path) == {"c1": "pass"}
    work.give("fail")
    assert said(tmp_path) == {"c1": "fail"}
    assert work.current.case_id == "c2"


def test_going_back_twice_reaches_the_row_before(tmp_path):
    work = session(tmp_path)
    work.give("pass")
    work.give("pass")
    work.back()
    work.back()
    assert work.current.case_id == "c1"
    assert not work.back()


def test_labels_of_an_earlier_session_can_be_gone_back_to(tmp_path):
    session(tmp_path).give("fail")
    again = session(tmp_path, known=labels_in(tmp_path / "labels.jsonl"))
    assert again.back()
    assert again.label.label == "fail"


def test_skipping_is_written_down_and_not_asked_again(tmp_path):
    work = session(tmp_path)
    work.give("skip")
    assert said(tmp_path) == {"c1": None}
    assert work.current.case_id == "c2"


def test_after_the_last_row_there_is_none(tmp_path):
    work = session(tmp_path, blind=False)
    for choice in ("pass", "fail", "not_applicable"):
        work.give(choice)
    assert work.current is None
    assert not any(one.blind for one in labels_in(tmp_path / "labels.jsonl"))
    with pytest.raises(ValueError, match="no label of the current row"):
        work.give("pass")


def test_what_the_rubric_does_not_offer_cannot_be_given(tmp_path):
    with pytest.raises(ValueError, match="partial"):
        session(tmp_path).give("partial")


def test_a_label_under_another_wording_is_asked_again_and_gives_way(tmp_path):
    labels = tmp_path / "labels.jsonl"
    old = label("c1", asked_sha256="0" * 64)
    labels.write_text(old.model_dump_json() + "\n", encoding="utf-8")
    work = session(tmp_path, known=labels_in(labels))
    assert work.current.case_id == "c1"
    given = work.give("pass")
    assert given.asked_sha256 == sheet_row().asked_sha256 != old.asked_sha256
    assert labels_in(labels) == [given]
