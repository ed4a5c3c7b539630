"""`evalkit show` sets experiments beside a run and says where they are not about it; a mixed run says so first."""

from __future__ import annotations

import itertools

from aiohttp import web
from fakes.chat_server import completion
from fakes.judged_suites import ids, plan_case, right, wrong
from fakes.pair_judge import answers_in, pair_reply
from fakes.reading_judge import judge


def test_a_run_without_a_stability_experiment_says_not_measured(bench):
    bench.run(bench.suite())
    assert "stability: not measured under this configuration" in bench.command("show", "r").out


def test_an_experiment_under_the_runs_configuration_stands_beside_its_figures(bench):
    suite = bench.suite()
    _, run = bench.run(suite)
    before = run.stable_bytes
    assert bench.command("stability", suite, "--runs", "2").status == 0
    shown = bench.command("show", "r").out
    assert "stability of 20" in shown
    assert "self-agreement 100.0 %" in shown
    assert "not measured under this configuration" not in shown
    (beside,) = bench.command("show", "r", "--json").json["experiments"]
    assert beside["mismatch"] == ""
    assert run.stable_bytes == before


def test_an_experiment_of_another_configuration_is_said_not_to_be_about_the_run(bench):
    suite = bench.suite()
    bench.run(suite)
    other = (suite / "judge.yaml").read_text(encoding="utf-8").replace("test-judge", "other-judge")
    (bench.root / "other.yaml").write_text(other, encoding="utf-8")
    bench.command("stability", suite, "--runs", "2", "--judge", "other.yaml")
    shown = bench.command("show", "r").out
    assert "NOT ABOUT THIS RUN: another judge configuration (faithfulness)" in shown
    assert "stability: not measured under this configuration" in shown


def test_of_two_experiments_the_fitting_one_is_shown_even_if_it_is_older(bench):
    suite = bench.suite()
    bench.run(suite)
    bench.command("stability", suite, "--runs", "2")
    other = (suite / "judge.yaml").read_text(encoding="utf-8").replace("test-judge", "other-judge")
    (bench.root / "other.yaml").write_text(other, encoding="utf-8")
    bench.command("stability", suite, "--runs", "2", "--judge", "other.yaml")
    assert "NOT ABOUT THIS RUN" not in bench.command("show", "r").out


def test_a_damaged_experiment_is_named_and_the_run_is_shown_all_the_same(bench):
    suite = bench.suite()
    bench.run(suite)
    bench.command("stability", suite, "--runs", "2")
    (file,) = (bench.root / "runs" / "experiments").rglob("stability-*.json")
    file.write_text("{", encoding="utf-8")
    ended = bench.command("show", "r")
    assert ended.status == 0
    assert file.name in ended.out


def test_two_snapshots_within_one_configuration_make_a_run_mixed_and_invalid_for_gating(bench):
    numbers = itertools.count()

    def alternating(body):
        async def reply(_request, _body):
            return web.json_response(completion(judge(body), model=f"snapshot-{next(numbers) % 2}"))

        return reply

    bench.server.reply = alternating
    ended, run = bench.run(bench.suite(), status=3)
    assert run.report["gating"]["valid"] is False
    first_screen = ended.out.splitlines()[:4]
    assert any("mixed: 2 snapshots answered for faithfulness (snapshot-0, snapshot-1)" in line for line in first_screen)


def first_shown(body):
    """Judge single answers right; of two, prefer the one that is shown first."""
    return pair_reply(body, "A") if _of_two(body) else judge(body)


def _of_two(body):
    try:
        answers_in(body)
    except AssertionError:
        return False
    return True


def pairs(bench):
    """Return a suite of two candidates that was run, and whose judge prefers what is shown first."""
    outputs = {"candidate": [right(name) for name in ids(4)], "other": [wrong(name) for name in ids(4)]}
    suite = bench.suite(golden=[plan_case(name) for name in ids(4)], outputs=outputs)
    bench.server.reply = first_shown
    bench.run(suite)
    return suite


def compared(bench, suite, *arguments):
    ended = bench.command("compare", suite, "--outputs", "candidate", "--against", "other", "--quiet", *arguments)
    assert ended.status == 0, ended.out + ended.err


def test_what_the_swap_did_in_a_comparison_by_the_same_judge_stands_beside_the_run(bench):
    suite = pairs(bench)
    assert "position in the comparison" not in bench.command("show", "r").out
    assert bench.command("show", "r", "--json").json["comparison"] is None
    compared(bench, suite)
    shown = " ".join(bench.command("show", "r").out.split())
    assert "position in the comparison candidate-vs-other of 20" in shown
    assert "overall, sample 0: 4 pairs, 4 readable in both orders: consistent 0, primacy 4, recency 0" in shown
    beside = bench.command("show", "r", "--json").json["comparison"]
    assert {row["primacy"] for row in beside["position"]} == {4}
    assert beside["folder"].endswith("candidate-vs-other")
    assert bench.command("render", "r").status == 0
    page = (bench.root / "runs" / "r" / "report.html").read_text(encoding="utf-8")
    assert "position in the comparison candidate-vs-other" in page


def test_a_comparison_by_another_judge_says_nothing_about_the_run(bench):
    suite = pairs(bench)
    kept = (suite / "judge.yaml").read_text(encoding="utf-8")
    for number, other in enumerate(("model: other-judge", "model: test-judge\nparams: {temperature: 0.5}")):
        text = kept.replace("model: test-judge", other)
        (bench.root / "other.yaml").write_text(text, encoding="utf-8")
        compared(bench, suite, "--judge", "other.yaml", "--name", f"n{number}")
    assert bench.command("show", "r", "--json").json["comparison"] is None


def test_another_snapshot_answered_a_comparison(bench):
    suite = pairs(bench)

    def moved(body):
        async def reply(_request, _body):
            return web.json_response(completion(first_shown(body), model="snapshot-2"))

        return reply

    bench.server.reply = moved
    compared(bench, suite)
    assert bench.command("show", "r", "--json").json["comparison"] is None


def test_pairs_decided_in_code_say_nothing_about_the_judge(bench):
    names = ids(4)
    outputs = {"candidate": [right(name) for name in names], "other": [right(name) for name in names]}
    suite = bench.suite(golden=[plan_case(name) for name in names], outputs=outputs)
    bench.run(suite)
    compared(bench, suite)
    assert bench.command("show", "r", "--json").json["comparison"] is None


def test_a_damaged_comparison_is_named_and_the_run_is_shown_all_the_same(bench):
    suite = pairs(bench)
    compared(bench, suite)
    (file,) = (bench.root / "runs" / "comparisons").rglob("comparison.json")
    file.write_text("{", encoding="utf-8")
    ended = bench.command("show", "r")
    assert ended.status == 0
    assert "comparison.json" in ended.out


def test_position_bias_is_about_the_judge_and_not_about_the_runs_rubric(bench):
    suite = pairs(bench)
    position = ("bias", "position", suite, "--outputs", "candidate", "--against", "other", "--quiet")
    assert bench.command(*position).status == 0
    (beside,) = bench.command("show", "r", "--json").json["experiments"]
    assert (beside["experiment"]["kind"], beside["mismatch"]) == ("position", "")
    other = (suite / "judge.yaml").read_text(encoding="utf-8").replace("test-judge", "other-judge")
    (suite / "judge.yaml").write_text(other, encoding="utf-8")
    bench.run(suite, run_id="changed")
    assert "position of 20" in bench.command("show", "changed").out
    assert "NOT ABOUT THIS RUN: another judge" in bench.command("show", "changed").out
