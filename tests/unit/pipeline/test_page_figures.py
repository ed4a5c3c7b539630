from __future__ import annotations

from fakes.pages import output
from fakes.stored_runs import judge_row, judgement, report

from evalkit.pipeline.page_figures import TokenUse, bands_by_row, tokens_by_capability
from evalkit.records.verdicts import Purchase

OUTPUTS = {name: output(name, "x" * length) for name, length in (("a", 5), ("b", 50), ("c", 9), ("d", 1))}


def bought(name, capability="faithfulness", key=None, **purchase):
    used = Purchase(**{"tries": 1, "input_tokens": 100, "output_tokens": 10, "cached_tokens": 40, **purchase})
    return judgement(name, "pass").model_copy(
        update={"purchase": used, "request_key": key or name, "capability": capability}
    )


def test_the_bands_of_a_row_rest_on_cases_that_were_graded_and_have_a_length():
    graded = [judgement("a", "pass"), judgement("b", "fail"), judgement("c", None), judgement("nobody", "pass")]
    (row,) = bands_by_row(report(), graded, OUTPUTS)
    assert (row.capability, row.criterion) == ("faithfulness", "F1")
    assert [(band.longest, band.n, band.passed) for band in row.bands] == [(5, 1, 1), (50, 1, 0)]


def test_a_case_whose_samples_differ_is_in_no_band():
    graded = [judgement("a", "pass"), judgement("b", "pass"), judgement("b", "fail", sample=1)]
    (row,) = bands_by_row(report(), graded, OUTPUTS)
    assert [band.longest for band in row.bands] == [5]


def test_a_criterion_that_the_verdicts_do_not_have_and_a_run_without_texts_have_no_bands():
    other = report(rows=(judge_row(criterion="F9"),))
    assert bands_by_row(other, [judgement("a", "pass")], OUTPUTS) == ()
    assert bands_by_row(report(), [judgement("a", "pass")], {}) == ()


def test_tokens_are_summed_by_capability_and_component():
    uses = tokens_by_capability([bought("a"), bought("b"), bought("c", capability="helpfulness")])
    assert uses[0] == TokenUse("faithfulness", 2, fresh=120, cached=80, output=20, unknown=0)
    assert uses[1].capability == "helpfulness"


def test_a_shared_purchase_counts_once_and_unknown_usage_is_said():
    uses = tokens_by_capability([bought("a", key="k"), bought("b", key="k"), bought("c", output_tokens=None)])
    (use,) = uses
    assert (use.questions, use.output, use.unknown) == (2, 10, 1)
    assert tokens_by_capability([judgement("a", "pass")]) == ()
