"""judge.yaml, and the command line's changes to it: complete enough to ask, and without a key.

No value of the file is repeated in an error: a key that was put there by mistake must not reach a log.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from evalkit.errors import Fault, InputError, UsageError
from evalkit.loading.yaml_files import Document, read_document, record_of
from evalkit.records.base import Json
from evalkit.records.judges import JudgeConfig
from evalkit.records.locations import Location
from evalkit.text.shown import shown_text

FROM_ENVIRONMENT = "keys come from the environment: name the variable in `api_key_env` and take the key out of the file"
SECTIONS = {
    "batch": "`batch: {}` takes the defaults; take `batch` out to ask one by one",
    "cascade": "name its `classifier`, or take `cascade` out",
}
"""Sections that change how verdicts are bought -> what to do where one is empty."""
ALONE = "name a judge.yaml without `cascade`"
RESERVED_PARAMS = frozenset(
    {
        "model",
        "messages",
        "temperature",
        "max_tokens",
        "seed",
        "stream",
        "n",
        "response_format",
        "drop_params",
        "api_base",
        "base_url",
    }
)
"""What evalkit itself sends, or must not send, so that a request is what the manifest says."""

_SECRET = re.compile(r"api[_-]?key|authorization|bearer|secret|passw|credential|(?:^|[_-])token$", re.IGNORECASE)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BASE_URL = re.compile(r"https?://[^/?#@\s]+(?:/[^?#@\s]*)?")


def read_judge(path: Path) -> JudgeConfig:
    """Return a judge's configuration. Raises InputError with all faults of the file."""
    return judge_of(read_document(path))


def read_judge_alone(path: Path) -> JudgeConfig:
    """Return a model that is asked without a classifier before it. Raises InputError as `read_judge`, and for a `cascade`."""
    document = read_document(path)
    return without_cascade(judge_of(document), document)


def without_cascade(judge: JudgeConfig, document: Document, within: str = "") -> JudgeConfig:
    """Return the judge of a document as it is. Raises InputError where a classifier is asked before it."""
    if judge.cascade is not None:
        fault = document.fault(("cascade",), "cannot be used here: acceptance asks the judge alone", ALONE)
        raise InputError([_within(fault, within)])
    return judge


def judge_of(document: Document, within: str = "") -> JudgeConfig:
    """Return the judge that a document holds; `within` names the field of another file that it stands in. Raises InputError."""
    faults = [*keys_in_file(document.value, document, ()), *_empty_sections(document)]
    hidden = {fault.field for fault in faults}
    try:
        judge = record_of(JudgeConfig, document, show_values=False)
        faults += [document.fault(*problem) for problem in _problems(judge)]
    except InputError as error:
        faults += [fault for fault in error.faults if fault.field not in hidden]
    if faults:
        raise InputError([_within(fault, within) for fault in faults])
    return judge


def _empty_sections(document: Document) -> Iterator[Fault]:
    """Yield a fault for each section that switches something on and holds nothing: read as absent, it would cost what it was to spare."""
    value = document.value
    for name, remedy in SECTIONS.items():
        if isinstance(value, dict) and value.get(name, ...) is None:
            yield document.fault((name,), "is empty, so nobody can say whether it is wanted", remedy)


def _within(fault: Fault, field: str) -> Fault:
    return replace(fault, field=f"{field}.{fault.field}" if fault.field else field) if field else fault


def changed_judge(judge: JudgeConfig, changes: Mapping[str, Json]) -> JudgeConfig:
    """Return a judge with settings of the command line put in. Raises UsageError where they do not fit."""
    given = {name: getattr(judge, name) for name in judge.model_fields_set}
    try:
        changed = JudgeConfig.model_validate({**given, **changes})
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    for location, problem, remedy in _problems(changed):
        raise UsageError(f"{'.'.join(map(str, location))}: {problem} ({remedy})")
    return changed


def keys_in_file(value: Json, document: Document, path: Location) -> Iterator[Fault]:
    """Yield a fault for every field that looks like a key's, at any depth."""
    if isinstance(value, list):
        for index, entry in enumerate(value):
            yield from keys_in_file(entry, document, (*path, index))
    elif isinstance(value, dict):
        for name, entry in value.items():
            if _SECRET.search(name) and name != "api_key_env":
                yield document.fault((*path, name), "a key may not stand in a file", FROM_ENVIRONMENT)
            else:
                yield from keys_in_file(entry, document, (*path, name))


def _problems(judge: JudgeConfig) -> Iterator[tuple[Location, str, str]]:
    """Yield location, problem and remedy of what is missing or does not fit together."""
    if judge.client != "floor" and not judge.model:
        yield ("model",), f"is missing: `client: {judge.client}` asks a model", "name the model, or use `client: floor`"
    if judge.client == "replay" and not judge.replay:
        yield ("replay",), "is missing", "name the file of recorded replies"
    if judge.client in {"litellm", "openai"} and judge.max_cost is not None and judge.prices is None:
        yield (
            ("max_cost",),
            "needs `prices`: without them cost is unknown",
            "give `prices: {input: ..., output: ...}`, US dollars per million tokens",
        )
    if judge.cascade is not None and judge.client == "floor":
        yield ("cascade",), "needs a judge that is a model", "name its `client` and `model`, or take the cascade out"
    yield from _batch_problems(judge)
    yield from address_problems(judge.api_key_env, judge.base_url)
    for name in judge.params.extra:
        if name in RESERVED_PARAMS:
            yield (
                ("params", "extra", name),
                f"{shown_text(name)} is not an extra parameter",
                "it has a field of its own, or is evalkit's to send",
            )


def _batch_problems(judge: JudgeConfig) -> Iterator[tuple[Location, str, str]]:
    if judge.batch is None:
        return
    if judge.client != "openai":
        yield (
            ("batch",),
            f"needs `client: openai`: batches are not bought with `client: {judge.client}`",
            "use `client: openai` with the provider's `base_url`, or take `batch` out to ask one by one",
        )
    if judge.batch.prices is not None and judge.prices is None:
        yield (
            ("batch", "prices"),
            "needs the `prices` of requests outside a batch, too: what a batch leaves is asked one by one",
            "give `prices: {input: ..., output: ...}`, US dollars per million tokens",
        )


def address_problems(api_key_env: str | None, base_url: str | None) -> Iterator[tuple[Location, str, str]]:
    """Yield location, problem and remedy of what is no variable's name and no plain address."""
    if api_key_env is not None and not _VARIABLE.fullmatch(api_key_env):
        yield ("api_key_env",), "is not the name of an environment variable", FROM_ENVIRONMENT
    if base_url is not None and not _BASE_URL.fullmatch(base_url):
        remedy = "scheme, host and path only: no user, no query; " + FROM_ENVIRONMENT
        yield ("base_url",), "is not a plain http(s) URL", remedy
