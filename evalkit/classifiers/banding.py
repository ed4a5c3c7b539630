"""Reading an answer by the bands: is it sure, and on which side."""

from __future__ import annotations

from typing import Literal

from evalkit.records.bands import Bands
from evalkit.records.decisions import Answer, ChoiceAnswer, NoulAnswer

Side = Literal["yes", "no", "uncertain"]

BANDS = Bands()
"""low 0.30, high 0.70."""


def side(answer: NoulAnswer, bands: Bands = BANDS) -> Side:
    """Return the band of a noul: `yes` strictly above `high`, `no` strictly below `low`, else, or where views disagree, `uncertain`."""
    if answer.disagrees:
        return "uncertain"
    if answer.p > bands.high:
        return "yes"
    return "no" if answer.p < bands.low else "uncertain"


def is_sure(answer: Answer, bands: Bands = BANDS) -> bool:
    """Tell whether an answer is sure.

    A noul outside the bands; a choice with a confidence above `high` that is not near uniform; a score with a confidence above
    `high`. An answer on which views disagree never is.
    """
    if isinstance(answer, NoulAnswer):
        return side(answer, bands) != "uncertain"
    if answer.disagrees or (isinstance(answer, ChoiceAnswer) and answer.near_uniform):
        return False
    return answer.confidence > bands.high
