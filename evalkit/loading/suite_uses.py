"""What a suite.yaml names, with where: read from the value as it stands, which may be malformed anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evalkit.records.base import Json
from evalkit.records.locations import Location


def rubric_uses(raw: Json) -> Iterator[tuple[str, Location]]:
    """Yield each rubric that a suite names, once, with where it is named first; `raw` may be malformed anywhere."""
    seen: set[str] = set()
    for index, capability in _mappings(raw, "capabilities"):
        for at, use in _mappings(capability, "judge"):
            name = use.get("rubric")
            if isinstance(name, str) and name and name not in seen:
                seen.add(name)
                yield name, ("capabilities", index, "judge", at, "rubric")


def lexicon_uses(raw: Json) -> Iterator[tuple[str, Location]]:
    """Yield each lexicon that a scorer of a suite names, once, with where it is named first; `raw` may be malformed anywhere."""
    return _scorer_files(raw, "lexicon")


def classifier_uses(raw: Json) -> Iterator[tuple[str, Location]]:
    """Yield each classifier that a scorer of a suite names, as `lexicon_uses` does."""
    return _scorer_files(raw, "classifier")


def _scorer_files(raw: Json, scorer: str) -> Iterator[tuple[str, Location]]:
    """Yield what the uses of a scorer name under the scorer's own name."""
    entries: list[tuple[Location, Mapping[str, Any]]]
    entries = [(("policy", at), use) for at, use in _mappings(raw, "policy")]
    for index, capability in _mappings(raw, "capabilities"):
        entries += [(("capabilities", index, "scorers", at), use) for at, use in _mappings(capability, "scorers")]
    seen: set[str] = set()
    for location, use in entries:
        name = use.get(scorer)
        if use.get("scorer") == scorer and isinstance(name, str) and name and name not in seen:
            seen.add(name)
            yield name, (*location, scorer)


def _mappings(holder: Mapping[str, Any], name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the mappings in a list of a mapping, with their indices; nothing where there is no such list."""
    entries = holder.get(name)
    if isinstance(entries, list):
        for index, entry in enumerate(entries):
            if isinstance(entry, dict):
                yield index, entry
