import json
import os
import pickle
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from evalkit.errors import CacheError, InputError
from evalkit.providers import reply_store
from evalkit.providers.reply_cache import open_cache
from evalkit.records.verdicts import Purchase, Reply, StoredReply


def stored(text="yes"):
    return StoredReply(
        reply=Reply(text=text, model="snap"), purchase=Purchase(tries=1, input_tokens=3, output_tokens=1)
    )


@pytest.fixture
def notes():
    return []


@pytest.fixture
def opened(notes):
    """Open caches that are closed at the end of the test."""
    caches = []

    def open_one(folder, **options):
        caches.append(open_cache(folder, notes.append, **options))
        return caches[-1]

    yield open_one
    for cache in caches:
        cache.close()


def filled(folder, count=5, text="yes"):
    cache = open_cache(folder, pytest.fail)
    for number in range(count):
        cache.put(f"key-{number}", stored(f"{text} {number}"))
    cache.close()
    return folder / "cache.db"


def edit(file, statement, *values):
    connection = sqlite3.connect(file)
    with connection:
        connection.execute(statement, values)
    connection.close()


class Touch:
    """A pickle that leaves a mark when it is loaded."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (type(self.path).touch, (self.path,))


# The ordinary way ------------------------------------------------------------------------------------------------


def test_what_was_put_is_found_at_once_and_by_the_next_process(tmp_path, opened, notes):
    cache = opened(tmp_path / "c")
    cache.put("k", stored("first"))
    assert cache.get("k") == stored("first")
    assert open_cache(tmp_path / "c", notes.append).get("k") == stored("first")
    assert cache.get("other") is None
    assert notes == []


def test_a_later_reply_replaces_an_earlier_one(tmp_path, opened):
    cache = opened(tmp_path / "c")
    cache.put("k", stored("old"))
    cache.put("k", stored("new"))
    assert cache.get("k") == stored("new")


def test_reading_an_absent_cache_creates_nothing(tmp_path, opened, notes):
    cache = opened(tmp_path / "a" / "b")
    assert cache.get_many(["k"]) == {}
    assert cache.verify().sound == 0
    assert cache.info().entries == 0
    cache.close()
    assert list(tmp_path.iterdir()) == []
    assert notes == []


def test_the_folder_is_its_owners_alone(tmp_path, opened):
    opened(tmp_path / "c").put("k", stored())
    assert (tmp_path / "c").stat().st_mode & 0o777 == 0o700


def test_many_keys_are_read_in_bulk(tmp_path, opened):
    filled(tmp_path, 1300)
    found = opened(tmp_path).get_many([f"key-{n}" for n in range(1400)])
    assert len(found) == 1300
    assert found["key-7"] == stored("yes 7")


def test_nothing_is_evicted_and_nothing_expires(tmp_path, opened):
    cache = opened(tmp_path)
    for number in range(40):
        cache.put(str(number), stored("x" * 100_000))
    assert len(cache.get_many([str(n) for n in range(40)])) == 40
    assert {path.name for path in tmp_path.iterdir()} <= {"cache.db", "cache.db-wal", "cache.db-shm"}


def test_reading_imports_no_diskcache(tmp_path):
    filled(tmp_path)
    script = (
        "import sys, pathlib\nfrom evalkit.providers.reply_cache import open_cache\n"
        "cache = open_cache(pathlib.Path(sys.argv[1]), print)\nassert cache.get('key-1')\ncache.close()\n"
        "print('diskcache' in sys.modules)"
    )
    seen = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True)
    assert seen.stdout == "False\n"


# Planted and damaged rows ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("raw", [0, 1])
def test_a_planted_pickle_does_not_run(tmp_path, opened, raw):
    file = filled(tmp_path / "c")
    blob = pickle.dumps(Touch(tmp_path / "pwned"))
    edit(file, "UPDATE Cache SET mode = 4, filename = NULL, value = ? WHERE key != 'evalkit:schema'", blob)
    edit(file, "INSERT INTO Cache (key, raw, mode, value) VALUES (?, ?, 4, ?)", blob, raw, blob)
    cache = opened(tmp_path / "c")
    assert cache.get_many([f"key-{n}" for n in range(5)]) == {}
    check = cache.verify()
    assert (check.sound, len(check.damaged)) == (0, 5)
    assert "1 rows were not written by evalkit" in check.problems[-1]
    cache.export(tmp_path / "out.jsonl")
    cache.put("key-0", stored("bought again"))
    assert cache.get("key-0") == stored("bought again")
    cache.close()
    assert not (tmp_path / "pwned").exists()


def test_a_planted_file_name_is_not_followed(tmp_path, opened, notes):
    file = filled(tmp_path / "c", 1)
    (tmp_path / "secret").write_text("secret")
    edit(file, "UPDATE Cache SET mode = 3, value = NULL, filename = '../secret' WHERE key = 'key-0'")
    assert opened(tmp_path / "c").get("key-0") is None
    assert len(notes) == 1


@pytest.mark.parametrize("change", ["swap", "bit", "cut"])
def test_a_row_whose_checksum_does_not_match_is_absent_and_named_once(tmp_path, opened, notes, change):
    file = filled(tmp_path)
    statement = {
        "swap": "UPDATE Cache SET value = (SELECT value FROM Cache WHERE key = 'key-1') WHERE key = 'key-0'",
        "bit": "UPDATE Cache SET value = replace(value, 'yes 0', 'no 00') WHERE key = 'key-0'",
        "cut": "UPDATE Cache SET value = substr(value, 1, 100) WHERE key = 'key-0'",
    }[change]
    edit(file, statement)
    cache = opened(tmp_path)
    for _ in range(2):
        assert set(cache.get_many([f"key-{n}" for n in range(5)])) == {f"key-{n}" for n in range(1, 5)}
    assert len(notes) == 1
    assert "evalkit cache verify" in notes[0]
    assert cache.verify().damaged == ("key-0",)


# Damaged files ---------------------------------------------------------------------------------------------------


def test_a_file_that_is_no_database_is_moved_aside_and_named(tmp_path, opened, notes):
    (tmp_path / "cache.db").write_bytes(b"this is not a database, by no means\n" * 200)
    cache = opened(tmp_path)
    cache.put("k", stored())
    assert cache.get("k") == stored()
    assert "moved aside" in notes[0]
    [aside] = tmp_path.glob("damaged-*-cache.db")
    assert aside.read_bytes().startswith(b"this is not")
    assert cache.info().damaged_files == (str(aside),)


def test_a_file_damaged_in_the_middle_keeps_what_can_be_read(tmp_path, opened, notes):
    file = filled(tmp_path, 400, "x" * 500)
    data = bytearray(file.read_bytes())
    middle = len(data) // 2 // 4096 * 4096
    data[middle : middle + 8192] = os.urandom(8192)
    file.write_bytes(data)
    cache = opened(tmp_path)
    found = cache.get_many([f"key-{n}" for n in range(400)])
    assert "moved aside" in notes[0]
    assert 200 < len(found) < 400
    assert all(found[f"key-{n}"] == stored("x" * 500 + f" {n}") for n in range(400) if f"key-{n}" in found)
    assert cache.verify().problems == tuple(notes)


def test_damage_that_is_met_while_reading_ends_in_a_new_cache_with_what_can_be_read(
    tmp_path, opened, notes, monkeypatch
):
    monkeypatch.setattr(reply_store, "CHECKED_AT_START", 0)
    file = filled(tmp_path, 400, "x" * 500)
    cache = opened(tmp_path)
    data = bytearray(file.read_bytes())
    half = len(data) // 2 // 4096 * 4096
    data[half:] = os.urandom(len(data) - half)
    file.write_bytes(data)
    keys = [f"key-{n}" for n in range(400)]
    found = cache.get_many(keys)
    assert "moved aside" in notes[0]
    assert 50 < len(found) < 400
    cache.put("new", stored("new"))
    assert cache.get_many([*keys, "new"]) == found | {"new": stored("new")}


def test_damage_that_is_met_while_exporting_is_an_error_that_names_the_file(tmp_path, opened, monkeypatch):
    monkeypatch.setattr(reply_store, "CHECKED_AT_START", 0)
    file = filled(tmp_path, 400, "x" * 500)
    cache = opened(tmp_path)
    data = bytearray(file.read_bytes())
    data[8192:] = os.urandom(len(data) - 8192)
    file.write_bytes(data)
    with pytest.raises(CacheError, match=r"cache\.db"):
        cache.export(tmp_path / "out.jsonl")
    assert not list(tmp_path.glob("out.jsonl*"))
    assert cache.verify().problems
    assert cache.info().problems


def test_a_large_file_is_checked_before_the_first_write(tmp_path, opened, notes, monkeypatch):
    monkeypatch.setattr(reply_store, "CHECKED_AT_START", 1000)
    file = filled(tmp_path, 400, "x" * 500)
    data = bytearray(file.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 8192] = os.urandom(8192)
    file.write_bytes(data)
    cache = opened(tmp_path)
    assert notes == []
    cache.put("new", stored("new"))
    assert "moved aside" in notes[0]
    assert cache.get("new") == stored("new")


def test_an_empty_file_is_named_and_becomes_a_cache(tmp_path, opened, notes, monkeypatch):
    monkeypatch.setattr(reply_store, "NASCENT_S", 0.05)
    (tmp_path / "cache.db").touch()
    cache = opened(tmp_path)
    assert "empty file" in notes[0]
    cache.put("k", stored())
    assert open_cache(tmp_path, notes.append).get("k") == stored()


@pytest.mark.parametrize("change", ["version", "sentinel", "tables"])
def test_a_file_of_another_version_or_program_is_left_alone(tmp_path, opened, notes, change):
    file = filled(tmp_path)
    statement = {
        "version": "UPDATE Cache SET value = 'replies/99' WHERE key = 'evalkit:schema'",
        "sentinel": "DELETE FROM Cache WHERE key = 'evalkit:schema'",
        "tables": "CREATE TABLE Accounts (id)",
    }[change]
    edit(file, statement)
    if change == "tables":
        edit(file, "DROP TABLE Cache")
    before = file.read_bytes()
    cache = opened(tmp_path)
    assert cache.get("key-1") is None
    cache.put("new", stored("new"))
    assert cache.get("new") == stored("new")
    cache.close()
    assert file.read_bytes() == before
    assert "left alone" in notes[0]
    assert "rescued-" in notes[1]
    assert open_cache(tmp_path, notes.append).get("new") == stored("new")


# A cache that takes nothing --------------------------------------------------------------------------------------


def test_a_locked_cache_is_waited_for_then_replies_are_rescued_and_stored_at_the_end(
    tmp_path, opened, notes, monkeypatch
):
    monkeypatch.setattr(reply_store, "WAIT_S", 2.0)
    file = filled(tmp_path)
    cache = opened(tmp_path)
    holder = sqlite3.connect(file, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    started = time.monotonic()
    for number in range(20):
        cache.put(f"new-{number}", stored(f"new {number}"))
    assert time.monotonic() - started < 20  # waited for once: for each reply it would be 40 seconds
    assert len(notes) == 1
    assert "locked" in notes[0]
    assert cache.get("new-7") == stored("new 7")
    assert cache.get("key-1") == stored("yes 1")
    [rescued] = tmp_path.glob("rescued-*.jsonl")
    assert len(rescued.read_text().splitlines()) == 20
    holder.execute("ROLLBACK")
    holder.close()
    cache.close()
    assert not rescued.exists()
    assert len(opened(tmp_path).get_many([f"new-{n}" for n in range(20)])) == 20


def test_a_cache_that_another_process_holds_alone_stops_nothing(tmp_path, opened, notes, monkeypatch):
    monkeypatch.setattr(reply_store, "WAIT_S", 0.1)
    file = filled(tmp_path)
    holder = sqlite3.connect(file, isolation_level=None)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    cache = opened(tmp_path)
    assert cache.get("key-1") is None
    cache.put("new", stored("new"))
    assert cache.get("new") == stored("new")
    assert "locked" in notes[0]
    holder.execute("ROLLBACK")
    holder.close()
    cache.close()
    assert opened(tmp_path).get("new") == stored("new")


def test_a_path_that_is_a_file_leaves_memory_and_the_second_folder(tmp_path, opened, notes):
    (tmp_path / "c").write_text("not a folder")
    cache = opened(tmp_path / "c", rescue=tmp_path / "run")
    cache.put("k", stored())
    assert cache.get("k") == stored()
    assert len(list((tmp_path / "run").glob("rescued-*.jsonl"))) == 1
    assert str(tmp_path / "run") in notes[0]
    alone = opened(tmp_path / "c")
    alone.put("k", stored())
    assert alone.get("k") == stored()
    assert "memory only" in notes[-1]


AS_SOMEBODY_ELSE = """
import json, os, pathlib, sys
import evalkit.providers.reply_disk
from evalkit.providers.reply_cache import open_cache
from evalkit.records.verdicts import Purchase, Reply, StoredReply
reply = StoredReply(reply=Reply(text="new"), purchase=Purchase(tries=1))
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
notes = []
cache = open_cache(pathlib.Path(sys.argv[1]), notes.append)
found = len(cache.get_many([f"key-{n}" for n in range(5)]))
cache.put("new", reply)
held = cache.get("new") == reply
cache.close()
print(json.dumps([found, held, notes]))
"""


def test_a_read_only_folder_is_read_through():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        filled(folder)
        folder.chmod(0o555)
        command = [sys.executable, "-c", AS_SOMEBODY_ELSE, name]
        seen = subprocess.run(command, capture_output=True, text=True, check=False)
        folder.chmod(0o755)
    assert seen.returncode == 0, seen.stderr
    found, held, notes = json.loads(seen.stdout)
    assert (found, held) == (5, True)
    assert "read-only" in notes[0]
    assert "memory only" in notes[1]


FULL = """
import json, pathlib, resource, signal, sys
from evalkit.providers.reply_cache import open_cache
from evalkit.records.verdicts import Purchase, Reply, StoredReply
notes = []
cache = open_cache(pathlib.Path(sys.argv[1]), notes.append, rescue=pathlib.Path(sys.argv[2]))
reply = StoredReply(reply=Reply(text="x" * 20_000), purchase=Purchase(tries=1))
cache.put("first", reply)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
keys = [f"key-{n}" for n in range(40)]
for key in keys:
    cache.put(key, reply)
found = len(cache.get_many(keys))
cache.close()
print(json.dumps([found, notes]))
"""


def test_a_full_disk_is_named_and_loses_nothing_that_was_bought(tmp_path):
    command = [sys.executable, "-c", FULL, str(tmp_path / "c"), str(tmp_path / "run")]
    seen = subprocess.run(command, capture_output=True, text=True, check=False)
    assert seen.returncode == 0, seen.stderr
    found, notes = json.loads(seen.stdout)
    assert found == 40
    assert len(notes) == 1
    assert "takes nothing more" in notes[0]
    cache = open_cache(tmp_path / "c", lambda _: None)
    assert cache.get("first") is not None
    assert cache.verify().damaged == ()
    cache.close()


# Several processes -----------------------------------------------------------------------------------------------

HAMMER = """
import pathlib, sys
from evalkit.providers.reply_cache import open_cache
from evalkit.records.verdicts import Purchase, Reply, StoredReply
folder, name = pathlib.Path(sys.argv[1]), sys.argv[2]
cache = open_cache(folder, lambda note: print(note))
for number in range(60):
    key = f"{name}-{number}" if number % 2 else f"shared-{number}"
    if cache.get(key) is None:
        cache.put(key, StoredReply(reply=Reply(text=key), purchase=Purchase(tries=1)))
cache.close()
"""


def test_processes_that_share_a_fresh_cache_lose_nothing_and_complain_of_nothing(tmp_path, opened):
    folder = tmp_path / "fresh"
    names = [f"p{n}" for n in range(6)]
    running = [
        subprocess.Popen(
            [sys.executable, "-c", HAMMER, str(folder), name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        for name in names
    ]
    said = [process.communicate()[0] for process in running]
    assert said == [b""] * len(names)
    assert [process.returncode for process in running] == [0] * len(names)
    wanted = {f"{name}-{n}" for name in names for n in range(1, 60, 2)} | {f"shared-{n}" for n in range(0, 60, 2)}
    found = opened(folder).get_many(sorted(wanted))
    assert {key: reply.reply.text for key, reply in found.items()} == {key: key for key in wanted}
    assert opened(folder).verify().problems == ()


KILLED = """
import os, pathlib, signal, sys
from evalkit.providers.reply_cache import open_cache
from evalkit.records.verdicts import Purchase, Reply, StoredReply
cache = open_cache(pathlib.Path(sys.argv[1]), print)
for number in range(25):
    cache.put(f"key-{number}", StoredReply(reply=Reply(text="x"), purchase=Purchase(tries=1)))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_was_put_before_a_kill_is_there_after_it(tmp_path, opened, notes):
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "c")], check=False)
    assert killed.returncode == -9
    assert len(opened(tmp_path / "c").get_many([f"key-{n}" for n in range(25)])) == 25
    assert notes == []


# Export and import -----------------------------------------------------------------------------------------------


def test_an_export_imports_into_another_cache_and_is_the_same_bytes_each_time(tmp_path, opened):
    filled(tmp_path / "a", 700)
    cache = opened(tmp_path / "a")
    assert cache.export(tmp_path / "1.jsonl") == cache.export(tmp_path / "2.jsonl") == 700
    assert (tmp_path / "1.jsonl").read_bytes() == (tmp_path / "2.jsonl").read_bytes()
    other = opened(tmp_path / "b")
    other.put("key-3", stored("my own"))
    result = other.import_(tmp_path / "1.jsonl")
    assert (result.added, result.present, result.refused) == (699, 1, ())
    assert other.get("key-3") == stored("my own")
    assert other.get("key-699") == stored("yes 699")
    assert other.info().entries == 700


def test_torn_and_tampered_lines_are_refused_by_number_and_the_rest_is_taken(tmp_path, opened):
    filled(tmp_path / "a", 3)
    opened(tmp_path / "a").export(tmp_path / "x.jsonl")
    lines = (tmp_path / "x.jsonl").read_text().splitlines()
    lines[1] = lines[1].replace("yes 1", "no  1")
    (tmp_path / "x.jsonl").write_text("\n".join([*lines, "", lines[0][:50]]))
    result = opened(tmp_path / "b").import_(tmp_path / "x.jsonl")
    assert result.added == 2
    assert [fault.line for fault in result.refused] == [2, 5]
    assert "checksum" in result.refused[0].problem


def test_rescued_replies_are_found_named_exported_and_imported(tmp_path, opened, notes):
    filled(tmp_path / "a", 2)
    opened(tmp_path / "a").export(tmp_path / "rescued-1.jsonl")
    with (tmp_path / "rescued-1.jsonl").open("a") as file:
        file.write('{"key": "torn')
    cache = opened(tmp_path)
    assert cache.get("key-1") == stored("yes 1")
    assert cache.info().entries == 2
    assert "evalkit cache import" in notes[0]
    assert cache.verify().problems == ()
    assert cache.import_(tmp_path / "rescued-1.jsonl").added == 2
    (tmp_path / "rescued-1.jsonl").unlink()
    assert opened(tmp_path).get("key-1") == stored("yes 1")


def test_files_that_cannot_be_read_or_written_are_named(tmp_path, opened):
    cache = opened(tmp_path / "c")
    with pytest.raises(InputError, match="cannot be read"):
        cache.import_(tmp_path / "none.jsonl")
    with pytest.raises(InputError, match="cannot be written"):
        cache.export(tmp_path / "no" / "folder.jsonl")
