from __future__ import annotations

import pytest

from evalkit.experiments.same_content import content_changes
from evalkit.records.outputs import Output

ORIGINAL = "The Team plan costs 10 dollars a month [plans/team]. You cannot pay before 3 May 2024."


def changes(rewrite, **fields):
    before = Output(case_id="c", text=ORIGINAL, citations=("plans/team",))
    after = Output(case_id="c", text=rewrite, **{"citations": ("plans/team",), **fields})
    return content_changes(before, after, ["plans/team"])


@pytest.mark.parametrize(
    "rewrite",
    [
        ORIGINAL,
        "Happy to help! Per month, 10 dollars is what the Team plan costs [plans/team]. Before May 3, 2024 you can not pay.",
        "It is ten dollars a month for the Team plan [plans/team]. Before 2024-05-03 you can't pay.",
    ],
)
def test_the_same_contents_in_other_words_are_the_same(rewrite):
    assert changes(rewrite) == ()


@pytest.mark.parametrize(
    ("rewrite", "what"),
    [
        (ORIGINAL.replace("10", "12"), "numbers"),
        (ORIGINAL.replace("3 May", "4 May"), "dates"),
        (ORIGINAL.replace(" [plans/team]", ""), "citations"),
        (ORIGINAL.replace("cannot", "can"), "negations"),
        (ORIGINAL.replace("The Team", "The Enterprise"), "names"),
        (ORIGINAL + " Ask Alice.", "names"),
        (ORIGINAL + " It takes 2 days.", "numbers"),
    ],
)
def test_what_a_rewrite_says_otherwise_is_named(rewrite, what):
    assert what in changes(rewrite)


def test_another_citations_field_is_another_content():
    assert changes(ORIGINAL, citations=()) == ("citations",)


def test_a_negator_that_stresses_is_no_negation():
    before, after = (
        Output(case_id="c", text="It is cheap and quick."),
        Output(case_id="c", text="It is not only cheap but quick."),
    )
    assert content_changes(before, after) == ()
