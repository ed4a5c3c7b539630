"""`evalkit drift`: a sample of cached verdicts bought again; a model that was changed silently shows."""

from __future__ import annotations

import json

from fakes.chat_server import completion, fail
from fakes.judged_suites import ids, plan_case, right
from fakes.reading_judge import by_case, judge, verdict_on


def suite_of(bench, count=12):
    return bench.suite(golden=[plan_case(n) for n in ids(count)], outputs={"candidate": [right(n) for n in ids(count)]})


def measured(bench, *arguments, status=0):
    ended = bench.command("drift", *arguments, "--json")
    assert ended.status == status, ended.out + ended.err
    return ended.json["experiment"]


def strict(body):
    verdict = verdict_on(body)
    verdict["claims"][0] |= {"status": "unsupported", "evidence": []}
    for criterion in verdict["criteria"].values():
        criterion |= {"evidence": [], "grade": "fail"}
    verdict["criteria"]["F2"]["grade"] = "pass"
    verdict["overall_pass"] = False
    return json.dumps(verdict)


def rows(experiment):
    return {row["criterion"]: row for row in experiment["drift"]}


def test_only_cached_verdicts_are_drawn_by_a_seed_and_bought_again(bench):
    suite = suite_of(bench)
    bench.run(suite, "--limit", "8")
    bench.calls()
    experiment = measured(bench, suite, "--sample", "5", "--round", "1000")
    drawn = bench.calls()
    assert len(drawn) == 5
    assert set(drawn) <= set(ids(8))
    assert experiment["settings"]["cached"] == 8
    measured(bench, suite, "--sample", "5", "--round", "1001")
    assert sorted(bench.calls()) == sorted(drawn)
    measured(bench, suite, "--sample", "5", "--round", "1002", "--seed", "2")
    assert sorted(bench.calls()) != sorted(drawn)


def test_flips_are_set_beside_the_judges_own_noise(bench):
    suite = suite_of(bench)
    bench.command("stability", suite, "--runs", "2")
    row = rows(measured(bench, suite))["F1"]
    assert (row["n"], row["flips"], row["noise"], row["state"]) == (12, 0, 0.0, "within noise")
    bench.server.reply = strict
    changed = rows(measured(bench, suite, "--round", "1000", status=3))
    assert (changed["F1"]["flips"], changed["F1"]["state"]) == (12, "drift")
    assert (changed["F2"]["flips"], changed["F2"]["state"]) == (0, "within noise")


def test_without_a_stability_experiment_the_noise_is_not_measured_and_nothing_is_concluded(bench):
    suite = suite_of(bench)
    bench.run(suite)
    bench.server.reply = strict
    row = rows(measured(bench, suite))["F1"]
    assert (row["flips"], row["noise"], row["state"]) == (12, None, "not measured")


def test_the_noise_of_another_configuration_does_not_count(bench):
    suite = suite_of(bench)
    bench.command("stability", suite, "--runs", "2", "--judge", suite / "judge.yaml")
    other = (suite / "judge.yaml").read_text(encoding="utf-8").replace("test-judge", "other-judge")
    (bench.root / "other.yaml").write_text(other, encoding="utf-8")
    bench.run(suite, "--judge", "other.yaml")
    assert rows(measured(bench, suite, "--judge", "other.yaml"))["F1"]["state"] == "not measured"


def test_another_snapshot_that_answers_is_said(bench):
    suite = suite_of(bench)
    bench.run(suite)

    def moved(body):
        async def reply(_request, _body):
            from aiohttp import web

            return web.json_response(completion(judge(body), model="stub-2026-02-02"))

        return reply

    bench.server.reply = moved
    experiment = measured(bench, suite, status=3)
    assert experiment["settings"]["snapshots_before"] != experiment["settings"]["snapshots_now"] == ["stub-2026-02-02"]
    assert "by stub-2026-02-02 now" in experiment["notes"][0]
    said = bench.command("drift", suite)
    assert said.status == 3
    assert said.out.startswith("ANOTHER SNAPSHOT: answered by stub-")
    assert said.out.count("by stub-2026-02-02 now") == 1


def test_a_plan_buys_nothing(bench):
    suite = suite_of(bench)
    bench.run(suite)
    bench.calls()
    (plan,) = bench.command("drift", suite, "--sample", "3", "--plan", "--json").json
    assert plan["to_buy"] == 3
    assert bench.calls() == []
    assert not (bench.root / ".evalkit/cache/drifts").exists()


def test_without_cached_verdicts_there_is_nothing_to_compare(bench):
    ended = bench.command("drift", suite_of(bench))
    assert ended.status == 2
    assert "`evalkit run` buys them first" in ended.err


def test_the_floor_cannot_drift(bench):
    suite = suite_of(bench)
    (suite / "judge.yaml").write_text("client: floor\n", encoding="utf-8")
    ended = bench.command("drift", suite)
    assert ended.status == 2
    assert "fixed rule" in ended.err


def test_a_second_drift_on_the_same_day_buys_again_and_sees_what_changed(bench):
    suite = suite_of(bench)
    bench.command("stability", suite, "--runs", "2")
    bench.command("bias", "criteria", suite)
    first = measured(bench, suite)
    assert (first["purchases"]["bought"], first["purchases"]["cached"]) == (12, 0)
    bench.server.reply = strict
    bench.calls()
    second = measured(bench, suite, status=3)
    assert len(bench.calls()) == 12
    assert second["settings"]["round"] == first["settings"]["round"] + 1
    assert rows(second)["F1"]["state"] == "drift"


def test_a_drift_into_another_folder_with_the_same_cache_buys_again(bench):
    suite = suite_of(bench)
    bench.run(suite)
    rounds = [measured(bench, suite, "--out", out)["settings"]["round"] for out in ("one", "two", "three")]
    assert rounds == [rounds[0], rounds[0] + 1, rounds[0] + 2]


def test_verdicts_of_an_earlier_drift_are_not_read_under_another_configuration_with_the_same_keys(bench):
    suite = suite_of(bench)
    bench.run(suite)
    measured(bench, suite, "--sample", "8")
    settings = (suite / "judge.yaml").read_text(encoding="utf-8")
    (suite / "judge.yaml").write_text(f"{settings}\nsamples: 2\n", encoding="utf-8")
    took = measured(bench, suite)["purchases"]
    assert (took["bought"], took["cached"]) == (12, 0)


def test_a_larger_sample_into_another_folder_reads_nothing_of_finished_drifts(bench):
    suite = suite_of(bench)
    bench.run(suite)
    measured(bench, suite, "--sample", "4", "--out", "one")
    measured(bench, suite, "--sample", "8", "--out", "two")
    took = measured(bench, suite, "--out", "three")["purchases"]
    assert (took["bought"], took["cached"]) == (12, 0)


def gave_up(bench):
    """Return a suite, and a drift that stopped after three verdicts."""
    suite = bench.suite(
        golden=[plan_case(n) for n in ids(12)],
        outputs={"candidate": [right(n) for n in ids(12)]},
        max_in_flight=1,
        stop_after_failures=2,
    )
    bench.run(suite)
    answered = iter(range(3))

    def three(body):
        return judge(body) if next(answered, None) is not None else fail(401, "no")

    bench.server.reply = three
    first = measured(bench, suite, "--out", "elsewhere", status=3)
    assert first["purchases"]["stopped"] == "judge_answers_nothing"
    bench.server.reply = judge
    bench.calls()
    return suite, first


def test_an_interrupted_drift_is_gone_on_with_and_buys_nothing_twice(bench):
    suite, first = gave_up(bench)
    second = measured(bench, suite)
    assert second["settings"]["round"] == first["settings"]["round"]
    assert len(bench.calls()) == 9
    assert (second["purchases"]["bought"], second["purchases"]["cached"]) == (9, 3)
    day = str(second["settings"]["round"])
    assert second["purchases"]["cached_from"] == [f"{day[:4]}-{day[4:6]}-{day[6:8]}"]
    third = measured(bench, suite)
    assert (third["purchases"]["bought"], third["purchases"]["cached"]) == (12, 0)
    assert not list((bench.root / ".evalkit/cache/drifts").iterdir())


def test_a_drift_of_another_sample_neither_reads_nor_feeds_an_interrupted_one(bench):
    suite, first = gave_up(bench)
    other = measured(bench, suite, "--sample", "11")
    assert other["settings"]["round"] != first["settings"]["round"]
    assert (other["purchases"]["bought"], other["purchases"]["cached"]) == (11, 0)
    assert measured(bench, suite)["purchases"]["cached"] == 3


def test_a_drift_with_a_verdict_that_failed_for_good_has_finished(bench):
    suite = suite_of(bench)
    bench.run(suite)
    bench.server.reply = by_case({"c03": lambda _: fail(400, "no")})
    measured(bench, suite)
    bench.server.reply = judge
    assert measured(bench, suite)["purchases"]["bought"] == 12


def test_a_drift_that_bought_nothing_has_measured_nothing_and_says_from_when_its_verdicts_are(bench):
    suite = suite_of(bench)
    bench.command("stability", suite, "--runs", "2")
    first = measured(bench, suite, "--round", "1000")
    assert rows(first)["F1"]["state"] == "within noise"
    again = measured(bench, suite, "--round", "1000")
    assert rows(again)["F1"]["state"] == "not measured"
    assert "no verdict was bought now" in rows(again)["F1"]["reading"]
    assert again["purchases"]["cached_from"] == [first["made_at"][:10]]
    said = bench.command("drift", suite, "--round", "1000").out
    assert f"round 1000: 0 of 12 verdicts bought now; 12 were there already, bought on {first['made_at'][:10]}" in said


def test_drift_that_was_found_is_not_unsaid_by_reading_it_again(bench):
    suite = suite_of(bench)
    bench.command("stability", suite, "--runs", "2")
    bench.server.reply = strict
    measured(bench, suite, "--round", "1000", status=3)
    assert rows(measured(bench, suite, "--round", "1000", status=3))["F1"]["state"] == "drift"
