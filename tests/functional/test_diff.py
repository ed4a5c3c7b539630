"""Two runs compared through the command line: cases first, refusals by name, drift apart from the candidate."""

from __future__ import annotations

import json

import pytest
from fakes.cascades import SUITE, cascaded, probabilities
from fakes.judged_suites import ids, plan_case, right, wrong
from fakes.known_cascade import helpful_judge
from fakes.reading_judge import by_case
from fakes.refused_replies import opposite
from fakes.small_suites import case, write_suite
from fakes.small_suites import right as good
from fakes.small_suites import wrong as bad
from fakes.systemone_server import SystemOneServer

from evalkit.rundiff.baseline import regressions
from evalkit.runstore.baselines import read_baseline
from evalkit.runstore.reader import open_run
from evalkit.stats.differences import tango
from evalkit.stats.distributions import normal_quantile

CODE = """\
name: shop
capabilities:
  - name: short_answer
    scorers:
      - {scorer: exact_match}
"""


def diff(bench, *arguments, status=0):
    ended = bench.command("diff", *arguments, "--json")
    assert ended.status == status, ended.out + ended.err
    return ended.json


def the_row(found, criterion="exact_match"):
    (row,) = [row for row in found["rows"] if row["criterion"] == criterion]
    return row


@pytest.fixture
def two(bench):
    """Run one suite over two candidates: c1 broken, c2 fixed, c3 still failing, c4 still passing."""
    folder = write_suite(
        bench.root / "shop",
        suite=CODE,
        golden=[case(f"c{i}") for i in range(1, 5)],
        outputs={
            "old": [good("c1"), bad("c2"), bad("c3"), good("c4")],
            "new": [bad("c1"), good("c2"), bad("c3", text="Ask again."), good("c4")],
        },
    )
    for name in ("old", "new"):
        bench.run("shop", "--outputs", name, run_id=name)
    return folder


def test_a_total_that_stands_still_names_what_was_fixed_and_what_broke(bench, two):
    row = the_row(diff(bench, "old", "new"))
    assert (row["value_a"], row["value_b"], row["difference"]) == (0.5, 0.5, 0.0)
    assert (row["fixed"], row["broken"], row["still_failing"]) == (["c2"], ["c1"], ["c3"])
    assert row["unchanged"] == 1
    text = bench.command("diff", "old", "new").out
    assert "fixed 1: c2" in text
    assert "broken 1: c1" in text


def test_a_comparison_is_written_as_a_page_when_asked(bench, two):
    ended = bench.command("diff", "old", "new", "--html", "diff.html")
    assert "page: diff.html" in ended.out
    text = (bench.root / "diff.html").read_text(encoding="utf-8")
    assert "1 broken" in text
    assert "<script>" in text
    assert bench.command("diff", "old", "new", "--html", "no/such/folder/diff.html").status == 2


def test_a_page_finds_the_texts_of_a_suite_that_has_moved(bench, two):
    two.rename(bench.root / "moved")
    lost = bench.command("diff", "old", "new", "--html", "diff.html")
    assert "questions and sources are missing" in lost.err
    found = bench.command("diff", "old", "new", "--html", "diff.html", "--suite", "moved")
    assert (found.status, found.err) == (0, "")
    assert bench.command("diff", "old", "new", "--suite", "moved").status == 2


def test_changed_settings_make_a_row_not_comparable_and_say_which(bench, two):
    suite = two / "suite.yaml"
    suite.write_text(CODE.replace("exact_match}", "exact_match, strip_citations: true}"), encoding="utf-8")
    bench.run("shop", "--outputs", "new", run_id="later")
    found = diff(bench, "old", "later", status=4)
    assert found["rows"] == []
    assert "settings.strip_citations is False in A and True in B" in found["refused"][0]["reasons"]


def test_a_case_that_was_rewritten_is_no_pair(bench, two):
    lines = (two / "golden.jsonl").read_text(encoding="utf-8").splitlines()
    lines[0] = json.dumps(case("c1", expected={"answer": "something else"}))
    (two / "golden.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    bench.run("shop", "--outputs", "new", run_id="later")
    found = diff(bench, "old", "later")
    assert the_row(found)["unpaired"] == {"the case itself was changed": ["c1"]}
    assert "golden set changed" in found["notes"][0]


def test_a_case_without_an_output_is_listed_with_the_reason(bench, two):
    lines = (two / "outputs/new/outputs.jsonl").read_text(encoding="utf-8").splitlines()
    (two / "outputs/new/outputs.jsonl").write_text("\n".join(lines[:3]) + "\n", encoding="utf-8")
    bench.run("shop", "--outputs", "new", run_id="later")
    assert the_row(diff(bench, "old", "later"))["unpaired"] == {"missing_output in B": ["c4"]}


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("report.json", '"passed": 2', '"passed": 3'), ("scores.jsonl", '"codes":"f', '"codes":"p')],
)
def test_a_tampered_run_is_refused(bench, two, name, old, new):
    file = bench.root / "runs" / "new" / name
    file.write_text(file.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    ended = bench.command("diff", "old", "new")
    assert ended.status == 2
    assert "rows.0" in ended.err


def test_a_run_without_the_cases_behind_its_rows_says_what_to_do(bench, two):
    (bench.root / "runs" / "new" / "scores.jsonl").unlink()
    ended = bench.command("diff", "old", "new")
    assert ended.status == 2
    assert "run it again under the same id" in ended.err


def test_runs_of_different_suites_are_not_compared(bench, two):
    write_suite(bench.root / "other", suite=CODE.replace("shop", "other"))
    bench.run("other", run_id="other")
    ended = bench.command("diff", "old", "other")
    assert ended.status == 2
    assert "different" in ended.err or "not the same" in ended.err


def judged(bench, **judge):
    names = ids(6)
    bench.suite(
        golden=[plan_case(name) for name in names],
        outputs={
            "old": [wrong(n) for n in names],
            "new": [right(n) for n in names[:3]] + [wrong(n) for n in names[3:]],
        },
        **judge,
    )


def test_a_judges_rows_are_compared_within_one_configuration(bench):
    judged(bench)
    bench.run("wire", "--outputs", "old", run_id="old", status=None)
    bench.run("wire", "--outputs", "new", run_id="new", status=None)
    found = diff(bench, "old", "new")
    row = the_row(found, "overall")
    assert row["fixed"] == ids(6)[:3]
    assert row["unchanged"] == 3
    assert [one["run"] for one in found["instruments"]] == ["old", "new"]
    assert found["family"] == len([r for r in found["rows"] if r["p"] is not None])


def test_another_judge_is_refused_while_code_rows_are_still_compared(bench):
    code = [{"name": "wording", "cases": {"all": True}, "scorers": [{"scorer": "contains", "any": ["dollars"]}]}]
    use = [{"name": "faithfulness", "judge": [{"rubric": "faithfulness"}]}]
    judged(bench, suite={"capabilities": code + use})
    bench.run("wire", "--outputs", "old", run_id="old", status=None)
    file = bench.root / "wire" / "judge.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("test-judge", "other-judge"), encoding="utf-8")
    bench.run("wire", "--outputs", "new", run_id="new", status=None)
    found = diff(bench, "old", "new", status=4)
    assert {row["kind"] for row in found["rows"]} == {"deterministic"}
    assert any("model is test-judge in A and other-judge in B" in reason for reason in found["refused"][0]["reasons"])
    assert "NOT COMPARABLE" in bench.command("diff", "old", "new").out


def test_an_unchanged_output_with_another_verdict_is_drift_and_no_difference(bench, tmp_path):
    judged(bench)
    bench.run("wire", "--outputs", "new", run_id="first", status=None)
    bench.server.reply = by_case({"c00": opposite})
    bench.run("wire", "--outputs", "new", "--cache", tmp_path / "another", run_id="second", status=None)
    found = diff(bench, "first", "second")
    row = the_row(found, "overall")
    assert (row["fixed"], row["broken"], row["difference"]) == ([], [], 0.0)
    assert (row["drift"], row["unchanged"]) == (["c00"], 6)
    assert "whatever differs is the instrument" in found["notes"][-1]
    assert "INSTRUMENT DRIFT 1 of 6" in bench.command("diff", "first", "second").out


def test_a_verdict_that_only_the_other_tier_changed_is_drift_for_diff_and_for_no_regression(bench):
    failing: set[str] = set()

    def answered(body):
        return {} if any(name in body["state"]["answer"] for name in failing) else probabilities(body)

    bench.server.reply = helpful_judge(1.0, seed=1)  # fails c00, of which the classifier is sure that it passes
    with SystemOneServer(answered) as classifier:
        gates = [{"capability": "helpfulness", "criterion": "H1", "on": "no_regression", "margin": 0.2}]
        folder = cascaded(bench, classifier, count=36, config="rpm: 600000\n", suite=SUITE | {"gates": gates})
        bench.run(folder, run_id="first")
        assert bench.command("baseline", "set", "first").status == 0
        failing.add("c00")
        bench.run(folder, "--cache", bench.root / "another", run_id="second", status=None)
    row = the_row(diff(bench, "first", "second"), "H1")
    assert (row["fixed"], row["broken"], row["difference"], row["unchanged"]) == ([], [], 0.0, 36)
    assert row["drift_by"] == {"classifier in A, judge in B": ["c00"]}
    told = " ".join(bench.command("diff", "first", "second").out.split())
    assert "INSTRUMENT DRIFT 1 of 36 unchanged outputs: c00; decided by classifier in A, judge in B 1" in told
    second = open_run("second", bench.root / "runs")
    (against,) = [one for one in second.report.baseline["rows"] if one["criterion"] == "H1"]
    assert (against["broken"], against["drift"], against["difference"]) == (0, 1, 0.0)
    assert "INSTRUMENT DRIFT 1" in bench.command("show", "second").out
    of_row = regressions(read_baseline(folder), second)
    found = of_row(next(one for one in second.report.rows if one.criterion == "H1"))
    assert (found.n, found.drift) == (36, 1)
    assert found.lower == pytest.approx(tango(0, 0, 36, normal_quantile(0.95))[0])
