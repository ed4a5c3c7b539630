"""How far a judge agrees with people, per capability and criterion: one dated file, beside the runs and never inside one.

A row is about one split and one kind of sample, so that labels that were read while a rubric was edited, planted faults and flips
never mix with the labels that stand for a run. n + sum(excluded) = items, in every row; where there is no number, `reading` says why.
"""

from typing import Literal

from pydantic import Field

from evalkit.records.base import Json, Record
from evalkit.records.labels import Split
from evalkit.records.reports import Interval

Sample = Literal["drawn", "planted", "flips"]
"""`drawn`: random or by-verdict, labels that stand for a run; the others stand for themselves."""
Rule = Literal["wrong", "dropped", "tie"]
Weighting = Literal["none", "begg-greenes", "refused"]


class Figure(Record):
    """A number, its interval, and what it may not be used for."""

    value: float | None
    """None where the data cannot carry a number."""
    interval: Interval | None = None
    """95 %."""
    reading: str = ""
    """Why there is no number, or why it may support no decision."""


class ClassRate(Record):
    """How often the judge is right within one human class."""

    correct: int
    n: int
    """Labels of this human class."""
    value: float | None
    """correct/n; weighted back to the run where labels were drawn by verdict; None where it is unknown."""
    interval: Interval | None = None
    """95 % Wilson; equal-tailed where weighted."""
    lower: float | None = None
    """One-sided 95 % bound, to decide on: Clopper-Pearson, or Monte Carlo where weighted."""
    upper: float | None = None
    reading: str = ""


class Cell(Record):
    """How many items people labelled so and the judge so."""

    human: str
    judge: str
    count: int


class RuleFigure(Record):
    """Agreement where a verdict that could not be read is treated by one rule."""

    rule: Rule
    """`wrong`: it agrees with nothing, a category of its own; `dropped`: left out; `tie`: read as a tie."""
    n: int
    agree: int
    agreement: float | None
    interval: Interval | None
    """95 % Wilson."""
    kappa: Figure


class Beside(Record):
    """Another reader of the same items: the floor judge, always the same label, or two people."""

    name: str
    n: int
    """Items that both readers labelled; fewer than the row's where this reader abstains."""
    agree: int
    agreement: float | None
    interval: Interval | None
    kappa: Figure
    judge_agree: int | None = None
    """Of the same n: items on which the judge agrees with people."""
    reading: str = ""


class Corrected(Record):
    """The pass rate of a run beside what it is once the judge's measured errors are taken out."""

    raw: float | None
    """Judge passes over judged cases."""
    raw_interval: Interval | None
    """95 % Wilson: blind to the judge's errors."""
    corrected: float | None
    """None where it is refused."""
    interval: Interval | None = None
    """95 %."""
    lower: float | None = None
    """One-sided 95 % lower bound: what a gate reads."""
    upper: float | None = None
    method: Literal["post-stratified, MOVER-Jeffreys", "Rogan-Gladen, Lang-Reiczigel", "refused"]
    reading: str = ""
    """Why it is refused, or why it may support no decision."""


class PairFigures(Record):
    """What only pairs have: verdicts that depend on the order in which the answers were shown."""

    depends_on_order: int
    """Of the row's n: the verdict changed with the swap; the row's own figures take it for a tie."""
    rules: tuple[RuleFigure, ...]
    """Agreement where such a pair is a tie, left out, or counted wrong."""
    weighted: Figure | None = None
    """Agreement weighted back to all pairs of the comparison by each label's own chance, such pairs as ties; None where nothing was
    drawn by verdict, or the labels are no sample."""
    always_first: Beside | None
    """A judge that always takes the answer shown first: both orders contradict each other, so it ties everywhere; None where no pair was
    shown in both."""


class CalibrationRow(Record):
    """A judge against people on one criterion, over the items of one split and kind of sample."""

    judge: str
    """The model asked for, `floor, not a model`, or the judge's name in a file of verdicts."""
    capability: str = ""
    """Empty for verdicts made elsewhere."""
    rubric: str = ""
    criterion: str
    mode: str
    judge_config_hash: str | None = None
    split: Split
    sample: Sample
    designs: dict[str, int]
    """Design -> labelled items."""
    items: int
    n: int
    """Items with a label and a readable verdict."""
    excluded: dict[str, int]
    """Reason -> items: `skipped`, `labellers_disagree`, `not_blind`, `unreadable`, `judge_error`, `not_applicable`, ..."""
    binary: bool
    """Whether labels are pass and fail; rates and trust exist for these only."""
    agree: int
    agreement: float | None
    """Raw agreement: blind to prevalence, see `always`."""
    agreement_interval: Interval | None
    """95 % Wilson."""
    confusion: tuple[Cell, ...]
    """Human label x judge label; never zero entries."""
    rules: tuple[RuleFigure, ...]
    """The same agreement by each rule for verdicts that could not be read."""
    unreadable: int
    """Labelled items whose verdict could not be read or is a judge_error."""
    kappa: Figure
    kappa_largest: float | None = None
    """The kappa that these margins allow."""
    prevalence_index: float | None = None
    """(both pass - both fail)/n."""
    bias_index: float | None = None
    """(only people pass - only the judge passes)/n."""
    ac1: Figure
    """Display only: it rises with imbalance."""
    weighting: Weighting = "none"
    weighting_reading: str = ""
    tpr: ClassRate | None = None
    """Of what people pass, what the judge passes; binary rows only."""
    tnr: ClassRate | None = None
    balanced_accuracy: float | None = None
    """(TPR + TNR)/2."""
    worst_tpr: float | None = None
    """One-sided lower bound of TPR where every verdict that is missing would have been wrong."""
    worst_tnr: float | None = None
    always: Beside
    """The same label for everything: pass where labels are binary, the commonest otherwise."""
    floor: Beside | None = None
    """The floor judge on the same items; of pairs the rule that the answer with more words wins."""
    pairs: PairFigures | None = Field(default=None, exclude_if=lambda pairs: pairs is None)
    """Of pairs only."""
    ceiling: tuple[Beside, ...] = ()
    """Every two people who labelled the same items."""
    corrected: Corrected | None = None
    """The run's pass rate; drawn test labels of a run only."""
    reading: str = ""


class Selective(Record):
    """Which verdicts of a criterion the judge may decide alone, by the share of its samples that agree."""

    capability: str
    rubric: str
    criterion: str
    risk: float
    """Share of errors that is allowed among the verdicts it decides."""
    samples: int
    """Verdicts per answer."""
    labels: int
    """Answers with a vote and a test label of a random sample."""
    judged: int
    """Answers of the run with a vote of pass or not."""
    threshold: float | None
    """Least share of samples that agree; None where no threshold holds the risk."""
    coverage: float | None
    """Share of `judged` at the threshold or above."""
    error: float | None
    """Share of errors among the labelled ones of these."""
    upper: float | None
    """Its one-sided 95 % Clopper-Pearson bound, at most `risk`."""
    to_people: int
    """Answers below the threshold; all of them where there is none."""
    reading: str
    """Why there is no threshold."""


class ProbabilityBin(Record):
    """Labelled answers whose probability of a pass lies in [low, high); the last bin holds its high end too."""

    low: float
    high: float
    n: int
    stated: float
    """Mean probability of a pass."""
    observed: float | None
    """Share that people passed."""
    interval: Interval | None = None
    """95 % Wilson."""


class ProbabilityRow(Record):
    """A classifier's probabilities of a pass against people's labels: blind test labels of a random draw."""

    capability: str
    scorer: str
    """A classifier scorer, or the rubric before whose judge a classifier stands."""
    criterion: str = "classifier"
    """`classifier`, or the criterion of that rubric."""
    configuration_hash: str
    """What the figures belong to: classifier, question, and what reads its answers (bands and pass rule, the cuts of a cascade)."""
    models: tuple[str, ...]
    """Models that answered."""
    calibrated: bool
    """Whether the classifier claims that its probabilities are frequencies."""
    answers: int
    """Answers of the run."""
    labels: int
    """Answers with a label."""
    seed: int
    """Of the simulation behind `honest_error`."""
    bins: tuple[ProbabilityBin, ...] = ()
    """The reliability table: ten bins of equal width, those that hold an answer."""
    error: float | None = None
    """Expected calibration error: mean |stated - observed| of the bins, 0 to 1."""
    honest_error: Interval | None = None
    """5 % and 95 % of that error if every probability were true; within it nothing is amiss."""
    brier: float | None = None
    """Mean of (probability - outcome) squared, 0 to 1."""
    brier_interval: Interval | None = None
    """95 %, t over answers."""
    skill: float | None = None
    """1 - Brier over the base rate's; above 0 the probabilities beat always saying the base rate; None for one outcome only."""
    reading: str = ""
    """Why there are no figures, or why they may support no decision."""
    risk: float | None = None
    """Share of errors that is allowed among the answers it decides alone; None where no threshold was asked for."""
    low: float | None = None
    """1 - high."""
    high: float | None = None
    """It decides where the probability of a pass is above this or below `low`, as by the cuts of `bands` and `cascade`; None where no cut
    holds the risk."""
    cuttable: bool = True
    """Whether `bands` or `cascade` can hold these cuts; the bands of a choice or a score read its confidence, not this probability."""
    coverage: float | None = None
    """Share of `answers` that it then decides."""
    threshold_error: float | None = None
    """Share of errors among the labelled ones of these."""
    threshold_upper: float | None = None
    """Its one-sided 95 % Clopper-Pearson bound, at most `risk`."""
    to_people: int | None = None
    """Answers on the cuts or between them, of a cascade those for the judge; all of them where there is none."""
    threshold_reading: str = ""
    """Why there are no cuts."""


class Disagreement(Record):
    """An item on which judge and people differ, with what the verdict rests on."""

    kind: Literal["disagreement"] = "disagreement"
    case_id: str
    output_sha256: str | tuple[str, str] | None
    judge: str
    capability: str
    rubric: str
    criterion: str
    judge_config_hash: str | None
    split: Split
    sample: Sample
    decided_by: Literal["judge", "classifier"] = "judge"
    """Whose verdict it is: a classifier's of a scorer, or of a case that a cascade's classifier decided."""
    human: str
    verdict: str
    candidates: tuple[str, ...] = Field(default=(), exclude_if=lambda names: not names)
    """Of a pair: A and B."""
    labels: tuple[dict[str, Json], ...]
    """labeller, label, note."""
    rationale: str = ""
    claims: tuple[dict[str, Json], ...] = ()
    """Claims that the grade rests on: text, status, spans with their quotes."""
    evidence: tuple[dict[str, Json], ...] = ()
    """Spans that the grade cites: source and quote."""


class Calibration(Record):
    """The whole of one calibration's file."""

    schema_version: Literal[1] = 1
    made_at: str
    """UTC, ISO 8601."""
    evalkit_version: str
    suite: str
    """The suite's name; for verdicts made elsewhere the name of their file."""
    run: str | None
    """The run whose verdicts were compared; None for pairs and for verdicts made elsewhere."""
    comparison: str | None = Field(default=None, exclude_if=lambda name: name is None)
    """The comparison whose pairs were compared with people's preferences; never trusted."""
    checked: bool
    """False for verdicts made elsewhere: nothing about them was validated by evalkit, and they are never trusted."""
    labels_sha256: str
    verdicts_sha256: str | None
    """Hash of a file of verdicts made elsewhere."""
    outputs_sha256: str | None
    """Hash of the run's outputs; None for pairs."""
    labellers: tuple[str, ...]
    """Whose labels of this run, comparison or file are the standard; several decide by strict majority."""
    unmatched: dict[str, int] = Field(default_factory=dict)
    """Reason -> labelled items that are about nothing in this run or file."""
    unlabelled: int
    """Judged items without a label, per case and criterion."""
    rows: tuple[CalibrationRow, ...]
    selective: tuple[Selective, ...] = ()
    """Where a risk was asked for."""
    classifiers: tuple[CalibrationRow, ...] = ()
    """Of a run with classifier scorers: what their bands read against labels; no trust is earned by it. `judge` names the model, `rubric` the
    scorer; of a choice a second row, criterion `option`, compares the options themselves."""
    probabilities: tuple[ProbabilityRow, ...] = ()
    """Of a run with classifier scorers, or with a cascade: their probabilities against labels."""
    notes: tuple[str, ...] = ()
