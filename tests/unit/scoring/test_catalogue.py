from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from evalkit.errors import InputError
from evalkit.records.suites import ScorerUse
from evalkit.scoring.catalogue import CATALOGUE, build_scorer
from evalkit.scoring.settings import Resources


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_every_name_leads_to_a_class(name: str) -> None:
    module, _, class_name = CATALOGUE[name].partition(":")
    assert callable(getattr(import_module(module), class_name))


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(InputError, match=r"suite\.yaml: unknown scorer 'citation' \(did you mean 'citations'\?\)"):
        build_scorer(ScorerUse(scorer="citation"), Resources(folder=Path()))


def test_a_name_unlike_any_lists_them_all() -> None:
    with pytest.raises(InputError, match="known scorers: approval, arithmetic, citations"):
        build_scorer(ScorerUse(scorer="zzzzzzzz"), Resources(folder=Path()))
