from __future__ import annotations

import time

from evalkit.providers.batch_journal import KEPT_S, BatchJournal
from evalkit.records.batches import OpenBatch

HERE = "http://localhost:1/v1"


def batch(file_id="f1", keys=("a", "b"), **fields):
    return OpenBatch(address=HERE, file_id=file_id, batch_id="b1", submitted_at=time.time(), keys=keys).model_copy(
        update=fields
    )


def journal(tmp_path, notes=None):
    return BatchJournal(tmp_path / "cache", ([] if notes is None else notes).append)


def test_what_was_written_is_found_by_any_of_its_requests(tmp_path):
    kept = journal(tmp_path)
    kept.write(batch())
    assert kept.read(HERE, {"b", "z"}) == [batch(submitted_at=kept.read(HERE, {"b"})[0].submitted_at)]
    assert kept.read(HERE, {"z"}) == kept.read("http://elsewhere/v1", {"a"}) == []
    assert kept.keys(HERE) == {"a", "b"}
    assert kept.keys("http://elsewhere/v1") == frozenset()


def test_the_same_file_is_kept_once_and_goes_with_its_last_request(tmp_path):
    kept, one = journal(tmp_path), batch()
    kept.write(one.model_copy(update={"batch_id": None}))
    kept.write(one)
    assert len(list(kept.folder.iterdir())) == 1
    kept.settle(one, {"a"})
    (left,) = kept.read(HERE, {"b"})
    assert left.keys == ("b",)
    kept.settle(left, {"b", "z"})
    kept.settle(left, {"b"})
    assert list(kept.folder.iterdir()) == []


def test_requests_that_are_known_to_have_an_end_go_from_every_batch(tmp_path):
    kept = journal(tmp_path)
    for one in (batch("f1", keys=("a", "b")), batch("f2", keys=("b", "c")), batch("f3", keys=("d",))):
        kept.write(one)
    kept.settle_all(lambda keys: {"a", "b"} & set(keys))
    assert kept.keys(HERE) == {"c", "d"}
    assert len(list(kept.folder.iterdir())) == 2


def test_an_old_one_is_forgotten_for_the_provider_keeps_its_files_no_longer(tmp_path):
    kept = journal(tmp_path)
    kept.write(batch(submitted_at=time.time() - KEPT_S - 1))
    assert kept.read(HERE, {"a"}) == []
    assert list(kept.folder.iterdir()) == []


def test_what_cannot_be_read_is_named_and_left_alone(tmp_path):
    notes: list[str] = []
    kept = journal(tmp_path, notes)
    kept.folder.mkdir(parents=True)
    (kept.folder / "x.json").write_bytes(b"\xff{")
    (kept.folder / "y.json").mkdir()
    kept.write(batch())
    assert len(kept.read(HERE, {"a"})) == 1
    assert [note.split(":")[0].rpartition("/")[2] for note in notes] == ["x.json", "y.json"]


def test_a_folder_that_cannot_be_written_is_told_and_stops_nothing(tmp_path):
    (tmp_path / "cache").write_text("a file in its place")
    notes: list[str] = []
    kept = journal(tmp_path, notes)
    kept.write(batch())
    kept.write(batch("f2"))
    kept.settle(batch(), {"a", "b"})
    (note,) = notes
    assert "cannot be written" in note
    assert "its batches are bought again" in note
    assert kept.read(HERE, {"a"}) == []


def test_one_that_cannot_be_removed_is_told_and_stops_nothing(tmp_path):
    notes: list[str] = []
    kept, one = journal(tmp_path, notes), batch()
    kept.path_of(one).mkdir(parents=True)
    kept.settle(one, {"a", "b"})
    assert "looked at again by the next run" in notes[0]
