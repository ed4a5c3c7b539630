from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.text.periods import periods


def read(text: str) -> list[tuple[str, int, int | None]]:
    return [(period.kind, period.number, period.year) for period in periods(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Q3 2024", "q3 2024", "Q3/2024", "Q3-2024", "Q3, 2024", "2024-Q3", "2024 Q3", "Q3 '24", "Q3\u201924", "Q3 FY2024", "Q3FY24", "FY24 Q3",
        "3Q24", "3Q 2024", "the third quarter of 2024", "3rd quarter 2024", "(Q3 2024)", "**Q3 2024**.",
    ],
)  # fmt: skip
def test_a_quarter_is_one_in_every_notation(text: str) -> None:
    assert read(text) == [("Q", 3, 2024)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("in Q4", [("Q", 4, None)]),
        ("Q3 and Q4 2024", [("Q", 3, None), ("Q", 4, 2024)]),
        ("Q3/Q4, Q1-Q2", [("Q", 3, None), ("Q", 4, None), ("Q", 1, None), ("Q", 2, None)]),
        ("H1 2024, 2H24", [("H", 1, 2024), ("H", 2, 2024)]),
        ("first half of 2023", [("H", 1, 2023)]),
        ("FY25 and FY2026", [("FY", 0, 2025), ("FY", 0, 2026)]),
        ("fourth quarter", [("Q", 4, None)]),
    ],
)
def test_halves_fiscal_years_and_labels_without_a_year_are_read(
    text: str, expected: list[tuple[str, int, int | None]]
) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "H1 and H2 headings", "the first half", "H2O", "Q42", "Q5", "H4 2024", "2h24", "a quarter of it", "https://example.org/q3-2024/a",
        "q3@example.org", "Q3-report.pdf", "faq3", "case_Q3", "",
    ],
)  # fmt: skip
def test_names_headings_and_durations_are_no_periods(text: str) -> None:
    assert read(text) == []


def test_hostile_texts_cost_little() -> None:
    start = time.process_time()
    for text in ("Q3 " * 10_000, "FY" * 20_000 + "FY1", "Q3" + " " * 50_000, "2024 " * 10_000 + "Q1"):
        periods(text)
    assert time.process_time() - start < 20  # some tens of times what it takes; what is not linear takes minutes


@given(st.text(alphabet="QHFY1234 20-/'of\nquarterfirst"))
def test_periods_are_in_order_and_apart(text: str) -> None:
    end = 0
    for period in periods(text):
        assert end <= period.start < period.end
        end = period.end
