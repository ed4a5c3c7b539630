from __future__ import annotations

import io

from fakes.pages import material
from fakes.stored_runs import manifest, report

from evalkit.records.manifests import CaseCost
from evalkit.reporting.console import make_console
from evalkit.reporting.cost_words import cost_lines, use_costs
from evalkit.reporting.html.document import report_html
from evalkit.reporting.html.pictures import cost_bars
from evalkit.reporting.page import Page
from evalkit.reporting.terminal import print_run


def costing(*dollars, unknown=0):
    """Return a manifest with a judge use per price: ten cases each."""
    (use,) = manifest().judges
    uses = [
        use.model_copy(
            update={
                "capability": f"c{number}",
                "identity": {"rubric": "tone"},
                "per_case": CaseCost(cases=10, input_tokens=9, output_tokens=1, cost_usd=price, unknown_usage=unknown),
            }
        )
        for number, price in enumerate(dollars)
    ]
    return manifest(judges=tuple(uses))


def test_each_judge_use_says_its_cost_and_that_of_a_case():
    assert list(cost_lines(costing(0.5, 0.001))) == [
        "cost when bought: c0/tone $5.00 ($0.5000 a case); c1/tone $0.0100 ($0.0010 a case)"
    ]


def test_without_prices_nothing_is_said():
    assert list(cost_lines(costing(None))) == []
    assert list(cost_lines(manifest())) == []
    assert cost_bars(costing(None)) == []


def test_usage_that_no_server_said_makes_a_lower_bound():
    (use,) = use_costs(costing(0.5, unknown=2))
    assert (use.total, use.per_case) == ("at least $5.00", "at least $0.5000")


def test_bars_are_to_the_scale_of_the_dearest():
    bars = cost_bars(costing(0.5, 0.125))
    assert [bar.parts[0].place for bar in bars] == [(0.0, 240.0), (0.0, 60.0)]
    assert bars[1].label == "c1/tone: $1.25, $0.1250 a case"
    assert cost_bars(costing(0.0)) == []


def test_terminal_and_page_show_it(tmp_path, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    stream = io.StringIO()
    print_run(Page(make_console(stream), piped=100), report(), costing(0.5), tmp_path)
    assert "cost when bought: c0/tone $5.00" in stream.getvalue()
    text = report_html(material(manifest=costing(0.5)))
    assert 'aria-label="Cost by capability"' in text
    assert 'aria-label="c0/tone: $5.00, $0.5000 a case"' in text
