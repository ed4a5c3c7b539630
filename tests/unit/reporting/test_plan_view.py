from __future__ import annotations

import io

from evalkit.records.plans import ClassifierPlan, Lever, Plan, PlanRow, Tokens
from evalkit.reporting.console import make_console
from evalkit.reporting.page import Page
from evalkit.reporting.plan_view import print_plan

TOKENS = Tokens(template=500, context=300, candidate=100, rubric=100)
ROW = PlanRow(
    capability="faithfulness",
    rubric="faithfulness",
    cases=3,
    requests=3,
    cached=1,
    shared=1,
    to_buy=1,
    input_tokens=TOKENS,
    output_tokens=250,
)


def printed(monkeypatch, **changes):
    monkeypatch.delenv("COLUMNS", raising=False)
    fields = {
        "suite": "shop",
        "outputs": "candidate",
        "judge": "gpt-x",
        "cases": 4,
        "rows": (ROW,),
        "to_buy": 1,
        "input_tokens": TOKENS,
        "output_tokens": 250,
        "input_share": 0.8,
        "cost_usd": None,
        "levers": (Lever(name="verdict cache", saves="2 requests that need no call", requests=2, tokens=2500),),
        "basis": "estimates from 4 characters a token",
    }
    stream = io.StringIO()
    print_plan(Page(make_console(stream)), Plan(**{**fields, **changes}))
    return stream.getvalue()


def test_a_plan_says_first_what_would_be_bought_and_that_an_unknown_price_is_unknown(monkeypatch):
    text = printed(monkeypatch)
    assert text.startswith("shop / candidate: 1 verdict to buy, cost unknown\n")
    assert "nothing was asked and nothing was bought" in text
    assert "template 50.0 %, context 30.0 %, candidate 10.0 %, rubric 10.0 %" in text
    assert "input is 80.0 % of all tokens" in text
    assert "estimates from 4 characters a token" in text


def test_a_plan_shows_cached_and_identical_requests_and_each_lever(monkeypatch):
    text = printed(monkeypatch)
    assert "1 request identical to another" in text
    assert "2 requests that need no call" in text


def test_the_floor_judge_is_said_to_answer_at_once_and_no_cache_is_credited(monkeypatch):
    row = ROW.model_copy(update={"cached": 0, "at_once": 2, "to_buy": 0})
    text = printed(monkeypatch, rows=(row,), to_buy=0, cost_usd=0.0, judge="floor, not a model", levers=())
    assert "the floor judge answers at once" in text
    assert "cached" not in text


def test_a_suite_without_a_judge_is_said_so(monkeypatch):
    assert "no capability of this suite uses a judge" in printed(
        monkeypatch, rows=(), to_buy=0, levers=(), cost_usd=0.0
    )


def test_a_classifiers_dollars_are_said_and_what_has_no_price_is_counted_apart(monkeypatch):
    row = ClassifierPlan(
        capability="c", scorer="s", classifier="m", cases=4, cached=0, at_once=0, to_ask=8, cost_usd=0.25
    )
    assert "8 questions to ask of classifiers, about $0.2500\n" in printed(monkeypatch, classifiers=(row,))
    free = row.model_copy(update={"to_ask": 3, "cost_usd": None})
    assert "3 questions to ask of classifiers, whose price is not known here" in printed(
        monkeypatch, classifiers=(free,)
    )
    both = " ".join(printed(monkeypatch, classifiers=(row, free)).split())
    assert "11 questions to ask of classifiers, about $0.2500 without 3 questions whose price is not known" in both
