"""A pair's label named either way round."""

from __future__ import annotations

import pytest
from fakes.labels import label_of

from evalkit.records.labels import item_key

ONE, OTHER, THIRD = "a" * 64, "b" * 64, "c" * 64


@pytest.mark.parametrize(("said", "turned"), [("A", "B"), ("B", "A"), ("tie", "tie"), (None, None)])
def test_a_turned_label_names_the_same_answer_and_turns_back(said, turned):
    label = label_of("c1", said, output_sha256=[ONE, OTHER])
    other = label.named_as((OTHER, ONE))
    assert (other.label, other.output_sha256) == (turned, (OTHER, ONE))
    assert other.named_as((ONE, OTHER)) == label
    assert label.item != other.item
    assert item_key(label.item) == item_key(other.item)


def test_a_label_of_other_texts_or_of_one_answer_stays_as_it_is():
    label = label_of("c1", "A", output_sha256=[ONE, OTHER])
    assert label.named_as((ONE, THIRD)) is label
    assert label.named_as((ONE, OTHER)) is label
    single = label_of("c1", "pass", output_sha256=ONE)
    assert single.named_as((ONE, OTHER)) is single
