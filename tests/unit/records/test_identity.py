"""Identity: one canonical text per value, tagged hashes, no two contents under one name."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.records.identity import canonical_json, content_hash, text_sha256

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters()), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_canonical_json_reads_back_as_the_value(value):
    assert json.loads(canonical_json(value)) == value


@given(st.dictionaries(st.text(), st.integers(), max_size=6))
def test_the_order_of_keys_does_not_matter(value):
    turned = dict(reversed(value.items()))
    assert canonical_json(turned) == canonical_json(value)
    assert content_hash("t", turned) == content_hash("t", value)


@given(JSON, JSON)
def test_two_values_share_a_text_only_where_they_are_the_same_json(one, other):
    assert (canonical_json(one) == canonical_json(other)) == (
        json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    )


@given(JSON)
def test_canonical_json_is_ascii_without_spaces_between_tokens(value):
    text = canonical_json(value)
    assert text.isascii()
    assert b"\n" not in text


@given(
    st.lists(st.text(alphabet="a,|:\0\"' ", max_size=4), min_size=2, max_size=2),
    st.lists(st.text(alphabet="a,|:\0\"' ", max_size=4), min_size=2, max_size=2),
)
def test_parts_that_hold_separators_never_run_into_each_other(one, other):
    assert (content_hash("t", one) == content_hash("t", other)) == (one == other)


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, "1"), (1, True), (1, 1.0), (None, "null"), ([], {}), ("", None), (["a", "b"], ["ab"]), ({"a": 1}, {"a": "1"}), (0, False), ("é", "e\u0301")],
)  # fmt: skip
def test_values_that_look_alike_have_different_hashes(one, other):
    assert content_hash("t", one) != content_hash("t", other)


def test_the_tag_takes_part_in_the_hash():
    assert content_hash("rubric/1", "x") != content_hash("prompt/1", "x")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [float("-inf")]])
def test_what_is_no_number_has_no_identity(value):
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json(value)


def test_what_is_no_json_has_no_identity():
    with pytest.raises(TypeError):
        canonical_json({"a": {1, 2}})


def test_the_hash_of_a_text_is_that_of_a_file_that_holds_it():
    assert text_sha256("30 days\n") == hashlib.sha256(b"30 days\n").hexdigest()
    assert text_sha256("é") == hashlib.sha256("é".encode()).hexdigest()


def test_lone_surrogates_have_an_identity_of_their_own():
    assert len({text_sha256(text) for text in ("\ud800", "\udc00", "?", "\ufffd")}) == 4
    assert content_hash("t", "\ud800") != content_hash("t", "\\ud800")
