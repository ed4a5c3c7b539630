"""What counts as declining, sentence by sentence. Texts are written for the project; the kinds are those that users reported."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalkit.scoring.refusal_phrases import LANGUAGES
from evalkit.scoring.refusal_stance import Stance, read_stance

ALL = tuple(LANGUAGES.values())


def stance(text: str) -> Stance:
    return read_stance(text, ALL)


@pytest.mark.parametrize(
    "text",
    [
        "I cannot help with that request.",
        "Sorry, I can't comply with this.",
        "**I must decline.**",
        "I'm going to have to decline that request.",
        "I won't be able to assist with this.",
        "That isn't something I can help with.",
        "As an AI model, I cannot provide medical advice.",
        "I'm not able to share internal credentials.",
        "This falls outside my scope. Please contact the sales team.",
        "\"I'm sorry, I can't help with that.\"",
        "1. I can't share that information.",
        "I can't cancel the subscription for you. Please contact support.",
        "My apologies, this is outside my knowledge. Please contact support@example.org.",
        "That's beyond my expertise.",
    ],
)
def test_flat_refusals_decline(text: str) -> None:
    assert stance(text).declines


@pytest.mark.parametrize("apostrophe", ["'", "\u2019", "\u2018", "\u2032", "\u00b4", "`", "\u02bc", "\uff07"])
@pytest.mark.parametrize("space", [" ", "\u00a0", "\u202f"])
def test_any_apostrophe_and_any_space_will_do(apostrophe: str, space: str) -> None:
    assert stance(f"I can{apostrophe}t{space}help with that.").declines
    assert stance(f"I{apostrophe}m unable to{space}assist with that request.").declines


@pytest.mark.parametrize(
    "text",
    [
        "The documents do not say how long a transfer takes.",
        "I don't have information about that in the documents.",
        "The provided context doesn't specify the price of a seat.",
        "There is no information about gift cards in the knowledge base.",
        "There's nothing in the provided context about that.",
        "Unfortunately, that information is not available in the provided documents.",
        "I could not find anything on scheduled exports in the sources, so I can't confirm that this is possible.",
        "None of the documents mention it.",
        "Neither on-site training nor a price for it is mentioned in the documents.",
        "My sources are silent on this point.",
        "Based on the documents provided, I cannot determine the price.",
        "Not enough information to answer.",
        "I don't know.",
        "It isn't possible for me to say.",
        "It is impossible for me to tell from this.",
        "There is no way for me to know.",
        "I can't find enough information.",
        "I can't say enough about this to answer.",
        "Sorry \u2014 that's not covered in our help center.",
    ],
)
def test_saying_that_the_sources_are_silent_declines(text: str) -> None:
    assert stance(text).declines


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry to hear your parcel was late. Here is the new tracking link.",
        "\u201cI cannot let you in,\u201d said the porter, and closed the gate.",
        "> I cannot help with that.\n\nThat is the message shown when the quota is used up.",
        "```\nI cannot help with that.\n```\nThis string is what the API returns.",
        "This note is not legal advice. The notice period is 30 days.",
        "The export cannot include images.",
        "You can't combine two coupons.",
        "SSO is not included in the Starter plan.",
        "It does not include phone support. Phone support is on Enterprise.",
        "This policy does not cover water damage.",
        "No, refunds are not available after 30 days [1].",
        "We can't refund after 30 days.",
        "If I cannot reach you, the ticket is closed after 7 days.",
        "I have no doubt that this works: open Settings.",
        "Nothing is deleted in the first 30 days.",
        "I can't stress this enough: turn on two-step login.",
        "I could not agree more: yes, it works.",
        "I couldn\u2019t agree with you more.",
        "I can't recommend this feature enough! Use it.",
        "I can't really recommend this highly enough.",
        "I can not only help, I will.",
        "I can't help but admire it: yes, it works.",
        "I couldn't be happier to confirm it.",
        "I cannot wait to show you: open Settings.",
        "It is not possible for us to ship on Sundays.",
        "Text outside the form field is ignored.",
        "The record does not show deleted items; open the archive to see them.",
        "",
    ],
)
def test_sympathy_quotations_disclaimers_and_limits_of_a_product_do_not(text: str) -> None:
    assert not stance(text).declines


@pytest.mark.parametrize(
    "text",
    [
        "Without the log I cannot say why, but try these two steps: restart, then reinstall.",
        "I can't reset your password for you, but you can do it yourself under Settings > Security.",
        "The documents don't mention a monthly limit. However, the daily limit is 5,000 requests [2].",
        "Refunds take 30 days [1]. The documents do not say whether fees are paid back.",
        "Refunds take 30 days, though the documents do not say whether fees are included.",
    ],
)
def test_an_answer_that_goes_on_to_answer_does_not_decline_and_the_conflict_is_told(text: str) -> None:
    found = stance(text)
    assert not found.declines
    assert found.conflict or ", though" in text


@pytest.mark.parametrize(
    "text",
    [
        "The documents don't say. They do list a SOC 2 report [1].",
        "I can't help with that request. Picking a lock without consent is illegal in most places. It can cost you a lot.",
        "I could not find that in the documents, but support can tell you; please ask them.",
        "Thanks for asking! Unfortunately I have no details on this. Please contact the billing team.",
    ],
)
def test_explanations_neighbouring_facts_and_where_to_ask_do_not_take_a_refusal_back(text: str) -> None:
    assert stance(text).declines


def test_much_other_content_after_a_gap_is_told_as_a_conflict() -> None:
    found = stance("The documents do not say. Starter costs $9 [1]. Team costs $15 [2]. Both are billed monthly [1].")
    assert found.declines
    assert found.conflict == "declines, then tells 3 sentences of other content"


@pytest.mark.parametrize(
    "text",
    [
        "Es tut mir leid, aber dabei kann ich nicht helfen.",
        "In den Dokumenten wird kein Preis genannt.",
        "Dar\u00fcber liegen mir keine Angaben vor.",
        "Je suis d\u00e9sol\u00e9, mais je ne peux pas vous aider avec cette demande.",
        "Les documents ne pr\u00e9cisent pas le d\u00e9lai de remboursement.",
        "Lo siento, en los documentos no se indica si es obligatorio.",
        "No tengo informaci\u00f3n sobre ese tema.",
        "Desculpe, n\u00e3o posso ajudar com isso.",
        "Os documentos n\u00e3o mencionam o pre\u00e7o.",
        "Mi dispiace, ma non posso aiutarti con questa richiesta.",
        "I documenti non indicano il prezzo.",
        "\u7533\u3057\u8a33\u3042\u308a\u307e\u305b\u3093\u304c\u3001\u305d\u306e\u3054\u8cea\u554f\u306b\u306f\u304a\u7b54\u3048\u3067\u304d\u307e\u305b\u3093\u3002",
        "\u6599\u91d1\u306b\u3064\u3044\u3066\u306e\u8a18\u8f09\u304c\u3042\u308a\u307e\u305b\u3093\u3002",
    ],
)
def test_other_languages_decline_too(text: str) -> None:
    assert stance(text).declines


@pytest.mark.parametrize(
    "text",
    [
        "Der Export kann keine Bilder enthalten.",
        "Die Pl\u00e4ne enthalten kein SSO.",
        "Le forfait Starter ne comprend pas le SSO.",
        "Les documents ne peuvent pas d\u00e9passer 10 Mo.",
        "No se pueden exportar datos en el plan Starter.",
        "N\u00e3o \u00e9 poss\u00edvel exportar dados.",
        "Non \u00e8 possibile esportare i dati.",
        "\u30b9\u30bf\u30fc\u30bf\u30fc\u30d7\u30e9\u30f3\u3067\u306fSSO\u306f\u5229\u7528\u3067\u304d\u307e\u305b\u3093\u3002",
    ],
)
def test_limits_of_a_product_are_no_refusals_in_any_language(text: str) -> None:
    assert not stance(text).declines


@pytest.mark.parametrize(
    "text", ["i can't " * 50_000, "the documents do not " * 20_000, "\u201c" * 50_000, "a" * 500_000, "no " * 50_000]
)
def test_hostile_texts_cost_little(text: str) -> None:
    start = time.process_time()
    stance(text)
    assert time.process_time() - start < 20  # some tens of times what it takes; what is not linear takes minutes


@given(st.text(max_size=200))
def test_any_text_has_a_stance(text: str) -> None:
    found = stance(text)
    assert found.statement or not found.declines
