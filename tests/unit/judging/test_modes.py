"""What holds in every mode: texts reach the judge as they are, schema, prompt and checks share their words, nothing is scraped.

A mode that is added is tested here by being added: the modes are those of the table, their rubrics the shipped ones.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes.verdicts import reply

from evalkit.judging.modes import MODES
from evalkit.judging.requests import JudgeRequest, Measurement, pair_requests, requests_for
from evalkit.loading.rubric_files import read_rubric
from evalkit.records.cases import Case, Document, Expected
from evalkit.records.judges import JudgeConfig
from evalkit.records.outputs import Output
from evalkit.records.rubrics import Rubric
from evalkit.records.verdicts import Rejection

RUBRICS = Path(__file__).resolve().parents[3] / "rubrics"
SHIPPED = [read_rubric(path, [RUBRICS]) for path in sorted(RUBRICS.glob("*.yaml"))]
QUESTION, SOURCE, FACT, ANSWER, OTHER = "How long?", "Refunds: 30 days.", "It is 30 days.", "You have 30 days.", "Two."
TEMPLATES = [
    "{input} {output.__class__} {0} {{x}} %s %(name)s $name ${name}",
    "{{ config }} {% for x in y %} {# c #} {{ undefined | int }}",
    "<b>&amp; \"quoted\" 'single' </b> \\n \\u0041 \\frac{1}{2}",
    "tab\there\nnew line   trailing   ",
    "日本語 עברית 🙂 e\u0301",
]
every_rubric = pytest.mark.parametrize("rubric", SHIPPED, ids=lambda rubric: f"{rubric.mode}-{rubric.id}")


def request_for(rubric: Rubric, answer: str = ANSWER, **texts: Any) -> JudgeRequest:
    case = Case(
        id="c",
        input=texts.get("question", QUESTION),
        context=(Document(id="d", text=texts.get("source", SOURCE)),),
        expected=Expected(facts=(texts.get("fact", FACT),)),
    )
    measurement = Measurement("a", rubric, JudgeConfig(client="openai", model="m"))
    output = Output(case_id="c", text=answer)
    if rubric.mode == "pairwise":
        return pair_requests(measurement, case, output, Output(case_id="c", text=OTHER))[0]
    return requests_for(measurement, case, output)[0]


def user(request: JudgeRequest) -> str:
    return str(request.messages[1]["content"])


def words(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from schema.get("enum", ())
        for inner in schema.values():
            yield from words(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from words(inner)


def test_every_mode_has_a_shipped_rubric():
    assert {rubric.mode for rubric in SHIPPED} == set(MODES)


@every_rubric
def test_the_parts_stand_in_their_order(rubric):
    request = request_for(rubric)
    evidence = FACT if rubric.mode == "reference" else SOURCE
    closing = request.measurement.mode.closing(request.measurement.form)
    places = [user(request).index(mark) for mark in (QUESTION, evidence, ANSWER, closing)]
    assert places == sorted(places)
    assert user(request).endswith(closing)
    assert closing.index(rubric.criteria[0].pass_condition) < closing.index("JSON Schema")


@every_rubric
def test_the_schema_is_the_last_line_and_the_one_that_checks_the_reply(rubric):
    request = request_for(rubric)
    assert json.loads(user(request).rpartition("\n")[2]) == request.measurement.form.schema


@every_rubric
@pytest.mark.parametrize("text", TEMPLATES)
def test_untrusted_text_is_no_template_and_reaches_the_judge_byte_for_byte(rubric, text):
    request = request_for(rubric, text, question=text, source=text, fact=text)
    assert user(request).count(f"\n{text}\n<<<END ") == 3
    assert not request.alterations


@every_rubric
def test_every_word_of_the_scales_is_explained_before_the_schema(rubric):
    request = request_for(rubric)
    explained = user(request).rpartition("\n")[0] + request.messages[0]["content"]
    kinds = {"instruction_in_content"}
    for word in set(words(request.measurement.form.schema)) - kinds:
        assert re.search(rf"\b{word}\b", explained), word


LABELS = ["CORRECT", "INCORRECT", "The answer is relevant, not irrelevant.", "Yes", "Verdict: pass", "[[A]]", "A", "covered", "7", "null", "[]", '"pass"', '{"pass": true}', '{"winner": "A"}', '{"verdict": "PASS", "score": 5}']  # fmt: skip


@every_rubric
@pytest.mark.parametrize("said", LABELS)
def test_a_label_is_never_scraped_from_a_reply(rubric, said):
    request = request_for(rubric)
    found = request.measurement.form.read(reply(said), request.material)
    assert isinstance(found, Rejection)
    assert found.kind in {"parse", "schema"}


def blank(schema: Any) -> Any:
    """Return a value of a schema with one row in each list and each scale's first word: a verdict that was never reasoned."""
    if "enum" in schema:
        return schema["enum"][0]
    if schema["type"] == "object":
        return {name: blank(inner) for name, inner in schema["properties"].items()}
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if schema["type"] == "array":
        return [blank(schema["items"])]
    return {"string": "", "boolean": True, "integer": 1, "number": 1, "null": None}[kinds[0]]


@every_rubric
def test_a_verdict_that_stands_in_the_answer_is_an_echo_and_never_the_judge_s_own(rubric):
    planted = json.dumps(blank(request_for(rubric).measurement.form.schema))
    request = request_for(rubric, planted)
    for said in (planted, f"The answer says {planted} and I agree.", f"```json\n{planted}\n```"):
        found = request.measurement.form.read(reply(said), request.material)
        assert isinstance(found, Rejection), said


def scales(schema: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each word of a scale in what `blank` makes."""
    if "enum" in schema:
        yield path
    for name, inner in schema.get("properties", {}).items():
        yield from scales(inner, (*path, name))
    if "items" in schema:
        yield from scales(schema["items"], (*path, 0))


@every_rubric
def test_a_word_off_the_scale_is_refused_wherever_a_scale_stands(rubric):
    form = request_for(rubric).measurement.form
    assert form.fits(blank(form.schema))
    paths = list(scales(form.schema))
    assert paths
    for *outer, last in paths:
        for said in ("Z", "PASS", "passed", "", "a", "pass fail", None, True, 1):
            value = blank(form.schema)
            inner = value
            for part in outer:
                inner = inner[part]
            inner[last] = said
            assert not form.fits(value), (*outer, last, said)
