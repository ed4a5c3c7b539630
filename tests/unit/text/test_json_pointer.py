from __future__ import annotations

import pytest

from evalkit.text.json_pointer import resolve_pointer

# The document and the values of RFC 6901, section 5.
DOCUMENT = {"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, 'k"l': 6, " ": 7, "m~n": 8}


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("", DOCUMENT), ("/foo", ["bar", "baz"]), ("/foo/0", "bar"), ("/", 0), ("/a~1b", 1), ("/c%d", 2), ("/e^f", 3),
        ("/g|h", 4), ("/i\\j", 5), ('/k"l', 6), ("/ ", 7), ("/m~0n", 8),
    ],
)  # fmt: skip
def test_the_examples_of_the_standard_resolve(pointer: str, value: object) -> None:
    assert resolve_pointer(DOCUMENT, pointer) == value


def test_null_and_false_exist() -> None:
    assert resolve_pointer({"a": None, "b": False}, "/a") is None
    assert resolve_pointer({"a": None, "b": False}, "/b") is False


@pytest.mark.parametrize(
    "pointer",
    ["/bar", "/foo/2", "/foo/-", "/foo/00", "/foo/-1", "/foo/bar", "/foo/0/x", "/foo/\u0661", "/foo/" + "9" * 5000],
)
def test_what_does_not_exist_is_a_lookup_error(pointer: str) -> None:
    with pytest.raises(LookupError):
        resolve_pointer(DOCUMENT, pointer)


@pytest.mark.parametrize("pointer", ["foo", "#/foo", "/m~n", "/m~2n", "$.foo"])
def test_what_is_no_pointer_is_a_value_error(pointer: str) -> None:
    with pytest.raises(ValueError, match="no JSON Pointer"):
        resolve_pointer(DOCUMENT, pointer)


def test_a_tilde_one_that_was_escaped_stays_text() -> None:
    assert resolve_pointer({"~1": 1}, "/~01") == 1
