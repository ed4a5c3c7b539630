"""How much of a prompt two requests share."""

from __future__ import annotations

from itertools import takewhile

from hypothesis import given
from hypothesis import strategies as st

from evalkit.pipeline.plan_counts import shared_prefix


@given(st.text(alphabet="ab", max_size=40), st.text(alphabet="ab", max_size=40))
def test_the_shared_prefix_is_the_one_that_a_plain_loop_finds(one, other):
    assert shared_prefix(one, other) == sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    )


def test_equal_texts_share_everything_and_strangers_nothing():
    assert shared_prefix("x" * 10_000, "x" * 10_000) == 10_000
    assert shared_prefix("abc", "xbc") == 0
    assert shared_prefix("", "abc") == 0
