"""Stability and position bias of verdicts made elsewhere, from the command line to the file that is kept."""

from __future__ import annotations

import json

import pytest
from fakes.external_verdicts import both_orders, pair, repeated_pairs, turned, write_verdicts
from fakes.labels import label_line


def measured(evalkit, *arguments):
    ended = evalkit(*arguments, "--json")
    assert ended.status == 0, ended.err
    return ended.json


def test_stability_counts_all_equal_and_flipped_and_shows_what_unreadable_ones_would_change(evalkit, tmp_path):
    file = repeated_pairs(tmp_path / "v.jsonl")
    (row,) = measured(evalkit, "stability", "--verdicts", file)["experiment"]["agreement"]
    assert (row["runs"], row["items"], row["n"], row["excluded"]) == (3, 12, 11, {"no_verdict_in_a_run": 1})
    assert row["equal"] == {"first": 6, "second": 4, "tie": 1}
    assert (row["flipped"], row["all_equal"]) == (0, 1.0)
    assert (row["unreadable_equal"], row["unreadable_items"]) == (11, 12)
    assert row["unreadable_pairwise"] == pytest.approx((11 + 1 / 3) / 12)
    assert row["worst_case"] == pytest.approx(11 / 12)


def test_position_counts_consistent_primacy_and_recency_over_the_readable_pairs(evalkit, tmp_path):
    file = repeated_pairs(tmp_path / "v.jsonl")
    experiment = measured(evalkit, "bias", "position", "--verdicts", file)["experiment"]
    first, second, _ = experiment["position"]
    assert (first["pairs"], first["readable"], first["excluded"]) == (6, 5, {"no_verdict_in_an_order": 1})
    assert (first["consistent"], first["ties"], first["primacy"], first["recency"]) == (4, 0, 1, 0)
    assert (second["readable"], second["consistent"], second["ties"]) == (6, 5, 1)
    assert first["worst_case"] == pytest.approx(4 / 6)
    assert (first["first_picks"], first["verdicts"], first["unreadable"]) == (6, 11, 1)


def test_position_sets_the_same_order_asked_again_beside_the_swap(evalkit, tmp_path):
    file = repeated_pairs(tmp_path / "v.jsonl")
    (row,) = measured(evalkit, "bias", "position", "--verdicts", file)["experiment"]["repeats"]
    assert (row["n"], row["same_order"], row["swapped"]) == (6, 1.0, pytest.approx(5 / 6))
    assert row["difference"] == pytest.approx(1 / 6)


def test_the_order_of_candidates_in_a_line_changes_nothing(evalkit, tmp_path):
    lines = both_orders("c", "A", "B")
    lines[1] |= {"candidates": ["blue", "red"], "verdict": "A"}
    file = write_verdicts(tmp_path / "v.jsonl", lines)
    (row,) = measured(evalkit, "bias", "position", "--verdicts", file)["experiment"]["position"]
    assert (row["consistent"], row["primacy"]) == (0, 1)


def test_each_result_is_a_dated_file_that_says_that_nothing_was_checked(evalkit, tmp_path):
    file = repeated_pairs(tmp_path / "v.jsonl")
    found = measured(evalkit, "stability", "--verdicts", file)
    kept = json.loads((tmp_path / found["file"]).read_text(encoding="utf-8"))
    assert found["file"].startswith("runs/experiments/v/stability-20")
    assert kept == found["experiment"]
    assert (kept["checked"], kept["judges"][0]["role"]) == (False, "elsewhere")
    assert "not checked by evalkit" in evalkit("stability", "--verdicts", file).out


def test_alpha_of_one_label_is_said_to_be_undefined(evalkit, tmp_path):
    lines = [
        {"judge": "j", "case_id": f"c{n}", "mode": "pointwise", "verdict": "pass", "sample": sample}
        for n in range(4)
        for sample in range(2)
    ]
    ended = evalkit("stability", "--verdicts", write_verdicts(tmp_path / "v.jsonl", lines))
    assert "alpha undefined (all verdicts pass)" in ended.out
    assert "insufficient: 4 of the 50 items" in ended.out


@pytest.mark.parametrize(
    ("command", "lines", "said"),
    [
        (["stability"], [pair("c", "red", "A")], "no judge was asked the same twice"),
        (["bias", "position"], [{"judge": "j", "case_id": "c", "mode": "pointwise", "verdict": "pass"}], "both orders"),
        (["stability"], [pair("c", "red", "X")], "v.jsonl:1: verdict: is 'X'"),
    ],
    ids=["once", "no pairs", "bad label"],
)
def test_what_cannot_be_measured_is_bad_input(evalkit, tmp_path, command, lines, said):
    ended = evalkit(*command, "--verdicts", write_verdicts(tmp_path / "v.jsonl", lines))
    assert ended.status == 2
    assert said in ended.err
    assert not (tmp_path / "runs").exists()


def test_a_hostile_judge_name_is_shown_escaped(evalkit, tmp_path):
    lines = both_orders("c", "A", "A")
    for line in lines:
        line["judge"] = "\x1b[31m::error::x"
    ended = evalkit("bias", "position", "--verdicts", write_verdicts(tmp_path / "v.jsonl", lines))
    assert "\x1b" not in ended.out
    assert "::error::" not in ended.out


def test_a_comparison_of_verdicts_made_elsewhere_has_a_page(evalkit, tmp_path):
    file = repeated_pairs(tmp_path / "v.jsonl")
    ended = evalkit("compare", "--verdicts", file, "--html", tmp_path / "pairs.html")
    assert ended.status == 0, ended.err
    text = (tmp_path / "pairs.html").read_text(encoding="utf-8")
    assert "verdicts made elsewhere: not checked by evalkit, never trusted" in text
    assert "overall, sample 2" in text
    assert text.count("<script") == 3


@pytest.mark.parametrize("third", [False, True])
def test_a_comparison_of_pairs_named_in_either_order_is_the_same_comparison(evalkit, tmp_path, third):
    lines = [
        *both_orders("c0", "A", "A"),
        *both_orders("c1", "A", "A"),
        *both_orders("c2", "B", "B"),
        *both_orders("c3", "A", "B"),
    ]
    if third:
        lines += [
            line | {"candidates": ["blue", "green"], "first_shown": "green"} for line in both_orders("c4", "A", "A")[:1]
        ]
    labels = tmp_path / "l.jsonl"

    def compared(lines, said):
        file = write_verdicts(tmp_path / "v.jsonl", lines)
        text = "".join(json.dumps(label_line(f"c{n}", label)) + "\n" for n, label in enumerate(said))
        labels.write_text(text, encoding="utf-8")
        found = measured(evalkit, "compare", "--verdicts", file, "--labels", labels)["comparison"]
        return {name: found[name] for name in ("candidates", "rows", "rankings", "position", "labelled")}

    plain = compared(lines, ["A", "A", "A", "tie"])
    mixed = [turned(line) if number in {1, 2, 3, 5, 7} else line for number, line in enumerate(lines)]
    assert compared(mixed, ["A", "B", "A", "tie"]) == plain
    assert len(plain["rows"]) == (2 if third else 1)
    assert (plain["rows"][0]["wins"], plain["rows"][0]["losses"]) == (2, 1)
    assert plain["labelled"][0]["correct_both"] == 2
