"""Wins, ties and losses of one candidate against another: the paired table under other names, so Tango and mid-p serve it."""

from __future__ import annotations

from typing import NamedTuple

from evalkit.stats.differences import mcnemar_midp, tango
from evalkit.stats.intervals import Z95
from evalkit.stats.results import Estimate, Refused, too_few

ENOUGH_PAIRS = 50
"""Pairs from which a win rate is read."""
ENOUGH_DECIDED = 5
"""Decided pairs below which mid-p cannot reach .05 whatever they say."""


class WinRate(NamedTuple):
    """How a candidate fares over pairs."""

    net: Estimate
    """(wins - losses)/pairs in [-1, 1] with Tango's interval; ties pull it towards 0."""
    rate: Estimate
    """(1 + net)/2 in [0, 1]: the share of wins, a tie as half a win, with the interval of `net` on its scale."""
    p: float
    """Two-sided mid-p value of "wins and losses are equally likely"; ties say nothing on it."""


def win_rate(wins: int, ties: int, losses: int, z: float = Z95) -> WinRate | Refused:
    """Return net wins, win rate and the test. Range: counts >= 0, z > 0.

    Refuses without pairs. Insufficient below 50 pairs or 5 decided ones; where all pairs are tied the interval keeps its width,
    -/+ z^2/(n + z^2) on the net. Tango 1998; Fagerland, Lydersen & Laake 2013. Raises ValueError for negative counts.
    """
    if min(wins, ties, losses) < 0:
        raise ValueError(f"counts are not negative, got {wins}, {ties} and {losses}")
    n = wins + ties + losses
    if not n:
        return Refused("no pairs")
    low, high = tango(wins, losses, n, z)
    net = (wins - losses) / n
    insufficient = too_few(n, ENOUGH_PAIRS, "pairs") or too_few(wins + losses, ENOUGH_DECIDED, "decided pairs")
    return WinRate(
        Estimate(net, (low, high), insufficient),
        Estimate((1 + net) / 2, ((1 + low) / 2, (1 + high) / 2), insufficient),
        mcnemar_midp(wins, losses),
    )
