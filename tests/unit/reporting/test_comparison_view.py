from __future__ import annotations

import io
import re

import pytest
from fakes.compared import comparison, pair_row
from fakes.external_verdicts import both_orders, repeated_pairs, write_verdicts
from fakes.labels import label_line, write_labels
from rich.cells import cell_len

from evalkit.experiments.external_pairs import comparison_of_verdicts
from evalkit.records.reports import Health
from evalkit.reporting.comparison_view import comparison_markdown, print_comparison
from evalkit.reporting.comparison_words import sections
from evalkit.reporting.console import make_console
from evalkit.reporting.page import PIPED_CELLS, Page

HOSTILE = "a|b\x1b[2J::error::x"


@pytest.fixture
def repeated(tmp_path):
    return comparison_of_verdicts(repeated_pairs(tmp_path / "verdicts.jsonl"), None, 1)


@pytest.fixture
def three(tmp_path):
    """Return three candidates judged twice: the ranking of the second repetition is another one."""
    lines = []
    for sample, order in enumerate((("red", "blue", "green"), ("green", "blue", "red"))):
        for number in range(6):
            for better, worse in ((0, 1), (0, 2), (1, 2)):
                names = [order[better], order[worse]]
                lines += [
                    line | {"candidates": names, "first_shown": names[shown]}
                    for shown, line in enumerate(both_orders(f"c{number}", "A", "A", sample))
                ]
    return comparison_of_verdicts(write_verdicts(tmp_path / "verdicts.jsonl", lines), None, 1)


def printed(comparison, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    stream = io.StringIO()
    print_comparison(Page(make_console(stream), piped=PIPED_CELLS), comparison)
    return stream.getvalue()


def test_no_line_is_wider_than_a_hundred_cells_in_a_pipe(repeated, monkeypatch):
    assert max(map(cell_len, printed(repeated, monkeypatch).splitlines())) <= PIPED_CELLS


def test_a_criterion_is_a_short_row_of_counts_with_what_is_said_of_it_beneath(repeated, monkeypatch):
    lines = [line.split() for line in printed(repeated, monkeypatch).splitlines()]
    at = lines.index(["overall", "5", "of", "6", "4", "0", "0", "1", "+80.0", "(1.8", "to", "96.4)", "0.062"])
    assert " ".join(lines[at + 1]) == "order-dependent: 1 towards the first shown, 0 towards the second"


def test_every_cell_of_a_table_stands_under_a_head(repeated, three):
    for section in [*sections(repeated), *sections(three)]:
        for group in section.groups:
            assert {len(row.cells) for row in group.rows} == {len(section.head)}


def test_a_ranking_of_verdicts_made_elsewhere_names_its_sample(three, monkeypatch):
    text = printed(three, monkeypatch)
    _, first, second = re.split(r"j / overall, sample \d", text[text.index("Ranking") :])
    assert re.findall(r"^ +(\w+) +\d +", first, re.MULTILINE) == ["red", "blue", "green"]
    assert re.findall(r"^ +(\w+) +\d +\d to", second, re.MULTILINE) == ["green", "blue", "red"]
    assert [ranking.sample for ranking in three.rankings] == [0, 1]


def test_markdown_holds_the_same_tables(three):
    text = comparison_markdown(three)
    assert "|  | rank | ranks | log strength |\n| --- | --- | --- | --- |\n| red | 1 |" in text
    assert "**j / overall, sample 1" in text


def test_hostile_names_stay_cells(tmp_path, monkeypatch):
    lines = [line | {"candidates": [HOSTILE, "blue"]} for line in both_orders("c", "A", "B")]
    lines = [line | {"first_shown": line["candidates"][shown]} for shown, line in enumerate(lines)]
    found = comparison_of_verdicts(write_verdicts(tmp_path / "verdicts.jsonl", lines), None, 1)
    assert "\x1b" not in printed(found, monkeypatch) + comparison_markdown(found)
    assert "::error::" not in comparison_markdown(found)
    assert "a|b" not in comparison_markdown(found).replace("a\\|b", "")


def test_labels_stand_in_a_table_of_their_own(tmp_path, monkeypatch):
    lines = [label_line(f"steady{number}", "A") for number in range(4)]
    labels = write_labels(tmp_path / "labels.jsonl", lines)
    found = comparison_of_verdicts(repeated_pairs(tmp_path / "verdicts.jsonl"), labels, 1)
    text = printed(found, monkeypatch)
    _, table = text.split("Against labels")
    assert (
        re.findall(r"^ +overall +(\d) +(\d) +(\d) +(\d) +(\d)$", table, re.MULTILINE) == [("4", "4", "4", "4", "0")] * 3
    )


def test_the_interval_of_a_net_win_is_over_clusters_where_cases_share_any_and_says_so(monkeypatch):
    made = comparison(pair_row(net=0.0125, net_interval=(-0.07, 0.097), net_clustered=(-0.11, 0.135), clusters=9))
    text = " ".join(printed(made, monkeypatch).split())
    assert "+1.2 (-11.0 to 13.5) over 9 clusters" in text
    assert "net win and mid-p as if cases shared nothing: -7.0 to 9.7" in text


def test_a_selection_that_is_short_of_verdicts_says_so_first(monkeypatch):
    made = comparison(
        pair_row(net_bounds=(-0.1, 0.4), net_clustered=None, clusters=3, length_controlled=0.55, in_code=2),
        completeness="incomplete",
        health=Health(
            judged=9,
            judge_errors={"parse": 2},
            judge_error_rate=2 / 9,
            budget=0.02,
            not_bought=3,
            within_budget=False,
            verdicts=4,
            first_try_valid=None,
            verdict_retries=0,
            findings=0,
        ),
    )
    text = " ".join(printed(made, monkeypatch).split())
    assert (
        text.index("INCOMPLETE: 3 verdicts are missing")
        < text.index("INVALID: judge errors 22.2 %")
        < text.index("Pairs")
    )
    assert ", no interval over 3 clusters" in text
    assert "; 2 of the pairs decided in code" in text
    assert "net win whatever the excluded verdicts were: -10.0 to 40.0" in text
    assert "at equal length 55.0 %" in text


def test_the_line_about_length_says_that_it_counts_words_and_what_it_leaves_out(monkeypatch):
    fields = {"wins": 20, "losses": 13, "longer_won": 15, "longer_share": 0.5}
    told = {
        decided: " ".join(printed(comparison(pair_row(decided=decided, **fields)), monkeypatch).split())
        for decided in (30, 33, 0)
    }
    assert "the answer with more words won 15 of 30 decided pairs" in told[30]
    assert "3 more, with as many words or lengths not known, are not counted there" in told[30]
    assert "not counted there" not in told[33]
    assert "no decided pair of answers whose numbers of words are known and differ" in told[0]
