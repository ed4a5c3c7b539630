"""YAML to records: text stays what was written, nothing runs or explodes, faults name line and field."""

from __future__ import annotations

import os
import time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import Fault, InputError
from evalkit.loading.yaml_files import read_document, read_record
from evalkit.loading.yaml_nodes import plain_scalar
from evalkit.records.judges import JudgeConfig
from evalkit.records.lexicons import Lexicon
from evalkit.records.suites import Suite


@pytest.fixture(params=["libyaml", "pure Python"])
def reader(request, monkeypatch):
    if request.param == "pure Python":
        monkeypatch.delattr(yaml, "CBaseLoader", raising=False)


@pytest.fixture
def file(tmp_path, reader):
    def write(text: str | bytes):
        path = tmp_path / "file.yaml"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    return write


def faults(path, model=Suite) -> list:
    with pytest.raises(InputError) as caught:
        read_record(model, path)
    return list(caught.value.faults)


def suite(extra: str = "", name: str = "s") -> str:
    return f"name: {name}\ncapabilities:\n  - name: c\n    scorers: [{{scorer: exact_match}}]\n{extra}"


@pytest.mark.parametrize(
    "name", ["no", "on", "1", "1.0", "1_000", "0x1F", "0o17", "012", "12:30", "2024-05-01", "1e3", "true", "-0"]
)
def test_ids_are_what_was_written(file, name):
    assert read_record(Suite, file(suite(name=name))).record.name == name


def test_text_in_lists_and_keys_is_what_was_written_too(file):
    text = suite("    cases: {ids: [1, 1.0, no, 2024-05-01, 'x'], tags: [on]}\n")
    selection = read_record(Suite, file(text)).record.capabilities[0].cases
    assert (selection.ids, selection.tags) == (("1", "1.0", "no", "2024-05-01", "x"), ("on",))


def test_null_is_not_text(file):
    assert faults(file(suite(name="null")))[0].problem == "expected text, got null"


def test_settings_keep_the_kind_that_yaml_gives_them(file):
    text = "name: s\ncapabilities: [{name: c, scorers: [{scorer: f1, min: 0, on: yes, flag: true, v: 1.50, q: '1', 5: x}]}]\n"
    settings = read_record(Suite, file(text)).record.capabilities[0].scorers[0].settings
    assert settings == {"min": 0, "on": "yes", "flag": True, "v": 1.5, "q": "1", "5": "x"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("Null", None),
        ("TRUE", True),
        ("yes", "yes"),
        ("010", 10),
        ("0o10", 8),
        ("0xff", 255),
        ("-1.5e3", -1500.0),
        (".5", 0.5),
        ("1.", 1.0),
        ("1_000", "1_000"),
        ("190:20:30", "190:20:30"),
        ("<<", "<<"),
        ("=", "="),
        ("1e", "1e"),
    ],
)
def test_plain_scalars_follow_the_core_schema(text, value):
    found = plain_scalar(text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("value", ['"false"', "'no'", "no", "0", '"true"', "null"])
def test_text_is_no_boolean(file, value):
    [found] = faults(file(f"structured_output: {value}\n"), JudgeConfig)
    assert found.field == "structured_output"
    assert found.problem.startswith("expected true or false, got ")


@pytest.mark.parametrize("value", [".nan", ".inf", "-.INF", "1e999", '"0.8"', "true"])
def test_a_threshold_is_a_finite_number(file, value):
    [found] = faults(file(suite(f"gates:\n  - capability: c\n    criterion: exact_match\n    min: {value}\n")))
    assert found.line == 8


def test_a_threshold_of_zero_is_a_threshold(file):
    text = suite("gates: [{capability: c, criterion: exact_match, min: 0, max: 0.0}]\n")
    gate = read_record(Suite, file(text)).record.gates[0]
    assert (gate.min, gate.max) == (0, 0)


def test_all_faults_come_at_once_with_line_field_and_nearest_name(file):
    found = faults(
        file("nmae: x\nversion: [1]\ncapabilities:\n  - name: c\n    judges:\n      - rubric: r\ngolden: 5\n")
    )
    assert {(fault.line, fault.field): fault.problem for fault in found} == {
        (1, "name"): "is missing",
        (1, "nmae"): "unknown field",
        (2, "version"): "expected text, got a list",
        (5, "capabilities.0.judges"): "unknown field",
    }
    assert {fault.field: fault.remedy for fault in found}["capabilities.0.judges"] == "did you mean 'judge'?"
    assert all(fault.file.endswith("file.yaml") for fault in found)


def test_an_unknown_field_without_a_near_name_lists_the_known_ones(file):
    [found] = faults(file("id: x\nversion: 1\nterms: []\nqqqq: 1\n"), Lexicon)
    assert found.remedy == "known fields: schema_version, id, version, terms, left_to_judge"


def test_what_the_parser_says_is_not_cut_within_a_word(file):
    [found] = faults(file("name: x\nversion: @y\n"))
    assert found.problem.startswith("is not valid YAML: while scanning for the next token found character")
    assert found.problem.endswith("that cannot start any token")


def test_a_key_that_stands_twice_names_both_lines(file):
    [found] = faults(file("name: s\nbudgets:\n  judge_error: 0.1\n  judge_error: 0.9\n"))
    assert (found.line, found.problem) == (4, "the key 'judge_error' stands twice, on lines 3 and 4")


def test_a_tag_runs_nothing(file, tmp_path):
    [found] = faults(file(f'name: !!python/object/apply:os.mkdir ["{tmp_path}/made"]\n'))
    assert "is not allowed" in found.problem
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("value", ["!!int '5'", "!!str 5", "!custom x", "! x", "!!binary aGk=", "!!set {a}"])
def test_no_tag_is_taken(file, value):
    assert "the tag" in faults(file(f"name: {value}\n"))[0].problem


def test_a_bomb_of_aliases_is_refused_quickly(file):
    rows = ["a0: &a0 [z,z,z,z,z,z,z,z,z]"]
    rows += [f"a{n}: &a{n} [" + ",".join([f"*a{n - 1}"] * 9) + "]" for n in range(1, 30)]
    start = time.process_time()
    assert "expands to more than" in faults(file("\n".join(rows)))[0].problem
    assert time.process_time() - start < 20  # undone it does not end


def test_aliases_that_nest_deeper_than_the_text_are_refused(file):
    rows = ["a0: &a0 [z]"] + [f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 2000)]
    assert "levels deep" in faults(file("\n".join(rows)))[0].problem


@pytest.mark.parametrize("text", ["a: &l {self: *l}", "a: &l [*l]", "&l a: &l [[*l]]"])
def test_a_value_that_contains_itself_is_refused(file, text):
    assert "stands in" in faults(file(text))[0].problem


def test_plain_aliases_work_and_each_use_is_read_for_itself(file):
    text = "name: &v 1.0\nversion: *v\ncapabilities: [{name: *v, scorers: [{scorer: token_f1, min: *v}]}]\n"
    record = read_record(Suite, file(text)).record
    assert (record.name, record.version, record.capabilities[0].name) == ("1.0", "1.0", "1.0")
    assert record.capabilities[0].scorers[0].settings == {"min": 1.0}


def test_an_unknown_alias_is_named(file):
    assert (
        "*none has no anchor" in faults(file("name: *none\n"))[0].problem
        or "undefined alias" in faults(file("name: *none\n"))[0].problem
    )


@pytest.mark.parametrize("depth", [60, 100_000])
def test_deep_nesting_is_refused(file, depth):
    assert "nest" in faults(file("a: " + "[" * depth))[0].problem


@pytest.mark.parametrize("text", ["? [a]\n: 1", "? {a: b}\n: 1", "{[a]: 1}"])
def test_keys_are_text(file, text):
    assert "as a key" in faults(file(text))[0].problem


@pytest.mark.parametrize("text", ["", "# only a comment\n", "- a\n- b\n", "just text\n", "a: 1\n---\nb: 2\n"])
def test_a_file_is_one_mapping(file, text):
    assert faults(file(text))


@pytest.mark.parametrize(
    "text", ["name: [1, 2\n", "name: 'x\n", "a: b: c\n", "\tname: x\n", "name: @x\n", "name: x\n  bad: y\n"]
)
def test_a_syntax_error_names_its_line(file, text):
    [found] = faults(file(text))
    assert "not valid YAML" in found.problem
    assert found.line


@pytest.mark.parametrize("char", ["\x00", "\x07", "\x08", "\x1b", "\x7f"])
def test_control_characters_are_named_with_their_line(file, char):
    [found] = faults(file(f"name: s\n# {char}\n"))
    assert (found.line, "control character" in found.problem) == (2, True)
    assert char not in str(found)


def test_escapes_in_double_quotes_are_kept(file):
    assert read_record(Suite, file(suite(name='"\\b\\0\\e \\u202e"'))).record.name == "\b\0\x1b \u202e"


def test_a_byte_order_mark_and_crlf_are_accepted(file):
    text = b"\xef\xbb\xbf" + suite().replace("\n", "\r\n").encode()
    assert read_record(Suite, file(text)).record.name == "s"


def test_other_encodings_are_named(file):
    assert "UTF-16" in faults(file(suite().encode("utf-16")))[0].problem
    [found] = faults(file(b"# ok\nname: caf\xe9\n"))
    assert (found.line, "byte 0xe9 at offset 14" in found.problem) == (2, True)


def test_a_file_that_is_too_large_is_refused(file):
    assert "larger than 1 MiB" in faults(file("# " + "x" * (1 << 20)))[0].problem


def test_a_missing_file_a_folder_and_a_pipe_are_named(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path, problem in (
        (tmp_path / "none", "does not exist"),
        (tmp_path, "is a folder"),
        (tmp_path / "pipe", "no regular file"),
    ):
        with pytest.raises(InputError, match=problem):
            read_document(path)


def test_a_number_of_over_4300_digits_is_a_clear_fault(file):
    assert "5000 digits" in faults(file("name: " + "1" * 5000 + "\n"))[0].problem


@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_no_text_raises_anything_but_an_input_error(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_text(text, encoding="utf-8", newline="")
    try:
        found = [read_record(Suite, path).record]
    except InputError as error:
        found = error.faults
    assert found
    assert all(isinstance(one, Suite | Fault) for one in found)


@given(name=st.from_regex(r"[A-Za-z0-9._+-]{1,12}", fullmatch=True))
def test_any_word_without_quotes_is_itself(tmp_path_factory, name):
    path = tmp_path_factory.getbasetemp() / "word.yaml"
    path.write_text(suite(name=name), encoding="utf-8")
    if name in {"-", "---", "..."} or needs_quotes(name):
        faults(path)
    else:
        assert read_record(Suite, path).record.name == name


def needs_quotes(name: str) -> bool:
    """Tell whether a word means null or a number that is not finite, which need quotes."""
    try:
        return plain_scalar(name) is None
    except ValueError:
        return True
