"""JSON Lines: what is accepted, what is refused and how it is named."""

from __future__ import annotations

import hashlib
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import Fault, InputError
from evalkit.loading.jsonl import Decoder, read_lines
from evalkit.records.outputs import Output


def decoded(path, content: bytes):
    path.write_bytes(content)
    decoder = Decoder(Output, path)
    return [decoder.decode(line) for line in read_lines(path)]


def fault(path, content: bytes):
    with pytest.raises(InputError) as caught:
        decoded(path, content)
    return caught.value.faults[0]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "outputs.jsonl"


def test_a_byte_order_mark_crlf_and_blank_lines_are_accepted(path):
    content = b'\xef\xbb\xbf{"case_id": "c1"}\r\n\r\n \t \n{"case_id": "c2"}\n\n'
    assert [output.case_id for output in decoded(path, content)] == ["c1", "c2"]


def test_lines_carry_their_physical_number_and_byte_offset(path):
    content = b'\xef\xbb\xbf{"case_id": "c1"}\r\n\n{"case_id": "c2"}'
    path.write_bytes(content)
    lines = list(read_lines(path))
    assert [line.number for line in lines] == [1, 3]
    assert all(content[line.offset :].startswith(line.raw) for line in lines)
    assert [line.last for line in lines] == [False, True]


def test_the_digest_is_that_of_the_files_bytes(path):
    content = b'\xef\xbb\xbf{"case_id": "c1"}\r\n\n'
    path.write_bytes(content)
    digest = hashlib.sha256()
    list(read_lines(path, digest))
    assert digest.hexdigest() == hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_wide_encodings_are_named(path, encoding):
    found = fault(path, '{"case_id": "c1"}\n'.encode(encoding))
    assert "UTF-16 or UTF-32" in found.problem
    assert "UTF-8" in found.remedy


def test_latin_1_is_named_with_the_offset_of_its_first_byte(path):
    content = b'{"case_id": "c1"}\n{"case_id": "caf\xe9"}\n'
    found = fault(path, content)
    assert found.line == 2
    assert f"byte 0xe9 at offset {content.index(0xE9)}" in found.problem


def test_a_broken_line_names_the_physical_line(path):
    found = fault(path, b'{"case_id": "c1"}\n\n\n\n\n\n{"case_id": "c2", "text": \n')
    assert found.line == 7
    assert "not valid JSON" in found.problem
    assert found.remedy == ""


def test_a_torn_last_line_is_named_as_such(path):
    found = fault(path, b'{"case_id": "c1"}\n{"case_id": "c2", "te')
    assert found.line == 2
    assert "cut off" in found.remedy


def test_an_array_instead_of_lines_is_named(path):
    assert "not one array" in fault(path, b'[\n{"case_id": "c1"}\n]\n').remedy
    assert fault(path, b'[{"case_id": "c1"}]\n').problem == "expected an object, got a list"


@pytest.mark.parametrize(
    "line",
    [
        b'{"case_id": "a", "case_id": "b"}',
        b'{"case_id": "a", "case_id": "a"}',
        b'{"case_id" : "a", "case_id" :"a"}',
        b'{"case_id"\t:"a","case_id":"a"}',
        b'{"case_id": "a", "meta": {"k": 1, "k": 1}}',
        b'{"case_id": "a", "meta": {"k": [{"x": 1, "x": 2}]}}',
        b'{"case_id": "a", "tool_calls": [{"name": "f", "name": "g"}]}',
        b'{"case_id": "a", "usage": {"input_tokens": 1, "input_tokens": 2}}',
        b'{"case_id": "a", "\\u0063ase_id": "b"}',
        b'{"case_id": "a", "text": "say \\":\\" twice", "text": "\\":"}',
    ],
)
def test_a_key_that_stands_twice_is_refused_wherever_it_is(path, line):
    found = fault(path, line)
    assert "stands twice in one object" in found.problem
    assert found.field


@pytest.mark.parametrize("token", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("field", ['"meta": {"x": %s}', '"cost_usd": %s', '"tool_calls": [%s]'])
def test_tokens_that_are_not_json_are_refused(path, token, field):
    line = '{"case_id": "a", ' + field % token + "}"
    assert f"{token} is not JSON" in fault(path, line.encode()).problem


@pytest.mark.parametrize("number", ["1e400", "-1e400", "9007199254740993.0", "123456789012345678.5"])
def test_numbers_that_would_be_rounded_are_refused(path, number):
    assert "would be rounded" in fault(path, b'{"case_id": "a", "meta": {"x": %s}}' % number.encode()).problem


def test_whole_numbers_keep_every_digit(path):
    number = 10**400 + 1
    for exact in (2**53 + 1, -(2**63) - 1, number):
        [output] = decoded(path, b'{"case_id": "a", "meta": {"x": %d}}' % exact)
        assert output.meta["x"] == exact


def test_large_floats_that_are_exact_load(path):
    [output] = decoded(path, b'{"case_id": "a", "meta": {"x": 1e23, "y": 9007199254740994.0}}')
    assert output.meta == {"x": 1e23, "y": 9007199254740994.0}


def test_a_number_of_over_4300_digits_is_a_clear_fault(path):
    found = fault(path, b'{"case_id": "a", "meta": {"x": ' + b"1" * 5000 + b"}}")
    assert "5000 digits is too long" in found.problem


@pytest.mark.parametrize("depth", [300, 5_000, 200_000])
def test_deep_nesting_is_a_clear_fault(path, depth):
    found = fault(path, b'{"case_id": "a", "meta": {"x": ' + b"[" * depth + b"]" * depth + b"}}")
    assert "nested" in found.problem


def test_nesting_of_a_hundred_levels_loads(path):
    assert decoded(path, b'{"case_id": "a", "meta": {"x": ' + b"[" * 100 + b"]" * 100 + b"}}")


def test_half_surrogate_pairs_are_data(path):
    line = rb'{"case_id": "a", "text": "half \ud835 char", "citations": ["\udcb2"], "meta": {"\ud800": ["\udfff", "\ud83d\ude00"]}}'
    [output] = decoded(path, line)
    assert output.text == "half \ud835 char"
    assert output.citations == ("\udcb2",)
    assert output.meta == {"\ud800": ["\udfff", "\U0001f600"]}
    assert output.model_fields_set == {"case_id", "text", "citations", "meta"}


def test_the_private_characters_that_carry_surrogates_survive_beside_them(path):
    text = "\U000f0000\ud835\U000f0000\U000f0000\U000f1035 \udc00"
    [output] = decoded(path, json.dumps({"case_id": "a", "text": text}).encode())
    assert output.text == text


@pytest.mark.parametrize(
    "text", ["nul \0 inside", "\u202eRTL\u202c \u200b\u2060", "\ufeff", "\x7f\x85\u2028\u2029", "a\r\nb"]
)
def test_odd_text_is_kept_as_it_is(path, text):
    [output] = decoded(path, json.dumps({"case_id": "a", "text": text}, ensure_ascii=False).encode())
    assert output.text == text


def test_a_text_of_a_megabyte_loads(path):
    text = 'x":' * 350_000
    [output] = decoded(path, json.dumps({"case_id": "a", "text": text}).encode())
    assert output.text == text


def test_all_faults_of_a_line_are_named_with_their_fields(path):
    path.write_bytes(
        b'{"case_id": 1, "txt": "x", "attempt": "1", "latency_ms": -1, "usage": {"input_tokens": true}, "cost_usd": "0.01"}\n'
    )
    [line] = read_lines(path)
    with pytest.raises(InputError) as caught:
        Decoder(Output, path).decode(line)
    assert {found.field: found.problem for found in caught.value.faults} == {
        "case_id": "expected text, got a number (1)",
        "txt": "unknown field",
        "attempt": "expected a whole number, got text ('1')",
        "latency_ms": "expected at least 0, got a number (-1)",
        "usage.input_tokens": "expected a whole number, got true",
        "cost_usd": "expected a number, got text ('0.01')",
    }
    assert [found.remedy for found in caught.value.faults if found.field == "txt"] == ["did you mean 'text'?"]


def test_a_file_that_is_not_there_or_a_folder_is_named(tmp_path):
    for path, problem in ((tmp_path / "none.jsonl", "does not exist"), (tmp_path, "is a folder")):
        with pytest.raises(InputError, match=problem):
            list(read_lines(path))


def test_a_line_read_again_gives_the_same_record(path):
    lines = [b'{"case_id": "a", "text": "x"}\n', rb'{"case_id": "b", "text": "\ud835"}']
    path.write_bytes(b"".join(lines))
    decoder = Decoder(Output, path)
    assert [decoder.decode(line) for line in read_lines(path)] == [decoder.decode_again(raw) for raw in lines]
    with pytest.raises(InputError, match="changed while"):
        decoder.decode_again(b'{"case_id": ')


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(-(2.0**53), 2.0**53)
    | st.text(st.characters(exclude_categories=[])),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(exclude_categories=[])), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(
    text=st.text(st.characters(exclude_categories=[])),
    meta=st.dictionaries(st.text(), JSON, max_size=4),
    ascii_only=st.booleans(),
)
def test_whatever_json_can_say_comes_back_equal(tmp_path_factory, text, meta, ascii_only):
    line = json.dumps({"case_id": "a", "text": text, "meta": meta}, ensure_ascii=ascii_only)
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    if any("\ud800" <= char <= "\udfff" for char in line):  # as raw bytes, which no encoder of UTF-8 writes
        assert "not UTF-8" in fault(path, line.encode("utf-8", "surrogatepass")).problem
    else:
        [output] = decoded(path, line.encode())
        assert (output.text, output.meta) == (text, meta)


@given(raw=st.binary(max_size=80))
def test_no_bytes_raise_anything_but_an_input_error(tmp_path_factory, raw):
    path = tmp_path_factory.getbasetemp() / "bytes.jsonl"
    try:
        found = decoded(path, raw)
    except InputError as error:
        found = error.faults
    assert all(isinstance(one, Output | Fault) for one in found)


@given(
    st.lists(
        st.tuples(st.sampled_from(["case_id", "text", "k", "k\\\\", 'q\\"']), st.sampled_from(["", " ", "\t"])),
        min_size=1,
        max_size=5,
    )
)
def test_keys_twice_are_found_in_any_spelling(tmp_path_factory, keys):
    meta = ",".join(f'"{key}"{space}:":"' for key, space in keys)
    path = tmp_path_factory.getbasetemp() / "keys.jsonl"
    line = '{"case_id":"a","meta":{' + meta + "}}"
    if len({key for key, _ in keys}) == len(keys):
        assert decoded(path, line.encode())
    else:
        assert "stands twice" in fault(path, line.encode()).problem


def test_reading_strictly_costs_little_more_than_json_alone(path):
    line = json.dumps({"case_id": "a", "text": "word " * 280, "meta": {"k": 1}}).encode() + b"\n"
    path.write_bytes(line * 2000)
    lines = list(read_lines(path))
    decoder = Decoder(Output, path)

    def cpu(work) -> float:
        def once() -> float:
            start = time.process_time()
            for one in lines:
                work(one)
            return time.process_time() - start

        return min(once() for _ in range(5))

    bare = cpu(lambda one: json.loads(one.raw))
    assert cpu(decoder.decode) < 20 * bare  # about 2 on a quiet machine; a reader in Python would take fifty
