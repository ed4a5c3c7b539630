"""`evalkit label RUN` in front of a real terminal: a key a label, each on the disk before the next question."""

from __future__ import annotations

import json

import pytest
from fakes.judged_suites import plan_case, right
from fakes.terminal import Terminal

from evalkit.cli.exits import Exit

pytest.importorskip("pty", reason="a pty takes a system that has one")


@pytest.fixture
def run(bench):
    """A run `r` of four cases."""
    bench.run(bench.suite(golden=4))
    return bench


def labels(bench):
    path = bench.root / "wire" / "labels.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def asked(bench, *arguments):
    return Terminal("label", "r", "--criterion", "F1", "--labeller", "ada", *arguments, cwd=bench.root)


def test_each_label_is_on_the_disk_before_the_next_question_and_no_verdict_is_on_the_screen(run):
    with asked(run) as terminal:
        for count, key in enumerate("pfsa"):
            screen = terminal.until("[q] quit")
            assert f"{count} of 4 labelled" in screen
            assert len(labels(run)) == count
            assert "Plan c0" in screen
            for word in ("verdict", "test-judge", "rationale", "candidate", "supported by a quote from"):
                assert word not in screen.replace("passes when", "").split("F1:")[0]
            terminal.press(key)
        status, last = terminal.ended()
    assert status == 0
    assert "4 of 4 labels in" in last
    assert [label["label"] for label in labels(run)] == ["pass", "fail", None, "not_applicable"]
    assert all(label["blind"] and label["labeller"] == "ada" for label in labels(run))


def test_quitting_keeps_what_was_given_and_the_same_command_goes_on(run):
    with asked(run) as terminal:
        terminal.answer("p", "q")
        assert terminal.ended()[0] == 0
    with asked(run) as terminal:
        assert "1 of 4 labelled" in terminal.answer("q")[0]
        terminal.ended()
    assert len(labels(run)) == 1


def test_undo_shows_the_label_again_and_another_key_replaces_it(run):
    with asked(run) as terminal:
        _, _, again, _, _ = terminal.answer("u", "p", "u", "f", "q")
        assert "nothing to undo" not in again
        terminal.ended()
    assert [label["label"] for label in labels(run)] == ["fail"]
    assert "your label so far: pass" in terminal.raw
    assert "nothing to undo" in terminal.raw


def test_a_note_goes_with_the_label_whatever_it_holds(run):
    with asked(run) as terminal:
        terminal.answer("n")
        terminal.until("note>")
        terminal.press('=1+1 "naïve"\n')
        assert "note: =1+1" in terminal.answer("p")[0]
        terminal.answer("q")
        terminal.ended()
    assert labels(run)[0]["note"] == '=1+1 "naïve"'


@pytest.mark.parametrize("typed", ["\x1b[A", "pf", "é", "z"])
def test_arrows_pasted_texts_and_other_keys_are_no_label(run, typed):
    with asked(run) as terminal:
        terminal.answer(typed)
        terminal.until("one key of those below")
        terminal.answer("q")
        terminal.ended()
    assert labels(run) == []


def test_ctrl_c_and_ctrl_d_lose_nothing(run):
    with asked(run) as terminal:
        terminal.answer("p")
        terminal.until("[q] quit")
        terminal.interrupt()
        status, last = terminal.ended()
    assert status == 130
    assert "1 of 4 labels in" in last
    with asked(run) as terminal:
        terminal.answer("\x04")
        assert terminal.ended()[0] == 0
    assert len(labels(run)) == 1


def test_a_terminal_that_goes_away_loses_nothing_and_is_no_bug(run, monkeypatch, tmp_path_factory):
    left = tmp_path_factory.mktemp("left")
    monkeypatch.setenv("TMPDIR", str(left))
    with asked(run) as terminal:
        terminal.answer("p")
        terminal.until("[q] quit")
        assert terminal.go_away() in {Exit.DONE, Exit.OUTPUT_LOST}
    assert len(labels(run)) == 1
    assert list(left.iterdir()) == []


def test_hostile_texts_cannot_forge_a_screen(bench):
    text = "Fine.\x1b[2J\x1b[H\r0 of 0 labelled\u202e [p] pass\n::error::x"
    bench.run(bench.suite(golden=[plan_case("c00")], outputs={"candidate": [right("c00", text=text)]}), status=None)
    with asked(bench) as terminal:
        screen = terminal.answer("q")[0]
        terminal.ended()
    assert "  | Fine.\\x1b[2J\\x1b[H\\x0d0 of 0 labelled\\u202e [p] pass" in screen
    assert "\n::error::" not in terminal.raw


def test_without_a_terminal_it_says_what_to_do_instead(run):
    ended = run.command("label", "r")
    assert ended.status == 2
    assert "evalkit label export" in ended.err


def test_the_plan_says_how_much_there_is_and_asks_nothing(run):
    ended = run.command("label", "r", "--plan")
    assert ended.status == 0
    assert "12 labels wanted on 4 answers; 0 are there" in ended.out
    found = run.command("label", "start", "r", "--json", "--labeller", "ada").json
    assert (found["wanted"], found["labelled"]) == (12, 0)


def test_a_suite_is_labelled_without_a_run(bench):
    bench.suite(golden=2)
    assert "6 labels wanted" in bench.command("label", "wire", "--plan").out
    refused = bench.command("label", "wire", "--outputs", "nobody", "--plan")
    assert refused.status == 2
    bench.run("wire")
    assert "--outputs belongs to a suite" in bench.command("label", "r", "--outputs", "candidate").err
