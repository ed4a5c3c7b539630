"""What a run would buy, before anything is spent: per judge use the requests, the tokens by component, and what each lever saves."""

from pydantic import Field

from evalkit.records.base import Record


class Tokens(Record):
    """Input tokens by what they carry; estimates."""

    template: int
    """Role, order of work, markers and reply schema."""
    context: int
    """The question, the documents and the evidence."""
    candidate: int
    """The answer to grade."""
    rubric: int
    """Criteria and pass conditions, and the constitution where there is one."""

    @property
    def total(self) -> int:
        """All input tokens."""
        return self.template + self.context + self.candidate + self.rubric


class PlanRow(Record):
    """One judge use of one capability."""

    capability: str
    rubric: str
    cases: int
    """Cases that need this judge: they have an output with text."""
    requests: int
    """Verdicts needed: cases times samples."""
    cached: int
    """Verdicts in the cache that pass today's checks; none for the floor judge, which keeps nothing there."""
    at_once: int = 0
    """Verdicts that the floor judge gives at once; they are neither bought nor cached."""
    shared: int
    """Requests that are identical to another one of this run."""
    already_open: int = Field(default=0, exclude_if=lambda count: not count)
    """Verdicts in a batch that an earlier run left open, which is waited for and not bought again."""
    to_buy: int
    """requests - cached - at_once - shared - already_open."""
    splits: int = 0
    """References to split into facts first, each bought once beside the verdicts; one that another row counts is not counted again."""
    input_tokens: Tokens
    """Of the verdicts and splits to buy."""
    output_tokens: int
    """Of the verdicts and splits to buy."""


class ClassifierPlan(Record):
    """One classifier scorer of one capability."""

    capability: str
    scorer: str
    """What its rows are called."""
    classifier: str
    """The model asked for, or the style that asks none."""
    cases: int
    """Cases about which an answer is needed; in an experiment each sample and each version of a text counts."""
    cached: int
    """Cases whose answer is in the cache."""
    at_once: int
    """Cases that a classifier without a server answers at once."""
    to_ask: int
    """Questions to ask; cases, and scorers, with the same question about the same state share one."""
    input_tokens: int = 0
    """Of the questions to ask; an estimate."""
    output_tokens: int = 0
    """As `input_tokens`."""
    cost_usd: float | None = None
    """US dollars for the questions to ask, an estimate: 0 where there are none; None where no `cascade.prices` say a price."""
    before_judge: bool = Field(default=False, exclude_if=lambda before: not before)
    """Whether it is a cascade's: the judge's figures then count every case as the judge's whose answers are not all in the cache."""


class Lever(Record):
    """One way in which the run is cheaper than it could be."""

    name: str
    saves: str
    """What it saves, in words."""
    requests: int
    """Requests saved."""
    tokens: int
    """Tokens saved; for a shared prefix, input tokens that a provider can serve from its own cache."""


class Plan(Record):
    """`evalkit plan`: nothing was asked and nothing was bought."""

    suite: str
    outputs: str
    judge: str
    """The model asked for, or `floor, not a model`."""
    cases: int
    """Cases that the run would cover."""
    rows: tuple[PlanRow, ...]
    classifiers: tuple[ClassifierPlan, ...] = ()
    """What classifier scorers would ask; the figures below are the judge's alone."""
    to_buy: int
    """Verdicts."""
    splits: int = 0
    """References to split first; tokens and cost include them."""
    batches: int = Field(default=0, exclude_if=lambda batches: not batches)
    """Batches that these are bought in; 0 where they are asked one by one."""
    too_large: int = Field(default=0, exclude_if=lambda count: not count)
    """Of the requests to buy: those larger than `batch.max_bytes`, asked one by one at the judge's own prices; the cost says so."""
    already_open: int = Field(default=0, exclude_if=lambda count: not count)
    """Requests beside those to buy, splits included: in a batch that an earlier run left open, which is waited for and not bought again."""
    input_tokens: Tokens
    output_tokens: int
    input_share: float | None
    """Share of the input in all tokens to buy; None where nothing is to be bought."""
    cost_usd: float | None
    """None where judge.yaml gives no prices; 0 where nothing is to be bought."""
    levers: tuple[Lever, ...]
    basis: str
    """How tokens were estimated."""
