"""What each judge use of a run took in US dollars, where judge.yaml says what tokens cost: for the terminal and the page.

It is what the verdicts took when they were bought, by this run or an earlier one. A purchase that two capabilities share stands in both, so
the figures are never added up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from evalkit.records.manifests import Manifest
from evalkit.reporting import figures
from evalkit.reporting.escape import one_line


class UseCost(NamedTuple):
    """One judge use with a price."""

    name: str
    """Capability and rubric, each once."""
    dollars: float
    cases: int
    at_least: bool
    """Whether some verdict's usage is not known."""

    @property
    def total(self) -> str:
        """What all of its cases took."""
        return self._least(self.dollars)

    @property
    def per_case(self) -> str:
        """What a case took, all its samples and retries."""
        return self._least(self.dollars / self.cases)

    def _least(self, amount: float) -> str:
        return f"{'at least ' if self.at_least else ''}{figures.dollars(amount)}"


def use_costs(manifest: Manifest) -> list[UseCost]:
    """Return the judge uses whose cost is known, in the order of the run; empty where judge.yaml names no prices."""
    found = []
    for use in manifest.judges:
        cost = use.per_case
        if cost is not None and cost.cost_usd is not None and cost.cases:
            name = "/".join(dict.fromkeys((use.capability, str(use.identity.get("rubric", use.capability)))))
            found.append(UseCost(name, cost.cost_usd * cost.cases, cost.cases, bool(cost.unknown_usage)))
    return found


def cost_lines(manifest: Manifest) -> Iterator[str]:
    """Yield one harmless line with the cost of each judge use; nothing where no price is known."""
    told = [f"{one_line(use.name, 80)} {use.total} ({use.per_case} a case)" for use in use_costs(manifest)]
    if told:
        yield f"cost when bought: {'; '.join(told)}"
