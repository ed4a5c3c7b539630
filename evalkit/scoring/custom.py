"""A scorer of the user's own: `scorer: checks.py:polite`, a function in a file of the suite's folder.

    def polite(case: dict, output: dict) -> dict | None:
        return {"value": 1.0, "passed": True, "reason": "", "metadata": {}}   # or None: not applicable

It runs the suite's code in this process, so a suite must opt in (`allow_custom_scorers: true`). The file may not lie outside the
suite's folder, symbolic links resolved; its SHA-256 is part of the signature, and exactly the bytes that were hashed are run.
Neighbouring files cannot be imported, because the signature would not cover them. What the function raises or returns amiss
leaves its case unscored and touches no other. What it prints goes to standard error, so that `--json` output stays JSON.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import json
import math
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Literal

from evalkit.errors import Fault, InputError
from evalkit.records.base import Json, Record
from evalkit.records.cases import Case
from evalkit.records.identity import canonical_json
from evalkit.records.outputs import Output
from evalkit.records.scores import CriterionSpec, Result, Score, Signature, Unscored
from evalkit.scoring.settings import Resources, read_settings

_Function = Callable[[dict[str, Json], dict[str, Json]], object]

_KEYS = frozenset({"value", "passed", "reason", "metadata"})
_REASON_CHARS = 2000


class CustomSettings(Record):
    """Settings of a scorer of the user's own."""

    criterion: str | None = None
    """Name of what it measures; the function's by default."""
    estimate: Literal["rate", "mean"] = "rate"
    """`rate`: every value is 0 or 1; `mean`: any finite number."""


class CustomScorer:
    """Calls the user's function with the case and the output as plain JSON objects, fresh for every call."""

    def __init__(self, scorer: str, settings: Mapping[str, Json], resources: Resources) -> None:
        file, _, name = scorer.rpartition(":")
        place = _Place(scorer, resources.file)
        if not resources.allow_custom:
            raise place.error("runs code of the suite", "set allow_custom_scorers: true in suite.yaml if you trust it")
        source, path = _read(file, resources.folder, place)
        self._settings = read_settings(CustomSettings, scorer, settings, resources)
        self._file = str(path)
        self._function = _function(source, path, name, place)
        self.criteria = (CriterionSpec(id=self._settings.criterion or name, estimate=self._settings.estimate),)
        echoed = {**self._settings.model_dump(mode="json"), "sha256": hashlib.sha256(source).hexdigest()}
        self.signature = Signature(scorer=scorer, version="custom/1", settings=echoed)

    def score(self, case: Case, output: Output) -> tuple[Result, ...]:
        """Return one Score; `not_applicable` for None, `scorer_error` for an exception or a return that is no score."""
        try:
            with contextlib.redirect_stdout(sys.stderr):
                returned = self._function(case.model_dump(mode="json"), output.model_dump(mode="json"))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - the user's code may raise anything (pytest.fail is no Exception)
            return (Unscored("scorer_error", _described(error, self._file)),)
        if returned is None:
            return (Unscored("not_applicable"),)
        try:
            return (self._scored(returned),)
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            return (Unscored("scorer_error", f"bad return: {error}"),)

    def _scored(self, returned: object) -> Score:
        if not isinstance(returned, dict):
            raise TypeError(f"{type(returned).__name__} instead of a dict with value, passed, reason, metadata")
        unknown = [str(key)[:50] for key in returned if key not in _KEYS]
        if unknown or "value" not in returned:
            raise ValueError(f"unknown keys {', '.join(unknown)}" if unknown else "no value")
        value, passed, reason = returned["value"], returned.get("passed"), returned.get("reason", "")
        if not isinstance(value, int | float) or not math.isfinite(value):
            raise ValueError("value must be a finite number or a boolean")
        if passed is not None and not isinstance(passed, bool):
            raise TypeError("passed must be True, False or None")
        if not isinstance(reason, str):
            raise TypeError("reason must be a text")
        if self._settings.estimate == "rate":
            if value not in {0, 1} or (passed is not None and passed != bool(value)):
                raise ValueError(f"value {value!r}, passed {passed!r}: a rate takes 0 or 1 (or set estimate: mean)")
            passed = bool(value)
        metadata = returned.get("metadata") or {}
        if not isinstance(metadata, dict):
            raise TypeError("metadata must be a dict")
        # Through JSON and back: what the user's code changes later must not change the score.
        return Score(float(value), passed, reason[:_REASON_CHARS], json.loads(canonical_json(metadata)))


class _Place:
    """Where an error about a scorer of the user's own points to."""

    def __init__(self, scorer: str, suite_file: str) -> None:
        self._scorer, self._suite_file = scorer, suite_file

    def error(self, problem: str, remedy: str = "") -> InputError:
        fault = Fault(file=self._suite_file, field=f"scorer {self._scorer}", problem=problem, remedy=remedy)
        return InputError([fault])


def _read(file: str, folder: Path, place: _Place) -> tuple[bytes, Path]:
    root = folder.resolve()
    try:
        path = (root / file).resolve()
        if not path.is_relative_to(root):
            raise place.error(f"{path} lies outside the suite's folder {root}", "move the file into the suite's folder")
        return path.read_bytes(), path
    except (OSError, ValueError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise place.error(f"{file!r} cannot be read: {reason}", "give a path relative to the suite's folder") from None


def _function(source: bytes, path: Path, name: str, place: _Place) -> _Function:
    identity = hashlib.sha256(os.fsencode(path) + b"\0" + source).hexdigest()
    module = ModuleType(f"evalkit_custom_{identity[:16]}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # dataclasses and pickle of the user's code look their module up here
    try:
        with contextlib.redirect_stdout(sys.stderr):
            exec(compile(source, str(path), "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - this is the opt-in
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - the user's code may raise anything
        raise place.error(f"cannot be loaded: {_described(error, str(path))}", "correct the file") from None
    found = getattr(module, name, None)
    if not callable(found):
        raise place.error(f"{path.name} has no function {name!r}", "name a function of the file after the colon")
    if inspect.iscoroutinefunction(found):
        raise place.error(f"{name!r} is asynchronous", "give a plain function")
    function: _Function = found
    return function


def _described(error: BaseException, file: str) -> str:
    """Return an exception in one line, with the line of the user's file that it came from."""
    what = "".join(traceback.format_exception_only(error)).strip().replace("\n", " ")[:500]
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return f"{what} (line {lines[-1]} of {Path(file).name})" if lines else what
