"""Every fact of a comparison's JSON is on its page: whatever changes in the one changes the words of the other."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
from fakes.pages import case, output, texts
from fakes.stored_runs import manifest
from pydantic import ValidationError

from evalkit.records.diffs import CountRatio, Instrument, RefusedRow, RowDiff, RowName, RunDiff
from evalkit.reporting.diff_view import NOTHING_ASKED
from evalkit.reporting.html.diff_material import DiffMaterial
from evalkit.reporting.html.document import diff_html

NAME = {"capability": "honesty", "scorer": "triage", "criterion": "violations", "kind": "judge"}
Path = tuple[str | int, ...]


def whole() -> RunDiff:
    """Return a comparison in which every field says something."""
    row = RowDiff(
        **NAME, estimate="mean", n=40, value_a=0.41, value_b=0.62, fixed=("c1",), broken=("c2",), still_failing=("c3",), unchanged=9,
        drift=("c4",), unpaired={"not in B": ("c5",), "not_applicable in both": ("c6",)}, difference=0.21, interval=(0.1, 0.3), p=0.021,
        clusters=23, interval_clustered=(0.05, 0.4), p_holm=0.04, q=0.032, detectable=0.15, insufficient=True, moved="worse",
        better="lower", note="few", caution="provisional", drift_by={"classifier in A, judge in B": ("c4",)}, ratio=CountRatio(value=1.5, interval=(1.1, 2.2), note="12 items"),
    )  # fmt: skip
    instrument = Instrument(
        run="old", self_agreement="97 %", judged=80, judge_errors=3, judge_error_rate=0.0375, within_budget=False
    )
    named = {**NAME, "capability": "tone"}
    return RunDiff(
        run_a="old", run_b="new", suite="shop", instruments=(instrument,), notes=("the golden set changed",), family=7, rows=(row,),
        refused=(RefusedRow(**{**NAME, "capability": "wit"}, reasons=("prompt differs",)),), only_a=(RowName(**named),),
        only_b=(RowName(**{**named, "capability": "manners"}),),
    )  # fmt: skip


def leaves(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the path of every single fact."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, (*path, name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, (*path, index))
    else:
        yield path


def members(schema: Any) -> Iterator[list[str]]:
    """Yield the values of every closed choice in a schema."""
    if isinstance(schema, dict):
        if "enum" in schema:
            yield schema["enum"]
        for inner in schema.values():
            yield from members(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from members(inner)


FACTS = json.loads(whole().model_dump_json())
CHOICES = list(members(RunDiff.model_json_schema()))


def asks_nothing(path: Path) -> bool:
    """Tell whether a path leads to the id of a case that a criterion asks nothing of: the page counts them and does not name them."""
    return bool(NOTHING_ASKED & set(path))


PATHS = [path for path in leaves(FACTS) if path != ("schema_version",) and not asks_nothing(path)]


def others(value: Any) -> list[Any]:
    """Return other values that the same field may have."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, str):
        chosen = [one for choice in CHOICES if value in choice for one in choice if one != value]
        return [*chosen, f"{value}-zz"]
    return [value + 7 if isinstance(value, int) else value + 0.013]


def changed(path: Path, value: Any) -> RunDiff | None:
    """Return the comparison with one fact changed; None where the field may not have this value."""
    facts = json.loads(json.dumps(FACTS))
    place = facts
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    try:
        return RunDiff.model_validate_json(json.dumps(facts))
    except ValidationError:
        return None


def words(diff: RunDiff) -> str:
    """Return what a reader of the page can read: the text between its tags, and the cases, unpacked."""
    ids = [f"c{number}" for number in range(1, 7)]
    known = texts(*map(case, ids), outputs={name: output(name, "It costs 10.") for name in ids})
    made = DiffMaterial(
        diff=diff, manifests=(manifest(run_id="m"), manifest(run_id="m")), failures=((), ()), texts=(known, known)
    )
    page = diff_html(made)
    packed = re.findall(r"<script[^>]*type=\"[^\"]*\"[^>]*>\s*([A-Za-z0-9+/=]+)\s*</script>", page)
    assert packed
    cases = " ".join(zlib.decompress(base64.b64decode(block), 31).decode() for block in packed)
    text = re.sub(r"<style>.*?</style>|<script.*?</script>", "", page, flags=re.DOTALL)
    return re.sub(r"<[^>]*>", " ", text) + cases


UNCHANGED = words(whole())


def test_the_example_says_something_in_every_field():
    empty = [path for path, value in ((path, value_at(path)) for path in leaves(FACTS)) if value in {None, ""}]
    assert not empty
    assert set(FACTS["rows"][0]) == set(RowDiff.model_fields)
    assert set(FACTS) == set(RunDiff.model_fields)


def value_at(path: Path) -> Any:
    """Return the fact at a path."""
    value = FACTS
    for step in path:
        value = value[step]
    return value


@pytest.mark.parametrize("path", PATHS, ids=lambda path: ".".join(map(str, path)))
def test_a_fact_of_the_json_is_on_the_page(path):
    variants = [diff for value in others(value_at(path)) if (diff := changed(path, value)) is not None]
    assert variants
    for diff in variants:
        assert words(diff) != UNCHANGED


def test_cases_that_a_criterion_asks_nothing_of_are_counted():
    facts = json.loads(json.dumps(FACTS))
    facts["rows"][0]["unpaired"]["not_applicable in both"] += ["c7"]
    assert words(RunDiff.model_validate_json(json.dumps(facts))) != UNCHANGED
