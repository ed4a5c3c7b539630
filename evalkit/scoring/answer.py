"""What a scorer that reads the text does where there is none."""

from __future__ import annotations

from evalkit.records.outputs import Output
from evalkit.records.scores import NO_OUTPUT, Result, Unscored
from evalkit.text.normalise import is_blank


def without_text(output: Output, *, calls_suffice: bool = False) -> Result | None:
    """Return the result of an output that has nothing to read, or None where it has a text.

    A text that shows nothing (empty, white space, invisible characters) fails as `no_output`. With `calls_suffice`, an output that only calls tools is `not_applicable`: for scorers
    that look for what must not be said, or how it is said.
    """
    if output.text is not None and not is_blank(output.text):
        return None
    if output.tool_calls and calls_suffice:
        return Unscored("not_applicable", "the output calls tools and says nothing")
    if output.text is None and not output.tool_calls:
        return Unscored("null_text")
    return NO_OUTPUT
