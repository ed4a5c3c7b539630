"""classifier.yaml and its canned answers: complete enough to ask, and without a key.

No value of the file is repeated in an error: a key that was put there by mistake must not reach a log.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from evalkit.errors import Fault, InputError, UsageError
from evalkit.loading.faults import FaultList
from evalkit.loading.files import PathError, input_error, resolve_inside
from evalkit.loading.jsonl import Decoder, read_lines
from evalkit.loading.judge_files import address_problems, keys_in_file
from evalkit.loading.yaml_files import read_document, record_of
from evalkit.records.classifiers import CannedAnswer, ClassifierConfig
from evalkit.records.decisions import Answer
from evalkit.records.judges import CascadeConfig
from evalkit.records.locations import Location
from evalkit.text.shown import shown_message

CheapFiles = tuple[ClassifierConfig, tuple[CannedAnswer, ...]]
"""The classifier of a cascade, and its canned answers where it is `static`."""


def read_classifier(path: Path) -> ClassifierConfig:
    """Return a classifier's configuration. Raises InputError with all faults of the file."""
    document = read_document(path)
    faults = list(keys_in_file(document.value, document, ()))
    hidden = {fault.field for fault in faults}
    try:
        config = record_of(ClassifierConfig, document, show_values=False)
        faults += [document.fault(*problem) for problem in _problems(config)]
    except InputError as error:
        faults += [fault for fault in error.faults if fault.field not in hidden]
    if faults:
        raise InputError(faults)
    return config


def read_cheap_tier(cascade: CascadeConfig, file: Path) -> CheapFiles:
    """Return the classifier of a cascade, whose files stand in the folder of `file`, the judge.yaml. Raises InputError."""
    try:
        path = resolve_inside(file.parent / cascade.classifier, [file.parent])
        config = read_classifier(path)
        if config.answers is not None:
            resolve_inside(path.parent / config.answers, [file.parent])
    except PathError as error:
        fault = Fault(
            file=str(file),
            field="cascade.classifier",
            problem=str(error),
            remedy="put it and its answers beside judge.yaml",
        )
        raise InputError([fault]) from None
    return config, read_canned(config, path.parent)


def read_canned(config: ClassifierConfig, folder: Path) -> tuple[CannedAnswer, ...]:
    """Return the canned answers of a `static` classifier, whose file is named relative to `folder`; of any other style none.

    Raises InputError with all faults of the file: lines that are none, answers that do not fit their question, and two answers to
    one question about one state.
    """
    if config.style != "static" or config.answers is None:
        return ()
    path = folder / config.answers
    decoder = Decoder(CannedAnswer, path)
    faults, answers, seen = FaultList(), [], SeenAnswers()
    for line in read_lines(path):
        try:
            canned = decoder.decode(line)
        except InputError as error:
            faults.absorb(error)
            continue
        answers.append(canned)
        for field, problem in seen.problems(canned, line.number):
            faults.add(Fault(file=str(path), line=line.number, field=field, problem=problem))
    faults.raise_if_any()
    if not answers:
        raise input_error(path, "holds no answer", "one JSON object a line was expected")
    return tuple(answers)


class SeenAnswers:
    """The canned answers of a file with the lines on which they stand."""

    def __init__(self) -> None:
        self._first: dict[str, tuple[Answer, int]] = {}

    def problems(self, canned: CannedAnswer, line: int) -> Iterator[tuple[str, str]]:
        """Take an answer in; yield field and problem of what does not fit its question or an earlier line."""
        from evalkit.classifiers.static import SOURCE, answer_from, canned_key

        try:
            key = canned_key(canned.state, canned.question)
        except UsageError as error:
            yield "state", str(error)
            return
        try:
            answer = answer_from(canned.question, canned.answer, SOURCE)
        except UsageError as error:
            yield "answer", shown_message(str(error))
            return
        before, there = self._first.setdefault(key, (answer, line))
        if before != answer:
            yield "answer", f"is another than on line {there} to the same question about the same state"


def _problems(config: ClassifierConfig) -> Iterator[tuple[Location, str, str]]:
    """Yield location, problem and remedy of what is missing or does not fit together."""
    if config.style == "llm" and not config.model:
        yield ("model",), "is missing: `style: llm` asks a model", "name the model, or use `style: floor`"
    if config.style == "static" and not config.answers:
        yield ("answers",), "is missing: `style: static` answers from a file", "name the file, or use `style: floor`"
    addresses = list(address_problems(config.api_key_env, config.base_url))
    asked = next((name for name in ("model", "base_url") if getattr(config, name) is not None), None)
    if config.style == "floor" and asked and not addresses:
        default = "" if "style" in config.model_fields_set else "; without `style` it is the floor that answers"
        problem = f"names who is asked, and the floor asks nobody{default}"
        yield (asked,), problem, "say `style: systemone` or `style: llm`, or leave it out"
    yield from addresses
