"""Walking a validation error's location along the annotations of a record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from evalkit.records.base import Record

Location = tuple[int | str, ...]
"""Path of a value: field names, keys, and indices from 0."""

TAG = "type"
"""Field by which the records of a union are told apart, where they are."""

WRONG_TAG, NO_TAG = "union_tag_invalid", "union_tag_not_found"
"""pydantic's names of what is wrong where no record of such a union is meant."""

KEY_MARK = "[key]"
"""pydantic's last part where the key, not the value, is at fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where an error stands."""

    path: Location
    """The location without the names of union branches, as a person would write it."""
    union: Location | None
    """Path of the outermost union that the location leads through; None without one."""
    branch: str
    """The branch taken in that union: `str`, `tuple`, `dict`, `bool`, or a record's name."""
    fields: tuple[str, ...]
    """Fields of the record that holds the last part, in order; empty where it is no record."""


def place_of(model: type[Record], entry: Mapping[str, Any]) -> Place:
    """Return the place of one of pydantic's errors (`ValidationError.errors()`): of a wrong or missing tag the tag's own."""
    place = locate(model, entry["loc"])
    return replace(place, path=(*place.path, TAG)) if entry["type"] in {WRONG_TAG, NO_TAG} else place


def locate(model: type[Record], location: Location) -> Place:
    """Return the place that a pydantic location names within a record."""
    here: Any = model
    path: list[int | str] = []
    union: Location | None = None
    branch = ""
    fields: tuple[str, ...] = ()
    for part in location:
        if part == KEY_MARK:
            break
        branches = list(variants(here))
        if len(branches) > 1:
            here = next((variant for variant in branches if _is_branch(variant, part)), Any)
            if union is None:
                union, branch = tuple(path), _label(here)
            continue
        holder = branches[0] if branches else Any
        fields = tuple(_fields(holder)) if _is_record(holder) else ()
        here = _below(holder, part)
        path.append(part)
    return Place(path=tuple(path), union=union, branch=branch, fields=fields)


def variants(annotation: Any) -> Iterator[Any]:
    """Yield the branches of an annotation, null aside; pydantic names a branch only where there are several."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from variants(get_args(annotation)[0])
    elif origin is Union or origin is UnionType:
        for branch in get_args(annotation):
            yield from variants(branch)
    elif annotation is not type(None):
        yield annotation


def _label(variant: Any) -> str:
    """Return how pydantic's name of a branch begins."""
    return str(getattr(get_origin(variant) or variant, "__name__", variant))


def _is_branch(variant: Any, part: int | str) -> bool:
    """Tell whether pydantic's name of a branch is this variant's: how it begins, or its tag where a field tells the branches apart."""
    tag = variant.model_fields.get(TAG) if _is_record(variant) else None
    return (tag is not None and tag.default == part) or str(part).startswith(_label(variant))


def _fields(record: Any) -> dict[str, Any]:
    """Return the annotations of a record's fields by the names that files use."""
    return {field.alias or name: field.annotation for name, field in record.model_fields.items()}


def _is_record(variant: Any) -> bool:
    return isinstance(variant, type) and issubclass(variant, Record)


def _below(holder: Any, part: int | str) -> Any:
    """Return the annotation of what stands under a field, key or index."""
    if _is_record(holder):
        return _fields(holder).get(str(part), Any)
    arguments = get_args(holder)
    if get_origin(holder) is tuple:
        return arguments[0]
    return arguments[1] if get_origin(holder) is dict else Any
