"""Whether two rows measure the same thing. Where they do not, every field that differs is named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest

from evalkit.records.answered import answered_by, is_mixed
from evalkit.records.base import Json
from evalkit.records.diffs import RowName
from evalkit.records.reports import JudgeHeader, Report, Row

SHOWN_CHARS = 60
Pair = tuple[int | None, int | None]
"""Index of a row in report A and in report B; None where it has none."""


def name_of(row: Row) -> RowName:
    """Return which row this is."""
    return RowName(capability=row.capability, scorer=row.scorer, criterion=row.criterion, kind=row.kind)


def row_pairs(a: Report, b: Report) -> Iterator[Pair]:
    """Yield the rows of two reports that bear one name, in A's order, then those that only B has.

    A capability may use one scorer twice with other settings: of rows with one name those with equal signatures go together first.
    """
    rows_a, rows_b = _by_name(a), _by_name(b)
    for name, mine in rows_a.items():
        theirs = list(rows_b.pop(name, ()))
        rest = []
        for index in mine:
            same = next((other for other in theirs if b.rows[other].signature == a.rows[index].signature), None)
            if same is None:
                rest.append(index)
            else:
                theirs.remove(same)
                yield index, same
        yield from zip_longest(rest, theirs)
    for theirs in rows_b.values():
        yield from ((None, index) for index in theirs)


def _by_name(report: Report) -> dict[RowName, list[int]]:
    found: dict[RowName, list[int]] = {}
    for index, row in enumerate(report.rows):
        found.setdefault(name_of(row), []).append(index)
    return found


def differences(row_a: Row, row_b: Row, report_a: Report, report_b: Report) -> tuple[str, ...]:
    """Return why two rows of one name may not be compared; empty where they may."""
    found = list(_fields(row_a.signature, row_b.signature, "", "is"))
    if row_a.estimate != row_b.estimate:
        found.append(f"estimate is {row_a.estimate} in A and {row_b.estimate} in B")
    if row_a.kind != "judge":
        return tuple(found)
    if row_a.judge_config_hash != row_b.judge_config_hash and not found:
        found.append(f"judge_config_hash is {row_a.judge_config_hash} in A and {row_b.judge_config_hash} in B")
    headers = (_header(report_a, row_a), _header(report_b, row_b))
    found += _snapshots(*headers)
    return tuple(dict.fromkeys(found))


def judged_by(row_a: Row, row_b: Row, report: Report) -> str:
    """Return what stands behind a judge's row: that the floor gave it, or that trust is not earned in both runs; empty otherwise."""
    if row_a.kind != "judge":
        return ""
    header = _header(report, row_a)
    if header is not None and header.judge.startswith("floor"):
        return f"{header.judge}; provisional"
    return "provisional" if "provisional" in (row_a.trust, row_b.trust) else ""


def _header(report: Report, row: Row) -> JudgeHeader | None:
    return next((h for h in report.judges if (h.capability, h.rubric) == (row.capability, row.scorer)), None)


def _snapshots(a: JudgeHeader | None, b: JudgeHeader | None) -> Iterator[str]:
    if a is None or b is None:
        yield "a report does not say which judge answered"
        return
    if a.samples != b.samples:
        yield f"samples is {a.samples} in A and {b.samples} in B"
    for side, header in (("A", a), ("B", b)):
        if is_mixed(header):
            everybody = ", ".join(answered_by(header))
            yield f"several snapshots answered in {side} ({everybody}): mixed, judge it again first"
    for tier in ("snapshots", "classifier_snapshots"):
        in_a, in_b = getattr(a, tier), getattr(b, tier)
        if in_a != in_b and max(len(in_a), len(in_b)) == 1:
            whose = "classifier's snapshot" if tier == "classifier_snapshots" else "snapshot"
            yield f"the {whose} that answered is {_listed(in_a)} in A and {_listed(in_b)} in B"


def _listed(snapshots: tuple[str, ...]) -> str:
    return ", ".join(snapshots) or "unknown"


def _fields(a: Json, b: Json, path: str, verb: str) -> Iterator[str]:
    """Yield each field that differs, by its dotted path."""
    if a == b:
        return
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for key in dict.fromkeys((*a, *b)):
            yield from _fields(a.get(key), b.get(key), f"{path}.{key}" if path else str(key), verb)
        return
    yield f"{path or 'signature'} {verb} {_shown(a)} in A and {_shown(b)} in B"


def _shown(value: Json) -> str:
    text = "not set" if value is None else str(value)
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}..."
