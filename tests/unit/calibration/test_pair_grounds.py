"""What a verdict on a pair rests on is said of whose answers they are, whatever their places were."""

from __future__ import annotations

from fakes.compared import line, order

from evalkit.calibration.pair_grounds import pair_grounds


def test_each_order_says_whom_it_preferred_by_name_and_quotes_by_whose_answer_it_is():
    found = pair_grounds(line("c1", order("ab", "A"), order("ba", "A")), "P1")
    assert found["candidates"] == ("new", "old")
    assert found["rationale"] == "A shown first as A: A (it says more); B shown first as A: B (it says more)"
    assert [(span["source"], span["quote"]) for span in found["evidence"]] == [
        ("answer A", "30 days"),
        ("answer B", "30 days"),
    ]


def test_a_tie_is_a_tie_and_of_the_whole_every_criterion_is_said():
    found = pair_grounds(line("c1", order("ab", "tie"), order("ba", "tie"), winner="tie"), "overall")
    assert found["rationale"] == "A shown first as A: tie (P1: tie); B shown first as A: tie (P1: tie)"
    assert len(found["evidence"]) == 2


def test_an_order_without_a_verdict_says_nothing():
    found = pair_grounds(line("c1", order("ab", "A"), order("ba", None), winner=None), "P1")
    assert found["rationale"] == "A shown first as A: A (it says more)"
