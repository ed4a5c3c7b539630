"""classifier.yaml and canned answers, as people write them."""

from __future__ import annotations

import pytest

from evalkit.classifiers import ask, make_classifier
from evalkit.errors import InputError
from evalkit.loading.classifier_files import read_canned, read_classifier
from evalkit.records.classifiers import ClassifierConfig

LINE = '{"state": {"x": "hi"}, "question": {"type": "noul", "instructions": "Is `x` rude?", "criteria": {"true": "insults"}}, "answer": 0.9}'


def written(folder, text, name="classifier.yaml"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_classifier_answers_from_its_file(tmp_path):
    written(tmp_path, LINE + "\n", "answers.jsonl")
    config = read_classifier(
        written(tmp_path, "style: static\nanswers: answers.jsonl\nbands: {low: 0.2, high: 0.8}\nlayout: alone\n")
    )
    canned = read_canned(config, tmp_path)
    assert config.bands.high == 0.8
    found = ask(make_classifier(config, canned), {"x": "hi"}, {"q": canned[0].question})
    assert found.answers["q"].value() == 0.9


def test_only_static_reads_answers(tmp_path):
    assert read_canned(ClassifierConfig(style="floor", answers="none.jsonl"), tmp_path) == ()


@pytest.mark.parametrize(
    ("text", "field", "words"),
    [
        ("style: llm\n", "model", "is missing"),
        ("style: static\n", "answers", "is missing"),
        ("model: m\n", "model", "without `style` it is the floor"),
        ("base_url: http://127.0.0.1:1\n", "base_url", "without `style` it is the floor"),
        ("{style: floor, model: m}", "model", "the floor asks nobody"),
        ("{style: systemone, base_url: ''}", "base_url", "must not be empty"),
        ("style: jev\n", "style", "'static', 'systemone', 'llm' or 'floor'"),
        ("bands: {low: 0.9, high: 0.1}\n", "bands", "`low` lies above `high`"),
        ("base_url: http://u:secretword@host\n", "base_url", "plain http"),
        ("api_key_env: sk-secretword!\n", "api_key_env", "not the name"),
        ("api_key: secretword\n", "api_key", "may not stand in a file"),
        ("modle: x\n", "modle", "did you mean 'model'"),
    ],
)
def test_every_fault_names_its_field_and_no_secret(tmp_path, text, field, words):
    with pytest.raises(InputError) as raised:
        read_classifier(written(tmp_path, text))
    [fault] = raised.value.faults
    assert (fault.field, fault.line) == (field, 1)
    assert words in str(fault)
    assert "secretword" not in str(fault)


def question(**fields):
    return ClassifierConfig(style="static", answers="a.jsonl", **fields)


@pytest.mark.parametrize(
    ("asked", "field", "words"),
    [
        ('{"type": "noul", "criteria": {"ture": "a"}}', "question.criteria.ture", "did you mean 'true'"),
        ('{"type": "noul"}', "question", "a noul needs instructions"),
        ('{"type": "score", "criteria": ["a"]}', "question.criteria", "at least 2 entries, got 1"),
        ('{"type": "score", "criteria": ["a", 5]}', "question.criteria.1", "expected text"),
        ('{"type": "choice", "criteria": {"a": null}}', "question.criteria", "at least 2 entries, got 1"),
        ('{"type": "mood"}', "question.type", "expected one of 'noul', 'choice', 'score', got text ('mood')"),
        ('{"instructions": "Is it?"}', "question.type", "is missing"),
        ('{"type": "score", "criteria": ["a", " "]}', "question.criteria.1", "expected text that is not blank"),
        (
            '{"type": "choice", "criteria": {"a": 3, "b": null}}',
            "question.criteria.a",
            "expected text, got a number (3)",
        ),
    ],
)
def test_a_canned_line_that_asks_nothing_is_named(tmp_path, asked, field, words):
    written(tmp_path, f'{LINE}\n{{"state": "x", "question": {asked}, "answer": 1}}\n', "a.jsonl")
    with pytest.raises(InputError) as raised:
        read_canned(question(), tmp_path)
    [fault] = raised.value.faults
    assert (fault.line, fault.field) == (2, field)
    assert words in str(fault)


NOUL = '{"type": "noul", "instructions": "Is it?"}'
CHOICE = '{"type": "choice", "criteria": {"a": null, "b": null}}'


@pytest.mark.parametrize(
    ("line", "field", "words"),
    [
        (f'"state": "x", "question": {NOUL}, "answer": 1.5', "answer", "is a probability, not 1.5"),
        (f'"state": "x", "question": {CHOICE}, "answer": "c"', "answer", "none of the question's options"),
        (f'"state": "x", "question": {CHOICE}, "answer": {{"a": 0.5}}', "answer", "not for ['a', 'b']"),
        (f'"state": "x", "question": {CHOICE}, "answer": {{"a": 0.5, "b": 0}}', "answer", "is no answer"),
        (f'"state": null, "question": {NOUL}, "answer": 1', "state", "a state is text, an object or a list"),
        (LINE.replace("0.9", "0.8")[1:-1], "answer", "is another than on line 1"),
    ],
)
def test_a_canned_answer_that_cannot_be_one_is_named_before_anything_is_asked(tmp_path, line, field, words):
    written(tmp_path, f"{LINE}\n{{{line}}}\n", "a.jsonl")
    with pytest.raises(InputError) as raised:
        read_canned(question(), tmp_path)
    [fault] = raised.value.faults
    assert (fault.file, fault.line, fault.field) == (str(tmp_path / "a.jsonl"), 2, field)
    assert words in fault.problem


def test_the_same_answer_twice_is_no_fault(tmp_path):
    written(tmp_path, f"{LINE}\n{LINE}\n", "a.jsonl")
    assert len(read_canned(question(), tmp_path)) == 2


def test_an_empty_file_of_answers_is_a_fault(tmp_path):
    written(tmp_path, "\n", "a.jsonl")
    with pytest.raises(InputError, match="no answer"):
        read_canned(question(), tmp_path)
