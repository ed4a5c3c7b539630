"""report.html in a real browser: what it shows, how it filters, how it is driven by keys, and that nothing in it can do anything."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from fakes.browser import axe_violations, open_page
from fakes.calibrated import calibration, probability_row
from fakes.compared import comparison, line, order, pair_row, pairs_material
from fakes.external_verdicts import repeated_pairs
from fakes.pages import case, large, material, output, spoiled, texts
from fakes.stored_runs import QUOTE, failure, judge_failure, judge_row, judgement, manifest, report, row, scores

from evalkit.experiments.external_pairs import comparison_of_verdicts, pairs_made_elsewhere
from evalkit.pipeline.page_figures import bands_by_row, tokens_by_capability
from evalkit.records.case_scores import CaseScores, RowScores
from evalkit.records.cases import Document
from evalkit.records.classified import ClassifierUse
from evalkit.records.diffs import RowDiff, RunDiff
from evalkit.records.experiments import AgreementRow, Experiment, ExperimentJudge
from evalkit.records.verdicts import Claim, Purchase
from evalkit.reporting.html.diff_material import DiffMaterial
from evalkit.reporting.html.document import diff_html, pairs_html, report_html
from evalkit.reporting.html.material import PageMaterial
from evalkit.reporting.html.pairs_material import PairsMaterial

pytestmark = pytest.mark.unmeasured
RENDERERS = {PageMaterial: report_html, DiffMaterial: diff_html, PairsMaterial: pairs_html}
FILTER_MS = 1000
"""What a search or a filter takes at most on a busy machine: some tens of times what it takes, a fraction of what drawing all would."""


@pytest.fixture
def page(browser, tmp_path):
    """Return a function that writes a material's page and opens it; at the end nothing may have gone wrong in any of them."""
    opened = []

    def opening(made, address="", **settings):
        file = tmp_path / f"page{len(opened)}.html"
        file.write_text(RENDERERS[type(made)](made), encoding="utf-8")
        shown = open_page(browser, file, **settings)
        opened.append(shown)
        shown.go(address)
        return shown

    yield opening
    for shown in opened:
        shown.tab.context.close()
    assert [shown.trouble for shown in opened] == [[] for _ in opened]


def measured_ms(shown):
    """Return how long each drawing of the list took since the page was opened."""
    return shown.tab.evaluate("performance.getEntriesByName('filter').map((entry) => entry.duration)")


def test_the_first_screen_answers_before_anything_is_clicked(page):
    shown = page(material())
    above = shown.tab.locator(".answers").inner_text()
    assert "May this be believed?\nNo\nThe run is invalid for gating" in above.replace("\n\n", "\n")
    assert "judge errors 33.3 % are over the budget of 2.0 %" in above
    assert "policy: 1 of 2 conditions BREACHED" in above
    assert shown.tab.locator(".answers").bounding_box()["y"] < 300


def test_filters_narrow_the_list_and_stand_in_the_address(page):
    shown = page(material())
    assert shown.count == "3 of 3 cases"
    shown.tab.select_option("select[name=outcome]", "judge error")
    assert shown.listed == ["c3"]
    shown.tab.select_option("select[name=outcome]", "failure")
    shown.tab.select_option("select[name=capability]", "short_answer")
    assert shown.listed == ["c2"]
    assert shown.address == "#outcome=failure&capability=short_answer"
    shown.go(shown.address)
    assert (shown.listed, shown.count) == (["c2"], "1 of 3 cases")
    shown.tab.click("#clear")
    assert (shown.address, len(shown.listed)) == ("", 3)


def test_capability_criterion_and_outcome_must_meet_in_one_criterion(page):
    shown = page(material(), "#capability=short_answer&outcome=judge%20error")
    assert shown.listed == []
    shown.go("#criterion=faithfulness%2FF1&outcome=fail")
    assert shown.listed == ["c2"]


def test_a_case_is_found_by_tag_finding_and_flip(page):
    finding = {"kind": "finding", "case_id": "c1", "finding": "directive_line", "by": "code", "mode": "pointwise"}
    made = material(flips=frozenset({("c3", "f" * 64)}))
    made = replace(made, failures=[*made.failures, {**finding, "source": "candidate", "count": 1, "places": []}])
    shown = page(made, "#tag=hard")
    assert shown.listed == ["c2"]
    shown.go("#finding=directive_line")
    assert shown.listed == ["c1"]
    shown.go("#flipped=yes")
    assert shown.listed == ["c3"]


@pytest.mark.parametrize(
    ("words", "found"),
    [("C2", ["c2"]), ("store CREDIT", ["c1"]), ("got '14 days'", ["c2"]), ("f1 is missing", ["c3"]), ("nowhere", [])],
)
def test_search_reads_ids_answers_reasons_and_refusals_in_any_case(page, words, found):
    answers = {"c1": output("c1", "As store credit."), "c2": output("c2"), "c3": output("c3")}
    shown = page(material(texts=texts(case("c1"), case("c2"), case("c3"), outputs=answers)))
    shown.tab.fill("input[name=q]", words)
    assert shown.listed == found


def test_a_row_leads_to_its_cases(page):
    shown = page(material())
    shown.tab.click(".row a:has-text('F1')")
    assert shown.address == "#outcome=failure&capability=faithfulness&criterion=faithfulness%2FF1"
    assert shown.listed == ["c2"]
    assert shown.tab.evaluate("document.activeElement.id") == "cases"


def test_a_deep_link_opens_a_case_with_its_marks(page):
    shown = page(material(), "#case=c1")
    assert shown.tab.title().startswith("c1: ")
    assert shown.tab.evaluate("document.activeElement.id") == "case-title"
    assert shown.tab.locator("#case .source mark.quote").all_text_contents() == [QUOTE]
    assert shown.tab.locator("#case mark.claim.supported").all_text_contents() == ["You have 30 days."]
    assert shown.tab.locator("#case .chip.supported").inner_text() == "1 supported"
    assert shown.tab.locator("#case .chip.supported svg path").count() == 1
    assert not shown.tab.is_visible("#overview")


def test_marks_stand_in_their_place_behind_characters_of_two_units(page):
    before = "𝔘𝔫𝔦 🚀 "
    text = before + "You may ask within 30 days of purchase."
    start = text.index(QUOTE)
    base = judgement("c1", "pass")
    claim = base.verdict.claims[0]
    span = claim.evidence[0].model_copy(update={"start": start, "end": start + len(QUOTE)})
    verdict = base.verdict.model_copy(update={"claims": (claim.model_copy(update={"evidence": (span,)}),)})
    answers = {"c1": output("c1", f"{before}You have\n30 days.")}
    one = case("c1", context=(Document(id="billing/refunds", text=text),))
    made = material(
        judgements=[base.model_copy(update={"verdict": verdict})], failures=[], texts=texts(one, outputs=answers)
    )
    shown = page(made, "#case=c1")
    assert shown.tab.locator("mark.quote").all_text_contents() == [QUOTE]
    assert shown.tab.locator("mark.claim").all_text_contents() == ["You have\n30 days."]


def test_every_claim_status_has_a_word_and_a_shape_of_its_own(page):
    claims = tuple(
        Claim(id=number, text=f"Claim {number}.", evidence=(), cites=(), status=status)
        for number, status in enumerate(("supported", "unsupported", "contradicted"), 1)
    )
    base = judgement("c1", "fail")
    judged = base.model_copy(update={"verdict": base.verdict.model_copy(update={"claims": claims})})
    answers = {"c1": output("c1", "Claim 1. Claim 2. Claim 3.")}
    shown = page(material(judgements=[judged], failures=[], texts=texts(case("c1"), outputs=answers)), "#case=c1")
    chips = shown.tab.locator("#case .chip")
    assert chips.all_inner_texts() == ["1 supported", "2 unsupported", "3 contradicted"]
    assert len(set(chips.locator("path").evaluate_all("all => all.map((path) => path.getAttribute('d'))"))) == 3


def test_a_refused_reply_is_shown_as_it_came(page):
    shown = page(material(), "#case=c3")
    text = shown.tab.locator("#case").inner_text()
    assert "judge error no reply passed the checks: neither a pass nor a fail" in text
    assert '{"criteria": {}}' in text


def test_several_samples_are_chosen_from_and_mark_the_texts_by_turns(page):
    judgements = [judgement("c1", "pass"), judgement("c1", "fail", sample=1)]
    shown = page(material(judgements=judgements, failures=[]), "#case=c1")
    assert shown.tab.locator("#case .chip.supported").count() == 1
    shown.tab.select_option("#case .marking select", label="faithfulness, sample 2")
    assert shown.tab.locator("#case .chip.unsupported").count() == 1
    assert shown.tab.locator("#case .chip.supported").count() == 0
    shown.go("#outcome=unstable")
    assert shown.listed == ["c1"]


def test_the_keyboard_walks_the_failures_and_goes_back_to_the_filtered_list(page):
    shown = page(material(), "#order=golden")
    shown.tab.keyboard.press("j")
    assert shown.address == "#order=golden&case=c2"
    shown.tab.wait_for_selector("#case-title:has-text('c2')")
    shown.tab.keyboard.press("j")
    shown.tab.wait_for_selector("#case-title:has-text('c3')")
    shown.tab.keyboard.press("p")
    shown.tab.keyboard.press("p")
    shown.tab.wait_for_selector("#case-title:has-text('c1')")
    shown.tab.keyboard.press("Escape")
    assert shown.address == "#order=golden"
    assert shown.tab.is_visible("#list")
    assert shown.tab.evaluate("document.activeElement.textContent") == "c1"
    shown.tab.go_back()
    shown.tab.wait_for_selector("#case-title:has-text('c1')")


def test_a_slash_searches_and_letters_in_the_search_are_letters(page):
    shown = page(material())
    shown.tab.keyboard.press("/")
    shown.tab.keyboard.type("jk")
    assert shown.address == "#q=jk"
    assert shown.tab.input_value("input[name=q]") == "jk"


def test_single_keys_can_be_turned_off(page):
    shown = page(material())
    shown.tab.click(".keys summary")
    shown.tab.uncheck("#keys")
    shown.tab.keyboard.press("j")
    assert shown.address == ""


def test_a_case_that_the_page_does_not_list_is_said_to_be_so(page):
    shown = page(material(), "#case=%3Cb%3Enobody%3C%2Fb%3E")
    assert shown.tab.locator("#case h1").inner_text() == "<b>nobody</b>"
    assert "This page lists no case of this id" in shown.tab.locator("#case").inner_text()


def test_a_section_is_reached_from_a_case_and_keeps_the_filter(page):
    shown = page(material(), "#outcome=failure&case=c2")
    shown.tab.click(".bar a[href='#rows']")
    assert shown.address == "#outcome=failure"
    assert shown.tab.evaluate("document.activeElement.id") == "rows"


def stability():
    """Return an experiment on the judge of `material`, with one row."""
    row = AgreementRow(
        judge="floor, not a model",
        capability="faithfulness",
        rubric="faithfulness",
        criterion="F1",
        runs=3,
        items=40,
        n=40,
        excluded={},
        equal={"pass": 30, "fail": 8},
        flipped=2,
        all_equal=0.95,
        all_equal_interval=(0.835, 0.986),
        pairwise=0.967,
        pairwise_interval=(0.92, 1.0),
        alpha=0.9,
        alpha_interval=(0.8, 1.0),
        ac1=0.9,
        unreadable_equal=38,
        unreadable_pairwise=0.967,
        unreadable_items=40,
        worst_case=0.95,
        floor=0.9,
        state="stable",
    )
    judge = ExperimentJudge(capability="faithfulness", judge="floor, not a model", judge_config_hash="c" * 64)
    return Experiment(
        kind="stability",
        made_at="2026-01-02T03:04:05+00:00",
        evalkit_version="0.1.0",
        suite="shop",
        judges=(judge,),
        agreement=(row,),
    )


def pictured():
    """Return a material with every picture."""
    from pathlib import Path

    from evalkit.experiments.beside_run import Beside

    made = material()
    bought = Purchase(tries=1, model="judge-1", input_tokens=900, output_tokens=90, cached_tokens=300)
    judgements = [
        one.model_copy(update={"purchase": bought, "request_key": one.case_id * 32}) for one in made.judgements
    ]
    answers = {"c1": output("c1"), "c2": output("c2", "You have 30 days. " * 5), "c3": output("c3")}
    read = texts(case("c1"), case("c2"), case("c3"), outputs=answers)
    return replace(
        made,
        judgements=judgements,
        texts=read,
        beside=[Beside(Path("stability.json"), stability(), "")],
        calibrations=[calibration()],
        bands=bands_by_row(made.report, judgements, answers),
        tokens=tokens_by_capability(judgements),
    )


def test_each_picture_has_its_numbers_beside_it_and_its_words_instead(page):
    shown = page(pictured())
    pictures = shown.tab.locator("svg[role=img]")
    assert pictures.count() == 2 + 1 + 1 + 1 + 2
    words = pictures.evaluate_all("all => all.map((one) => one.getAttribute('aria-label'))")
    assert all(words)
    beside = shown.tab.locator("#instrument").inner_text()
    for number in ("96.7 %", "92.0 to 100.0 %", "2 of 40", "900", "1,800", "270"):
        assert number in beside


@pytest.mark.parametrize(("scheme", "width"), [("light", 1240), ("dark", 1240), ("light", 360)])
def test_axe_finds_no_violation(page, scheme, width):
    shown = page(replace(pictured(), scores=scores()), color_scheme=scheme)
    shown.tab.set_viewport_size({"width": width, "height": 800})
    shown.tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert axe_violations(shown) == []
    for name in ("c1", "c2", "c3"):
        shown.go(f"#case={name}")
        assert axe_violations(shown) == []
    shown.go("#criterion=gone")
    assert axe_violations(shown) == []


def test_a_narrow_screen_needs_no_sideways_scrolling(page):
    shown = page(pictured())
    shown.tab.set_viewport_size({"width": 320, "height": 700})
    for address in ("", "#case=c2"):
        shown.go(address)
        assert shown.tab.evaluate("document.scrollingElement.scrollWidth") <= 320


def test_light_and_dark_differ_and_are_told_to_the_browser(page):
    backgrounds = {
        page(material(), color_scheme=scheme).tab.evaluate("getComputedStyle(document.body).backgroundColor")
        for scheme in ("light", "dark")
    }
    assert len(backgrounds) == 2


def test_on_paper_everything_is_unfolded_and_nothing_is_to_be_clicked(page, tmp_path):
    shown = page(pictured())
    shown.tab.pdf(path=tmp_path / "page.pdf")
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
    shown.tab.emulate_media(media="print")
    assert shown.tab.locator("details:not(.keys):not([open])").count() == 0
    for selector in (".bar", "#filters", ".keys"):
        assert not shown.tab.is_visible(selector)
    assert shown.tab.is_visible("#list")


def test_the_first_screen_is_there_without_scripts(browser, tmp_path):
    file = tmp_path / "page.html"
    file.write_text(report_html(material()), encoding="utf-8")
    shown = open_page(browser, file, java_script_enabled=False)
    shown.tab.goto(file.as_uri())
    text = shown.tab.locator("main").inner_text()
    assert "May this be believed?" in text
    assert "allow scripts to see them" in text
    assert shown.trouble == []
    shown.tab.context.close()


def test_the_file_forbids_everything_but_itself(browser, tmp_path):
    file = tmp_path / "page.html"
    file.write_text(report_html(material()), encoding="utf-8")
    shown = open_page(browser, file)
    shown.go()
    sent: list[str] = []
    shown.tab.on("requestfinished", lambda request: sent.append(request.url))
    assert (
        shown.tab.evaluate(
            "() => { try { document.body.innerHTML = '<b>x</b>'; return ''; } catch (e) { return e.name; } }"
        )
        == "TypeError"
    )
    assert shown.tab.evaluate("fetch('http://127.0.0.1:9/').then(() => 'sent', (e) => e.name)") == "TypeError"
    run = """() => {
      const script = document.createElement('script');
      try { script.text = 'window.ran = 1'; document.head.append(script); } catch (e) { return 'refused'; }
      return window.ran ? 'ran' : 'refused';
    }"""
    assert shown.tab.evaluate(run) == "refused"
    handler = "() => { try { document.body.setAttribute('onclick', ''); return ''; } catch (e) { return e.name; } }"
    assert shown.tab.evaluate(handler) == "TypeError"
    shown.tab.evaluate("document.body.append(Object.assign(new Image(), {src: 'http://127.0.0.1:9/x.png'})) || null")
    shown.tab.wait_for_timeout(100)
    assert shown.tab.evaluate("window.ran") is None
    assert sent == []
    refusals = [said for said in shown.trouble if said.startswith("console: ")]
    assert len(refusals) >= 3
    assert all(
        "Content Security Policy" in said or "assignment. The action has been blocked" in said for said in refusals
    )
    shown.tab.context.close()


HOSTILE = (
    '"><script>alert(1)</script></script></title></style><img src=x onerror=alert(1)><svg onload=alert(1)><!-- --!> ]]>'
    "' onmouseover='alert(1)' {{7*7}} {% raw %} ${alert(1)} <a href=\"javascript:alert(1)\">x</a> <base href=//x.invalid/>"
    "<meta http-equiv=refresh content='0;url=http://x.invalid'> <iframe src=http://x.invalid></iframe> &lt;b&gt; \u202egnp.\u202c"
    "\u200b\u2066 \x00 \x1b[31m \x85 \ufeff end"
)


def test_hostile_text_in_every_field_has_no_effect(page):
    word = "x" * 1_000_000
    made = pictured()
    long = {
        "reason": word,
        "metadata": {"found": [word, HOSTILE]},
        "expected": {"answer": HOSTILE},
    }
    made = replace(
        made,
        failures=[
            *made.failures,
            failure("c1", **long),
            {
                "kind": "finding",
                "case_id": "c1",
                "finding": "directive_line",
                "by": "code",
                "source": "candidate",
                "count": 1,
                "places": [{"offset": 0, "shown": HOSTILE, "original": HOSTILE}],
            },
        ],
    )
    made = spoiled(replace(made, scores=scores()), HOSTILE)
    answers = {name: one.model_copy(update={"text": f"{word}\n{one.text}"}) for name, one in made.texts.outputs.items()}
    made = replace(made, texts=replace(made.texts, outputs=answers))
    shown = page(made)
    assert len(shown.listed) == 3
    assert "\u202e" not in shown.tab.locator("body").inner_text()
    assert "<script>alert(1)</script>" in shown.tab.locator("h1").inner_text()
    for name in shown.listed:
        assert "<img src=x onerror=alert(1)>" in name
    for link in range(3):
        shown.tab.locator("#list a").nth(link).click()
        shown.tab.wait_for_selector("#case h1")
        text = shown.tab.locator("#case").inner_text()
        assert "\\u202e" in text
        assert "\u202e" not in text
        assert "cut here: 1,000," in text
        shown.tab.keyboard.press("Escape")
        shown.tab.wait_for_selector("#list", state="visible")
    for name in ("capability", "criterion", "tag", "finding"):
        shown.tab.select_option(f"select[name={name}]", index=1)
    shown.tab.fill("input[name=q]", HOSTILE.replace("\x00", ""))
    assert (
        shown.tab.evaluate("document.querySelectorAll('img, iframe, base, [onerror], [onload], [onmouseover]').length")
        == 0
    )
    shown.tab.wait_for_timeout(200)


def test_text_that_a_url_must_escape_survives_in_the_address(page):
    name = 'a b&case=c1#x%41=é/"<i>'
    made = material(
        judgements=[judgement(name, "fail")], failures=[judge_failure(name)], texts=texts(case(name, tags=(name,)))
    )
    shown = page(made)
    shown.tab.select_option("select[name=tag]", name)
    shown.tab.click("#list a")
    shown.go(shown.address)
    assert shown.tab.locator("#case-title").inner_text() == name
    assert shown.tab.locator("#case").inner_text().count("unsupported")


@pytest.fixture(scope="module")
def big_file(tmp_path_factory):
    file = tmp_path_factory.mktemp("big") / "page.html"
    file.write_text(report_html(large(20_000)), encoding="utf-8")
    return file


def test_twenty_thousand_cases_are_searched_and_filtered_at_once(browser, big_file):
    shown = open_page(browser, big_file)
    shown.go()
    assert shown.count == "20,000 of 20,000 cases"
    assert len(shown.listed) == 100
    shown.tab.evaluate("performance.clearMeasures()")
    shown.tab.locator("input[name=q]").press_sequentially("order 1999")
    shown.tab.wait_for_function("document.getElementById('count').textContent.startsWith('11 ')")
    shown.tab.fill("input[name=q]", "")
    shown.tab.fill("input[name=q]", "no text says this")
    shown.tab.fill("input[name=q]", "")
    shown.tab.select_option("select[name=outcome]", "failure")
    assert shown.count == "4,000 of 20,000 cases"
    shown.tab.select_option("select[name=tag]", "team-7")
    took = sorted(measured_ms(shown))
    assert took[len(took) // 2] < FILTER_MS, took
    shown.tab.select_option("select[name=tag]", "")
    shown.tab.click("#more")
    assert len(shown.listed) == 200
    shown.go("#case=case-19999")
    assert "order 19999" in shown.tab.locator("#case").inner_text()
    assert shown.trouble == []
    shown.tab.context.close()


def test_five_hundred_cases_stay_under_a_megabyte():
    made = large(500)
    plain = sum(len(json.dumps(one.model_dump())) for one in (*made.judgements, *made.texts.cases.values()))
    assert plain > 1_000_000
    assert len(report_html(made).encode()) < 1_000_000


def compared(**changes):
    """Return a comparison: c1 was fixed, c2 broke, c3 fails in both."""
    row = RowDiff(
        capability="short_answer",
        scorer="exact_match",
        criterion="exact_match",
        kind="deterministic",
        estimate="rate",
        n=40,
        value_a=0.5,
        value_b=0.55,
        difference=0.05,
        interval=(-0.1, 0.2),
        fixed=("c1",),
        broken=("c2",),
        still_failing=("c3",),
    )
    fields = {
        "run_a": "before", "run_b": "after", "suite": "shop", "instruments": (), "notes": (), "family": 1, "rows": (row,),
        "refused": (), "only_a": (), "only_b": (),
    }  # fmt: skip
    known = [case("c1"), case("c2"), case("c3")]
    after = {"c1": output("c1", "You have 30 weeks."), "c2": output("c2"), "c3": output("c3")}
    return DiffMaterial(
        diff=RunDiff(**{**fields, **changes}),
        manifests=(manifest(run_id="before"), manifest(run_id="after")),
        failures=((failure("c1"),), (failure("c2"),)),
        texts=(texts(*known), texts(*known, outputs=after)),
    )


def test_a_comparison_lists_cases_and_marks_the_words_that_differ(page):
    shown = page(compared(), "#outcome=fixed")
    assert shown.listed == ["c1"]
    shown.tab.click("#list a")
    shown.tab.wait_for_selector("#case ins")
    assert shown.tab.locator("#case del").all_text_contents() == ["days"]
    assert shown.tab.locator("#case ins").all_text_contents() == ["weeks"]
    assert "got '14 days'" in shown.tab.locator("#case").inner_text()
    shown.tab.keyboard.press("Escape")
    shown.tab.click("#clear")
    shown.tab.keyboard.press("Escape")
    shown.tab.evaluate("document.activeElement.blur()")
    shown.tab.keyboard.press("j")
    shown.tab.wait_for_selector("#case-title:has-text('c2')")


def came(shown):
    """Return what the list says of each case."""
    lines = shown.tab.locator("#list > li").all()
    return {item.locator("a").inner_text(): item.locator(".failed").inner_text().strip() for item in lines}


def test_a_comparison_names_what_came_of_every_case_of_its_list(page):
    place = "short_answer / exact_match"
    assert came(page(compared())) == {"c1": f"fixed {place}", "c2": f"broken {place}", "c3": f"still failing {place}"}


def test_a_comparison_of_candidates_names_what_came_of_every_pair(page):
    said = came(page(pairs_material()))
    assert len(said) >= 3
    assert not [text for text in said.values() if "nothing failed" in text or not text]
    assert any(text.startswith("first wins") for text in said.values())


@pytest.mark.parametrize(("scheme", "width"), [("light", 1240), ("dark", 360)])
def test_axe_finds_no_violation_in_a_comparison(page, scheme, width):
    shown = page(compared(), color_scheme=scheme)
    shown.tab.set_viewport_size({"width": width, "height": 800})
    assert axe_violations(shown) == []
    assert shown.tab.evaluate("document.scrollingElement.scrollWidth") <= width
    shown.go("#case=c1")
    assert axe_violations(shown) == []


def test_hostile_text_in_a_comparison_has_no_effect(page):
    made = compared(run_a=HOSTILE, run_b=HOSTILE, suite=HOSTILE, notes=(HOSTILE,))
    made = replace(
        made,
        failures=((failure("c1", reason=HOSTILE),), ()),
        texts=(texts(case("c1", input=HOSTILE), outputs={"c1": output("c1", HOSTILE)}), texts()),
    )
    shown = page(made, "#case=c1")
    assert "\\u202e" in shown.tab.locator("#case").inner_text()
    shown.tab.keyboard.press("Escape")
    shown.tab.wait_for_timeout(100)


def test_a_comparison_of_candidates_shows_both_orders_of_a_pair(page):
    shown = page(pairs_material(), "#outcome=depends%20on%20the%20order")
    assert shown.listed == ["c2"]
    shown.tab.click("#list a")
    shown.tab.wait_for_selector("#case mark.differs")
    text = shown.tab.locator("#case").inner_text()
    assert shown.tab.locator("#case mark.differs").all_text_contents() == ["days", "weeks"]
    assert "new shown first" in text
    assert "old shown first" in text
    assert "depends on the order" in text
    shown.tab.keyboard.press("j")
    shown.go("#case=c3")
    assert "refused reply 1: parse: is no JSON" in shown.tab.locator("#case").inner_text()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1240), ("dark", 360)])
def test_axe_finds_no_violation_in_a_reliability_curve(page, scheme, width):
    row = probability_row()
    use = ClassifierUse(capability="tone", scorer="kind", configuration_hash=row.configuration_hash, identity={})
    made = material(manifest=manifest(classifiers=(use,)), calibrations=[calibration(probabilities=(row,))])
    shown = page(made, color_scheme=scheme)
    shown.tab.set_viewport_size({"width": width, "height": 800})
    assert shown.tab.locator("figure.beside svg.plot").get_attribute("aria-label").startswith("stated against passed")
    assert axe_violations(shown) == []
    assert shown.tab.evaluate("document.scrollingElement.scrollWidth") <= width


@pytest.fixture
def elsewhere(tmp_path):
    """Return what the page of verdicts made elsewhere is made of: three repetitions, one verdict unreadable."""
    file = repeated_pairs(tmp_path / "verdicts.jsonl")
    found = comparison_of_verdicts(file, None, 1)
    return PairsMaterial(comparison=found, pairs=(), cases={}, outputs={}, elsewhere=pairs_made_elsewhere(file))


def test_pairs_judged_elsewhere_are_listed_with_both_orders_and_without_texts(page, elsewhere):
    shown = page(
        elsewhere, "#criterion=red%20against%20blue%2Foverall%2C%20sample%200&outcome=depends%20on%20the%20order"
    )
    assert shown.listed == ["leaning"]
    shown.tab.click("#list a")
    shown.tab.wait_for_selector("#case h3")
    text = shown.tab.locator("#case").inner_text()
    assert "red shown first" in text
    assert "blue shown first" in text
    assert "The answers are not known." in text
    shown.go("#case=torn")
    assert "unreadable: there was a reply that could not be read" in shown.tab.locator("#case").inner_text()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1240), ("dark", 360)])
def test_axe_finds_no_violation_in_pairs_judged_elsewhere(page, elsewhere, scheme, width):
    shown = page(elsewhere, color_scheme=scheme)
    shown.tab.set_viewport_size({"width": width, "height": 800})
    assert axe_violations(shown) == []
    assert shown.tab.evaluate("document.scrollingElement.scrollWidth") <= width
    shown.go("#case=leaning")
    assert axe_violations(shown) == []


@pytest.mark.parametrize(("scheme", "width"), [("light", 1240), ("dark", 360)])
def test_axe_finds_no_violation_in_a_comparison_of_candidates(page, scheme, width):
    shown = page(pairs_material(), color_scheme=scheme)
    shown.tab.set_viewport_size({"width": width, "height": 800})
    assert axe_violations(shown) == []
    assert shown.tab.evaluate("document.scrollingElement.scrollWidth") <= width
    shown.go("#case=c2")
    assert axe_violations(shown) == []


def test_hostile_text_in_a_comparison_of_candidates_has_no_effect(page):
    pair = line("c1", order("ab", "A", rationale=HOSTILE), order("ba", "B", rationale=HOSTILE), first=HOSTILE)
    made = pairs_material(
        pairs=(pair,),
        comparison=comparison(pair_row(first=HOSTILE, reading=HOSTILE), notes=(HOSTILE,)),
        cases={"c1": case("c1", input=HOSTILE)},
        outputs={(HOSTILE, "c1"): output("c1", HOSTILE)},
    )
    shown = page(made, "#case=c1")
    assert "\\u202e" in shown.tab.locator("#case").inner_text()
    shown.tab.keyboard.press("Escape")
    shown.tab.wait_for_timeout(100)


def test_passes_means_and_missing_outputs_of_code_are_found_by_the_filters(page):
    table, (exact, judged) = scores()
    mean = RowScores(row=2, codes="vv.", values=(0.25, 1.0))
    rows = (row(), judge_row(), row(criterion="recall@5", estimate="mean", passed=None))
    known = texts(case("c1"), case("c2"), case("c3"))
    made = material(
        report=report(rows=rows),
        failures=[failure("c2")],
        judgements=[],
        texts=known,
        scores=CaseScores(table, (exact, judged, mean)),
    )
    shown = page(made, "#criterion=exact_match%2Fexact_match&outcome=pass")
    assert (shown.listed, shown.count) == (["c1"], "1 of 3 cases")
    shown.go("#criterion=exact_match%2Frecall%405")
    assert sorted(shown.listed) == ["c1", "c2"]
    shown.go("#outcome=missing%20output")
    assert shown.listed == ["c3"]
    assert shown.tab.locator("#list .came").inner_text() == "missing output"
    shown.go("#case=c1")
    decided = shown.tab.locator("#case .decided tbody tr").all_inner_texts()
    assert [line.split("\t") for line in decided] == [
        ["pass", "short_answer/exact_match", ""],
        ["measured", "short_answer/exact_match/recall@5", "0.25"],
    ]


def test_a_filter_says_which_cases_the_page_does_not_list(page):
    shown = page(material(), "#outcome=pass&capability=short_answer")
    assert shown.count == (
        "0 of 3 cases; cases that only passed or were measured in code are not listed: the run's scores.jsonl is missing"
    )


def test_a_filter_value_that_the_page_does_not_know_is_named_and_stays_in_its_menu(page):
    shown = page(material(), "#criterion=exact_match%2Fgone&outcome=won&flipped=no")
    assert shown.listed == []
    said = shown.tab.locator("#unknown")
    assert said.inner_text().startswith(
        'This page knows no outcome "won", no criterion "exact_match/gone", no flipped "no".'
    )
    assert shown.tab.locator("select[name=criterion]").input_value() == "exact_match/gone"
    shown.tab.select_option("select[name=outcome]", "fail")
    assert '"won"' not in said.inner_text()
    shown.tab.click("#clear")
    assert (said.is_hidden(), len(shown.listed)) == (True, 3)
    assert shown.tab.locator("option[data-unknown]").count() == 0


def test_a_case_has_a_visible_link_to_itself_without_the_filter(page):
    shown = page(material(), "#outcome=failure&case=c2")
    shown.tab.click("#case >> text=Link to this case")
    assert (shown.address, shown.tab.locator("#case-title").inner_text()) == ("#case=c2", "c2")


def test_tokens_count_questions_and_a_case_of_a_diff_may_stand_in_several_lines():
    paid = Purchase(tries=2, model="judge-1", input_tokens=900, output_tokens=90)
    bought = judgement("c3", None).model_copy(update={"purchase": paid})
    text = report_html(material(tokens=tokens_by_capability([judgement("c1", "pass"), bought])))
    assert "questions</th>" in text
    assert "whether or not a verdict came of it" in " ".join(text.split())
    assert "in several lines where its criteria went different ways" in " ".join(diff_html(compared()).split())
