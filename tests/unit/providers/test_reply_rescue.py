import pytest

from evalkit.providers.reply_payload import encode
from evalkit.providers.reply_rescue import Rescue, rescued_rows
from evalkit.records.verdicts import Purchase, Reply, StoredReply

ROW = encode("k", StoredReply(reply=Reply(text="x"), purchase=Purchase(tries=1)))


def test_rows_are_on_disk_as_soon_as_they_are_appended(tmp_path):
    rescue = Rescue((tmp_path / "new",))
    assert rescue.append("k", ROW)
    assert [rows for _, rows in rescued_rows(tmp_path / "new")] == [{"k": ROW}]
    rescue.close()


def test_the_next_folder_is_tried_where_one_takes_nothing(tmp_path):
    (tmp_path / "file").write_text("")
    rescue = Rescue((tmp_path / "file", tmp_path / "run"))
    assert rescue.append("k", ROW)
    assert rescue.path is not None
    assert rescue.path.parent == tmp_path / "run"
    rescue.drop()
    assert list((tmp_path / "run").iterdir()) == []


def test_without_any_folder_nothing_is_claimed(tmp_path):
    (tmp_path / "file").write_text("")
    rescue = Rescue((tmp_path / "file",))
    assert not rescue.append("k", ROW)
    assert rescue.path is None
    rescue.close()


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\n", b"{}\n", b'{"key": "k"'])
def test_files_without_a_sound_row_are_passed_over(tmp_path, content):
    (tmp_path / "rescued-1.jsonl").write_bytes(content)
    assert list(rescued_rows(tmp_path)) == []
