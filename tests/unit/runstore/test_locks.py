from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from evalkit.errors import RunStoreError
from evalkit.runstore import locks
from evalkit.runstore.locks import one_writer

HOLD = """\
import sys, time
from pathlib import Path
from evalkit.runstore.locks import one_writer
with one_writer(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_writers_come_one_after_the_other(tmp_path):
    path, inside, most = tmp_path / "file", [], []

    def work():
        for _ in range(20):
            with one_writer(path):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(most) == {1}
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_was_killed_gives_the_right_back(tmp_path):
    path = tmp_path / "file"
    with subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "held\n"
        holder.kill()
        holder.wait()
    with one_writer(path):
        pass


def test_waiting_ends_with_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(locks, "WAIT_S", 0.1)
    path = tmp_path / "file"
    with (
        one_writer(path),
        pytest.raises(RunStoreError, match=r"another process has been writing"),
        one_writer(path),
    ):
        pass


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(RunStoreError, match="cannot be written"), one_writer(tmp_path / "file" / "labels.jsonl"):
        pass
