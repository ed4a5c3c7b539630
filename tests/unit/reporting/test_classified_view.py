from __future__ import annotations

import io

import pytest

from evalkit.records.classified import ClassifiedCase
from evalkit.records.decisions import NoulAnswer, choice_answer, score_answer
from evalkit.reporting.classified_view import print_classified, probabilities_line
from evalkit.reporting.console import make_console
from evalkit.reporting.page import Page


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (NoulAnswer(p=0.42), "probability of yes 0.42"),
        (choice_answer({"a": 0.25, "b, c": 0.75}), "probabilities 'b, c' 0.75, 'a' 0.25"),
        (score_answer([0.5, 0.5, 0]), "probabilities of the levels 0 0.5, 1 0.5, 2 0"),
    ],
)
def test_every_kind_of_answer_has_its_probabilities_on_one_line(answer, line):
    assert probabilities_line(answer) == line


def test_of_many_options_the_most_probable_are_named_and_the_rest_counted():
    line = probabilities_line(choice_answer({f"o{n}": 1 / 20 for n in range(20)}))
    assert line.endswith("'o11' 0.05 and 8 more")


def test_what_a_server_or_a_suite_wrote_stands_escaped(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    line = ClassifiedCase(
        case_id="c1",
        capability="promises",
        scorer="team\x1b[2J",
        output_sha256="a" * 64,
        configuration_hash="f" * 64,
        answer=choice_answer({"x\u202e": 0.5, "y": 0.5}),
        p_pass=0.5,
        model="m\n::error::",
        calibrated=False,
        outcome="uncertain",
        why="the answer is 'x', with a confidence of 0: needs above 0.7",
    )
    stream = io.StringIO()
    print_classified(Page(make_console(stream)), line)
    shown = stream.getvalue()
    assert "promises/team\\x1b[2J/classifier: uncertain (classifier)" in shown
    assert "x\\u202e" in shown
    assert "of a pass 0.5; not calibrated by its own word" in shown
    assert "\x1b[2J" not in shown
    assert "::error::" not in shown
