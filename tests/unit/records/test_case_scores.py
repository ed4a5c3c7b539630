from __future__ import annotations

import pytest
from pydantic import ValidationError

from evalkit.records.case_scores import CaseTable, RowScores, digests


def test_a_row_counts_its_cases():
    row = RowScores(row=0, codes="pfv.Ap", reasons={"A": "no_expectation"}, values=(1.0, 0.0, 0.5, 1.0))
    assert (row.scored, row.excluded) == (4, 1)


@pytest.mark.parametrize(
    "fields",
    [
        {"codes": "pX"},
        {"codes": "p", "reasons": {"p": "missing_output"}},
        {"codes": "pv"},
        {"codes": "pf", "values": (1.0,)},
        {"codes": "pf", "asked": "0" * 31},
    ],
    ids=["unknown code", "a result as a reason", "no values", "a value too few", "a digit too few"],
)
def test_a_row_whose_parts_do_not_go_together_is_refused(fields):
    with pytest.raises(ValidationError):
        RowScores(row=0, **fields)


@pytest.mark.parametrize(
    "fields",
    [{"golden": "0" * 16}, {"outputs": "0" * 33}, {"clusters": ("a",)}],
    ids=["golden", "outputs", "clusters"],
)
def test_a_table_has_one_entry_of_each_kind_for_a_case(fields):
    with pytest.raises(ValidationError):
        CaseTable(**{"cases": ("a", "b"), "golden": "0" * 32, "outputs": "0" * 32, **fields})


def test_digests_stand_one_after_the_other():
    assert list(digests("a" * 16 + "b" * 16)) == ["a" * 16, "b" * 16]
