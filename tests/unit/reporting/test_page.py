from __future__ import annotations

import io

import pytest
from rich.console import Console

from evalkit.reporting.console import escape_what_cannot_be_shown, make_console
from evalkit.reporting.page import Page


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


def page_of(width):
    stream = Terminal()
    console = Console(file=stream, width=width, force_terminal=True, color_system=None, markup=False, highlight=False)
    return Page(console), stream


@pytest.fixture
def pipe(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    stream = io.StringIO()
    return Page(make_console(stream)), stream


def test_a_block_stands_behind_its_margin_even_where_the_terminal_is_narrow():
    page, stream = page_of(20)
    page.block("ok" + " " * 16 + "PASS everything\n::error::x\nlast")
    lines = stream.getvalue().splitlines()
    assert all(line.startswith("  | ") for line in lines)
    assert max(map(len, lines)) <= 20


def test_a_wrapped_line_continues_further_in():
    page, stream = page_of(30)
    page.line("because: " + "word " * 20, indent=2)
    first, *rest = stream.getvalue().splitlines()
    assert first.startswith("  because")
    assert rest
    assert all(line.startswith("    word") for line in rest)


def test_a_long_block_says_that_it_was_cut():
    page, stream = page_of(80)
    page.block("x\n" * 100, limit=10)
    assert "(truncated, 200 characters in all)" in stream.getvalue()


def test_a_pipe_gets_whole_lines_and_no_colour(pipe):
    page, stream = pipe
    page.line("word " * 100, style="bold red")
    page.columns([(("label", "1", "r " * 200), "green")])
    assert len(stream.getvalue().splitlines()) == 2
    assert "\x1b" not in stream.getvalue()


def test_columns_line_up_also_behind_wide_characters(pipe):
    page, stream = pipe
    page.columns([(("日本", "1", "a"), ""), (("abcd", "22", "b"), "")])
    assert stream.getvalue().splitlines() == ["日本   1  a", "abcd  22  b"]


def test_on_a_narrow_page_a_row_becomes_a_short_list():
    page, stream = page_of(30)
    page.columns([(("faithfulness: F1", "40 of 60", "66.7 %", "54.1 to 77.3 %", "provisional"), "")])
    lines = stream.getvalue().splitlines()
    assert lines[0] == "faithfulness: F1"
    assert "40 of 60" in lines[1]
    assert max(map(len, lines)) <= 30


def test_on_a_narrow_page_a_table_with_a_head_names_each_figure_and_breaks_between_them():
    page, stream = page_of(32)
    head = (("", "pairs", "consistent", "primacy", "swing, points"), "dim")
    page.columns([head, (("overall", "40", "30", "", "+2.5 (-3.0 to 8.1)"), ""), (("empty", "", "", "", ""), "")])
    assert [line.rstrip() for line in stream.getvalue().splitlines()] == [
        "overall",
        "    pairs 40 | consistent 30",
        "    swing, points +2.5 (-3.0 to",
        "    8.1)",
        "empty",
    ]


def test_markup_in_data_stays_data(pipe):
    page, stream = pipe
    page.line("[bold]not bold[/bold] :smile:")
    assert stream.getvalue() == "[bold]not bold[/bold] :smile:\n"


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_a_console_of_few_characters_gets_escapes_instead_of_an_error(monkeypatch, encoding):
    monkeypatch.delenv("COLUMNS", raising=False)
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    escape_what_cannot_be_shown(stream)
    Page(make_console(stream)).line("Привет “30” – ok")
    stream.flush()
    assert b"\\u041f" in raw.getvalue()
    assert b"ok" in raw.getvalue()


@pytest.fixture
def narrow_pipe(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    stream = io.StringIO()
    return Page(make_console(stream), piped=40), stream


def test_a_pipe_that_is_told_how_wide_gets_paragraphs_that_fit_and_words_that_stay_whole(narrow_pipe):
    page, stream = narrow_pipe
    page.line(f"written: {'/folder' * 10} and {'more ' * 10}", indent=2)
    lines = stream.getvalue().splitlines()
    assert lines[:2] == ["  written:", f"    {'/folder' * 10}"]
    assert all(len(line) <= 40 for line in lines if "/" not in line)


def test_a_pipe_gets_the_lines_of_a_text_as_they_are(narrow_pipe):
    page, stream = narrow_pipe
    page.block("word " * 100)
    assert len(stream.getvalue().splitlines()) == 1


def test_parts_of_a_statement_are_kept_whole_where_lines_are_short(narrow_pipe):
    page, stream = narrow_pipe
    page.parts(["name: 12 of 40", "share 30.0 %", "p 0.003", "alpha 0.71", "AC1 0.80"], indent=2)
    assert stream.getvalue().splitlines() == [
        "  name: 12 of 40 | share 30.0 %",
        "      p 0.003 | alpha 0.71 | AC1 0.80",
    ]


def test_parts_stand_on_one_line_where_there_is_room(pipe):
    page, stream = pipe
    page.parts(["one", "two", "three " * 40], indent=2)
    assert stream.getvalue() == f"  one | two | {'three ' * 40}\n"


def test_a_paragraph_between_rows_stands_as_far_in_as_its_spaces_say(narrow_pipe):
    page, stream = narrow_pipe
    page.columns([(("name", "1", "x"), ""), (("    " + "word " * 12,), "")], indent=2)
    _, *note = stream.getvalue().splitlines()
    assert note[0].startswith("      word")
    assert note[1].startswith("        word")
