"""`evalkit show` sets experiments beside a run and says where they are not about it; a mixed run says so first."""

from __future__ import annotations

import itertools

from aiohttp import web
from fakes.chat_server import completion
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
