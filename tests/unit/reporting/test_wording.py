"""What a run bought, in words."""

from __future__ import annotations

from evalkit.records.manifests import Purchases
from evalkit.reporting import wording


def test_a_replay_buys_nothing_and_says_where_its_replies_came_from():
    assert wording.purchases(Purchases(replayed=3)) == "nothing; 3 requests answered from a recording"


def test_a_run_that_asked_nobody_says_so():
    assert wording.purchases(Purchases()) == "nothing was asked over the network"


def test_a_reference_failure_says_the_contradiction_before_what_is_missing():
    facts = [{"text": "5 seats", "status": "missing"}, {"text": "10 dollars", "status": "contradicted"}]
    line = {"reason": "R.", "facts": facts, "contradictions": [{"text": "It is free."}]}
    assert wording.why(line) == 'contradicted fact "10 dollars"; R.'
    assert wording.why(line | {"facts": facts[:1]}) == 'against the reference: "It is free."; R.'
    assert wording.why({"reason": "R.", "facts": facts[:1], "contradictions": []}) == 'missing fact "5 seats"; R.'
    assert wording.why({"reason": "R.", "facts": [], "contradictions": []}) == "R."
