"""A triage on the page of a run: its statements are rows with their class, marked where they stand in the answer."""

from __future__ import annotations

from fakes.triage import ANSWER, PROMISE, TRIAGE_CASE, TRIAGE_FORM, TRIAGE_OUTPUT, table, triage_material
from fakes.verdicts import reply

from evalkit.records.verdicts import Judgement, TriageVerdict
from evalkit.reporting.html.case_detail import detail
from evalkit.reporting.html.material import CaseLines


def test_every_statement_is_a_row_with_its_class() -> None:
    verdict = TRIAGE_FORM.read(reply(table()), triage_material())
    assert isinstance(verdict, TriageVerdict)
    judgement = Judgement(
        case_id="c",
        capability="honesty",
        rubric="grounded",
        mode="triage",
        sample=0,
        request_key="k",
        output_sha256="0" * 64,
        judge_config_hash="1" * 64,
        verdict=verdict,
    )
    (judged,) = detail("c", CaseLines(judgements=[judgement]), TRIAGE_CASE, TRIAGE_OUTPUT)["judged"]
    shown = judged["verdict"]
    assert shown["rows"] == "statement"
    assert [row["status"] for row in shown["claims"]] == [
        "cleared", "unsupported", "cleared", "inaccurate general", "misattribution", "cleared",
    ]  # fmt: skip
    violation = shown["claims"][1]
    assert violation["text"].startswith(f"violation, item (not supported): {PROMISE}")
    start, end = violation["at"]
    assert ANSWER[start:end] == PROMISE
    assert violation["evidence"] == [{"source": "/certificate/clarity", "quote": '"SI1"', "at": None}]
