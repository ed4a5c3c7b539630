"""What a run bought, in words."""

from __future__ import annotations

from evalkit.records.manifests import Purchases
from evalkit.reporting import wording


def test_a_replay_buys_nothing_and_says_where_its_replies_came_from():
    assert wording.purchases(Purchases(replayed=3)) == "nothing; 3 requests answered from a recording"


def test_a_run_that_asked_nobody_says_so():
    assert wording.purchases(Purchases()) == "nothing was asked over the network"
