"""The content standard that writer and judge share: which one the judge applies, and whether the outputs were written under it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from evalkit.errors import UsageError
from evalkit.loading.suites import load_suite
from evalkit.records.identity import text_sha256
from evalkit.records.reports import ConstitutionUse
from evalkit.records.rubrics import Rubric


def constitution_of(suite: Path, rubric: str | None = None) -> str:
    """Return the text that a suite's rubrics splice into the judge's prompt, character for character.

    `rubric` chooses where its rubrics do not all have the same. Raises UsageError where there is none, or more than one.
    """
    rubrics = load_suite(suite).rubrics
    if rubric is not None and rubric not in rubrics:
        raise UsageError(f"the suite uses no rubric {rubric[:80]!r}; it uses: {', '.join(sorted(rubrics)) or 'none'}")
    chosen = rubrics if rubric is None else {rubric: rubrics[rubric]}
    found = {name: one.constitution for name, one in sorted(chosen.items()) if one.constitution is not None}
    texts = set(found.values())
    if not texts:
        where = f"rubric {rubric!r}" if rubric else "no rubric of this suite"
        raise UsageError(
            f"{where} has {'no' if rubric else 'a'} constitution; name its file under `constitution` in the rubric"
        )
    if len(texts) > 1:
        raise UsageError(f"rubrics with different constitutions: {', '.join(found)}; choose one with --rubric")
    return texts.pop()


def constitution_uses(rubrics: Iterable[Rubric], written_under: str | None) -> tuple[ConstitutionUse, ...]:
    """Return one entry per rubric with a constitution, in their order; `written_under` is what candidate.yaml says."""
    uses = []
    state: Literal["same", "differs", "unknown"]
    for rubric in {rubric.id: rubric for rubric in rubrics}.values():
        if rubric.constitution is None:
            continue
        applied = text_sha256(rubric.constitution)
        state = "unknown" if written_under is None else "same" if written_under.lower() == applied else "differs"
        uses.append(ConstitutionUse(rubric=rubric.id, sha256=applied, candidate_sha256=written_under, state=state))
    return tuple(uses)
