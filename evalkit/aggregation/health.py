"""The judge as an instrument: how often it gave no verdict, how often its first reply held, and whether length goes with passing.

Everything counts requests, of which a case has one per judge use and sample. Figures come from judgements alone, which keep what
they took when they were bought, so a warm rerun reports the same health.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Sequence

from evalkit.aggregation.readings import join
from evalkit.records.reports import Association, Health
from evalkit.records.verdicts import Judgement
from evalkit.stats.association import somers_d, spearman, spearman_ceiling

RARER_CLASS_NEEDS = 10
"""Verdicts of the rarer kind from which on the association with length may be read."""


class HealthFold:
    """The judge's health while judgements come in.

    `budget` is the largest share of judged requests that may end without a verdict; being over it makes the run invalid.
    """

    __slots__ = (
        "_answered",
        "_budget",
        "_errors",
        "_findings",
        "_first_valid",
        "_in_open_batches",
        "_left_to_buy",
        "_not_bought",
        "_retries",
        "_verdicts",
    )

    def __init__(self, budget: float) -> None:
        self._budget = budget
        self._verdicts = 0
        self._errors: Counter[str] = Counter()
        self._not_bought = 0
        self._in_open_batches = 0
        self._left_to_buy = 0
        self._answered = 0
        self._first_valid = 0
        self._retries = 0
        self._findings: set[str] = set()

    def add(self, judgement: Judgement) -> None:
        """Take the end of one judge request."""
        if judgement.verdict is not None:
            self._verdicts += 1
        elif judgement.rejected:
            self._errors[judgement.rejected[-1].rejection.kind] += 1
        else:
            self._not_bought += 1
        if judgement.alterations or (judgement.verdict is not None and judgement.verdict.findings):
            self._findings.add(judgement.case_id)
        # Without a purchase nobody was asked (floor); with one of no tries no reply ever came (transport).
        tries = judgement.purchase.tries if judgement.purchase else 0
        if tries:
            self._answered += 1
            self._first_valid += judgement.verdict is not None and tries == 1
            # A retry whose call failed is no try, but leaves a second refusal.
            self._retries += max(tries, len(judgement.rejected)) - 1

    def left(self, keys: Sequence[str], still_open: Collection[str]) -> None:
        """Take the keys of the requests that end without an answer, each of which `add` takes too, and those in open batches."""
        asked = [key in still_open for key in keys]
        self._in_open_batches += sum(asked)
        self._left_to_buy += len({key for key, submitted in zip(keys, asked, strict=True) if not submitted})

    def health(self, length: Sequence[Association] = ()) -> Health:
        """Return the finished health; `length` are the associations of the run's judge rows.

        `judged` = verdicts + judge errors, and the rate is over these; what was not bought is counted apart.
        """
        failed = self._errors.total()
        judged = self._verdicts + failed
        rate = failed / judged if judged else None
        return Health(
            judged=judged,
            verdicts=self._verdicts,
            judge_errors=dict(sorted(self._errors.items())),
            judge_error_rate=rate,
            budget=self._budget,
            within_budget=rate is None or rate <= self._budget,
            not_bought=self._not_bought,
            in_open_batches=self._in_open_batches,
            left_to_buy=self._left_to_buy,
            first_try_valid=self._first_valid / self._answered if self._answered else None,
            verdict_retries=self._retries,
            findings=len(self._findings),
            length=tuple(length),
        )


class LengthFold:
    """Length of the answer against the verdict of one judge row, while verdicts come in; 8 bytes a case."""

    __slots__ = ("_capability", "_criterion", "_failed", "_passed")

    def __init__(self, capability: str, criterion: str) -> None:
        self._capability = capability
        self._criterion = criterion
        self._passed = array("q")
        self._failed = array("q")

    def add(self, length: int, passed: bool) -> None:  # noqa: FBT001 - a pair of measurements, not an option
        """Take the length of an answer, in characters, and whether it passed."""
        (self._passed if passed else self._failed).append(length)

    def association(self) -> Association:
        """Return Somers' D of length for passed against failed answers, with DeLong's interval, and Spearman beside its ceiling.

        A positive D: longer answers pass more often. An audit, no cause: better answers may be longer.
        """
        passed, failed = self._passed, self._failed
        n = len(passed) + len(failed)
        found = somers_d(passed, failed)
        if found is None:
            return self._refused(n)
        interval = found.interval()
        return Association(
            capability=self._capability,
            criterion=self._criterion,
            n=n,
            somers_d=found.d,
            interval=interval,
            spearman=spearman([*passed, *failed], [1] * len(passed) + [0] * len(failed)),
            spearman_ceiling=spearman_ceiling(len(passed) / n),
            note=join(self._rarer(), "" if interval else "no standard error: no interval"),
        )

    def _rarer(self) -> str:
        rarer, word = min((len(self._passed), "passes"), (len(self._failed), "fails"))
        if rarer >= RARER_CLASS_NEEDS:
            return ""
        return f"{word}: {rarer}, fewer than {RARER_CLASS_NEEDS}; not to be read as an association"

    def _refused(self, n: int) -> Association:
        note = "no data"
        if n:
            note = "n/a: all verdicts pass" if self._passed else "n/a: all verdicts fail"
        return Association(
            capability=self._capability,
            criterion=self._criterion,
            n=n,
            somers_d=None,
            interval=None,
            spearman=None,
            spearman_ceiling=None,
            note=note,
        )
