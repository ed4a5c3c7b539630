"""One row: counts that add up, the same agreement under each rule, and other readers of the same items beside it."""

from __future__ import annotations

from collections import Counter

import pytest
from fakes.external_verdicts import pair, verdict_of
from fakes.labels import label_of
from hypothesis import given
from hypothesis import strategies as st

from evalkit.calibration.compare import Floor, compare
from evalkit.calibration.ends import End, Source, external_sources
from evalkit.calibration.people import labelled_items
from evalkit.calibration.weighting import Population

HASH = "a" * 64


def text(number):
    return f"c{number}", HASH


def compared(human, judge, *, population=None, floor=None, **changes):
    """Compare labels with verdicts, item by item; a verdict may be an `End`, None for an item that the judge never met."""
    labels = [
        label_of(f"c{number}", label, output_sha256=HASH, rubric="r", criterion="F1", **changes)
        for number, label in enumerate(human)
    ]
    ends = {
        (text(number), "F1"): end if isinstance(end, End) else End(end)
        for number, end in enumerate(judge)
        if end is not None
    }
    source = Source(judge="j", capability="cap", rubric="r", mode="pointwise", criteria=("F1",), given=ends)
    populations = {("cap", "r", "F1"): population} if population else None
    said = None
    if floor is not None:
        said = Floor("floor", {"cap": {(*text(n), "r", "F1"): label for n, label in enumerate(floor) if label}})
    return compare([source], labelled_items(labels), seed=1, populations=populations, floor=said)


def row(*args, **kwargs):
    (one,) = compared(*args, **kwargs).rows
    return one


def test_agreement_and_rates_by_hand():
    one = row(["pass"] * 4 + ["fail"] * 4, ["pass"] * 3 + ["fail"] * 4 + ["pass"])
    assert (one.n, one.agree, one.agreement) == (8, 6, 0.75)
    assert (one.tpr.correct, one.tpr.n, one.tnr.correct, one.tnr.n) == (3, 4, 3, 4)
    assert one.balanced_accuracy == 0.75
    assert one.kappa.value == pytest.approx(0.5)
    assert (one.prevalence_index, one.bias_index) == (0.0, 0.0)


def test_confusion_counts_both_labels():
    one = row(["pass", "pass", "fail"], ["pass", "fail", "fail"])
    assert [(cell.human, cell.judge, cell.count) for cell in one.confusion] == [
        ("fail", "fail", 1),
        ("pass", "fail", 1),
        ("pass", "pass", 1),
    ]


ENDS = st.sampled_from(
    [
        "pass",
        "fail",
        "not_applicable",
        None,
        End(None, "unreadable"),
        End(None, "unstable"),
        End(None, "judge_error:parse"),
    ]
)


@given(st.lists(st.tuples(st.sampled_from(["pass", "fail", "not_applicable", None]), ENDS), min_size=1, max_size=30))
def test_compared_and_excluded_items_are_all_labelled_items_that_the_judge_met(items):
    found = compared([human for human, _ in items], [judge for _, judge in items])
    assert sum(one.items for one in found.rows) + sum(found.unmatched.values()) == len(items)
    for one in found.rows:
        assert one.n + sum(one.excluded.values()) == one.items
        assert one.n == sum(cell.count for cell in one.confusion)


@given(st.lists(st.tuples(st.sampled_from(["pass", "fail"]), st.sampled_from(["pass", "fail"])), min_size=2), st.data())
def test_a_missing_verdict_or_label_shifts_no_pair(items, data):
    gone = data.draw(st.integers(0, len(items) - 1))
    judge = [end if place != gone else None for place, (_, end) in enumerate(items)]
    one = row([human for human, _ in items], judge)
    kept = Counter(pair for place, pair in enumerate(items) if place != gone)
    assert {(cell.human, cell.judge): cell.count for cell in one.confusion} == kept


def test_each_rule_for_unreadable_verdicts_stands_beside_the_others():
    one = row(["pass", "pass", "fail", "fail"], ["pass", "fail", "fail", End(None, "unreadable")])
    assert [(rule.rule, rule.agree, rule.n) for rule in one.rules] == [("wrong", 2, 4), ("dropped", 2, 3)]
    assert one.unreadable == 1


def test_ties_are_a_rule_where_verdicts_are_about_pairs():
    labels = [label_of(f"c{number}", label) for number, label in enumerate(["A", "tie", "tie"])]
    verdicts = [pair("c0", "red", "A"), pair("c1", "red", None), pair("c2", "red", "B")]
    sources = external_sources(verdict_of(line) for line in verdicts)
    (one,) = compare(sources, labelled_items(labels), seed=1).rows
    assert [(rule.rule, rule.agree, rule.n) for rule in one.rules] == [
        ("wrong", 1, 3),
        ("dropped", 1, 2),
        ("tie", 2, 3),
    ]
    assert (one.binary, one.tpr) == (False, None)


def test_labels_of_a_set_have_agreement_and_no_rates():
    one = row(["full", "partly", "none"], ["full", "full", "none"])
    assert (one.binary, one.agree, one.tpr) == (False, 2, None)
    assert one.always.name == "always full"


def test_partial_is_no_pass():
    one = row(["pass", "fail"], ["partial", "partial"])
    assert (one.binary, one.tpr.correct, one.tnr.correct, one.agree) == (True, 0, 1, 0)


def test_a_rate_without_a_human_class_is_unknown_and_not_one():
    one = row(["pass"] * 3, ["pass"] * 3)
    assert (one.tpr.value, one.tnr.value) == (1.0, None)
    assert "TNR unknown" in one.tnr.reading
    assert one.kappa.value is None


def test_applicability_that_one_side_sees_alone_is_excluded_and_read():
    found = compared(["not_applicable", "pass", "not_applicable"], ["pass", "not_applicable", "not_applicable"])
    (one,) = found.rows
    assert one.excluded == {"not_applicable": 1, "not_applicable_human_only": 1, "not_applicable_judge_only": 1}
    assert [item.case_id for item in found.disagreements] == ["c0", "c1"]


def test_always_pass_agrees_wherever_nearly_everything_passes():
    one = row(["pass"] * 9 + ["fail"], ["pass"] * 8 + ["fail", "fail"])
    assert (one.always.name, one.always.agree, one.always.n) == ("always pass", 9, 10)


def test_the_floor_is_compared_on_the_items_on_which_it_speaks():
    one = row(["pass", "fail", "fail"], ["pass", "pass", "fail"], floor=["pass", "fail", None])
    assert (one.floor.n, one.floor.agree, one.floor.judge_agree) == (2, 2, 1)
    assert "does not beat the floor" in one.floor.reading


def test_a_floor_that_abstains_says_so():
    one = row(["pass"], ["pass"], floor=[None])
    assert "abstains" in one.floor.reading


def test_people_among_themselves_are_the_ceiling():
    labels = [label_of(f"c{n}", "pass", labeller=who) for n in range(3) for who in ("ann", "bob")]
    labels[1] = label_of("c0", "fail", labeller="bob")
    verdict = {"judge": "j", "mode": "pointwise", "verdict": "pass"}
    sources = external_sources(verdict_of(verdict | {"case_id": f"c{n}"}) for n in range(3))
    (one,) = compare(sources, labelled_items(labels), seed=1).rows
    (found,) = one.ceiling
    assert (found.name, found.agree, found.n) == ("ann and bob", 2, 3)
    assert one.excluded == {"labellers_disagree": 1}


def test_splits_and_kinds_of_sample_never_share_a_row():
    labels = [
        label_of("c0", "pass"),
        label_of("c1", "pass", split="dev"),
        label_of("c2", "fail", design="planted"),
        label_of("c3", "fail", design="flips"),
    ]
    verdict = {"judge": "j", "mode": "pointwise", "verdict": "pass"}
    sources = external_sources(verdict_of(verdict | {"case_id": f"c{n}"}) for n in range(4))
    found = compare(sources, labelled_items(labels), seed=1).rows
    assert [(one.split, one.sample, one.items) for one in found] == [
        ("test", "drawn", 1),
        ("test", "planted", 1),
        ("test", "flips", 1),
        ("dev", "drawn", 1),
    ]


def test_missing_verdicts_lower_the_worst_case_of_their_own_class_only():
    one = row(["pass"] * 30 + ["fail"] * 31, ["pass"] * 30 + ["fail"] * 30 + [End(None, "judge_error:parse")])
    assert one.worst_tpr == one.tpr.lower
    assert one.worst_tnr < one.tnr.lower


RUN = Population(500, 400)


def stratified(population=RUN, pass_labels=40, fail_labels=40):
    """Labels drawn by verdict: of the passed 36 of 40 are right, of the failed 30 of 40."""
    human = ["pass"] * 36 + ["fail"] * (pass_labels - 36) + ["fail"] * 30 + ["pass"] * (fail_labels - 30)
    judge = ["pass"] * pass_labels + ["fail"] * fail_labels
    labels = [
        label_of(
            f"c{n}",
            label,
            output_sha256=HASH,
            rubric="r",
            criterion="F1",
            design="by-verdict",
            inclusion_probability=0.1 if judge[n] == "pass" else 0.4,
        )
        for n, label in enumerate(human)
    ]
    source = Source(
        judge="j",
        capability="cap",
        rubric="r",
        mode="pointwise",
        criteria=("F1",),
        given={(text(n), "F1"): End(label) for n, label in enumerate(judge)},
    )
    return compare([source], labelled_items(labels), seed=1, populations={("cap", "r", "F1"): population}).rows[0]


def test_labels_drawn_by_verdict_are_weighted_back_to_the_run():
    one = stratified()
    # 400 passed at 36/40 and 100 failed at 10/40 human passes: 360 and 25 of 385.
    assert one.weighting == "begg-greenes"
    assert one.tpr.value == pytest.approx(360 / 385)
    assert one.tnr.value == pytest.approx(75 / 115)
    assert one.tpr.lower < one.tpr.value < one.tpr.upper
    assert (one.tpr.correct, one.tpr.n) == (36, 46)


def test_the_corrected_rate_stands_beside_the_raw_one():
    one = stratified()
    assert one.corrected.raw == 0.8
    assert one.corrected.corrected == pytest.approx(0.8 * 0.9 + 0.2 * 0.25)
    assert one.corrected.lower > one.corrected.interval[0]
    assert one.corrected.method == "post-stratified, MOVER-Jeffreys"


def test_at_worst_the_runs_missing_verdicts_were_all_wrong():
    one = stratified(Population(500, 400, 50))
    assert one.worst_tpr == pytest.approx(one.tpr.interval[0] * 385 / 435)


def test_a_stratum_without_labels_refuses_the_corrected_rate():
    one = row(["pass"] * 3, ["pass"] * 3, population=Population(10, 8))
    assert one.corrected.corrected is None
    assert "label" in one.corrected.reading


def test_dev_and_planted_labels_correct_nothing():
    for changes in ({"split": "dev"}, {"design": "planted"}):
        assert row(["pass", "fail"], ["pass", "fail"], population=Population(10, 8), **changes).corrected is None


def test_what_finds_no_partner_is_counted_by_reason():
    found = compared(["pass", "pass"], ["pass", None])
    assert found.unmatched == {"case_not_judged": 1}


def test_labels_drawn_by_another_judges_verdicts_are_shown_by_chance_and_decide_nothing():
    human = ["pass"] * 6 + ["fail"] * 6
    labels = [
        label_of(
            f"c{n}",
            label,
            output_sha256=HASH,
            rubric="r",
            criterion="F1",
            design="by-verdict",
            inclusion_probability=0.25 if n % 2 else 1.0,
        )
        for n, label in enumerate(human)
    ]
    judge = ["pass"] * 5 + ["fail"] * 7
    ends = {(text(n), "F1"): End(label) for n, label in enumerate(judge)}
    source = Source(judge="j", capability="cap", rubric="r", mode="pointwise", criteria=("F1",), given=ends)
    (one,) = compare(
        [source], labelled_items(labels), seed=1, populations={("cap", "r", "F1"): Population(100, 40)}
    ).rows
    # Of six human passes the sixth, which stands for four, is judged wrong: 11 of 15.
    assert (one.weighting, one.tpr.lower) == ("refused", None)
    assert one.tpr.value == pytest.approx(11 / 15)
    assert one.corrected.corrected is None
