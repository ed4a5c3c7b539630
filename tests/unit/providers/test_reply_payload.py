import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.providers.reply_payload import decode, encode, from_line, is_sound, to_line
from evalkit.records.verdicts import Purchase, Reply, StoredReply


def stored(text="yes", **fields):
    return StoredReply(reply=Reply(text=text, **fields), purchase=Purchase(tries=1, input_tokens=3))


ANY_TEXT = st.text(st.characters(), max_size=60)


@given(ANY_TEXT.filter(bool), st.none() | ANY_TEXT)
def test_what_is_encoded_is_decoded_whatever_its_text(key, text):
    row = encode(key, stored(text))
    assert row.isascii()
    assert decode(key, row) == stored(text)
    assert from_line(to_line(key, row).encode("ascii")) == (key, row)
    json.loads(row)


def test_lone_surrogates_nul_and_line_ends_survive():
    text = "\ud800\x00\r\n\u2028"
    row = encode("k", stored(text))
    assert "\n" not in row
    assert decode("k", row).reply.text == text


def test_a_row_under_another_key_is_not_sound():
    assert not is_sound("other", encode("k", stored()))


@given(st.data())
def test_any_changed_character_is_noticed(data):
    row = encode("k", stored())
    at = data.draw(st.integers(0, len(row) - 2))
    changed = row[:at] + ("x" if row[at] != "x" else "y") + row[at + 1 :]
    assert not is_sound("k", changed)


@pytest.mark.parametrize(
    "text", [None, 3, b"x", "", "{}", '{"sha256":"', '{"sha256":"' + "0" * 64 + '","stored":{}}', "\x80\x04K\x01."]
)
def test_what_encode_did_not_write_is_refused(text):
    with pytest.raises(ValueError, match=r"stored reply|checksum"):
        decode("k", text)


@given(st.binary(max_size=80))
def test_no_line_raises_anything_else(line):
    with pytest.raises(ValueError, match=r"."):
        from_line(line)


@pytest.mark.parametrize("field", ["tries", "text"])
def test_a_line_that_was_edited_is_refused(field):
    line = to_line("k", encode("k", stored()))
    edited = line.replace('"tries":1', '"tries":2') if field == "tries" else line.replace('"yes"', '"no"')
    assert edited != line
    with pytest.raises(ValueError, match="checksum"):
        from_line(edited.encode())
