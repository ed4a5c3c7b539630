from __future__ import annotations

import pytest

from evalkit.classifiers.patience import Patience, Patiences
from evalkit.errors import ProviderError
from evalkit.providers.http_errors import status_error
from evalkit.providers.systemone_errors import systemone_error


def test_the_last_failure_that_is_allowed_in_a_row_ends_the_asking():
    patience = Patience(allowed=2)
    patience.failed("one")
    patience.answered()
    patience.failed("two", ProviderError("server", "two"))
    assert not patience.gave_up
    patience.failed("three")
    patience.failed("four")
    assert patience.gave_up == "three"


@pytest.mark.parametrize("error_of", [status_error, lambda *given: systemone_error(*given, None)])
@pytest.mark.parametrize(("status", "refused"), [(401, True), (403, True), (400, False), (402, False), (404, False)])
def test_a_refused_key_ends_it_at_once(error_of, status, refused):
    patience = Patience()
    patience.failed("no", error_of(status, "no", {}))
    assert bool(patience.gave_up) is refused


def test_whoever_asks_the_same_classifier_gives_up_with_the_others():
    patiences = Patiences(allowed=1)
    patiences.of({"style": "systemone", "model": "jev-1"}).failed("down")
    assert patiences.of({"model": "jev-1", "style": "systemone"}).gave_up == "down"
    assert not patiences.of({"model": "jev-2", "style": "systemone"}).is_over()
