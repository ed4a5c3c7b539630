"""Feedback is short, made of what was missed, and bounded whatever a judge or a candidate says."""

from __future__ import annotations

from evalkit.acceptance.feedback import CLAIMS_SHOWN, LONGEST, feedback_on
from evalkit.records.acceptance import AcceptanceCriterion, Strategy
from evalkit.records.acceptance_log import CriterionResult
from evalkit.records.verdicts import Claim, CriterionVerdict, Span, Verdict

CRITERION = AcceptanceCriterion(
    name="faithful", required=True, strategy=Strategy(rubric="faithfulness", criterion="F1")
)


def missed(reason="Two claims are not carried."):
    return CriterionResult(name="faithful", required=True, weight=1.0, strategy="judge", result="missed", reason=reason)


def verdict(*claims, evidence=(), named=()):
    entry = CriterionVerdict(
        claims=tuple(claim.id for claim in claims), evidence=tuple(named), rationale="because", grade="fail"
    )
    return Verdict(claims=claims, evidence=tuple(evidence), criteria={"F1": entry}, overall_pass=False)


def claim(number, status="unsupported", text="Plans cost 9.", quotes=()):
    spans = tuple(
        Span(id=f"e{number}{at}", source=source, quote=quote, start=0, end=len(quote))
        for at, (source, quote) in enumerate(quotes)
    )
    return Claim(id=number, text=text, evidence=spans, cites=(), status=status)


def told(*claims, description="Each claim is supported.", **fields):
    return feedback_on([(CRITERION, description, missed(), verdict(*claims, **fields))], 1)


def test_claims_stand_with_the_quote_that_speaks_against_them():
    text = told(claim(1), claim(2, "contradicted", "Plans cost 8.", [("plans/a", "cost 10")]), claim(3, "supported"))
    assert text.splitlines() == [
        "Attempt 1 was not accepted. Answer the same request again and mend this:",
        "1. faithful (required): Each claim is supported.",
        "   Why it was missed: Two claims are not carried.",
        '   - no source says: "Plans cost 9."',
        '   - a source says otherwise than: "Plans cost 8." (plans/a: "cost 10")',
    ]


def test_passages_that_decided_by_themselves_are_quoted():
    span = Span(id="x1", source="candidate", quote="I guess", start=0, end=7)
    assert '   - quoted from the answer: "I guess"' in told(evidence=[span], named=["x1"])
    assert "I guess" not in told(evidence=[span])


def test_a_criterion_that_code_missed_leads_with_the_reason():
    code = AcceptanceCriterion(name="short", required=False, strategy=Strategy(scorer="length_limit"))
    text = feedback_on([(code, "At most 8 words.", missed("12 words, at most 8"), None)], 2)
    assert text.splitlines()[1:] == ["1. short (wanted): 12 words, at most 8", "   The rule: At most 8 words."]
    text = feedback_on([(code, "At most 8 words.", missed(""), None), (code, "", missed("12 words"), None)], 2)
    assert text.splitlines()[1:] == ["1. short (wanted): At most 8 words.", "2. short (wanted): 12 words"]


def test_whatever_is_said_keeps_its_line_and_its_length():
    text = told(*(claim(n, text=f"line\nbreak {'x' * 5000}") for n in range(50)), description="d" * 9000)
    assert len(text) <= LONGEST
    assert f"and {50 - CLAIMS_SHOWN} more such claims" in text
    assert all(len(line) < 600 for line in text.splitlines())
    assert len(feedback_on([(CRITERION, "d" * 400, missed("r" * 400), None)] * 40, 1)) == LONGEST
