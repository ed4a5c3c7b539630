from __future__ import annotations

import json
import os
import resource
from datetime import date
from decimal import Decimal
from enum import Enum
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import RunStoreError
from evalkit.runstore.files import UNSHOWN, LineWriter, json_text, shown_json, write_json, write_text

ANY_TEXT = st.text(st.characters(), max_size=30)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)


class Colour(Enum):
    RED = "red"


@pytest.fixture
def small_disk():
    """Let no file of this process grow beyond 64 KB: what a full disk looks like to a writer."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (65536, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@given(VALUES)
def test_what_is_written_reads_back_as_the_same_value(value):
    text = json_text(value)
    assert json.loads(text) == value
    assert "\n" not in text


@pytest.mark.parametrize(
    "hidden",
    [
        "\x1b[31m",
        "\r",
        "\x7f",
        "\x9b",
        "\u202e",
        "\u200b",
        "\u2028",
        "\ufeff",
        "\U000e0041",
        "\ud835",
        "\u2066",
        "\xad",
    ],
)
def test_characters_that_hide_or_forge_are_escaped_and_the_rest_stays_readable(hidden):
    text = json_text(f"naïve 日本 {hidden} end")
    assert hidden not in text
    assert "naïve 日本" in text
    assert json.loads(text) == f"naïve 日本 {hidden} end"


@given(
    st.text(
        st.characters(exclude_characters="\x00") | st.sampled_from("\x7f\xad\ud835\u2028\U000e0041\ufe0f"), max_size=40
    )
)
def test_every_character_that_is_never_printed_is_found_among_others(text):
    assert UNSHOWN.search(shown_json(json.dumps(text, ensure_ascii=False))) is None
    assert json.loads(shown_json(json.dumps(text, ensure_ascii=False))) == text


def test_a_backslash_before_an_escaped_character_does_not_swallow_it():
    assert json.loads(json_text("\\\u202e")) == "\\\u202e"


@pytest.mark.parametrize(
    ("odd", "plain"),
    [
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        ({"b", "a"}, ["a", "b"]),
        (Path("a/b"), "a/b"),
        (Decimal("1.50"), "1.50"),
        (date(2026, 1, 2), "2026-01-02"),
        (b"x", "b'x'"),
        (Colour.RED, "red"),
        ({1: "one"}, {"1": "one"}),
    ],
)
def test_a_value_that_json_has_no_form_for_is_written_as_text(odd, plain):
    assert json.loads(json_text({"value": odd}), parse_constant=pytest.fail) == {"value": plain}


def test_a_value_that_turns_in_a_circle_is_cut_off():
    circle: list[object] = []
    circle.append(circle)
    assert "(nested too deeply)" in json_text(circle)


def test_a_file_is_replaced_whole_and_nothing_is_left_beside_it(tmp_path):
    file = tmp_path / "report.json"
    write_json(file, {"a": 1})
    write_json(file, {"a": "ü"})
    assert json.loads(file.read_text(encoding="utf-8")) == {"a": "ü"}
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_a_full_disk_is_named_and_the_earlier_file_still_stands(tmp_path, small_disk):
    file = tmp_path / "report.json"
    write_json(file, {"a": 1})
    with pytest.raises(RunStoreError, match=r"report\.json: cannot be written: File too large.*--out"):
        write_text(file, "x" * 100_000)
    assert json.loads(file.read_text(encoding="utf-8")) == {"a": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_lines_that_the_disk_does_not_take_are_an_error_and_not_a_short_file(tmp_path, small_disk):
    writer = LineWriter(tmp_path / "failures.jsonl")
    with pytest.raises(RunStoreError, match="cannot be written"):
        writer.write({"text": "y" * 200_000})
    writer.abandon()


def test_lines_arrive_in_order_and_are_counted(tmp_path):
    writer = LineWriter(tmp_path / "failures.jsonl")
    for number in range(3):
        writer.write({"n": number})
    writer.close()
    writer.close()
    assert (tmp_path / "failures.jsonl").read_text(encoding="utf-8") == '{"n": 0}\n{"n": 1}\n{"n": 2}\n'
    assert writer.lines == 3


def test_what_is_no_regular_file_is_left_alone(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for place in (pipe, tmp_path):
        with pytest.raises(RunStoreError, match="is no regular file and is left alone"):
            write_text(place, "text")
    assert pipe.is_fifo()
