import asyncio
import json

import pytest

from evalkit.errors import InputError, NamedFileError, UsageError
from evalkit.providers.clients import make_client
from evalkit.providers.replay import Recorder, ReplayClient, read_recording
from evalkit.records.chat import ChatCall
from evalkit.records.judges import JudgeConfig
from evalkit.records.verdicts import Reply

REPLY = Reply(text="a\ud800\n{}", finish_reason="stop", model="snap", input_tokens=3, output_tokens=1)


def call(key, label="case-1"):
    return ChatCall(key=key, label=label, model="m", messages=(), params={}, schema=None)


def recorded(path, *pairs):
    recorder = Recorder(path)
    for key, reply in pairs:
        recorder.write(key, "case-1", reply)
    recorder.close()


def test_what_was_recorded_is_replayed(tmp_path):
    recorded(tmp_path / "r.jsonl", ("k", REPLY))
    config = JudgeConfig(client="replay", model="m", replay="r.jsonl")
    assert asyncio.run(make_client(config, tmp_path).complete(call("k"))) == REPLY


def test_a_miss_names_the_case(tmp_path):
    recorded(tmp_path / "r.jsonl", ("k", REPLY))
    with pytest.raises(UsageError, match="'refund-001'"):
        asyncio.run(ReplayClient(tmp_path / "r.jsonl").complete(call("other", "refund-001")))


def test_a_recorder_hands_each_reply_to_the_system_before_the_next(tmp_path):
    recorder = Recorder(tmp_path / "out.jsonl")
    recorder.write("k", "c/1", REPLY)
    assert json.loads((tmp_path / "out.jsonl").read_text())["label"] == "c/1"
    recorder.close()


def test_a_recording_is_continued_and_its_last_line_counts(tmp_path):
    path = tmp_path / "r.jsonl"
    recorded(path, ("k", Reply(text="old")), ("l", REPLY))
    recorded(path, ("k", REPLY))
    assert read_recording(path) == {"k": REPLY, "l": REPLY}


def test_a_line_cut_short_stays_a_line_of_its_own_and_is_named(tmp_path):
    path = tmp_path / "r.jsonl"
    recorded(path, ("k", REPLY))
    path.write_bytes(path.read_bytes() + b'{"key": "l", "lab')
    recorded(path, ("m", REPLY))
    with pytest.raises(InputError, match=r"r\.jsonl:2: not a JSON object"):
        read_recording(path)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("[]", "not a recorded reply"),
        ('{"key": "k", "reply": {}}', "not a recorded reply"),
        ('{"key": 1, "label": "", "reply": {"text": null}}', "not a recorded reply"),
        ('{"key": "k", "label": "", "reply": {"text": 1}}', r"reply\.text"),
        ('{"key": "k", "label": "", "reply": {"text": "x", "more": 1}}', r"reply\.more"),
    ],
)
def test_a_faulty_line_is_named_with_its_field(tmp_path, line, problem):
    (tmp_path / "r.jsonl").write_text(f"\n{line}\n")
    with pytest.raises(InputError, match=rf"r\.jsonl:2: {problem}"):
        read_recording(tmp_path / "r.jsonl")


def test_a_missing_recording_says_how_to_get_one(tmp_path):
    with pytest.raises(InputError, match="--record"):
        read_recording(tmp_path / "none.jsonl")


def test_a_recording_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(NamedFileError, match="cannot be written"):
        Recorder(tmp_path / "file" / "r.jsonl").write("k", "c", REPLY)
