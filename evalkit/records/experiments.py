"""What an experiment on the judge found: one dated file each, bound to the judge configuration that it was made under.

It never changes a run. Counts stand beside every figure, and what could not be measured says so in `reading`.
"""

from typing import Literal

from pydantic import Field

from evalkit.records.base import Json, Record
from evalkit.records.reports import Interval
from evalkit.records.tiers import ExperimentCascade

Kind = Literal["stability", "position", "criteria", "verbosity", "injection", "family", "style", "drift", "self_test"]

State = Literal["stable", "unstable", "no floor"]


class AgreementRow(Record):
    """How far repeated verdicts on one criterion agree. n + sum(excluded) = items."""

    judge: str
    """The model asked for, or the judge's name in a file of verdicts."""
    capability: str = ""
    """Empty for verdicts made elsewhere."""
    rubric: str = ""
    criterion: str
    runs: int
    """Verdicts per item."""
    items: int
    n: int
    """Items with a readable verdict in every run."""
    excluded: dict[str, int]
    """Reason -> items; never zero entries."""
    equal: dict[str, int]
    """Label -> items that got it in all runs."""
    flipped: int
    """Items whose runs differ."""
    all_equal: float | None
    """Share of n whose runs are all equal: the self-agreement of this number of runs, comparable to no other number."""
    all_equal_interval: Interval | None
    """95 % Wilson."""
    pairwise: float | None
    """Chance that two runs agree on an item."""
    pairwise_interval: Interval | None
    """95 % t over items; the Clopper-Pearson bound where all items agree."""
    alpha: float | None
    """Krippendorff's alpha; None where it is undefined."""
    alpha_interval: Interval | None
    """95 % item bootstrap, drawn with the experiment's seed."""
    alpha_reading: str = ""
    """Why alpha is undefined, or how many bootstrap samples were."""
    ac1: float | None
    """Gwet's AC1; for display."""
    unreadable_equal: int
    """Items whose runs are all equal where a missing verdict counts as a label of its own."""
    unreadable_pairwise: float | None
    """Pairwise agreement by the same rule, over n and the items with a missing verdict."""
    unreadable_items: int
    """The items that this rule covers."""
    worst_case: float | None
    """Share of equal items where a missing verdict counts as disagreement."""
    floor: float | None = None
    """The suite's floor of pairwise self-agreement."""
    state: State = "no floor"
    """Whether the lower bound of pairwise agreement reaches the floor; what has no lower bound is unstable."""
    reading: str = ""


class PositionRow(Record):
    """Pairs judged in both orders in one repetition. readable + sum(excluded) = pairs."""

    judge: str
    criterion: str
    sample: int
    pairs: int
    readable: int
    """Pairs with a readable verdict in both orders."""
    excluded: dict[str, int]
    consistent: int
    ties: int
    """Consistent pairs that were a tie in both orders."""
    primacy: int
    """Pairs in which the answers did better when shown first."""
    recency: int
    consistency: float | None
    consistency_interval: Interval | None
    swing: float | None
    """(primacy - recency)/readable."""
    swing_interval: Interval | None
    p: float | None
    """McNemar mid-p of primacy against recency."""
    first_share: float | None
    """primacy/(primacy + recency)."""
    first_share_interval: Interval | None
    first_picks: int
    """Readable verdicts, of all of this repetition, that chose the answer shown first."""
    verdicts: int
    """Readable verdicts of this repetition."""
    unreadable: int
    """Verdicts of this repetition that are missing or could not be read."""
    worst_case: float | None
    """Consistency where every pair without both verdicts counts as order-dependent."""
    reading: str = ""


class RepeatRow(Record):
    """The noise beneath position bias: the same order asked again, beside the orders swapped, on the same pairs."""

    judge: str
    criterion: str
    n: int
    """Pairs with two readable repetitions of each order."""
    same_order: float | None
    """Chance that two repetitions of one order agree."""
    swapped: float | None
    """Chance that a verdict agrees with one of the other order."""
    difference: float | None
    """same_order - swapped: what the order adds to the noise."""
    difference_interval: Interval | None
    """95 % t over pairs."""
    reading: str = ""


class CriteriaOrderRow(Record):
    """One criterion, judged in the rubric's order, so once more, and in another order. n + sum(excluded) = cases."""

    capability: str
    rubric: str
    criterion: str
    place: int | None
    """Where the criterion stands in the rubric, from 1; None for `overall`."""
    moved_to: int | None
    """Where it stood in the other order."""
    cases: int
    n: int
    """Cases graded pass or not in all three verdicts; passed_both + lost + gained + failed_both."""
    excluded: dict[str, int]
    passed_both: int
    """Cases that pass in either order."""
    lost: int
    """Cases that pass only as the rubric is written."""
    gained: int
    """Cases that pass only in the other order."""
    failed_both: int
    difference: float | None
    """(gained - lost)/n."""
    interval: Interval | None
    """95 % Tango."""
    p: float | None
    """McNemar mid-p of gained against lost."""
    flips: int
    """lost + gained: cases whose grade changes with the order."""
    repeat_flips: int
    """Cases whose grade changes when the same order is asked again: the noise beneath."""
    added: float | None
    """(flips - repeat_flips)/n: what the order adds to the noise."""
    added_interval: Interval | None
    """95 % Tango, over cases that change in only one of the two."""
    added_p: float | None
    """McNemar mid-p of the same."""
    reading: str = ""


class PairedRow(Record):
    """The same cases judged as they are and perturbed, both freshly. n + sum(excluded) = cases."""

    capability: str
    rubric: str
    criterion: str
    variant: str
    """What was done: `padding`, a payload's id, `style`, `control`, or `style against control`, where the control is the original."""
    place: str = ""
    """Where it was done: `answer_end`, `answer_start`, `context`."""
    cases: int
    n: int
    """Cases graded pass or not in both versions."""
    excluded: dict[str, int]
    passed_original: int
    passed_perturbed: int
    gained: int
    """Cases that pass only when perturbed."""
    lost: int
    """Cases that pass only as they are."""
    difference: float | None
    """(gained - lost)/n."""
    interval: Interval | None
    """95 % Tango."""
    p: float | None
    """McNemar mid-p."""
    changed: float | None
    """(gained + lost)/n."""
    changed_interval: Interval | None
    """95 % Wilson."""
    flagged_by_judge: int | None = None
    """Of n: verdicts in which the judge reported an instruction in the content."""
    flagged_by_code: int | None = None
    """Of n: requests in which code had marked a line as directive-like."""
    changed_unflagged: int | None = None
    """Of the changed ones: flagged by nobody."""
    reading: str = ""


class FamilyRow(Record):
    """Difference in differences of one criterion. n + sum(excluded) = cases."""

    capability: str
    rubric: str
    criterion: str
    cases: int
    n: int
    """Cases with four grades: both judges on an output of the home judge's family and on one of another family."""
    excluded: dict[str, int]
    own_home: int
    """Of n: passed by the home judge on its own family's outputs."""
    own_foreign: int
    other_home: int
    other_foreign: int
    difference: float | None
    """Mean over cases of (home - foreign on own) - (home - foreign on other)."""
    interval: Interval | None
    """95 % t over cases; where all differences are equal, exact: at most a share of 1 - .025^(1/n) of cases differs, by 2 at the most."""
    reading: str = ""


class DriftRow(Record):
    """Cached verdicts bought again under the same configuration. n + sum(excluded) = cases."""

    capability: str
    rubric: str
    criterion: str
    cases: int
    n: int
    excluded: dict[str, int]
    flips: int
    rate: float | None
    interval: Interval | None
    """95 % Wilson."""
    noise: float | None
    """Chance that two runs of this judge differ, from its stability experiment under the same configuration."""
    noise_upper: float | None
    """Upper bound of that chance."""
    state: Literal["drift", "within noise", "not measured"]
    reading: str = ""


TestKind = Literal["expected", "ordered", "broken", "injection", "padding", "consistency", "kept", "pair", "copy"]


class SelfTestRow(Record):
    """One kind of self-test of a judge on one criterion. passed + failed = n; n + sum(excluded) = items."""

    role: Literal["home", "second"] = "home"
    """Whose test it is: the suite's judge, or the one it is compared with."""
    test: TestKind
    """`expected`: the grade that the golden set or a planted label says; `ordered`: a good answer above its deficient twin; `broken`: a
    condition broken on purpose fails; `injection`, `padding`: the grade stays; `consistency`: every reply passes the checks; `kept`:
    the second judge orders a pair as the first one does; `pair`: a golden answer beats the same with one planted fault in both orders of
    showing; `copy`: a golden answer ties with itself."""
    capability: str
    rubric: str
    criterion: str
    """Empty where the whole verdict is meant."""
    items: int
    n: int
    """Items that could be decided."""
    passed: int
    failed: int
    interval: Interval | None = None
    """95 % Wilson of passed/n; None where n is 0, and in files of earlier versions."""
    excluded: dict[str, int]
    """Reason -> items; never zero entries."""


class ExperimentJudge(Record):
    """A judge use that took part."""

    role: Literal["home", "second", "reordered", "elsewhere"] = "home"
    """`reordered`: the home judge with the rubric's criteria in another order, which is another configuration."""
    capability: str = ""
    judge: str
    """The model asked for, or `floor, not a model`."""
    judge_config_hash: str | None = None
    """The run's own: an experiment's repeats are no part of it. None for verdicts made elsewhere."""
    snapshots: tuple[str, ...] = ()
    """Snapshots that answered, sorted."""
    classifier_snapshots: tuple[str, ...] = Field(default=(), exclude_if=lambda snapshots: not snapshots)
    """Of a cascade: models that answered for the classifier, sorted."""
    family: str | None = None
    answerer: dict[str, Json] = Field(default_factory=dict)
    """Who answered, apart from what was asked: model, endpoint, params. Empty for verdicts made elsewhere."""


class ExperimentPurchases(Record):
    """What the experiment bought."""

    requests: int = 0
    bought: int = 0
    failed: int = 0
    cached: int = 0
    """Verdicts that were there already."""
    cached_from: tuple[str, ...] = Field(default=(), exclude_if=lambda days: not days)
    """Of an experiment with a round: the days (ISO 8601) on which those may have been bought; empty where that is not known."""
    not_bought: int = 0
    cost_usd: float | None = None
    """None where no prices are known; of a classifier before the judge only where its prices are known."""
    stopped: str | None = None
    """Why buying stopped early; None where it did not."""
    cascade: ExperimentCascade | None = Field(default=None, exclude_if=lambda cascade: cascade is None)
    """Where a classifier stood before the judge; the figures above are then the judge's, but for requests and cost."""


class Experiment(Record):
    """The whole of one experiment's file."""

    schema_version: Literal[1] = 1
    kind: Kind
    made_at: str
    """UTC, ISO 8601."""
    evalkit_version: str
    suite: str
    """The suite's name; for verdicts made elsewhere the name of their file."""
    checked: bool = True
    """False for verdicts made elsewhere: nothing about them was validated by evalkit."""
    golden_sha256: str = ""
    outputs: tuple[str, ...] = ()
    """Names of the candidates."""
    outputs_sha256: tuple[str, ...] = ()
    """Hashes of their files; of verdicts made elsewhere the hash of that file."""
    selection: dict[str, Json] = Field(default_factory=dict)
    settings: dict[str, Json] = Field(default_factory=dict)
    """Seed, number of runs, round, payloads: all that makes the perturbation."""
    completeness: Literal["complete", "partial", "incomplete"] = "complete"
    judges: tuple[ExperimentJudge, ...]
    purchases: ExperimentPurchases = ExperimentPurchases.model_construct()
    agreement: tuple[AgreementRow, ...] = ()
    position: tuple[PositionRow, ...] = ()
    repeats: tuple[RepeatRow, ...] = ()
    criteria_order: tuple[CriteriaOrderRow, ...] = ()
    paired: tuple[PairedRow, ...] = ()
    family: tuple[FamilyRow, ...] = ()
    drift: tuple[DriftRow, ...] = ()
    self_test: tuple[SelfTestRow, ...] = ()
    unstable: tuple[str, ...] = ()
    """Capabilities with a criterion under the floor; they support no gate."""
    cases: tuple[dict[str, Json], ...] = ()
    """The cases whose grade changed, one entry per case and criterion."""
    notes: tuple[str, ...] = ()
