"""Material of pages, made by hand: small, of any size, or with hostile text in every field that takes text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import ValidationError

from evalkit.experiments.beside_run import Beside
from evalkit.pipeline.page_figures import bands_by_row, tokens_by_capability
from evalkit.pipeline.read_back import ReadBack
from evalkit.records.base import Record
from evalkit.records.case_scores import CaseScores, CaseTable, RowScores
from evalkit.records.cases import Case, Document
from evalkit.records.outputs import Output
from evalkit.records.reports import Gating
from evalkit.reporting.html.material import PageMaterial
from fakes.stored_runs import failure, judge_failure, judge_row, judgement, manifest, report, row

R = TypeVar("R", bound=Record)

SOURCE = "You may ask within 30 days of purchase, and not later."
"""Holds the quote of `stored_runs.QUOTE` at offset 12, where its verdicts say that it stands."""
TEXT_KEYS = ("excluded", "judge_errors", "criteria", "channels", "equal")
"""Fields whose keys are text of somebody else's."""


CHECKS = 12
"""Rows that code decides in a large run."""


def case(case_id: str, **fields: Any) -> Case:
    """Return a case with one source."""
    given = {
        "id": case_id,
        "capabilities": ("faithfulness",),
        "input": "How long do I have to return it?",
        "context": (Document(id="billing/refunds", text=SOURCE),),
        "tags": ("answerable",),
    }
    return Case(**{**given, **fields})


def output(case_id: str, text: str | None = "You have 30 days.", **fields: Any) -> Output:
    """Return a cached output."""
    return Output(case_id=case_id, text=text, **fields)


def texts(*cases: Case, outputs: Mapping[str, Output] | None = None) -> ReadBack:
    """Return what was read back of a run: the cases and an output for each."""
    answers = {one.id: output(one.id) for one in cases} if outputs is None else outputs
    return ReadBack(cases={one.id: one for one in cases}, outputs=answers, notes=())


def material(**changes: Any) -> PageMaterial:
    """Return a small run: c1 passes, c2 fails in code and by the judge, c3 is a judge_error."""
    judgements = (judgement("c1", "pass"), judgement("c2", "fail"), judgement("c3", None))
    fields: dict[str, Any] = {
        "report": report(),
        "manifest": manifest(),
        "failures": (failure("c2"), judge_failure("c2"), judge_failure("c3", kind="judge_error", criterion=None)),
        "judgements": judgements,
        "texts": texts(case("c1"), case("c2", tags=("hard",)), case("c3")),
    }
    return PageMaterial(**{**fields, **changes})


def valid(**changes: Any) -> Any:
    """Return a report that may be gated on."""
    return report(gating=Gating(valid=True, reasons=()), **changes)


def large(count: int) -> PageMaterial:
    """Return a judged run of so many cases with sources of about a kilobyte and twelve rows by code; every fifth fails."""
    names = [f"case-{number:05}" for number in range(count)]
    filler = "A renewal counts as a new purchase and opens a new window for the renewal charge of the workspace. "
    cases = [
        case(
            name,
            input=f"What holds for order {number}, placed by team {number % 97}?",
            context=(Document(id="billing/refunds", text=f"{SOURCE} Order {number}. {filler * 10}"),),
            tags=(f"team-{number % 97}",),
        )
        for number, name in enumerate(names)
    ]
    answers = {name: output(name, f"Order {number} can be returned. {filler * 4}") for number, name in enumerate(names)}
    judgements = [judgement(name, "pass" if number % 5 else "fail") for number, name in enumerate(names)]
    failures = [judge_failure(name) for number, name in enumerate(names) if not number % 5]
    checks = [row(criterion=f"check{number}", passed=None, value=0.5, estimate="mean") for number in range(CHECKS)]
    codes = [RowScores(row=at, codes="v" * count, values=(0.125 * at,) * count) for at in range(CHECKS)]
    table = CaseTable(cases=tuple(names), golden="1" * 16 * count, outputs="2" * 16 * count)
    unjudged = RowScores(row=CHECKS, codes="." * count)
    return material(
        report=report(rows=(*checks, judge_row())),
        texts=texts(*cases, outputs=answers),
        judgements=judgements,
        failures=failures,
        scores=CaseScores(table, (*codes, unjudged)),
    )


def spoiled(whole: PageMaterial, hostile: str) -> PageMaterial:
    """Return the material with `hostile` behind every text of every record that takes any text, the same for the same text."""

    def text(value: str) -> str:
        return value + hostile

    judgements = [_spoil(one, text) for one in whole.judgements]
    cases = {text(name): _spoil(one, text) for name, one in whole.texts.cases.items()}
    outputs = {text(name): _spoil(one, text) for name, one in whole.texts.outputs.items()}
    spoiled_report = _spoil(whole.report, text)
    return replace(
        whole,
        report=spoiled_report,
        manifest=_spoil(whole.manifest, text),
        failures=[{**_walk(line, text), "kind": line["kind"], "mode": line.get("mode")} for line in whole.failures],
        judgements=judgements,
        texts=ReadBack(cases=cases, outputs=outputs, notes=(text("note"),)),
        scores=_spoil_scores(whole.scores, text),
        beside=[Beside(one.path, _spoil(one.experiment, text), "") for one in whole.beside],
        calibrations=[_spoil(one, text) for one in whole.calibrations],
        unread=text("unread"),
        flips=frozenset((text(name), text(sha256)) for name, sha256 in whole.flips),
        bands=bands_by_row(spoiled_report, judgements, outputs),
        tokens=tokens_by_capability(judgements),
    )


def _spoil_scores(scores: CaseScores | None, text: Any) -> CaseScores | None:
    """Return scores.jsonl with every name and reason changed; codes and hashes are no text of anybody's."""
    if scores is None:
        return None
    table = scores.table.model_copy(update={"cases": tuple(map(text, scores.table.cases))})
    reasons = [{code: text(reason) for code, reason in row.reasons.items()} for row in scores.rows]
    rows = [row.model_copy(update={"reasons": found}) for row, found in zip(scores.rows, reasons, strict=True)]
    return CaseScores(table, tuple(rows))


def _spoil(record: R, text: Any) -> R:
    """Return a record with every text changed that its type allows; what is one of a few words stays."""
    plain = record.model_dump()
    changed = _walk(plain, text)
    if "mode" in plain:  # a word of evalkit's own, although the record takes any
        changed["mode"] = plain["mode"]
    for _ in range(20):
        try:
            return type(record).model_validate(changed, strict=False)
        except ValidationError as error:
            for fault in error.errors(include_url=False, include_context=False):
                place = tuple(step for step in fault["loc"] if step != "Verdict")
                if "PairVerdict" not in place:  # the other kind of verdict, which this one is not
                    _restore(changed, plain, place, text)
    raise AssertionError(f"{type(record).__name__} takes no such text")


def _walk(value: Any, text: Any, *, keys: bool = False) -> Any:
    if isinstance(value, str):
        return text(value)
    if isinstance(value, Mapping):
        return {text(key) if keys else key: _walk(item, text, keys=key in TEXT_KEYS) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_walk(item, text) for item in value]
    return value


def _restore(changed: Any, plain: Any, place: tuple[Any, ...], text: Any) -> None:
    """Put back what stood at the place of a fault, as deep as it can be followed."""
    for step in place[:-1]:
        inner = next((key for key in (plain if isinstance(plain, Mapping) else ()) if step in {key, text(key)}), step)
        try:
            changed, plain = changed[step], plain[inner]
        except (KeyError, IndexError, TypeError):
            break
        if not isinstance(changed, dict | list):
            return
    else:
        changed[place[-1]] = plain[place[-1]]
