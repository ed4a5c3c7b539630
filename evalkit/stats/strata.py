"""Labels of a run counted by the judge's verdict: what people said of the answers that it passed, and of those that it failed.

The strata of two estimators: the corrected pass rate (`corrected`) and the rates of the judge (`begg_greenes`). Within a stratum the
labelled answers must be a random sample of it; how many come from which is free.
"""

from __future__ import annotations

from typing import NamedTuple

from evalkit.stats.results import Refused

ENOUGH_IN_A_STRATUM = 10
"""Labels of a stratum from which an estimate over both is read."""


class Strata(NamedTuple):
    """A run of `n` judged answers and the labels within each verdict."""

    n: int
    judge_pass: int
    """Answers that the judge passed."""
    labelled_pass: int
    """Answers among these that people labelled."""
    human_pass_of_pass: int
    """Of those, the ones that people passed too."""
    labelled_fail: int
    """Answers that the judge failed and people labelled."""
    human_pass_of_fail: int
    """Of those, the ones that people passed."""

    def check(self) -> None:
        """Raise ValueError where a part is larger than its whole, or a count negative."""
        within = (
            (0, self.judge_pass, self.n),
            (0, self.labelled_pass, self.judge_pass),
            (0, self.human_pass_of_pass, self.labelled_pass),
            (0, self.labelled_fail, self.n - self.judge_pass),
            (0, self.human_pass_of_fail, self.labelled_fail),
        )
        if self.n < 1 or not all(low <= part <= whole for low, part, whole in within):
            raise ValueError(f"a part is larger than its whole in {self}")

    def refusal(self) -> Refused | None:
        """Return why nothing can be estimated: a stratum that has answers and no label. None where it can."""
        missing = []
        for verdict, size, labelled in self._sizes():
            if size and not labelled:
                wanted = min(ENOUGH_IN_A_STRATUM, size)
                missing.append(
                    f"none of the {size} answers that the judge {verdict} is labelled; label {wanted} of them"
                )
        return Refused("; ".join(missing)) if missing else None

    def thin(self) -> str | None:
        """Return why an estimate may support no decision: fewer than ten labels in a stratum that has more. None where it may."""
        words = [
            f"{labelled} labels among the {size} answers that the judge {verdict}, {min(ENOUGH_IN_A_STRATUM, size)} needed"
            for verdict, size, labelled in self._sizes()
            if labelled < min(ENOUGH_IN_A_STRATUM, size)
        ]
        return "; ".join(words) or None

    def _sizes(self) -> tuple[tuple[str, int, int], tuple[str, int, int]]:
        return ("passed", self.judge_pass, self.labelled_pass), ("failed", self.n - self.judge_pass, self.labelled_fail)
