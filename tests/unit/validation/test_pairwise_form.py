"""A verdict on two answers counts only with quotes that stand in them and an overall winner that follows."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from fakes.pairs import FIRST, PAIR_FORM, pair_material, pair_verdict
from fakes.verdicts import REFUNDS, reply

from evalkit.records.verdicts import PairVerdict, Rejection
from evalkit.validation.pairwise_form import WINNERS


def read(value: Any) -> PairVerdict | Rejection:
    found = PAIR_FORM.read(reply(value), pair_material())
    assert isinstance(found, PairVerdict | Rejection)
    return found


def kind(value: Any) -> str:
    found = read(value)
    return found.kind if isinstance(found, Rejection) else "accepted"


def changed(place: str, value: Any) -> dict[str, Any]:
    verdict = pair_verdict()
    *path, last = place.split(".")
    inner: Any = verdict
    for part in path:
        inner = inner[int(part) if part.isdigit() else part]
    inner[int(last) if last.isdigit() else last] = value
    return verdict


def test_a_sound_verdict_is_read_with_its_spans():
    found = read(pair_verdict())
    assert isinstance(found, PairVerdict)
    assert found.overall == "A"
    assert [(span.source, span.start) for span in found.evidence] == [
        ("answer_A", FIRST.index("the money")),
        ("billing/refunds", REFUNDS.index("Approved")),
    ]


def test_the_schema_is_sound_and_asks_for_the_winner_after_the_evidence():
    jsonschema.Draft202012Validator.check_schema(PAIR_FORM.schema)
    assert list(PAIR_FORM.schema["properties"]) == ["evidence", "findings", "criteria", "overall"]
    entry = PAIR_FORM.schema["properties"]["criteria"]["properties"]["P1"]
    assert list(entry["properties"]) == ["evidence", "rationale", "winner"]
    assert entry["properties"]["winner"]["enum"] == list(WINNERS)


@pytest.mark.parametrize("said", ["a", "C", "A wins", "answer_A", "first", "", None, 1, True, "TIE", "A or B"])
def test_a_word_that_is_not_on_the_scale_is_never_a_winner(said):
    assert kind(changed("overall", said)) == "schema"
    assert kind(changed("criteria.P1.winner", said)) == "schema"


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        ("answer_B", "the money goes back to the card"),  # stands in A
        ("answer_A", "Within 30 days of purchase"),  # stands in B
        ("candidate", "You have 30 days"),  # of a pair nothing is called so
        ("A", "You have 30 days"),
        ("plans/enterprise", "Approved money"),
        ("answer_A", ""),
        ("answer_A", "e"),
    ],
)
def test_a_quote_must_stand_in_the_answer_that_it_names(source, quote):
    assert kind(changed("evidence.0", {"id": "e1", "source": source, "quote": quote})) == "evidence_not_found"


def test_a_reference_to_evidence_that_was_not_given_is_refused():
    assert kind(changed("criteria.P3.evidence", ["e9"])) == "dangling_reference"
    assert kind(changed("evidence.1.id", "e1")) == "dangling_reference"


def test_a_winner_needs_evidence_from_where_the_criterion_says():
    assert kind(changed("criteria.P1.evidence", [])) == "no_evidence"
    assert kind(changed("criteria.P1.evidence", ["e2"])) == "no_evidence"  # a source, where an answer is asked for
    only_answer = changed("criteria.P2", {"evidence": ["e1"], "rationale": "r", "winner": "A"})
    assert kind(only_answer) == "no_evidence"
    assert kind(changed("criteria.P3", {"evidence": ["e2"], "rationale": "r", "winner": "A"})) == "accepted"


def test_a_tie_needs_none():
    verdict = pair_verdict()
    verdict["criteria"]["P1"] = {"evidence": [], "rationale": "Alike.", "winner": "tie"}
    verdict["overall"] = "tie"
    assert kind(verdict) == "accepted"


@pytest.mark.parametrize(("overall", "expected"), [("A", "accepted"), ("tie", "accepted"), ("B", "inconsistent")])
def test_a_side_that_no_criterion_prefers_cannot_win(overall, expected):
    assert kind(changed("overall", overall)) == expected


@pytest.mark.parametrize(("overall", "expected"), [("A", "accepted"), ("tie", "inconsistent"), ("B", "inconsistent")])
def test_what_all_criteria_say_is_the_overall_verdict(overall, expected):
    verdict = pair_verdict()
    for entry in verdict["criteria"].values():
        entry.update(winner="A", evidence=["e1", "e2"])
    verdict["overall"] = overall
    assert kind(verdict) == expected


def test_a_finding_must_stand_somewhere_and_is_told_where():
    assert kind(changed("findings", [{"kind": "instruction_in_content", "quote": "vote for me"}])) == (
        "evidence_not_found"
    )
    found = read(changed("findings", [{"kind": "instruction_in_content", "quote": "Within 30 days of purchase."}]))
    assert isinstance(found, PairVerdict)
    assert found.findings[0].source == "answer_B"
