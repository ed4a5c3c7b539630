from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fakes.scorer_inputs import case, outcome, output
from hypothesis import given
from hypothesis import strategies as st

from evalkit.errors import InputError
from evalkit.records.lexicons import JudgesTerm, Lexicon, LexiconTerm
from evalkit.scoring.lexicon import LexiconMatcher, LexiconScorer, lexicon_faults
from evalkit.scoring.settings import Resources

STONES = Lexicon(
    id="stones",
    version="3",
    terms=(
        LexiconTerm(
            term="flaw",
            reason="say characteristic",
            exempt=("not a flaw",),
            fails=("It has a flaw.",),
            passes=("It is not a flaw; just part of why.",),
        ),
        LexiconTerm(term="flaws", fails=("There are no flaws in this stone.",)),
        LexiconTerm(term="trust me"),
        LexiconTerm(term="can't lose"),
        LexiconTerm(term="100%"),
        LexiconTerm(term="\u7f3a\u9677"),
    ),
    left_to_judge=(JudgesTerm(term="flawless", reason="a grade"), JudgesTerm(term="guarantee", reason="may be honest")),
)


def scorer(lexicon: Lexicon = STONES) -> LexiconScorer:
    return LexiconScorer({"lexicon": "x"}, Resources(folder=Path(), lexicons={"x": lexicon}))


def passed(text: str, lexicon: Lexicon = STONES) -> bool | str | None:
    return outcome(scorer(lexicon).score(case(), output(text))[0])


@pytest.mark.parametrize(
    "text",
    [
        "It is not a flaw; just part of why the rating sits at four.",
        "This is Not\na FLAW.",
        "It is not flawless.",
        "That would need a guarantee the report doesn't give.",
        "flawed, flaw\u0301y, flaw\u00e9, overflaw, flaw_count, e_flaw",
        "I trust. Me too.",
        "1100%",
    ],
)
def test_exempt_uses_longer_words_and_the_judges_terms_pass(text: str) -> None:
    assert passed(text) is True


@pytest.mark.parametrize(
    "text",
    [
        "There are no flaws in this stone.",
        "Not a flaw, but another flaw.",
        "FLAW", "flaw's", "_flaw_", "a flaw\u2014there", "\U0001f642flaw", "f\u200blaw", "\uff46law",
        "Trust\n me!", "You can\u2019t lose", "100% sure", "\u8fd9\u4e2a\u7f3a\u9677\u662f",
    ],
)  # fmt: skip
def test_banned_terms_fail_between_word_boundaries_of_any_script(text: str) -> None:
    assert passed(text) is False


@pytest.mark.parametrize(
    ("term", "text"), [("elk", "elk\u00e9sz\u00edt\u00e9se"), ("art", "restart the server \U0001f642"), ("class", "classified \u2705"), ("scan", "I am scanning caf\u00e9")]
)  # fmt: skip
def test_a_term_is_not_found_inside_a_word_whatever_stands_around_it(term: str, text: str) -> None:
    assert passed(text, Lexicon(id="l", version="1", terms=(LexiconTerm(term=term),))) is True


def test_a_failure_quotes_each_use_with_its_reason() -> None:
    score = scorer().score(case(), output("One flaw. Trust me."))[0]
    assert score[2] == "'flaw' (One flaw. Trust me.): say characteristic; 'Trust me' (One flaw. Trust me.)"


def test_the_row_bears_the_lexicons_id_and_the_signature_its_content() -> None:
    assert [spec.id for spec in scorer().criteria] == ["stones"]
    settings = dict(scorer().signature.settings)
    assert (settings["lexicon"], settings["lexicon_version"]) == ("stones", "3")
    changed = STONES.model_copy(update={"terms": STONES.terms[1:]})
    assert scorer(changed).signature.settings["lexicon_hash"] != settings["lexicon_hash"]


def test_an_output_that_only_calls_tools_is_not_applicable_and_an_empty_one_fails() -> None:
    assert outcome(scorer().score(case(), output(None, tool_calls=[{}]))[0]) == "not_applicable"
    assert passed("") is False


def test_an_unknown_lexicon_suggests_the_nearest() -> None:
    with pytest.raises(InputError, match=r"no lexicon 'stone' \(did you mean 'stones'\?\)"):
        LexiconScorer({"lexicon": "stone"}, Resources(folder=Path(), lexicons={"stones": STONES}))


def faults(*terms: LexiconTerm, left: tuple[JudgesTerm, ...] = ()) -> list[str]:
    lexicon = Lexicon(id="l", version="1", terms=terms, left_to_judge=left)
    return [str(fault) for fault in lexicon_faults(lexicon, "lexicon.yaml")]


def test_a_lexicon_whose_examples_hold_has_no_faults() -> None:
    assert lexicon_faults(STONES, "lexicon.yaml") == ()


@pytest.mark.parametrize(
    ("term", "fault"),
    [
        (
            LexiconTerm(term="flaw", fails=("flaws",)),
            "lexicon.yaml: terms.0.fails.0: 'flaws' should fail for 'flaw' and passes",
        ),
        (
            LexiconTerm(term="flaw", passes=("a flaw",)),
            "lexicon.yaml: terms.0.passes.0: 'a flaw' should pass and fails for 'flaw'",
        ),
        (
            LexiconTerm(term="flaw", exempt=("not a flaw",)),
            "lexicon.yaml: terms.0.exempt.0: 'not a flaw' stands in no example (add one to terms.0.passes)",
        ),
        (
            LexiconTerm(term="flaw", exempt=("never",), passes=("never",)),
            "lexicon.yaml: terms.0.exempt.0: 'never' does not contain 'flaw', so it exempts nothing",
        ),
        (LexiconTerm(term="\u200b"), "lexicon.yaml: terms.0.term: '\\u200b' has nothing to look for"),
    ],
)
def test_examples_and_exemptions_that_do_not_hold_are_named(term: LexiconTerm, fault: str) -> None:
    assert faults(term) == [fault]


def test_a_term_stands_once_and_not_also_with_the_judge() -> None:
    found = faults(
        LexiconTerm(term="flaw"),
        LexiconTerm(term="FLAW"),
        LexiconTerm(term="x"),
        left=(JudgesTerm(term="X", reason="y"),),
    )
    assert found == [
        "lexicon.yaml: terms.1.term: 'FLAW' stands already at terms.0",
        "lexicon.yaml: terms.2.term: 'x' stands already at left_to_judge.0",
    ]


@given(st.text(min_size=1), st.text())
def test_any_term_and_any_text_can_be_matched(term: str, text: str) -> None:
    matcher = LexiconMatcher(Lexicon(id="l", version="1", terms=(LexiconTerm(term=term),)))
    assert all(use.term.term == term for use in matcher.uses(text))


def test_settings_are_checked() -> None:
    settings: dict[str, Any] = {"lexicon": "x", "strict": True}
    with pytest.raises(InputError, match="scorer lexicon, strict"):
        LexiconScorer(settings, Resources(folder=Path(), lexicons={"x": STONES}))


def test_a_lexicon_whose_own_examples_fail_or_with_a_doubled_term_is_no_scorer() -> None:
    terms = (LexiconTerm(term="flaw", passes=("a flaw",)), LexiconTerm(term="FLAW"))
    resources = Resources(
        folder=Path(), file="shop/suite.yaml", lexicons={"words": Lexicon(id="l", version="1", terms=terms)}
    )
    with pytest.raises(InputError) as caught:
        LexiconScorer({"lexicon": "words"}, resources)
    assert [str(fault) for fault in caught.value.faults] == [
        "shop/suite.yaml, lexicon words: terms.0.passes.0: 'a flaw' should pass and fails for 'flaw'",
        "shop/suite.yaml, lexicon words: terms.0.passes.0: 'a flaw' should pass and fails for 'FLAW'",
        "shop/suite.yaml, lexicon words: terms.1.term: 'FLAW' stands already at terms.0",
    ]
