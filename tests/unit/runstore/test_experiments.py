"""Experiments on disk: dated files beside the runs, read back as they were, the newest first."""

from __future__ import annotations

import pytest

from evalkit.errors import RunStoreError
from evalkit.experiments.outcome import new_experiment
from evalkit.records.experiments import ExperimentJudge
from evalkit.records.review import ReviewItem
from evalkit.runstore.experiments import stored_experiments, stored_queue, write_experiment, write_queue

JUDGE = ExperimentJudge(judge="j", capability="c", judge_config_hash="h", snapshots=("s",))


def made(suite="shop", at="2026-01-02T03:04:05+00:00", kind="stability"):
    return new_experiment(kind, suite, [JUDGE]).model_copy(update={"made_at": at})


def test_an_experiment_is_read_back_as_it_was_from_a_dated_file(tmp_path):
    path = write_experiment(tmp_path, made())
    assert path.name.startswith("stability-20260102-030405-")
    assert stored_experiments(tmp_path, "shop") == [(path, made())]


def test_the_newest_stands_first_and_kinds_are_told_apart(tmp_path):
    write_experiment(tmp_path, made(at="2026-01-01T00:00:00+00:00"))
    write_experiment(tmp_path, made(at="2026-01-03T00:00:00+00:00"))
    write_experiment(tmp_path, made(at="2026-01-02T00:00:00+00:00", kind="drift"))
    assert [e.made_at[8:10] for _, e in stored_experiments(tmp_path, "shop")] == ["03", "02", "01"]
    assert len(stored_experiments(tmp_path, "shop", "drift")) == 1


def test_suites_whose_names_share_a_folder_are_not_mixed_up(tmp_path):
    write_experiment(tmp_path, made("a/b"))
    write_experiment(tmp_path, made("a b"))
    assert len(stored_experiments(tmp_path, "a/b")) == 1


def test_a_name_never_leads_out_of_the_folder(tmp_path):
    path = write_experiment(tmp_path / "runs", made("../../x"))
    assert path.resolve().is_relative_to((tmp_path / "runs" / "experiments").resolve())


def test_without_experiments_there_are_none(tmp_path):
    assert stored_experiments(tmp_path, "shop") == []


@pytest.mark.parametrize("text", ["{", "{}", '{"kind": "stability"}'])
def test_a_file_that_is_no_experiment_is_named(tmp_path, text):
    path = write_experiment(tmp_path, made())
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RunStoreError, match=path.name):
        stored_experiments(tmp_path, "shop")


def flipped(case_id, output="d" * 64):
    about = {"case_id": case_id, "capability": "f", "rubric": "f", "criterion": "F1", "output_sha256": output}
    return ReviewItem.of(kind="flip", **about, judge_config_hash="c" * 64, why="flipped")


def test_new_flips_replace_those_of_the_same_answers_and_leave_the_others(tmp_path):
    other = flipped("a", output="e" * 64)
    write_queue(tmp_path, "shop", [flipped("a"), flipped("b"), other])
    measured = frozenset({flipped("a").judged, flipped("b").judged})
    path = write_queue(tmp_path, "shop", [flipped("b")], measured)
    assert stored_queue(tmp_path, "shop") == [flipped("b"), other]
    assert [file.name for file in path.parent.iterdir()] == ["review_queue.jsonl"]


def test_before_stability_there_are_no_flips_and_a_queue_of_another_version_is_named(tmp_path):
    assert stored_queue(tmp_path, "shop") == []
    path = write_queue(tmp_path, "shop", [flipped("a")])
    path.write_text('{"case_id": "a"}\n', encoding="utf-8")
    with pytest.raises(RunStoreError, match=r"review_queue\.jsonl:1: .*move it away"):
        stored_queue(tmp_path, "shop")
