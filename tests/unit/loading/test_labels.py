"""Labels: joined by what they are about, refused where two readers could differ about what they say."""

from __future__ import annotations

import json

import pytest

from evalkit.errors import InputError
from evalkit.loading.labels import read_labels

HASH = "a" * 64


def line(**changes):
    return {
        "case_id": "c1",
        "output_sha256": HASH,
        "rubric": "faithfulness",
        "criterion": "F1",
        "label": "pass",
        "labeller": "ann",
        "design": "random",
        "inclusion_probability": 0.5,
        "split": "test",
        "blind": True,
        "labelled_at": "2026-11-30",
    } | changes


def read(tmp_path, *lines):
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    return read_labels(path)


def refusal(tmp_path, *lines):
    with pytest.raises(InputError) as caught:
        read(tmp_path, *lines)
    return str(caught.value)


def test_a_label_is_named_by_case_output_rubric_and_criterion(tmp_path):
    (label,) = read(tmp_path, line()).labels
    assert label.item == ("c1", HASH, "faithfulness", "F1")


def test_a_pair_has_two_hashes_and_verdicts_made_elsewhere_none(tmp_path):
    pair, elsewhere = read(
        tmp_path, line(output_sha256=[HASH, "b" * 64], label="tie"), line(output_sha256=None, rubric=None, label="A")
    ).labels
    assert pair.item[1] == (HASH, "b" * 64)
    assert elsewhere.item == ("c1", None, None, "F1")


@pytest.mark.parametrize("word", ["first", "pass", "a", "TIE"])
def test_a_pair_is_labelled_a_b_or_tie(tmp_path, word):
    pair = {"output_sha256": [HASH, "b" * 64]}
    message = refusal(tmp_path, line(**pair, label="A"), line(**pair, case_id="c2", label=word))
    assert f"labels.jsonl:2: label: is '{word}', and output_sha256 names a pair: A, B or tie was expected" in message


def test_a_pair_may_be_skipped(tmp_path):
    assert read(tmp_path, line(output_sha256=[HASH, "b" * 64], label=None)).labels[0].label is None


def test_three_hashes_are_one_fault_in_plain_words(tmp_path):
    message = refusal(tmp_path, line(output_sha256=[HASH, "b" * 64, "c" * 64], label="A"))
    assert "labels.jsonl:1: output_sha256: takes at most 2 entries, got 3" in message
    assert "validation" not in message


def test_a_skipped_label_is_kept_as_such(tmp_path):
    assert read(tmp_path, line(label=None)).labels[0].label is None


def test_the_same_label_twice_is_read_once(tmp_path):
    assert len(read(tmp_path, line(), line(note="again")).labels) == 1


def test_two_labellers_may_differ(tmp_path):
    assert len(read(tmp_path, line(), line(labeller="bob", label="fail")).labels) == 2


def test_one_labeller_with_two_labels_is_named_with_both_lines(tmp_path):
    message = refusal(tmp_path, line(), line(label="fail"))
    assert "labels.jsonl:2: label: is 'fail', and 'pass' on line 1" in message


def test_an_item_stands_in_one_split_only(tmp_path):
    message = refusal(tmp_path, line(), line(labeller="bob", split="dev"))
    assert "labels.jsonl:2: split: is dev, and test on line 1" in message


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"inclusion_probability": None}, "inclusion_probability"),
        ({"design": "by-verdict", "inclusion_probability": None}, "inclusion_probability"),
        ({"inclusion_probability": 0}, "inclusion_probability"),
        ({"inclusion_probability": 1.5}, "inclusion_probability"),
        ({"output_sha256": "abc"}, "output_sha256"),
        ({"output_sha256": [HASH]}, "output_sha256"),
        ({"label": 1}, "label"),
        ({"label": ""}, "label"),
        ({"label": " pass"}, "label"),
        ({"labeller": "ann\n"}, "labeller"),
        ({"design": "census"}, "design"),
        ({"split": "train"}, "split"),
        ({"blind": "yes"}, "blind"),
        ({"labelled_at": "yesterday"}, "labelled_at"),
        ({"annotator": "ann"}, "annotator"),
    ],
)
def test_what_does_not_fit_is_named_by_line_and_field(tmp_path, changes, field):
    assert f"labels.jsonl:1: {field}" in refusal(tmp_path, line(**changes))


@pytest.mark.parametrize("design", ["flips", "planted"])
def test_what_was_not_drawn_by_chance_needs_no_probability(tmp_path, design):
    assert read(tmp_path, line(design=design, inclusion_probability=None)).labels[0].design == design


def test_all_faults_come_at_once(tmp_path):
    message = refusal(tmp_path, line(label=1), line(blind=None), line(case_id="c2", split="x"))
    assert [f":{n}: " in message for n in (1, 2, 3)] == [True, True, True]


def test_a_file_without_labels_is_refused(tmp_path):
    assert "holds no label" in refusal(tmp_path)
