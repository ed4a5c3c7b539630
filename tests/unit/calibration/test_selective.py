"""Selective judging: the loosest threshold whose error bound holds, or why there is none; what lies under it goes to people."""

from __future__ import annotations

from fakes import stored_runs
from fakes.labels import label_of

from evalkit.calibration.people import labelled_items
from evalkit.calibration.selective import BY_VERDICT, NO_LABELS, ONE_SAMPLE, Vote, Votes, selective_rows, uncertain
from evalkit.records.reports import JudgeHeader

HASH = "a" * 64
KEY = ("faithfulness", "faithfulness", "F1")


def report(samples=5, judge="j"):
    header = JudgeHeader(
        capability="faithfulness",
        rubric="faithfulness",
        mode="pointwise",
        judge=judge,
        snapshots=(),
        prompt="pointwise/1",
        judge_config_hash=stored_runs.JUDGE_HASH,
        samples=samples,
    )
    return stored_runs.report(judges=(header,))


def votes(*said):
    """Votes of answers c0, c1, ...: (label, share)."""
    found = Votes()
    for place, (label, share) in enumerate(said):
        found.by_criterion[KEY].append(Vote(f"c{place}", HASH, stored_runs.JUDGE_HASH, label, share, {label: 1}))
    return found


def labels(*human, **changes):
    named = {"output_sha256": HASH, "rubric": "faithfulness", "criterion": "F1", **changes}
    return labelled_items(label_of(f"c{place}", label, **named) for place, label in enumerate(human))


SURE = [("pass", 1.0)] * 60
UNSURE = [("pass", 0.6)] * 20


def row(said, labelled, risk=0.1, **changes):
    (found,) = selective_rows(report(**changes), votes(*said), labelled, risk)
    return found


def test_the_loosest_threshold_whose_bound_holds_is_taken():
    found = row([*SURE, *UNSURE], labels(*["pass"] * 60, *["fail"] * 20))
    assert (found.threshold, found.coverage, found.to_people, found.labels) == (1.0, 0.75, 20, 80)
    assert found.upper < 0.1
    found = row([*SURE, *UNSURE], labels(*["pass"] * 79, "fail"))
    assert (found.threshold, found.coverage, found.to_people) == (0.6, 1.0, 0)


def test_where_no_threshold_holds_everything_goes_to_people():
    found = row([*SURE, *UNSURE], labels(*["fail"] * 80))
    assert (found.threshold, found.to_people) == (None, 80)
    assert found.reading.startswith("no threshold holds the risk of 10 %: of the ")


def test_coverage_is_over_the_run_and_not_over_its_labels():
    found = row([*SURE, *UNSURE], labels(*["pass"] * 60))
    assert (found.labels, found.judged, found.coverage) == (60, 80, 0.75)


def test_what_cannot_be_selected_says_why():
    assert row(SURE, labels("pass"), samples=1).reading == ONE_SAMPLE
    assert row(SURE, []).reading == NO_LABELS
    assert row(SURE, labels(*["pass"] * 60, split="dev")).reading == NO_LABELS
    assert row(SURE, labels(*["pass"] * 60, design="planted")).reading == NO_LABELS
    assert row(SURE, labels(*["pass"] * 60, design="by-verdict")).reading == BY_VERDICT


def test_the_floor_selects_nothing():
    assert selective_rows(report(judge="floor, not a model"), votes(*SURE), labels("pass"), 0.1) == ()


def test_partial_is_no_pass_and_what_does_not_apply_is_left_out():
    found = row([("partial", 1.0)] * 60 + [("not_applicable", 1.0)] * 5, labels(*["fail"] * 60))
    assert (found.error, found.judged) == (0.0, 60)


def test_the_least_sure_verdicts_come_first_in_the_queue():
    said = votes(("pass", 1.0), ("pass", 0.8), ("fail", 0.6), ("not_applicable", 0.6))
    found = selective_rows(report(), said, labels("pass", "pass"), 0.1)[0]
    assert [vote.case_id for vote in uncertain(found, said)] == ["c2", "c1", "c0"]
    held = found.model_copy(update={"threshold": 0.8})
    assert [vote.case_id for vote in uncertain(held, said)] == ["c2"]
