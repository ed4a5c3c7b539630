"""The mark of a drift: what it says of a round, how long it stands, and a disk that refuses it."""

from __future__ import annotations

import pytest

from evalkit.experiments.fresh_rounds import FOLDER, Mark
from evalkit.experiments.rounds import round_of


@pytest.fixture
def told():
    return []


def test_a_mark_stands_from_its_start_to_its_end(tmp_path, told):
    mark = Mark(tmp_path / FOLDER / f"{round_of('drift')}-a")
    assert not mark.stands
    mark.leave(told.append)
    assert mark.stands
    assert not mark.is_among_others
    mark.take_away(told.append)
    mark.take_away(told.append)
    assert (mark.stands, told) == (False, [])


def test_another_sample_in_the_same_round_is_seen_and_one_in_the_next_round_is_not(tmp_path, told):
    first = round_of("drift")
    Mark(tmp_path / FOLDER / f"{first}-a").leave(told.append)
    assert Mark(tmp_path / FOLDER / f"{first}-b").is_among_others
    assert not Mark(tmp_path / FOLDER / f"{first + 1}-b").is_among_others


def test_marks_of_earlier_days_go_and_what_is_no_mark_stays(tmp_path, told):
    folder = tmp_path / FOLDER
    folder.mkdir()
    for name in ("202501319000-a", "notes-of-mine"):
        (folder / name).touch()
    today = f"{round_of('drift')}-a"
    Mark(folder / today).leave(told.append)
    assert sorted(path.name for path in folder.iterdir()) == [today, "notes-of-mine"]


def test_a_disk_that_refuses_the_mark_is_told_and_stops_nothing(tmp_path, told):
    (tmp_path / FOLDER).write_text("a file", encoding="utf-8")
    mark = Mark(tmp_path / FOLDER / f"{round_of('drift')}-a")
    mark.leave(told.append)
    mark.take_away(told.append)
    assert ["cannot be written" in told[0], "cannot be removed" in told[1], len(told)] == [True, True, 2]
