"""Is the judge independent of the candidate? A judge prefers its own kind, so the same model or family is said on the first screen.

Three answers: true, false, unknown. Families come from the caller (configuration, or its table of known names); nothing is
guessed here.
"""

from __future__ import annotations

from evalkit.records.base import Json


def independence(
    judge_model: str | None,
    judge_family: str | None,
    candidate_model: str | None,
    candidate_family: str | None,
    *,
    floor: bool = False,
) -> dict[str, Json]:
    """Return `family_differs` ("true", "false", "unknown"), `independent` (True, False, None for unknown) and `reason`.

    None stands for unknown. `floor`: the judge is the embedded rule, which is no model and has no family.
    """
    if floor:
        return _answer("true", "the floor judge is a fixed rule, not a model")
    if judge_model and candidate_model and _same_model(judge_model, candidate_model):
        return _answer("false", f"judge and candidate are the same model ({judge_model.strip()})")
    if not judge_family or not candidate_family:
        unknown = [who for who, family in (("judge", judge_family), ("candidate", candidate_family)) if not family]
        files = " and ".join(f"{who}.yaml" for who in unknown)
        return _answer("unknown", f"the family of the {' and of the '.join(unknown)} is unknown; say it in {files}")
    if judge_family.strip().casefold() == candidate_family.strip().casefold():
        return _answer("false", f"judge and candidate are of the same family ({judge_family.strip()})")
    return _answer("true", f"different families: judge {judge_family.strip()}, candidate {candidate_family.strip()}")


def _same_model(judge: str, candidate: str) -> bool:
    """Whether two names are one model; `openai/gpt-4o` and `gpt-4o` are, for the first part says who serves it."""
    one, other = judge.strip().casefold(), candidate.strip().casefold()
    return one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}")


def _answer(differs: str, reason: str) -> dict[str, Json]:
    independent = {"true": True, "false": False}.get(differs)
    return {"family_differs": differs, "independent": independent, "reason": reason}
