import pickle
import sqlite3

import pytest

from evalkit.errors import CacheError
from evalkit.providers.reply_disk import ReplyWriter, TextDisk


class Touch:
    """A pickle that leaves a mark when it is loaded."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (self.path.touch, ())


@pytest.mark.parametrize(("key", "raw"), [(pickle.dumps("k"), 0), (pickle.dumps("k"), 1), ("k", 0), (3, 1), (None, 1)])
def test_keys_that_are_not_text_are_refused_unread(tmp_path, key, raw):
    with pytest.raises(ValueError, match="not text"):
        TextDisk(str(tmp_path)).get(key, raw)


@pytest.mark.parametrize(
    ("mode", "filename", "value"),
    [
        (4, None, b"x"),
        (4, "f", None),
        (3, "../../../etc/passwd", None),
        (2, "f", None),
        (1, None, b"x"),
        (1, "f", "x"),
        (1, None, 3),
    ],
)
def test_values_that_are_not_text_are_refused_unread(tmp_path, mode, filename, value):
    with pytest.raises(ValueError, match="not text"):
        TextDisk(str(tmp_path)).fetch(mode, filename, value, read=False)


def test_only_text_can_be_stored(tmp_path):
    disk = TextDisk(str(tmp_path))
    with pytest.raises(TypeError):
        disk.put(3)
    with pytest.raises(TypeError):
        disk.store({"a": 1}, read=False)
    assert disk.store("x" * 10_000_000, read=False) == (0, 1, None, "x" * 10_000_000)


def test_a_planted_file_name_deletes_nothing(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("x")
    (tmp_path / "cache").mkdir()
    writer = ReplyWriter(tmp_path / "cache", 1.0)
    writer.put("k", "old")
    writer.close()
    with sqlite3.connect(tmp_path / "cache" / "cache.db") as connection:
        connection.execute("UPDATE Cache SET filename = '../victim'")
    connection.close()
    writer = ReplyWriter(tmp_path / "cache", 1.0)
    writer.put("k", "new")
    writer.close()
    assert victim.exists()


def test_settings_that_somebody_left_in_the_database_do_not_win(tmp_path):
    writer = ReplyWriter(tmp_path, 1.0)
    writer.close()
    with sqlite3.connect(tmp_path / "cache.db") as connection:
        connection.execute("UPDATE Settings SET value = 10 WHERE key IN ('size_limit', 'cull_limit')")
        connection.execute("UPDATE Settings SET value = 'least-recently-used' WHERE key = 'eviction_policy'")
    connection.close()
    writer = ReplyWriter(tmp_path, 1.0)
    for number in range(50):
        writer.put(str(number), "x" * 1000)
    assert writer.add_all([(str(number), "y") for number in range(51)]) == 1
    writer.close()


def test_a_lock_is_named_as_a_lock(tmp_path):
    writer = ReplyWriter(tmp_path, 0.05)
    holder = sqlite3.connect(tmp_path / "cache.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(CacheError, match="locked"):
        writer.put("k", "x")
    holder.execute("ROLLBACK")
    holder.close()
    writer.put("k", "x")
    writer.close()
