"""What a scorer is built from: its settings, checked field by field, and the files that loading read for it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from evalkit.errors import Fault, InputError
from evalkit.records.base import Json, Record
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
    allow_custom: bool = False
    """Whether the suite opted in to code of its own."""


S = TypeVar("S", bound=Record)


def read_settings(model: type[S], scorer: str, settings: Mapping[str, Json], resources: Resources) -> S:
    """Return a scorer's settings as its record.

    Raises InputError that names the file, the scorer, each wrong setting, and the nearest known name of an unknown one.
    """
    try:
        return model.model_validate_json(canonical_json(dict(settings)))
    except ValueError as error:
        if not isinstance(error, ValidationError):
            fault = Fault(file=resources.file, field=f"scorer {scorer}", problem=str(error))
            raise InputError([fault]) from None
        raise InputError([_fault(model, scorer, dict(entry), resources.file) for entry in error.errors()]) from None


def _fault(model: type[Record], scorer: str, entry: Mapping[str, object], file: str) -> Fault:
    location = entry.get("loc")
    path = ".".join(str(part) for part in location) if isinstance(location, tuple) else ""
    remedy = ""
    if entry.get("type") == "extra_forbidden":
        names = [field.alias or name for name, field in model.model_fields.items()]
        near = difflib.get_close_matches(path, names, n=1)
        remedy = f"did you mean {near[0]!r}?" if near else f"known settings: {', '.join(names)}"
    problem = str(entry.get("msg")).removeprefix("Value error, ")
    return Fault(
        file=file, field=f"scorer {scorer}, {path}" if path else f"scorer {scorer}", problem=problem, remedy=remedy
    )
