"""On which terms a result is accepted. Two of them have no default, because each is a decision that somebody has to answer for."""

from typing import Annotated, Literal

from pydantic import Field

from evalkit.records.base import Record

Most = Annotated[int, Field(ge=0)]


class Limits(Record):
    """The most of each kind of "again" for one request; they are counted apart, and the ending names the one that was reached."""

    quality_retries: Most = 2
    """New candidates asked for with feedback, after the first."""
    verdict_retries: Most = 6
    """Judge replies that were refused in code and asked for once more, over all attempts."""
    transport_retries: Most = 2
    """Failed calls of the generator that were sent again, over all attempts. The judge's own are judge.yaml's business."""
    tool_turns: Most = 50
    """Turns in which the generator called tools, over all attempts."""


class AcceptanceTerms(Record):
    """When a candidate that was looked at may be called done."""

    threshold: Annotated[float, Field(ge=0, le=1)]
    """Lowest score, sum(weight x passed) / sum(weight) over the criteria that apply, in [0, 1]. Required criteria come first."""
    on_skipped: Literal["block", "accept_unjudged"]
    """What becomes of a candidate that nobody could judge: `judgment_skipped`, or `accepted_unjudged`; never `complete`."""
    require_trust: bool
    """Whether completion needs a judge that has earned trust in every judged criterion; else it is `complete_provisional`."""
    limits: Limits = Limits.model_construct()
    """When going on ends."""
