from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.providers.retry_after import wait_asked

NOW = datetime(2025, 1, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "1"}, 1.0),
        ({"retry-after": " 3 "}, 3.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "86400"}, 86400.0),
        ({"retry-after": "Wed, 01 Jan 2025 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Wed, 01 Jan 2025 11:00:00 GMT"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "1"}, 1.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "1e3"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
)
def test_the_wait_that_a_server_asks_for(headers, seconds):
    assert wait_asked(headers, NOW) == seconds


def test_a_date_in_the_far_future_is_a_long_wait():
    assert wait_asked({"retry-after": "Wed, 21 Oct 2099 07:28:00 GMT"}, NOW) > 2e9


@given(st.text())
def test_no_header_raises(value):
    seconds = wait_asked({"Retry-After": value}, NOW)
    assert seconds is None or seconds >= 0
