from __future__ import annotations

from typing import Any

import pytest
from fakes.scorer_inputs import build, outcome, output
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import InputError
from evalkit.records.cases import Case, Document
from evalkit.records.scores import Result


def result(answer: str, *sources: str, **fields: Any) -> Result:
    settings = fields.pop("settings", {})
    context = tuple(Document(id=f"doc/{n}", text=text) for n, text in enumerate(sources))
    the_case = Case.model_validate({"id": "c", "input": "?", **fields, "context": context})
    return build("no_invented_numbers", **settings).score(the_case, output(answer))[0]


@pytest.mark.parametrize(
    ("answer", "source"),
    [
        ("You have 30 days.", "within thirty days of purchase"),
        ("thirty days", "30 days"),
        ("30 dollars", "$30.00"),
        ("It costs $1,200.", "1200.00 USD"),
        ("20%", "twenty percent"),
        ("up to 1.5 million", "1,500,000 rows"),
        ("on 5 March 2024", "Effective 2024-03-05."),
        ("on March 5", "Effective 2024-03-05."),
        ("since 2024", "Effective 2024-03-05."),
        ("until 5 pm", "open until 17:00"),
        ("24 hours", "a 24-hour window"),
        ("30-60 days", "30 to 60 days"),
        ("v2.3.1", "version 2.3.1"),
        ("3 seats", "3 seats"),
        ("30 days", "| refund days | 30 |"),
        ("$25", "price: 25 per seat"),
        ("30 days", "30 full working days"),
        ("**30** days", "30 days"),
        ("in Q3 2024", "the third quarter of 2024"),
        ("in Q3", "in 3Q24"),
        ("Q3 2024", "Q3 was strong; 2024 was not"),
        ("since 2024", "in Q3 2024"),
        ("FY24", "fiscal year 2024"),
        ("minus 5 degrees", "-5 degrees"),
        ("1\u00bd hours", "1.5 hours"),
        ("two quarters", "2 quarters"),
    ],
)
def test_what_a_source_states_in_any_notation_passes(answer: str, source: str) -> None:
    assert outcome(result(answer, source)) is True


@pytest.mark.parametrize(
    ("answer", "source"),
    [
        ("You have 45 days.", "30 days"),
        ("$30", "30 days"),
        ("30 minutes", "30 days"),
        ("$25", "25 seats"),
        ("5 GB", "5 MB"),
        ("3.14", "314"),
        ("on 6 March", "Effective 2024-03-05."),
        ("in April 2024", "Effective 2024-03-05."),
        ("v2.3.2", "version 2.3.1"),
        ("until 6 pm", "open until 17:00"),
        ("three seats", "five seats"),
        ("one day", "30 days"),
        ("forty options", "some options"),
        ("10 plus 20 is 30", "10, 20"),
        ("30.", "29"),
        ("in Q4 2024", "in Q3 2024"),
        ("in Q3 2023", "in Q3 2024"),
        ("in Q4", "in Q3"),
        ("in the fourth quarter", "in the third quarter"),
        ("in H2 2024", "in H1 2024"),
        ("FY25", "FY24"),
        ("one year", "12 months"),
        ("minus 5 degrees", "5 degrees"),
        ("\ud55c\uad6d 45\uc77c", "30\uc77c"),
    ],
)
def test_what_no_source_states_fails(answer: str, source: str) -> None:
    assert outcome(result(answer, source)) is False


@pytest.mark.parametrize(
    "answer",
    [
        "No number at all.",
        "1. Open the menu.\n2. Press save.",
        "Do step 3 again.",
        "See [1], [2, 3] and [doc:doc/0].",
        "Use GPT-4 with INV-2024-77 and H2O.",
        "https://example.org/2024/05 and a7@example.org, plans/v2",
        "Ticket 3fa85f64-5717-4562-b3fc-2c963f66afa6.".replace("Ticket ", ""),
        "There are two options, and one of them is free.",
        "Q1: How long does it take?",
        "The second quarter is the longest.",
        "Two-thirds of them pay.",
    ],
)
def test_what_is_no_claim_is_not_applicable(answer: str) -> None:
    assert outcome(result(answer, "Nothing numeric.")) == "not_applicable"


def test_a_number_at_the_start_of_a_line_is_a_list_number_only_where_the_list_counts_up() -> None:
    assert outcome(result("45. That is the limit.", "30")) is False


def test_input_and_evidence_are_sources() -> None:
    assert outcome(result("3 seats", input="I bought 3 seats")) is True
    assert outcome(result("3 seats", input=({"role": "user", "content": "3 seats"},))) is True
    assert outcome(result("3 seats", input={"cart": {"seats": 3}})) is True
    assert outcome(result("20% off on 5 March", evidence={"rate": 0.2, "from": "2024-03-05", "on": True})) is True
    assert outcome(result("1 day", evidence={"on": True})) is False
    assert outcome(result("$5 in Q3 2024", evidence={"revenue": [{"Q3_2024": 5}]})) is True
    assert outcome(result("$5 in Q4 2024", evidence={"revenue": [{"Q3_2024": 5}]})) is False


def test_settings_choose_the_sources_and_allow_numbers() -> None:
    assert outcome(result("3 seats", input="3 seats", settings={"sources": ["context"]})) is False
    assert outcome(result("Support is there 24/7.", settings={"allow": ["24/7"]})) is True
    assert outcome(result("Call 112.", settings={"allow": [112]})) is True


def test_the_reason_names_each_invention_with_its_place() -> None:
    _, passed, reason, metadata = result("Pay $45 by 9 June.", "Pay $30.")
    assert passed is False
    assert reason == (
        "in no source (context, evidence, input): '$45' at 4 (Pay $45 by 9 June.); '9 June' at 11 (Pay $45 by 9 June.)"
    )
    assert [one["offset"] for one in metadata["invented"]] == [4, 11]


def test_many_inventions_are_counted_after_the_first_ten() -> None:
    reason = str(result(", ".join(f"{n} km" for n in range(100, 115)), "none")[2])
    assert reason.endswith("; and 5 more")


def test_an_output_that_only_calls_tools_is_not_applicable_and_an_empty_one_fails() -> None:
    scorer = build("no_invented_numbers")
    the_case = Case(id="c", input="?")
    assert outcome(scorer.score(the_case, output(None, tool_calls=[{"name": "f"}]))[0]) == "not_applicable"
    assert scorer.score(the_case, output(""))[0] == (0.0, False, "no_output", {})


@given(st.text(alphabet="0123456789 .,:/-$%[]()abMarchdayspm\n\u5929"))
def test_an_answer_that_is_its_own_source_never_fails(text: str) -> None:
    if text.strip():
        assert outcome(result(text, text)) in (True, "not_applicable")


@pytest.mark.parametrize("settings", [{"sources": []}, {"sources": ["expected"]}, {"allow": "24/7"}])
def test_wrong_settings_are_input_errors(settings: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="scorer no_invented_numbers"):
        build("no_invented_numbers", **settings)
