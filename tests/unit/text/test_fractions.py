from __future__ import annotations

from decimal import Decimal

import pytest

from evalkit.text.fractions import and_a_fraction, fraction_in_words, quotient, vulgar_value


@pytest.mark.parametrize(
    ("character", "part", "whole"), [("\u00bd", 1, 2), ("\u2153", 1, 3), ("\u215e", 7, 8), ("\u2189", 0, 3)]
)
def test_a_fraction_in_one_character_equals_its_quotient(character: str, part: int, whole: int) -> None:
    assert vulgar_value(character) == quotient(part, whole)


def test_the_fraction_behind_a_number_is_added() -> None:
    assert and_a_fraction("2 and a half hours", 1) == (12, Decimal("0.5"))
    assert and_a_fraction("2 and a house", 1) == (1, Decimal(0))


@pytest.mark.parametrize(
    ("text", "end", "value", "readings"),
    [
        ("two-thirds", 3, 2, (quotient(2, 3),)),
        ("two thirds", 3, 2, (quotient(2, 3), 2)),
        ("two quarters", 3, 2, (2, Decimal("0.5"))),
        ("two third parties", 3, 2, (2,)),
        ("one fifth", 3, 1, (Decimal("0.2"), 1)),
        ("two seats", 3, 2, (2,)),
    ],
)
def test_a_number_before_a_denominator_is_a_fraction_where_it_reads_as_one(
    text: str, end: int, value: int, readings: tuple[Decimal | int, ...]
) -> None:
    assert fraction_in_words(text, end, value)[1] == readings
