"""Runs of a part, runs of several candidates, policy conditions, exit statuses and `latest`, with a judge on a server."""

from __future__ import annotations

import pytest
from fakes.judged_suites import SUITE, RunFolder, ids, plan_case, right, wrong
from fakes.reading_judge import by_case

POLICY = {"policy": [{"scorer": "latency_limit", "max_ms": 1000}]}


def tagged(count: int):
    """Return cases of which every second one has the tag `even`."""
    return [plan_case(name, tags=["even"] if index % 2 == 0 else ["odd"]) for index, name in enumerate(ids(count))]


@pytest.mark.parametrize(
    ("arguments", "covered", "selection"),
    [
        (["--case", "c01"], ["c01"], {"case": ["c01"]}),
        (["--case", "c03", "--case", "c00"], ["c00", "c03"], {"case": ["c03", "c00"]}),
        (["--tag", "even"], ["c00", "c02", "c04"], {"tag": ["even"]}),
        (["--tag", "even", "--tag", "odd"], ids(6), {"tag": ["even", "odd"]}),
        (["--limit", "2"], ["c00", "c01"], {"limit": 2}),
        (["--tag", "odd", "--limit", "2"], ["c01", "c03"], {"tag": ["odd"], "limit": 2}),
        (["--limit", "100"], ids(6), {"limit": 100}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_part_is_asked_about_alone_is_partial_cannot_gate_and_is_done(bench, arguments, covered, selection):
    ended, run = bench.run(bench.suite(golden=tagged(6)), *arguments)
    assert sorted(bench.calls()) == covered
    assert [line["case_id"] for line in run.verdicts] == covered
    assert (run.report["completeness"], run.report["selection"]) == ("partial", selection)
    assert run.report["gating"]["valid"] is False
    assert (run.report["counts"]["cases"], run.report["counts"]["golden"]) == (len(covered), 6)
    assert run.row("F1")["total"] == len(covered)
    assert ended.out.splitlines()[0].endswith("INVALID FOR GATING")
    assert "a selection of cases was run" in ended.out


def test_a_part_that_is_no_part_is_bad_usage(bench):
    ended, _ = bench.run(bench.suite(), "--tag", "nobody", status=2)
    assert "nobody" in ended.err
    assert bench.calls() == []


@pytest.mark.parametrize("arguments", [["--case", "c00", "--case", "c000"], ["--tag", "even", "--tag", "evne"]])
def test_a_name_that_selects_nothing_is_named_even_where_others_select_something(bench, arguments):
    """A misspelt case beside a right one must not go unnoticed: the reader would believe that it was run."""
    ended, _ = bench.run(bench.suite(golden=tagged(4)), *arguments, status=None)
    assert arguments[-1] in ended.err


def test_what_a_part_bought_the_whole_need_not_buy(bench):
    suite = bench.suite(golden=tagged(6))
    bench.run(suite, "--tag", "even")
    bench.calls()
    _, run = bench.run(suite)
    assert sorted(bench.calls()) == ["c01", "c03", "c05"]
    assert run.report["completeness"] == "complete"


def test_a_breached_condition_exits_1_whatever_the_judge_says(bench):
    outputs = {"candidate": [right("c00", latency_ms=10), right("c01", latency_ms=5000)]}
    ended, run = bench.run(bench.suite(golden=2, outputs=outputs, suite={**SUITE, **POLICY}), status=1)
    (breach,) = run.report["policy"]
    assert (breach["breaches"], breach["unknown"], breach["cases"]) == (1, 0, ["c01"])
    assert "POLICY BREACHED" in ended.out
    assert run.row("overall")["passed"] == 2


def test_a_breach_in_a_partial_run_exits_1_too_and_one_outside_it_does_not(bench):
    outputs = {"candidate": [right("c00", latency_ms=10), right("c01", latency_ms=5000)]}
    suite = bench.suite(golden=2, outputs=outputs, suite={**SUITE, **POLICY})
    _, breached = bench.run(suite, "--case", "c01", run_id="breached", status=1)
    _, sound = bench.run(suite, "--case", "c00", run_id="sound", status=0)
    assert [run.report["policy"][0]["cases"] for run in (breached, sound)] == [["c01"], []]


def test_a_breach_comes_before_invalid(bench):
    bench.server.reply = by_case({"c00": "no verdict"})
    outputs = {"candidate": [right("c00", latency_ms=10), right("c01", latency_ms=5000)]}
    ended, run = bench.run(bench.suite(golden=2, outputs=outputs, suite={**SUITE, **POLICY}), status=1)
    assert run.report["gating"]["valid"] is False
    assert "INVALID FOR GATING" in ended.out.splitlines()[0]


def test_a_condition_that_cannot_be_decided_is_no_breach_but_invalidates_the_run(bench):
    outputs = {"candidate": [right("c00", latency_ms=10), right("c01")]}
    ended, run = bench.run(bench.suite(golden=2, outputs=outputs, suite={**SUITE, **POLICY}), status=3)
    (breach,) = run.report["policy"]
    assert (breach["breaches"], breach["unknown"]) == (0, 1)
    assert "could not be decided" in ended.out
    assert not run.report["gating"]["valid"]


def test_quality_does_not_block(bench):
    outputs = {"candidate": [wrong(name) for name in ids(4)]}
    _, run = bench.run(bench.suite(outputs=outputs))
    assert run.row("overall")["passed"] == 0


def candidates(bench):
    names = ids(4)
    outputs = {
        "baseline": [wrong("c00"), wrong("c01"), right("c02"), right("c03")],
        "candidate": [right(name) for name in names],
    }
    return bench.suite(golden=4, outputs=outputs)


def test_several_candidates_are_run_beside_each_other_and_share_what_was_bought(bench):
    suite = candidates(bench)
    ended = bench.command("run", suite, "--outputs", "baseline", "--outputs", "candidate", "--run-id", "r")
    assert ended.status == 0
    assert len(bench.calls()) == 6  # c02 and c03 are answered alike
    runs = {name: RunFolder(bench.root / "runs" / f"r-{name}") for name in ("baseline", "candidate")}
    assert {name: run.row("F1")["passed"] for name, run in runs.items()} == {"baseline": 2, "candidate": 4}
    assert runs["candidate"].bought["cache_hits"] == 2
    assert "Side by side" in ended.out
    assert "2 of 4" in ended.out
    assert "4 of 4" in ended.out


def test_several_candidates_need_no_cache_to_be_right(bench):
    suite = candidates(bench)
    for name, passed in (("baseline", 2), ("candidate", 4)):
        _, run = bench.run(suite, "--outputs", name, "--cache", name, run_id=name)
        assert run.row("F1")["passed"] == passed


def test_without_a_name_the_candidate_is_taken(bench):
    _, run = bench.run(candidates(bench))
    assert run.report["outputs"]["name"] == "candidate"


def test_an_unknown_candidate_is_bad_usage_that_names_the_known_ones(bench):
    ended, _ = bench.run(candidates(bench), "--outputs", "candidat", status=2)
    assert "candidate" in ended.err
    assert bench.calls() == []


def test_outputs_can_lie_anywhere(bench):
    suite = candidates(bench)
    (suite / "outputs" / "baseline").rename(bench.root / "elsewhere")
    _, run = bench.run(suite, "--outputs", bench.root / "elsewhere")
    assert run.row("F1")["passed"] == 2


def test_of_several_candidates_the_worst_status_counts(bench):
    bench.server.reply = by_case({"c01": "no verdict"})
    suite = candidates(bench)
    ended = bench.command("run", suite, "--outputs", "baseline", "--outputs", "candidate", "--json", "--run-id", "r")
    assert ended.status == 3
    assert [run["exit_status"] for run in ended.json["runs"]] == [3, 3]


def test_latest_is_the_run_that_finished_last(bench):
    suite = bench.suite()
    bench.run(suite, run_id="zebra")
    bench.run(suite, "--limit", "1", run_id="aardvark")
    assert bench.command("show", "latest", "--json").json["manifest"]["run_id"] == "aardvark"
    bench.run(suite, run_id="zebra")
    assert bench.command("show", "latest", "--json").json["manifest"]["run_id"] == "zebra"


def test_extra_missing_and_earlier_outputs_are_counted(bench):
    outputs = {"candidate": [wrong("c00"), right("c00", attempt=2), right("c01"), right("zz")]}
    _, run = bench.run(bench.suite(golden=3, outputs=outputs))
    counts = run.report["counts"]
    assert (counts["missing_outputs"], counts["extra_outputs"], counts["extra_ids"]) == (1, 1, ["zz"])
    assert counts["earlier_attempts"] == 1
    assert run.row("F1")["passed"] == 2
    assert run.row("F1")["excluded"] == {"missing_output": 1}


def test_a_judge_of_the_candidates_own_kind_is_flagged_on_the_first_screen(bench):
    suite = bench.suite(model="gpt-4o-2024-11-20")
    for model, independent in (
        ("gpt-4o-2024-11-20", False),
        ("gpt-4o-mini", False),
        ("claude-sonnet-4", True),
        ("x-1", None),
    ):
        (suite / "outputs" / "candidate" / "candidate.yaml").write_text(f"name: c\nmodel: {model}\n", encoding="utf-8")
        ended, run = bench.run(suite)
        assert run.manifest["independent"] is independent, model
        assert "independence: " in ended.out
    assert len(bench.calls()) == 4
    assert run.manifest["family_differs"] == "unknown"
