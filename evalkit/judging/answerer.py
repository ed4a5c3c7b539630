"""Who answers, apart from what is asked: model, endpoint and parameters without rubric, prompt and checks.

Two rubrics put to one judge are two configurations, for their numbers may not be mixed. What the judge itself is like (its leaning to the
answer shown first, say) is measured with another rubric than a run's, and still says something about the run's judge.
"""

from __future__ import annotations

from collections.abc import Mapping

from evalkit.records.base import Json

ASKED = frozenset({
    "cascade",
    "prompt",
    "prompt_hash",
    "rubric",
    "rubric_version",
    "rubric_hash",
    "constitution_hash",
    "schema_hash",
    "preprocessing",
    "validator",
    "samples",
    "split_prompt",
    "split_prompt_hash",
    "split_schema_hash",
})  # fmt: skip
"""Parts of a measurement's identity that say what is asked, how often and how replies are checked; and a cascade's classifier, which is
never asked about pairs: the judge itself is the same with and without one."""


def answerer_of(identity: Mapping[str, Json]) -> dict[str, Json]:
    """Return the part of a measurement's identity that says who answers. Empty for an empty identity."""
    return {name: value for name, value in identity.items() if name not in ASKED}
