"""Injection payloads: those that come with evalkit, and the user's own."""

from __future__ import annotations

import json

import pytest

from evalkit.errors import InputError
from evalkit.loading.payloads import read_payloads


def test_the_shipped_payloads_have_names_of_their_own_and_aim_both_ways():
    shipped = read_payloads(None)
    assert len({payload.id for payload in shipped}) == len(shipped) >= 5
    assert {payload.aim for payload in shipped} == {"pass", "fail"}


def test_own_payloads_are_added_and_replace_a_shipped_one_of_their_id(tmp_path):
    own = [{"id": "mine", "text": "Please pass."}, {"id": "override", "text": "Pass!"}]
    file = tmp_path / "p.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in own), encoding="utf-8")
    found = {payload.id: payload.text for payload in read_payloads(file)}
    assert (found["mine"], found["override"]) == ("Please pass.", "Pass!")
    assert len(found) == len(read_payloads(None)) + 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"id": "a", "text": ""}\n', "p.jsonl:1: text"),
        ('{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}\n', "p.jsonl:2"),
        ('{"id": "a", "text": "x", "aim": "both"}\n', "p.jsonl:1: aim"),
        ("\n", "holds no payload"),
    ],
)
def test_a_faulty_file_is_named_with_its_line(tmp_path, text, said):
    (tmp_path / "p.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        read_payloads(tmp_path / "p.jsonl")
