from __future__ import annotations

from fakes.stored_runs import judge_row, report, row

from evalkit.rundiff.comparable import differences, row_pairs


def test_a_changed_setting_is_named_with_both_values():
    a = row(signature={"scorer": "token_f1", "version": "1", "settings": {"min": 0.8}})
    b = row(signature={"scorer": "token_f1", "version": "1", "settings": {"min": 0.9}})
    assert differences(a, b, report(), report()) == ("settings.min is 0.8 in A and 0.9 in B",)


def judges(**changes):
    header = report().judges[0].model_copy(update=changes)
    return report(judges=(header,))


def test_another_snapshot_is_refused_by_name():
    a, b = judges(snapshots=("m-1",)), judges(snapshots=("m-2",))
    assert differences(judge_row(), judge_row(), a, b) == ("the snapshot that answered is m-1 in A and m-2 in B",)


def test_another_snapshot_of_a_cascades_classifier_is_refused_by_name():
    a, b = judges(classifier_snapshots=("jev-1",)), judges(classifier_snapshots=("jev-2",))
    (said,) = differences(judge_row(), judge_row(), a, b)
    assert said == "the classifier's snapshot that answered is jev-1 in A and jev-2 in B"
    assert differences(judge_row(), judge_row(), a, a) == ()


def test_a_mixed_run_is_refused():
    a, b = judges(snapshots=("m-1", "m-2")), judges(snapshots=("m-1", "m-2"))
    assert all("mixed" in reason for reason in differences(judge_row(), judge_row(), a, b))


def test_other_sample_counts_are_refused():
    reasons = differences(judge_row(), judge_row(), judges(samples=1), judges(samples=3))
    assert reasons == ("samples is 1 in A and 3 in B",)


def test_another_hash_is_refused_even_where_no_field_shows_it():
    reasons = differences(judge_row(), judge_row(judge_config_hash="9" * 64), report(), report())
    assert len(reasons) == 1
    assert "judge_config_hash" in reasons[0]


def test_of_two_rows_with_one_name_those_with_equal_signatures_go_together():
    strict, loose = row(signature={"settings": {"min": 0.9}}), row(signature={"settings": {"min": 0.5}})
    pairs = set(row_pairs(report(rows=(strict, loose)), report(rows=(loose, strict))))
    assert pairs == {(0, 1), (1, 0)}


def test_rows_of_one_side_only_stay_alone():
    assert set(row_pairs(report(rows=(row(),)), report(rows=(judge_row(),)))) == {(0, None), (None, 0)}
