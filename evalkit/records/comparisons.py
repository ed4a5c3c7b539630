"""Two or more candidates' answers to the same cases, compared in pairs: what `evalkit compare` found.

Nothing here gates: a win rate moves when the opponent does. The strict rule (a win that survives the swap) and the average over both
orders stand beside each other, and the counts that they come from before both.
"""

from typing import Literal

from pydantic import Field

from evalkit.records.base import Json, Record
from evalkit.records.experiments import PositionRow
from evalkit.records.reports import Completeness, Health, Interval, JudgeHeader
from evalkit.records.rubrics import Rubric
from evalkit.records.verdicts import PairJudgement

PairSide = Literal["first", "second", "tie"]
"""Who was preferred: the first named candidate, the second, or nobody."""
PairPosition = Literal["consistent", "primacy", "recency"]
"""What the swap did: nothing, or an answer did better when shown first (primacy), or second (recency)."""


class Compared(Record):
    """A candidate that took part."""

    name: str
    outputs_sha256: str
    model: str | None = None
    family: str | None = None
    independence: dict[str, Json] = Field(default_factory=dict)
    """family_differs (true, false, unknown), independent, reason; against the judge."""


class PairRow(Record):
    """Two candidates on one criterion. n + sum(excluded) = pairs; wins + ties + losses = n."""

    first: str
    """Name of the first candidate; a win is its win."""
    second: str
    judge: str
    """The model asked for, or the judge's name in a file of verdicts."""
    capability: str = ""
    """Empty for verdicts made elsewhere."""
    rubric: str = ""
    criterion: str
    sample: int | None = None
    """Of verdicts made elsewhere that were repeated: which repetition; None for all samples of a pair together."""
    judge_config_hash: str | None = None
    pairs: int
    """Cases on which the two were to be compared."""
    n: int
    excluded: dict[str, int]
    """Reason -> pairs; judge_error:KIND where one order has no verdict."""
    in_code: int = 0
    """Of n: decided without a call, because the answers are the same or one of them is empty."""
    first_both: int
    """The first candidate preferred in both orders."""
    second_both: int
    tie_both: int
    towards_first_shown: int
    """Order-dependent: an answer did better when it was shown first."""
    towards_second_shown: int
    wins: int
    """By the strict rule: preferred in both orders, everything that depends on the order being a tie."""
    ties: int
    losses: int
    win_rate: float | None
    """(wins + ties/2)/n."""
    win_rate_interval: Interval | None
    net: float | None
    """(wins - losses)/n."""
    net_interval: Interval | None
    """95 % Tango."""
    p: float | None
    """McNemar mid-p of wins against losses."""
    net_clustered: Interval | None = None
    """95 % t over clusters, where cases share documents or templates."""
    clusters: int | None = None
    average_net: float | None
    """Mean over pairs of the two orders' (+1, 0, -1): the same question without the strict rule."""
    average_net_interval: Interval | None
    """95 % t over pairs."""
    net_bounds: Interval | None
    """Worst and best net win over every exclusion that hides an outcome."""
    decided: int
    """Pairs that somebody won, with answers of unequal numbers of words: what the next three figures rest on."""
    longer_won: int
    """Of these: the longer answer (in words) won. The floor for pairs is that it always does."""
    longer_share: float | None
    longer_interval: Interval | None
    """95 % Wilson."""
    raw_rate: float | None
    """Wins among all pairs that somebody won whose lengths are known, those of equal length too."""
    length_controlled: float | None
    """The same at equal length in words; None where it cannot be estimated."""
    length_controlled_interval: Interval | None = None
    length_reading: str = ""
    """Why there is no length-controlled rate, or what it lacks."""
    reading: str = ""


class LabelledOrders(Record):
    """Verdicts in each order against labels: for verdicts made elsewhere."""

    judge: str
    criterion: str
    sample: int
    labelled: int
    """Pairs with a label A, B or tie."""
    correct_ab: int
    """Pairs whose verdict is the label where the first named candidate was shown first."""
    correct_ba: int
    correct_both: int
    unreadable: int
    """Verdicts on labelled pairs that are missing or could not be read; they are never correct."""


class Standing(Record):
    """A candidate in the ranking of three or more (Bradley-Terry, a tie as half a win)."""

    name: str
    rank: int
    ranks: tuple[int, int]
    """95 % range of ranks over resampled cases."""
    strength: float
    """Log strength; they sum to 0."""
    interval: Interval | None
    unbounded: bool
    """The data put no finite figure on it (never won, or never lost); the value is what half a win added to each side makes of it."""


class Ranking(Record):
    """All candidates on one criterion of one judge use."""

    judge: str
    capability: str = ""
    rubric: str = ""
    criterion: str
    sample: int | None = Field(default=None, exclude_if=lambda sample: sample is None)
    """Of verdicts made elsewhere: which repetition."""
    standings: tuple[Standing, ...]
    reading: str = ""
    """Why there is no ranking, or what it lacks."""


class Comparison(Record):
    """The whole of comparison.json. It holds nothing of clock, machine or purchases."""

    schema_version: Literal[1] = 1
    suite: dict[str, str]
    """name, version, sha256; of verdicts made elsewhere the file's name and hash."""
    checked: bool = True
    """False for verdicts made elsewhere."""
    golden_sha256: str = ""
    candidates: tuple[Compared, ...]
    judges: tuple[JudgeHeader, ...] = ()
    completeness: Completeness = "complete"
    selection: dict[str, Json] = Field(default_factory=dict)
    seed: int
    """Of the bootstrap over cases."""
    rows: tuple[PairRow, ...]
    rankings: tuple[Ranking, ...] = ()
    position: tuple[PositionRow, ...] = ()
    """What the swap did, over all pairs of candidates."""
    labelled: tuple[LabelledOrders, ...] = ()
    health: Health | None = None
    notes: tuple[str, ...] = ()


class ComparisonPurchases(Record):
    """What this comparison bought: manifest.json beside it."""

    schema_version: Literal[1] = 1
    made_at: str
    """UTC, ISO 8601."""
    evalkit_version: str
    suite: str
    requests: int
    """Calls that the pairs need: two orders each, for every sample."""
    in_code: int
    """Pairs decided without a call."""
    cached: int
    bought: int
    failed: int
    not_bought: int
    cost_usd: float | None
    stopped: str | None = None
    identities: dict[str, dict[str, Json]]
    """judge_config_hash -> all that makes the measurement."""
    suite_path: str = ""
    """Where the suite stood; so its cases are found when people are to label the pairs."""
    outputs_paths: dict[str, str] = Field(default_factory=dict)
    """Candidate -> where its outputs stood."""
    rubrics: tuple[Rubric, ...] = ()
    """As the judge was asked by them, so that people can be asked the same."""


class PairLine(Record):
    """One line of pairs.jsonl: a case, a judge use and two candidates."""

    case_id: str
    capability: str
    rubric: str
    first: str
    second: str
    output_sha256: tuple[str, str] | None = None
    """SHA-256 of the two answers, the first candidate's first; what labels of the pair are tied to."""
    words: tuple[int, int] | None = None
    """Words of the two answers: what "the longer one wins" goes by."""
    decided_in_code: str = ""
    """`identical`, `empty`, or empty where the judge was asked."""
    outcomes: dict[str, PairSide | None]
    """Criterion -> who won by the strict rule; None where there is no outcome."""
    positions: dict[str, PairPosition]
    """Criterion -> what the swap did, where both orders have a verdict."""
    judgements: tuple[PairJudgement, ...] = ()
    """Both orders of every sample, with quotes."""
