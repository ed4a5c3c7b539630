"""Which cases of a walk take part, and names that nobody answers to."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalkit.errors import UsageError
from evalkit.pipeline.request import RunRequest, Selector
from evalkit.records.cases import Case


def chosen(golden: list[Case], **options) -> list[str]:
    selector = Selector(RunRequest(suite=Path("s"), **options))
    taken = [case.id for case in golden if selector.takes(case)]
    selector.check(len(golden))
    return taken


GOLDEN = [Case(id=f"c{n}", input="?", tags=("even",) if n % 2 == 0 else ("odd",)) for n in range(6)]


def test_without_options_every_case_takes_part():
    assert chosen(GOLDEN) == [case.id for case in GOLDEN]
    assert RunRequest(suite=Path("s")).selection == {}


def test_case_tag_and_limit_narrow_together():
    assert chosen(GOLDEN, cases=("c1", "c4")) == ["c1", "c4"]
    assert chosen(GOLDEN, tags=("odd",), limit=2) == ["c1", "c3"]
    assert chosen(GOLDEN, cases=("c1", "c4"), tags=("odd",)) == ["c1"]
    assert RunRequest(suite=Path("s"), cases=("c1",), limit=0).selection == {"case": ["c1"], "limit": 0}


@pytest.mark.parametrize("options", [{"cases": ("c1", "nobody")}, {"tags": ("odd", "nobody")}])
def test_a_name_that_no_case_has_is_an_error_even_beside_one_that_some_have(options):
    with pytest.raises(UsageError, match="nobody"):
        chosen(GOLDEN, **options)


def test_a_name_beyond_the_limit_is_no_misspelling():
    assert chosen(GOLDEN, tags=("odd", "even"), limit=1) == ["c0"]


def test_a_selection_of_nothing_is_an_error():
    with pytest.raises(UsageError, match="none of 6 cases"):
        chosen(GOLDEN, limit=0)
    with pytest.raises(UsageError, match="none of 6 cases"):
        chosen(GOLDEN, cases=("c1",), tags=("even",))
