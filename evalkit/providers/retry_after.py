"""How long a server asks to wait: the Retry-After header (RFC 9110, section 10.2.3) in seconds or as a date, and its usual kin."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_NUMBER = re.compile(r"\d{1,12}(?:\.\d{1,6})?")


def wait_asked(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return the seconds that a response asks to wait: at least 0; None where it asks nothing that can be understood.

    `retry-after-ms` (milliseconds, as some providers send) goes before `retry-after`. A negative number is garbage, a date in
    the past is 0. Header names are compared without case.
    """
    lowered = {name.lower(): value.strip() for name, value in headers.items()}
    exact = lowered.get("retry-after-ms", "")
    if _NUMBER.fullmatch(exact):
        return float(exact) / 1000
    value = lowered.get("retry-after", "")
    if _NUMBER.fullmatch(value):
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())
