from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.reporting.escape import markdown, one_line, visible


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b[2J\x1b[1;32mPASS 100%\x1b[0m", r"\x1b[2J\x1b[1;32mPASS 100%\x1b[0m"),
        ("fail\rPASS", r"fail\x0dPASS"),
        ("\x1b]8;;http://x\x07click\x1b]8;;\x07", r"\x1b]8;;http://x\x07click\x1b]8;;\x07"),
        ("c4\u202e", r"c4\u202e"),
        ("\x9b31mred", r"\x9b31mred"),
        ("a\nb\tc\0", r"a\nb\x09c\x00"),
        ("\ud835", r"\ud835"),
        ("\U000e0041", r"\U000e0041"),
        ("zero\u200bwidth", r"zero\u200bwidth"),
    ],
)
def test_characters_that_could_hide_or_forge_a_line_are_shown_escaped(hostile, shown):
    assert visible(hostile) == shown


@pytest.mark.parametrize(
    "text", ["naïve", "日本語", "30 € – “quoted”", "std::vector<int>", "a::b", "key: value", "## heading"]
)
def test_ordinary_text_is_left_as_it_is(text):
    assert visible(text) == text


@pytest.mark.parametrize(
    "command",
    [
        "::error::gate passed",
        "x::error file=a,line=1::y",
        "  ::add-mask::x",
        "##[error]x",
        "a##vso[task.complete]",
        "##teamcity[x]",
    ],
)
def test_log_commands_of_ci_systems_are_broken_up_wherever_they_stand(command):
    shown = visible(command)
    assert not re.search(r"::[a-z-]+( [^:]*)?::|##\[|##vso\[|##teamcity\[", shown)


@given(st.text(st.characters()))
def test_one_line_is_one_line_that_every_console_can_take(text):
    shown = one_line(text)
    assert shown.isprintable() or not any(c in shown for c in "\n\r\x1b\x9b\u2028\u202e")
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\ud800-\udfff]", shown)


def test_a_long_text_is_cut_with_a_mark_that_says_how_long_it_is():
    assert one_line("x" * 5_000_000, 10) == "xxxxxxxxxx... (truncated, 5,000,000 characters)"


def test_a_text_is_not_cut_within_a_word():
    assert one_line("a character that cannot start a token", 20) == "a character that... (truncated, 37 characters)"
    assert one_line("a character that cannot start a token", 16) == "a character that... (truncated, 37 characters)"


def test_a_markdown_cell_holds_no_markup_no_html_no_mention_and_no_link():
    shown = markdown("a|b\n@here <details> [x](javascript:alert(1)) `code` #12 http://evil www.evil.example **bold**")
    assert "\n" not in shown
    assert "a\\|b" in shown
    assert "<" not in shown
    assert "@here" not in shown
    assert "#12" not in shown
    assert "://" not in shown
    assert "www.e" not in shown
    assert r"\[x\](javascript" in shown
    assert r"\*\*bold\*\*" in shown


@given(st.text(st.characters()))
def test_no_text_ends_a_markdown_cell_early(text):
    assert not re.search(r"(?<!\\)(\\\\)*\|", markdown(text))


def test_a_metric_at_a_rank_is_no_mention():
    assert markdown("recall@5") == "recall@5"
    assert markdown("@5") == "@&#8203;5"
