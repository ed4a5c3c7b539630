from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from fakes.label_sheets import answer, answers, label
from fakes.pairs import preference
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import UsageError
from evalkit.labelling.draw import Request, _dealt, draw
from evalkit.labelling.pairs import BY_ORDER, asked_of_pairs
from evalkit.records.identity import text_sha256


def many(tmp_path, count=40, failed=10):
    """Answers a00, a01, ...; the first `failed` of them failed by F1, all passed by F2."""
    found = [answer(f"a{n:02}", F1="fail" if n < failed else "pass", F2="pass") for n in range(count)]
    return answers(tmp_path, *found)


def ids(drawn, criterion="F1"):
    return [row.answer.case.id for row in drawn.rows if row.criterion.id == criterion]


def test_a_random_draw_asks_all_criteria_of_each_answer_with_one_chance(tmp_path):
    drawn = draw(many(tmp_path), Request(n=10))
    assert {row.probability for row in drawn.rows} == {0.25}
    assert len(ids(drawn)) == 10
    assert ids(drawn) == ids(drawn, "F2")


def test_the_same_seed_draws_the_same_answers_in_the_same_order_and_another_seed_others(tmp_path):
    source = many(tmp_path)
    first = ids(draw(source, Request(n=10, seed=3)))
    shuffled = answers(tmp_path / "again", *reversed(source.answers))
    assert ids(draw(shuffled, Request(n=10, seed=3))) == first
    assert ids(draw(source, Request(n=10, seed=4))) != first


def test_a_larger_draw_holds_the_smaller_one(tmp_path):
    source = many(tmp_path)
    assert set(ids(draw(source, Request(n=5)))) < set(ids(draw(source, Request(n=15))))


def test_more_than_there_are_is_a_census(tmp_path):
    drawn = draw(many(tmp_path, count=4), Request(n=60))
    assert {row.probability for row in drawn.rows} == {1.0}
    assert len(ids(drawn)) == 4


def test_every_answer_is_drawn_about_as_often_as_its_chance_says(tmp_path):
    source = many(tmp_path, count=20)
    seen = Counter(name for seed in range(200) for name in ids(draw(source, Request(n=5, seed=seed))))
    assert len(seen) == 20
    assert all(25 <= count <= 80 for count in seen.values())  # 50 expected, SD 6.1: five of them


def test_by_verdict_takes_half_from_each_verdict_and_says_each_ones_chance(tmp_path):
    drawn = draw(many(tmp_path), Request(n=10, design="by-verdict", criteria=("F1",)))
    chances = Counter((row.answer.grades["F1"], row.probability) for row in drawn.rows)
    assert chances == {("fail", 0.5): 5, ("pass", 5 / 30): 5}


def test_a_short_stratum_is_taken_whole_and_filled_up_from_the_other(tmp_path):
    drawn = draw(many(tmp_path, failed=2), Request(n=10, design="by-verdict", criteria=("F1",)))
    chances = Counter((row.answer.grades["F1"], row.probability) for row in drawn.rows)
    assert chances == {("fail", 1.0): 2, ("pass", 8 / 38): 8}


def test_by_verdict_draws_for_each_criterion_on_its_own_and_names_what_is_outside(tmp_path):
    found = [answer(f"a{n}", F1="pass" if n % 2 else "partial", F2="not_applicable") for n in range(6)]
    drawn = draw(answers(tmp_path, *found), Request(n=4, design="by-verdict"))
    assert {row.criterion.id for row in drawn.rows} == {"F1"}
    assert "faithfulness/faithfulness/F2: outside both strata and not drawn: 6 not_applicable" in drawn.notes


def test_the_order_of_a_sheet_does_not_tell_the_strata_apart(tmp_path):
    drawn = draw(many(tmp_path), Request(n=20, design="by-verdict", criteria=("F1",)))
    grades = [row.answer.grades["F1"] for row in drawn.rows]
    assert grades != sorted(grades)
    assert grades != sorted(grades, reverse=True)


def test_flips_come_in_their_order_then_the_runs_own_and_carry_no_chance(tmp_path):
    found = [answer("a1", F1="pass"), answer("a2", F1="unstable"), answer("a3", F1="pass")]
    source = answers(tmp_path, *found)
    flips = [("a3", found[2].sha256, "faithfulness", "F1"), ("a1", "0" * 64, "faithfulness", "F1")]
    drawn = draw(source, Request(n=5, design="flips"), flips=flips)
    assert set(ids(drawn)) == {"a2", "a3"}
    assert {row.probability for row in drawn.rows} == {None}
    assert ids(draw(source, Request(n=1, design="flips"), flips=flips)) == ["a3"]


def test_planted_draws_what_carries_a_fault_on_the_criteria_that_are_known(tmp_path):
    source = many(tmp_path, count=6)
    drawn = draw(source, Request(n=9, design="planted"), planted={"a01": frozenset(), "a02": frozenset({"F2"})})
    assert set(ids(drawn, "F1")) == {"a01"}
    assert set(ids(drawn, "F2")) == {"a01", "a02"}
    assert {row.probability for row in drawn.rows} == {None}


@pytest.mark.parametrize("design", ["by-verdict", "flips", "planted"])
def test_where_nothing_can_be_drawn_the_message_says_what_to_do(tmp_path, design):
    with pytest.raises(UsageError, match=r"evalkit stability|--design random"):
        draw(answers(tmp_path, answer("a1")), Request(n=3, design=design))


def test_overall_is_asked_only_where_it_is_named(tmp_path):
    source = many(tmp_path, count=3)
    assert ids(draw(source, Request(n=3)), "overall") == []
    drawn = draw(source, Request(n=3, criteria=("overall",)))
    assert {row.criterion.id for row in drawn.rows} == {"overall"}
    assert "F1" in drawn.rows[0].criterion.pass_condition
    assert "F2" not in drawn.rows[0].criterion.pass_condition


def test_unknown_names_suggest_the_nearest(tmp_path):
    with pytest.raises(UsageError, match="did you mean 'faithfulness'"):
        draw(many(tmp_path), Request(n=1, capabilities=("faithfullness",)))
    with pytest.raises(UsageError, match="no criterion 'F9'"):
        draw(many(tmp_path), Request(n=1, criteria=("F9",)))


def test_a_case_is_in_one_split_whatever_the_seed_and_the_design(tmp_path):
    source = many(tmp_path)
    splits = {}
    for seed in range(5):
        for row in draw(source, Request(n=20, seed=seed)).rows:
            assert splits.setdefault(row.answer.case.id, row.split) == row.split
    assert set(splits.values()) == {"dev", "test"}


@pytest.mark.parametrize(("share", "split"), [(0.0, {"test"}), (1.0, {"dev"})])
def test_the_share_of_dev_is_the_callers(tmp_path, share, split):
    assert {row.split for row in draw(many(tmp_path), Request(n=20, dev=share)).rows} == split


def test_a_case_that_was_read_in_dev_stays_spent_and_an_item_keeps_its_split(tmp_path):
    source = answers(tmp_path, answer("c1"), answer("c2"))
    known = [
        label("c1", split="dev", criterion="F2"),
        label("c1", split="test", criterion="F1"),
        label("c2", split="dev", output_sha256="0" * 64),
    ]
    drawn = draw(source, Request(n=2, dev=0.0), known=known)
    splits = {(row.answer.case.id, row.criterion.id): row.split for row in drawn.rows}
    assert splits == {("c1", "F1"): "test", ("c1", "F2"): "dev", ("c2", "F1"): "dev", ("c2", "F2"): "dev"}


def test_two_rubrics_of_one_capability_are_both_asked_about(tmp_path):
    first = answer("a1", F1="pass")
    second = replace(first, rubric="style", asked=first.asked[:1])
    drawn = draw(answers(tmp_path, first, second), Request(n=3))
    assert [(row.answer.rubric, row.criterion.id) for row in drawn.rows] == [
        ("faithfulness", "F1"),
        ("faithfulness", "F2"),
        ("style", "F1"),
    ]


def test_a_rubric_that_is_named_stands_for_all_its_criteria_but_overall(tmp_path):
    first = answer("a1", F1="pass")
    source = answers(tmp_path, first, replace(first, rubric="style", asked=first.asked[:1]))
    drawn = draw(source, Request(n=3, criteria=("faithfulness",)))
    assert [(row.answer.rubric, row.criterion.id) for row in drawn.rows] == [
        ("faithfulness", "F1"),
        ("faithfulness", "F2"),
    ]
    drawn = draw(source, Request(n=3, criteria=("style", "overall")))
    assert [(row.answer.rubric, row.criterion.id) for row in drawn.rows] == [
        ("faithfulness", "overall"),
        ("style", "F1"),
    ]


def test_what_a_classifier_was_unsure_of_counts_as_divided_the_least_sure_first(tmp_path):
    unsure = [replace(answer(f"a{n}", F1="uncertain"), confidence=sure) for n, sure in enumerate((0.6, 0.0, 0.3))]
    source = answers(tmp_path, *unsure, answer("a9", F1="pass"))
    assert set(ids(draw(source, Request(n=9, design="flips")))) == {"a0", "a1", "a2"}
    assert ids(draw(source, Request(n=1, design="flips"))) == ["a1"]
    assert set(ids(draw(source, Request(n=2, design="flips")))) == {"a1", "a2"}


def pair(number, grade):
    """A pair with what a comparison's judge said of it."""
    texts = f"new {number}", f"old {number}"
    asked = asked_of_pairs(preference())
    grades = {one.id: grade for one in asked}
    one = answer(f"c{number:02}", text=texts[0])
    hashes = text_sha256(texts[0]), text_sha256(texts[1])
    return replace(one, sha256=hashes, other=texts[1], rubric="preference", asked=asked, grades=grades)


def test_of_pairs_each_stratum_is_drawn_alike_and_a_short_one_filled_up_from_the_others(tmp_path):
    said = ["A in both"] * 10 + ["B in both"] * 10 + ["tie"] + [BY_ORDER] * 4 + ["judge_error"]
    source = answers(tmp_path, *(pair(number, grade) for number, grade in enumerate(said)))
    drawn = draw(source, Request(n=12, design="by-verdict", criteria=("overall",)))
    counts = Counter(said[int(name[1:])] for name in ids(drawn, "overall"))
    assert counts == {"A in both": 4, "B in both": 4, "tie": 1, BY_ORDER: 3}
    assert {row.probability for row in drawn.rows} == {0.4, 1.0, 0.75}
    assert "outside all strata and not drawn: 1 judge_error" in drawn.notes[0]


def test_pairs_that_depend_on_the_order_are_the_flips_of_a_comparison(tmp_path):
    source = answers(tmp_path, *(pair(n, grade) for n, grade in enumerate(["tie", BY_ORDER, "A in both", "unstable"])))
    drawn = draw(source, Request(n=9, design="flips"))
    assert sorted(ids(drawn, "overall")) == ["c01", "c03"]
    assert {row.probability for row in drawn.rows} == {None}
    assert {row.criterion.id for row in drawn.rows} == {"P1", "P2", "P3", "overall"}


def test_a_label_of_a_pair_keeps_its_split_whichever_way_round_it_names_the_pair(tmp_path):
    source = answers(tmp_path, *(pair(n, "tie") for n in range(6)))
    for split in ("dev", "test"):
        known = [label("c03", output_sha256=source.answers[3].sha256[::-1], rubric="preference", split=split)]
        drawn = draw(source, Request(n=6), known=known)
        assert {row.split for row in drawn.rows if row.answer.case.id == "c03"} == {split}


@given(st.lists(st.integers(0, 12), min_size=1, max_size=5), st.integers(0, 40))
def test_what_is_dealt_out_is_all_there_is_or_as_even_as_the_room_allows(room, n):
    sizes = _dealt(room, n)
    assert sum(sizes) == min(n, sum(room))
    assert all(size <= most for size, most in zip(sizes, room, strict=True))
    open_ones = [size for size, most in zip(sizes, room, strict=True) if size < most]
    assert not open_ones or max(sizes) - min(open_ones) <= 1
