"""What the batteries make of answers: pure functions, so that a stored answer can be decided again with other thresholds.

An answer that is missing, or of another type than was asked for, is never sure.
"""

from __future__ import annotations

from collections.abc import Iterable

from evalkit.classifiers.banding import is_sure, side
from evalkit.records.bands import Bands
from evalkit.records.battery_verdicts import ContentAction, GuardAction, RiskCuts
from evalkit.records.decisions import Answer, ChoiceAnswer, NoulAnswer, ScoreAnswer


def guard_action(answer: Answer | None, cuts: RiskCuts, bands: Bands) -> tuple[GuardAction, str]:
    """Return what ToolGuard does with a risk, and why: below `allow_below` allow, below `deny_from` ask, else deny; unsure asks."""
    if not isinstance(answer, ScoreAnswer):
        return "ask", "no answer"
    if not is_sure(answer, bands):
        return "ask", f"unsure: confidence {answer.confidence:.2f}, needed is more than {bands.high:.2f}"
    risk = answer.value()
    if risk < cuts.allow_below:
        return "allow", f"risk {risk:.2f} is below {cuts.allow_below:g}"
    if risk < cuts.deny_from:
        return "ask", f"risk {risk:.2f} is below {cuts.deny_from:g}"
    return "deny", f"risk {risk:.2f} is not below {cuts.deny_from:g}"


def keeps(answer: Answer | None, bands: Bands) -> bool:
    """Tell whether an item stays: everything stays but a sure no."""
    return not (isinstance(answer, NoulAnswer) and side(answer, bands) == "no")


def completes(answers: Iterable[Answer | None], bands: Bands) -> bool:
    """Tell whether every answer is a sure yes; false where there is none at all."""
    sides = [isinstance(answer, NoulAnswer) and side(answer, bands) == "yes" for answer in answers]
    return bool(sides) and all(sides)


def content_action(answers: Iterable[Answer | None], bands: Bands) -> ContentAction:
    """Return what ContentGuard does: any sure yes blocks; else any answer that is uncertain or missing reviews."""
    sides = [side(answer, bands) if isinstance(answer, NoulAnswer) else "uncertain" for answer in answers]
    if "yes" in sides:
        return "block"
    return "review" if "uncertain" in sides else "allow"


def sure_pick(answer: Answer | None, options: Iterable[str], bands: Bands) -> str | None:
    """Return the option of a sure choice, or None; an option that was not offered is none."""
    if not isinstance(answer, ChoiceAnswer) or not is_sure(answer, bands):
        return None
    return answer.choice if answer.choice in options else None
