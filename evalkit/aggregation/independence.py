"""Is the judge independent of the candidate? A judge prefers its own kind, so the same model or family is said on the first screen.

Where a classifier stands before the judge, both must be: who decides a case is one or the other. Three answers: true, false, unknown. Families come from the caller (configuration, or its table of known names); nothing is
guessed here.
"""

from __future__ import annotations

from collections.abc import Sequence

from evalkit.records.base import Json

JUDGE, CLASSIFIER = "judge", "classifier"
STANDINGS = ("false", "unknown", "true")
"""The least independent one first."""


def independence(
    judge_model: str | None,
    judge_family: str | None,
    candidate_model: str | None,
    candidate_family: str | None,
    *,
    floor: bool = False,
    who: str = JUDGE,
) -> dict[str, Json]:
    """Return `family_differs` ("true", "false", "unknown"), `independent` (True, False, None for unknown) and `reason`.

    None stands for unknown. `floor`: it is an embedded rule or a list, which is no model and has no family. `who` is asked: the judge, or
    the classifier before one.
    """
    if floor:
        return _answer("true", f"the floor {who} is a fixed rule, not a model")
    if judge_model and candidate_model and _same_model(judge_model, candidate_model):
        return _answer("false", f"{who} and candidate are the same model ({judge_model.strip()})")
    if not judge_family or not candidate_family:
        unknown = [name for name, family in ((who, judge_family), ("candidate", candidate_family)) if not family]
        files = " and ".join(f"{name}.yaml" for name in unknown)
        return _answer("unknown", f"the family of the {' and of the '.join(unknown)} is unknown; say it in {files}")
    if judge_family.strip().casefold() == candidate_family.strip().casefold():
        return _answer("false", f"{who} and candidate are of the same family ({judge_family.strip()})")
    return _answer("true", f"different families: {who} {judge_family.strip()}, candidate {candidate_family.strip()}")


def least_independent(judges: Sequence[dict[str, Json]], classifiers: Sequence[dict[str, Json]]) -> dict[str, Json]:
    """Return the least independent of all who may decide a case, as `independence` does; `judges` is not empty.

    Of judges the first of them speaks; of judge and classifier with the same standing both do.
    """
    ordered = [min(found, key=_standing) for found in (judges, classifiers) if found]
    least = min(ordered, key=_standing)
    equal = [one for one in ordered if one["family_differs"] == least["family_differs"]]
    return {**least, "reason": "; ".join(dict.fromkeys(str(one["reason"]) for one in equal))}


def _standing(found: dict[str, Json]) -> int:
    return STANDINGS.index(found["family_differs"])


def _same_model(judge: str, candidate: str) -> bool:
    """Whether two names are one model; `openai/gpt-4o` and `gpt-4o` are, for the first part says who serves it."""
    one, other = judge.strip().casefold(), candidate.strip().casefold()
    return one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}")


def _answer(differs: str, reason: str) -> dict[str, Json]:
    independent = {"true": True, "false": False}.get(differs)
    return {"family_differs": differs, "independent": independent, "reason": reason}
