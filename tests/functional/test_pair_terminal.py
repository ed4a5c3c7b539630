"""`evalkit label COMPARISON` in front of a real terminal: two answers, one key, never whose they are."""

from __future__ import annotations

import json

import pytest
from fakes.judged_suites import plan_case, right, wrong
from fakes.pair_judge import chooser, prefers_ten
from fakes.terminal import Terminal

pytest.importorskip("pty", reason="a pty takes a system that has one")
NAMES = [f"c0{number}" for number in range(4)]
FOLDER = "runs/comparisons/wire/candidate-vs-other"


@pytest.fixture
def pairs(bench):
    """A comparison of four pairs that the candidate won."""
    bench.server.reply = chooser(prefers_ten)
    outputs = {"candidate": [right(name) for name in NAMES], "other": [wrong(name) for name in NAMES]}
    suite = bench.suite(golden=[plan_case(name) for name in NAMES], outputs=outputs)
    bench.command("compare", suite, "--outputs", "candidate", "--against", "other", "--quiet")
    return bench


def labels(bench):
    path = bench.root / "wire" / "labels.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def asked(bench, *arguments):
    return Terminal("label", FOLDER, "--criterion", "overall", "--labeller", "ada", *arguments, cwd=bench.root)


def test_a_key_says_which_of_the_two_is_better_and_nothing_says_who_is_who(pairs):
    with asked(pairs) as terminal:
        for count in range(3):
            screen = terminal.until("[q] quit")
            assert f"{count} of 4 labelled" in screen
            assert len(labels(pairs)) == count
            assert "[1] first   [2] second   [t] tie   [s] skip" in screen
            for word in ("candidate", "other", "test-judge", "verdict", "passes when"):
                assert word not in screen, word
            first = screen.partition("FIRST ANSWER")[2].partition("SECOND ANSWER")[0]
            terminal.press("1" if "10 dollars" in first else "2")
        terminal.answer("t")
        status, last = terminal.ended()
    assert status == 0
    assert "4 of 4 labels in" in last
    assert [label["label"] for label in labels(pairs)] == ["A", "A", "A", "tie"]
    assert all(label["blind"] and len(label["output_sha256"]) == 2 for label in labels(pairs))


def test_undo_says_the_label_in_the_words_of_the_screen_and_the_same_command_goes_on(pairs):
    with asked(pairs) as terminal:
        _, again, _ = terminal.answer("2", "u", "1")
        assert "1 of 4 labelled" in again
        shown, _ = terminal.answer("s", "q")
        assert "1 of 4 labelled" in shown
        terminal.ended()
    assert len(labels(pairs)) == 2
    assert labels(pairs)[1]["label"] is None
    with asked(pairs) as terminal:
        assert "2 of 4 labelled" in terminal.answer("q")[0]
        terminal.ended()


def test_the_plan_counts_pairs(pairs):
    ended = pairs.command("label", FOLDER, "--criterion", "overall", "--labeller", "ada", "--plan")
    assert ended.status == 0
    assert "4 labels wanted on 4 pairs; 0 are there" in ended.out
    assert pairs.command("label", "start", FOLDER, "--labeller", "ada", "--json").json["labelled"] == 0
