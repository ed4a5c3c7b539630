"""What a scorer is built from: its settings, checked field by field, and the files that loading read for it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from evalkit.errors import Fault, InputError
from evalkit.records.base import Json, Record
from evalkit.records.classifiers import CannedAnswer, ClassifierConfig
from evalkit.records.identity import canonical_json
from evalkit.records.lexicons import Lexicon


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """What stands around a suite's scorers."""

    folder: Path
    """The suite's folder, for scorers of the user's own."""
    file: str = "suite.yaml"
    """The file that names the scorers, for errors."""
    lexicons: Mapping[str, Lexicon] = field(default_factory=dict)
    """Lexicons by the name under which the suite uses them."""
    classifiers: Mapping[str, tuple[ClassifierConfig, tuple[CannedAnswer, ...]]] = field(default_factory=dict)
    """Classifiers, with the canned answers of those that are static, by the name under which the suite uses them."""
    allow_custom: bool = False
    """Whether the suite opted in to code of its own."""


S = TypeVar("S", bound=Record)


def read_settings(model: type[S], scorer: str, settings: Mapping[str, Json], resources: Resources) -> S:
    """Return a scorer's settings as its record.

    Raises InputError that names the file, the scorer, each wrong setting with what was expected, and the nearest known name of an
    unknown one.
    """
    unwritable = [key for key, value in settings.items() if not _is_json(value)]
    if unwritable:
        problem = "holds a number that JSON cannot hold (NaN, infinity, or more than 4,300 digits)"
        fields = [f"scorer {scorer}, {key}" for key in unwritable]
        raise InputError([Fault(file=resources.file, field=field, problem=problem) for field in fields])
    try:
        # As written, not canonical: a question's options are asked about in the order in which they stand.
        return model.model_validate_json(json.dumps(dict(settings)))
    except ValidationError as error:
        from evalkit.scoring.settings_faults import setting_faults

        raise InputError(setting_faults(error, model, scorer, resources.file)) from None


def _is_json(value: Json) -> bool:
    try:
        canonical_json(value)
    except ValueError:
        return False
    return True
