"""What a row says in words: when n is too small to be read, what 0/n and n/n leave open, what a judge's row may not be used for."""

from __future__ import annotations

from evalkit.records.gates import Reliance
from evalkit.records.reports import Row
from evalkit.records.scores import Estimate
from evalkit.stats.intervals import clopper_pearson_upper

RATE_NEEDS = 30
"""Cases from which on a rate may be read as one."""
MEAN_NEEDS = 20
"""Cases from which on a mean may be read as one."""
CLUSTERS_NEEDED = 10
"""Clusters from which on the clustered interval is an interval at all."""
CLUSTERS_ENOUGH = 30
"""Clusters from which on it covers about what it says."""
NOT_CALIBRATED = "not calibrated against human labels"
PROVISIONAL = f"provisional: {NOT_CALIBRATED}; may not gate"

CLASSIFIER = "provisional: a classifier's answers; agreement with people has not been shown; may not gate"


def join(*parts: str) -> str:
    """Return the parts that say something, in order."""
    return "; ".join(part for part in parts if part)


def too_few(estimate: Estimate, n: int) -> bool:
    """Return whether n cases are too few to read the estimate; such a row supports no decision."""
    return n < (RATE_NEEDS if estimate == "rate" else MEAN_NEEDS)


def few_clusters(count: int) -> str:
    """Return what the clustered interval is worth with few clusters; empty where there are enough."""
    if count < CLUSTERS_NEEDED:
        return f"{count} clusters, fewer than {CLUSTERS_NEEDED}: the clustered interval is not to be relied on"
    if count < CLUSTERS_ENOUGH:
        return f"{count} clusters, fewer than {CLUSTERS_ENOUGH}: the clustered interval is approximate"
    return ""


def zero_cell(passed: int, n: int) -> str:
    """Return what 0/n and n/n leave open at 95 %, one-sided (Clopper-Pearson); empty between them. n >= 1."""
    if passed not in {0, n}:
        return ""
    open_share = f"{100 * clopper_pearson_upper(0, n):.3g} %"
    if passed == 0:
        return f"none of {n} passed: the pass rate is at most {open_share} (one-sided 95 %)"
    return f"all of {n} passed: the fail rate is at most {open_share} (one-sided 95 %)"


def reading_of(kind: str, estimate: Estimate, n: int) -> str:
    """Return what the row may not be used for."""
    provisional = {"judge": PROVISIONAL, "classifier": CLASSIFIER}.get(kind, "")
    return join(provisional, _few(estimate, n))


def doubt_of(row: Row) -> str:
    """Return why a judge's row is provisional although its configuration met labels; empty where that is not so.

    For a row without trust that nobody has calibrated there is nothing to add to the word.
    """
    words = row.reading.removesuffix(_few(row.estimate, row.n)).removesuffix("; ")
    if row.kind != "judge" or row.trust != "provisional" or NOT_CALIBRATED in words:
        return ""
    return words.removeprefix("provisional: ")


def _few(estimate: Estimate, n: int) -> str:
    if not n or not too_few(estimate, n):
        return ""
    needed = RATE_NEEDS if estimate == "rate" else MEAN_NEEDS
    return f"n = {n}: too few cases to be read as a {estimate} ({needed} are needed)"


def with_trust(row: Row, relied: Reliance) -> Row:
    """Return a judge's row with what it may be relied on for in place of `provisional: not calibrated ...`."""
    trusted = relied.bounds is not None and not relied.reason
    if trusted and relied.bounds is not None:
        low, high = (100 * bound for bound in relied.bounds)
        words = (
            f"TRUSTED: corrected by labels the pass rate is between {low:.1f} and {high:.1f} % (one-sided 95 % bounds)"
        )
    else:
        words = relied.reason if relied.reason.startswith("provisional") else f"provisional: {relied.reason}"
    reading = row.reading.replace(PROVISIONAL, words)
    return row.model_copy(update={"trust": "trusted" if trusted else "provisional", "reading": reading})
