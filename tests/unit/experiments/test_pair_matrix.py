from __future__ import annotations

from fakes.compared import line, order

from evalkit.experiments.pair_matrix import order_matrices


def test_the_verdicts_of_both_orders_are_counted_against_each_other():
    lines = [
        line("c1", order("ab", "A"), order("ba", "B")),
        line("c2", order("ab", "A"), order("ba", "A")),
        line("c3", order("ab", "tie"), order("ba", "B")),
        line("c4", order("ab", "A"), order("ba", "B")),
    ]
    matrix = next(one for one in order_matrices(lines) if one.criterion == "overall")
    assert (matrix.first, matrix.second, matrix.capability) == ("new", "old", "tone")
    assert matrix.counts == {("first", "first"): 2, ("first", "second"): 1, ("tie", "first"): 1}


def test_each_sample_counts_and_an_order_without_a_verdict_counts_nowhere():
    samples = line("c1", order("ab", "A"), order("ba", "B"), order("ab", "B", sample=1), order("ba", "A", sample=1))
    broken = line("c2", order("ab", "A"), order("ba", None))
    matrix = next(one for one in order_matrices([samples, broken]) if one.criterion == "overall")
    assert matrix.counts == {("first", "first"): 1, ("second", "second"): 1}
    assert order_matrices([broken]) == []
