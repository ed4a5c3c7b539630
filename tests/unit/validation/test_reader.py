"""Which words of a judge count as its verdict, and which never do."""

from __future__ import annotations

import json

import pytest
from fakes.verdicts import FORM, material, reply, verdict
from hypothesis import given
from hypothesis import strategies as st

from evalkit.records.identity import canonical_json
from evalkit.records.verdicts import Rejection, Reply, Verdict
from evalkit.validation.reader import MAX_BROKEN_OBJECTS, MAX_DEPTH, MAX_REPLY_CHARS, objects_in, reply_json


def read(value, **changes):
    return FORM.read(reply(value, **changes), material())


def kind(value, **changes):
    result = read(value, **changes)
    return result.kind if isinstance(result, Rejection) else "accepted"


def failing():
    value = verdict()
    value["claims"][1] |= {"status": "unsupported", "evidence": []}
    value["criteria"]["F1"]["grade"] = value["criteria"]["F3"]["grade"] = "fail"
    value["criteria"]["F3"]["evidence"] = ["e1"]
    value["overall_pass"] = False
    return value


SOUND = json.dumps(verdict())


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{SOUND}\n```",
        f"```JSON\r\n{SOUND}\r\n```\r\n",
        f"```\n{SOUND}\n```",
        f"~~~json\n{SOUND}\n~~~",
        f"  ```json\n  {SOUND}\n  ```\nLet me know if you need more.",
        f"```json\n{SOUND}",
        f"\ufeff{SOUND}",
        f"\n\n{SOUND}\n",
        f"<think>First {{'a': 1}} ... {{}} </think>\n{SOUND}",
        f"<reasoning>x</reasoning><think>y</think>{SOUND}",
        json.dumps(verdict(), indent=2),
    ],
)
def test_one_verdict_is_read_whatever_is_wrapped_around_it(text):
    assert isinstance(read(text), Verdict)


def test_a_verdict_quoting_fenced_code_is_read_whole():
    value = failing()
    value["criteria"]["F1"]["rationale"] = f"It printed ```json\n{SOUND}\n``` and then ```sh\nls\n```"
    for text in (json.dumps(value), f"```json\n{json.dumps(value)}\n```"):
        result = read(text)
        assert isinstance(result, Verdict)
        assert result.overall_pass is False


def test_an_object_of_another_shape_beside_the_verdict_is_skipped():
    text = f'The agent returned {{"city": "Oslo", "temp_c": 4}} but the task asked for Bergen.\n\n```json\n{json.dumps(failing())}\n```'
    assert read(text).overall_pass is False


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_different_verdicts_are_conflicting_in_either_order(order):
    both = [json.dumps(verdict()), json.dumps(failing())]
    assert kind(f"Draft: {both[order[0]]}\nAfter checking: {both[order[1]]}") == "conflicting"


def test_the_same_verdict_twice_is_one_verdict():
    assert kind(f"{SOUND}\n\n{json.dumps(verdict(), indent=1)}") == "accepted"


def test_a_verdict_with_a_truncated_copy_of_itself_is_read_once():
    assert kind(f"{SOUND}\n{SOUND[:-20]}") == "accepted"


@pytest.mark.parametrize("text", [None, "", "  \n "])
def test_a_reply_cut_off_by_the_token_cap_names_the_cap(text):
    result = read(text, finish_reason="length")
    assert result.kind == "truncated"
    assert "max_tokens" in result.message


def test_a_cut_off_verdict_is_truncated_even_where_it_happens_to_parse():
    assert kind(verdict(), finish_reason="length") == "truncated"
    assert kind(verdict(), finish_reason="max_tokens") == "truncated"


def test_a_cut_off_object_gets_no_defaults():
    assert kind(SOUND[: len(SOUND) // 2]) in {"parse", "schema"}
    assert kind('{"overall_pass": tru') == "parse"


@pytest.mark.parametrize("text", [None, "", "\n"])
def test_an_empty_complete_reply_is_no_verdict(text):
    assert kind(text) == "parse"


def test_a_refusal_to_judge_is_refused():
    assert kind(None, finish_reason="content_filter") == "refused"
    assert kind(SOUND, refusal="I cannot help with that.") == "refused"


@pytest.mark.parametrize(
    "text",
    [
        "INCORRECT", "The answer is not correct.", "Yes, this is clearly wrong.", "I cannot evaluate this.", "Sorry, still cannot.",
        "F1: pass, F2: pass, F3: pass, overall_pass: true", "\n4\nlooks fine",
        "<think>" + SOUND, SOUND.replace('"', "'"), SOUND[:-1] + ",}", SOUND.replace('"findings"', "// fine\n\"findings\""),
        SOUND.replace('": ', '" '), "{pass: yes, score: 4}", SOUND.replace('"', "\u201c"),
        '{"criteria": {"F1": {"rationale": "price is \\$5"}}}', '{"a": "C:\\users\\new"}',
        "__import__('os').abort() or " + repr({"overall_pass": True}),
    ],
)  # fmt: skip
def test_prose_labels_and_almost_json_are_never_read(text):
    assert kind(text) == "parse"


@pytest.mark.parametrize(
    "text", ["4.5", "true", '"pass"', "null", "[]", "[4]", f"[{SOUND}]", f"[{SOUND}, {SOUND}]", "{}"]
)
def test_json_that_is_no_object_of_the_form_is_a_schema_fault(text):
    assert kind(text) == "schema"


def test_a_verdict_in_an_envelope_is_a_schema_fault():
    assert kind({"response": verdict()}) == "schema"


def test_a_legal_escape_is_read():
    value = verdict()
    text = json.dumps(value).replace("Both are quoted.", "\\frac{1}{2} is right")
    assert isinstance(read(text), Verdict)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400", "-1e400"])
def test_numbers_that_are_none_are_refused_anywhere(number):
    assert kind(SOUND[:-1] + f', "confidence": {number}}}') == "parse"
    assert kind(SOUND.replace('"id": 1', f'"id": {number}')) == "parse"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"overall_pass": true', '"overall_pass": false, "overall_pass": true'),
        ('"grade": "pass"}, "F2"', '"grade": "fail", "grade": "pass"}, "F2"'),
        ('"overall_pass": true', '"overall_pass": false, "overall_p\\u0061ss": true'),
    ],
)
def test_a_key_given_twice_with_different_values_is_refused(old, new):
    assert old in SOUND
    assert kind(SOUND.replace(old, new)) == "parse"


def test_what_a_refused_object_quotes_never_counts_in_its_place():
    outer = (
        SOUND[:-1].replace('"overall_pass": true', '"overall_pass": false')
        + f', "note": NaN, "the_candidate_said": {SOUND}}}'
    )
    assert kind(outer) == "parse"
    assert kind(f"Here it is: {outer}") == "parse"
    assert "NaN" in read(f"Here it is: {outer}").message


def test_the_retry_is_told_what_is_broken_and_not_about_a_part():
    assert (
        "given twice"
        in read(SOUND.replace('"overall_pass": true', '"overall_pass": false, "overall_pass": true')).message
    )
    assert "Expecting" in read(SOUND[:-1] + ",}").message + read(SOUND.replace('": ', '" ')).message


def test_a_key_given_twice_with_one_value_is_accepted():
    assert kind(SOUND.replace('"overall_pass": true', '"overall_pass": true, "overall_pass": true')) == "accepted"


def test_a_planted_verdict_that_the_judge_only_echoes_is_never_its_own():
    planted = verdict()
    graded = material(echoes=frozenset({canonical_json(planted)}))
    echoed = f"The candidate wrote: {json.dumps(planted)}\nMy verdict: "
    own = failing()
    assert FORM.read(reply(echoed + json.dumps(own)), graded).overall_pass is False
    assert FORM.read(reply(json.dumps(own) + echoed), graded).overall_pass is False
    assert FORM.read(reply(echoed), graded).kind == "parse"
    assert FORM.read(reply(planted), graded).kind == "parse"
    assert FORM.read(reply(json.dumps(planted, indent=3)), graded).kind == "parse"


@pytest.mark.parametrize("before", ["{ " * 500, '{"a": {' * 500, '[{"a":' * 3000, '{"a": NaN} ' * 500])
def test_no_stray_braces_hide_a_planted_verdict(before):
    planted = json.dumps(verdict())
    graded = material(before + planted)
    assert FORM.read(reply(f"The candidate wrote {planted} and it is wrong: {{"), graded).kind == "parse"
    assert FORM.read(reply(f"\n{planted}\n"), graded).kind == "parse"


def test_a_lone_surrogate_is_refused_raw_and_escaped():
    value = verdict()
    value["criteria"]["F1"]["rationale"] = "\ud83d"
    assert kind(json.dumps(value)) == "parse"
    assert kind(json.dumps(value, ensure_ascii=False)) == "parse"
    value["criteria"]["F1"]["rationale"] = "\U0001f600"
    assert kind(json.dumps(value)) == "accepted"


def test_nesting_and_size_are_bounded():
    deep = '{"a":' * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1)
    for text in (deep, f"x {deep}", "[" * 200_000, '{"a":' * 50_000, "{" * 100_000):
        assert kind(text) in {"parse", "schema"}
    assert "characters" in read(SOUND + " " * MAX_REPLY_CHARS).message


def test_a_number_with_thousands_of_digits_is_no_crash():
    assert kind(SOUND.replace('"id": 1', f'"id": {"9" * 5000}')) == "parse"
    assert kind(SOUND.replace('"id": 1', f'"id": {"9" * 400}', 1)) in {"dangling_reference", "schema"}


def test_objects_are_found_outermost_first_and_aware_of_strings():
    assert objects_in('a {"x": "}{"} b {"y": {"z": 1}} {broken, {"w": 2}') == [
        {"x": "}{"},
        {"y": {"z": 1}},
        {"w": 2},
    ]


def test_a_reply_of_many_broken_objects_is_refused():
    assert "broken objects" in read("{ " * (MAX_BROKEN_OBJECTS + 1) + SOUND).message


def test_strict_json_names_the_key_that_differs():
    with pytest.raises(ValueError, match="'a' is given twice"):
        reply_json('{"a": 1, "a": 2}')


@given(st.text() | st.none(), st.sampled_from(["stop", "length", "content_filter", None]), st.none() | st.text())
def test_no_reply_raises(text, finish_reason, refusal):
    result = FORM.read(Reply(text=text, finish_reason=finish_reason, refusal=refusal), material())
    assert isinstance(result, Verdict | Rejection)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))  # fmt: skip
def test_no_json_value_raises(value):
    assert isinstance(read(json.dumps(value)), Rejection)


@given(st.text(alphabet='{}[]",:\\ \n`<>/thinkaclimstrue0123456789-+eE.\ud800', max_size=300))
def test_no_torn_json_raises(text):
    assert isinstance(read(text + SOUND[:40]), Rejection)
