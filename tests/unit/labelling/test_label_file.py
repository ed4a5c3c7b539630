from __future__ import annotations

import json
import threading

import pytest
from fakes.label_sheets import label

from evalkit.errors import InputError
from evalkit.labelling.label_file import Incoming, labels_in, merge


def incoming(*labels):
    return [Incoming(one, "sheet.csv", line) for line, one in enumerate(labels, 2)]


def lines(path):
    return path.read_text(encoding="utf-8").splitlines()


def test_labels_go_behind_what_stands_there_byte_for_byte(tmp_path):
    path = tmp_path / "labels.jsonl"
    old = json.dumps(label("c1").model_dump(mode="json")).replace('": ', '" :  ').encode() + b"\r\n\r\n"
    path.write_bytes(old)
    merged = merge(path, incoming(label("c2")))
    assert path.read_bytes().startswith(old)
    assert [one.case_id for one in labels_in(path)] == ["c1", "c2"]
    assert [one.case_id for one in merged.labels] == ["c1", "c2"]


def test_a_last_line_without_an_end_gets_one(tmp_path):
    path = tmp_path / "labels.jsonl"
    path.write_text(label("c1").model_dump_json(), encoding="utf-8")
    merge(path, incoming(label("c2")))
    assert len(labels_in(path)) == 2


def test_the_same_label_twice_is_no_fault_and_is_written_once(tmp_path):
    path = tmp_path / "labels.jsonl"
    merge(path, incoming(label()))
    before = path.read_bytes()
    merged = merge(path, incoming(label(labelled_at="2027-01-01")))
    assert len(merged.known) == 1
    assert path.read_bytes() == before


def test_two_labellers_may_say_different_things_of_one_item(tmp_path):
    path = tmp_path / "labels.jsonl"
    merge(path, incoming(label(), label(labeller="ben", label="fail")))
    assert len(labels_in(path)) == 2


def test_another_label_by_the_same_labeller_is_named_and_nothing_is_merged(tmp_path):
    path = tmp_path / "labels.jsonl"
    merge(path, incoming(label()))
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"sheet.csv:3: label: ada on c1, F1: pass in .*, fail here") as error:
        merge(path, incoming(label("c2"), label(label="fail")))
    assert error.value.total == 1
    assert path.read_bytes() == before


def test_another_note_beside_the_same_label_is_named_too(tmp_path):
    path = tmp_path / "labels.jsonl"
    merge(path, incoming(label(note="as I read it")))
    assert len(merge(path, incoming(label())).known) == 1
    with pytest.raises(InputError, match="another note"):
        merge(path, incoming(label(note="on second thoughts")))


def test_a_label_replaces_another_in_its_own_line_where_that_was_asked_for(tmp_path):
    path = tmp_path / "labels.jsonl"
    merge(path, incoming(label("c1"), label("c2"), label("c3")))
    first, _, third = lines(path)
    merged = merge(path, incoming(label("c2", label="fail")), replace=True)
    assert (merged.replaced[0].before.label, merged.replaced[0].after.label) == ("pass", "fail")
    assert lines(path)[0] == first
    assert lines(path)[2] == third
    assert json.loads(lines(path)[1])["label"] == "fail"


def test_a_skipped_item_can_be_decided_later_without_further_ado(tmp_path):
    path = tmp_path / "labels.jsonl"
    merge(path, incoming(label(label=None)))
    merge(path, incoming(label(label="fail")))
    assert [one.label for one in labels_in(path)] == ["fail"]
    with pytest.raises(InputError, match="skipped here"):
        merge(path, incoming(label(label=None)))


def test_an_item_that_stands_in_the_other_split_is_a_fault(tmp_path):
    path = tmp_path / "labels.jsonl"
    merge(path, incoming(label(split="dev")))
    with pytest.raises(InputError, match="split: is test, and dev"):
        merge(path, incoming(label(labeller="ben")))


def test_faults_of_the_file_itself_stop_the_merge(tmp_path):
    path = tmp_path / "labels.jsonl"
    path.write_text('{"case_id": 3}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"labels\.jsonl:1: case_id"):
        merge(path, incoming(label()))
    assert path.read_text(encoding="utf-8") == '{"case_id": 3}\n'


@pytest.mark.parametrize("content", [None, "", "\n \n"])
def test_no_file_and_an_empty_one_hold_no_label(tmp_path, content):
    path = tmp_path / "labels.jsonl"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    assert labels_in(path) == []
    merge(path, incoming(label()))
    assert len(labels_in(path)) == 1


def test_a_link_stays_a_link(tmp_path):
    real = tmp_path / "real.jsonl"
    link = tmp_path / "labels.jsonl"
    real.write_text("", encoding="utf-8")
    link.symlink_to(real)
    merge(link, incoming(label()))
    assert link.is_symlink()
    assert len(labels_in(real)) == 1


def test_labellers_at_work_at_the_same_time_never_lose_each_others_labels(tmp_path):
    path = tmp_path / "labels.jsonl"

    def work(name):
        for number in range(10):
            merge(path, incoming(label(f"c{number}", labeller=name)))

    people = [threading.Thread(target=work, args=(name,)) for name in ("ada", "ben", "cleo")]
    for person in people:
        person.start()
    for person in people:
        person.join()
    assert len(labels_in(path)) == 30
    assert [entry.name for entry in tmp_path.iterdir()] == ["labels.jsonl"]


def test_a_pair_stands_in_a_file_one_way_round_and_what_comes_later_is_turned(tmp_path):
    path = tmp_path / "labels.jsonl"
    one, other = "a" * 64, "b" * 64
    first = label(output_sha256=(one, other), label="A")
    turned = label(output_sha256=(other, one), label="A", labeller="ben")
    merged = merge(path, incoming(first, turned))
    assert [(found.output_sha256, found.label) for found in labels_in(path)] == [
        ((one, other), "A"),
        ((one, other), "B"),
    ]
    assert [found.label for found in merged.added] == ["A", "B"]
    again = merge(path, incoming(label(output_sha256=(other, one), label="B")))
    assert (again.known, again.added) == ([first], [])
    with pytest.raises(InputError, match=r"A in .*, B here"):
        merge(path, incoming(label(output_sha256=(other, one), label="A")))
