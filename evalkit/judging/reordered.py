"""A rubric whose criteria stand in another order: the same judge use in every other word.

Prompt, schema and checks come from the rubric, so a measurement with a reordered rubric asks, is answered and is checked in the new
order. Its configuration is another one: what it says is no verdict of a run.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from evalkit.judging.requests import Measurement
from evalkit.records.identity import content_hash


def reordered(measurement: Measurement, seed: int) -> Measurement | None:
    """Return a measurement none of whose criteria stands where it stood; None where there is but one criterion.

    Two criteria change places; of more the order is drawn, uniformly among those that are one cycle (Sattolo 1986), by the seed and
    the criteria's ids, so that it is the same for every case, judge and capability.
    """
    criteria = list(measurement.rubric.criteria)
    if len(criteria) < 2:
        return None
    named = [one.id for one in criteria]
    draw = Random(content_hash("criteria-order/1", [seed, measurement.rubric.id, named]))  # noqa: S311 - a seeded draw
    for place in range(len(criteria) - 1, 0, -1):
        other = draw.randrange(place)
        criteria[place], criteria[other] = criteria[other], criteria[place]
    return replace(measurement, rubric=measurement.rubric.model_copy(update={"criteria": tuple(criteria)}))


def order_of(measurement: Measurement) -> dict[str, int]:
    """Return each criterion's place among those that the judge is asked about, from 1."""
    return {criterion.id: place for place, criterion in enumerate(measurement.form.rubric.criteria, 1)}
