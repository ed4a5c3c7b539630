from __future__ import annotations

import pytest
from fakes.review_items import item

from evalkit.errors import RunStoreError
from evalkit.records.review import Resolution, ReviewItem
from evalkit.runstore.reviews import (
    drop_queue,
    keep_resolutions,
    read_records,
    read_resolutions,
    read_source,
    reviews_folder,
    write_queue,
    write_source,
)


def queue(run):
    return read_records(reviews_folder(run) / "review_queue.jsonl", ReviewItem)


def resolution(name, **changes):
    fields = {"item": name, "kind": "flip", "case_id": "c1", "capability": "f", "rubric": "f"}
    return Resolution(**{**fields, "resolution": "fine", "resolved_at": "2026-01-02T00:00:00+00:00", **changes})


def test_the_kinds_stand_in_their_order_whatever_the_sources_and_within_one_as_they_came(tmp_path):
    run = tmp_path / "r"
    items = [item(kind) for kind in ("finding", "disagreement", "uncertain", "judge_error", "flip")]
    write_queue(run, [items[0], item("finding", "c0"), *items[1:], items[0]])
    found = [(one.kind, one.case_id) for one in queue(run)]
    assert [kind for kind, _ in found] == ["flip", "judge_error", "uncertain", "disagreement", "finding", "finding"]
    assert found[-2:] == [("finding", "c1"), ("finding", "c0")]


def test_a_queue_stands_beside_the_run_and_can_be_dropped(tmp_path):
    run = tmp_path / "r"
    assert queue(run) is None
    drop_queue(run)
    path = write_queue(run, [item()])
    assert path == tmp_path / "reviews" / "r" / "review_queue.jsonl"
    drop_queue(run)
    assert queue(run) is None


def test_a_source_that_found_nothing_was_measured_all_the_same(tmp_path):
    run = tmp_path / "r"
    assert read_source(run, "uncertain") is None
    write_source(run, "uncertain", [])
    assert read_source(run, "uncertain") == []


def test_resolutions_are_kept_one_an_item_the_last_one(tmp_path):
    run = tmp_path / "r"
    keep_resolutions(run, [resolution("a" * 12), resolution("b" * 12)])
    keep_resolutions(run, [resolution("a" * 12, resolution="fix_judge", note="too strict")])
    found = read_resolutions(run)
    assert set(found) == {"a" * 12, "b" * 12}
    assert (found["a" * 12].resolution, found["a" * 12].note) == ("fix_judge", "too strict")


@pytest.mark.parametrize("line", ["{", '{"item": 1}', "[" * 5000])
def test_a_line_that_evalkit_did_not_write_is_named(tmp_path, line):
    run = tmp_path / "r"
    keep_resolutions(run, [resolution("a" * 12)])
    path = reviews_folder(run) / "resolutions.jsonl"
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    with pytest.raises(RunStoreError, match=r"resolutions\.jsonl:2"):
        read_resolutions(run)


def test_hostile_texts_come_back_as_they_were_and_stand_escaped(tmp_path):
    run = tmp_path / "r"
    hostile = item(why="\u202e\ud800\x1b[2J")
    path = write_queue(run, [hostile])
    assert queue(run) == [hostile]
    assert b"\x1b" not in path.read_bytes()


def test_the_same_finding_has_the_same_id_and_another_answer_another():
    assert item().id == item(why="in other words").id
    assert item().id != item(output_sha256="0" * 64).id
    assert item().place == item(output_sha256="0" * 64).place
