"""What the judge said, after every check in code, or why it does not count."""

from typing import Literal

from pydantic import Field

from evalkit.records.base import Json, Record
from evalkit.records.statements import Handoff, Quoted, Ruling, Statement
from evalkit.records.tiers import TierReading

RejectionKind = Literal[
    "parse",
    "conflicting",
    "schema",
    "evidence_not_found",
    "dangling_reference",
    "no_evidence",
    "inconsistent",
    "truncated",
    "refused",
    "transport",
]
RULING_ROWS: dict[str, Ruling] = {
    "violations": "violation",
    "misattributions": "misattribution",
    "inaccurate_general": "inaccurate_general",
    "cleared": "cleared",
}
"""Row -> class of statement that it counts."""
SPECIFICITY = "specificity"
"""Row of how many different pieces of evidence an answer rests on."""
ClaimStatus = Literal["supported", "unsupported", "contradicted"]
FactStatus = Literal["covered", "missing", "contradicted"]


class Span(Record):
    """A quote that was found, character for character, in the text it names."""

    id: str
    """Evidence id within the verdict, e.g. `e1`."""
    source: str
    """A document id of the context, or `candidate`."""
    quote: str
    """The judge's words, as replied."""
    start: int
    """Offset of the first character in the source as stored, in code points."""
    end: int
    """Offset after the last character."""


class Claim(Record):
    """One atomic claim of the answer, with its evidence found before its status."""

    id: int
    text: str
    evidence: tuple[Span, ...]
    cites: tuple[str, ...]
    """Ids of the documents that the answer cites for this claim."""
    status: ClaimStatus


class Finding(Record):
    """Something in the graded material that tried to steer the grading, or was altered before judging."""

    kind: str
    """`instruction_in_content` (the judge's), `directive_line` or `invisible_characters` (found in code)."""
    quote: str
    source: str = ""
    """Where it stands: a document id, `candidate`, or `input`; empty where the judge did not say."""
    by: Literal["judge", "code"] = "judge"


class CriterionVerdict(Record):
    """The grade of one criterion and what it rests on."""

    claims: tuple[int, ...]
    """Numbers of the claims that it rests on; of a reference verdict, of the facts."""
    evidence: tuple[str, ...]
    rationale: str
    grade: str
    """pass, fail, not_applicable, or partial where the rubric defines it."""


class Verdict(Record):
    """A reply that passed every check."""

    claims: tuple[Claim, ...] = ()
    evidence: tuple[Span, ...] = ()
    findings: tuple[Finding, ...] = ()
    criteria: dict[str, CriterionVerdict]
    channels: dict[str, str] = Field(default_factory=dict)
    overall_pass: bool | None
    """AND of the critical criteria that apply; None where none applies."""

    @property
    def measures(self) -> dict[str, float]:
        """What the verdict counts beside its grades: row of a mean -> number. A pointwise verdict counts nothing."""
        return {}


class FactVerdict(Record):
    """What became of one fact of the reference in the answer."""

    id: int
    """Number of the fact, counted from 1 in the order of the golden set or of the reference answer."""
    text: str
    """The fact, as the golden set has it, or as the judge put it when it split the reference answer."""
    evidence: tuple[Span, ...]
    """Spans of the answer; at least one where the fact is covered or contradicted."""
    status: FactStatus
    passage: str | None = Field(default=None, exclude_if=lambda passage: passage is None)
    """Passage of the reference answer that the judge took the fact from; None where the fact is the golden set's own."""


class Contradiction(Record):
    """A statement of the answer that goes against the reference and is not the contradiction of a fact in the table."""

    text: str
    """What the answer states, in a short sentence."""
    evidence: tuple[Span, ...]
    """Spans of the answer, at least one."""
    fact: int | None
    """Number of the covered or contradicted fact that it goes against; None where it goes against the reference answer."""


class ReferenceVerdict(Verdict):
    """A reply about one answer and its reference that passed every check."""

    facts: tuple[FactVerdict, ...]
    """Every fact of the reference, in its order."""
    contradictions: tuple[Contradiction, ...]

    @property
    def coverage(self) -> float:
        """Share of the facts that are covered, in [0, 1]."""
        return sum(fact.status == "covered" for fact in self.facts) / len(self.facts)

    @property
    def contradiction(self) -> float:
        """Share of contradictions in what was held against the reference (facts and further contradictions), in [0, 1].

        A further contradiction stands above and below the line, so that each one raises the share and none leaves the range.
        """
        against = sum(fact.status == "contradicted" for fact in self.facts) + len(self.contradictions)
        return against / (len(self.facts) + len(self.contradictions))

    @property
    def measures(self) -> dict[str, float]:
        """The two shares, under the names of their rows."""
        return {"coverage": self.coverage, "contradiction": self.contradiction}


class ReferenceFact(Record):
    """One atomic fact of a reference answer that was split."""

    id: int
    """Number of the fact, counted from 1."""
    text: str
    """The fact as a sentence of its own."""
    quote: str
    """The passage of the reference that states it, as it is stored there."""


class ReferenceSplit(Verdict):
    """A split of a reference answer that passed every check. It grades nothing, so it has no criteria.

    No file holds one: a run's verdicts carry its facts with their passages (`FactVerdict`), the reply itself is in the cache.
    """

    facts: tuple[ReferenceFact, ...]
    criteria: dict[str, CriterionVerdict] = Field(default_factory=dict)
    overall_pass: bool | None = None


class TriageVerdict(Verdict):
    """A triage that passed every check: a grade here follows from the table, in code."""

    statements: tuple[Statement, ...]
    """Everything that the answer states; a criterion's `claims` are ids of this table."""
    silent: tuple[Quoted, ...] = ()
    """Sentences that state nothing: together with the statements every sentence of the answer."""
    handoff: Handoff | None = None
    """None where the rubric does not ask."""

    @property
    def measures(self) -> dict[str, float]:
        """Counts per answer, one per class, and how many pieces of evidence it rests on."""
        rulings = [statement.ruling for statement in self.statements]
        counts = {row: float(rulings.count(ruling)) for row, ruling in RULING_ROWS.items()}
        used = {
            place
            for one in self.statements
            if one.ruling != "violation" and one.scope != "general"
            for place in (*(p.path for p in one.paths), *((q.source, q.start, q.end) for q in one.evidence))
        }
        return {**counts, SPECIFICITY: float(len(used))}


Winner = Literal["A", "B", "tie"]
"""Of a pair: A is the answer that was shown first."""


class Preference(Record):
    """Which of two answers is better by one criterion, and what that rests on."""

    evidence: tuple[str, ...]
    rationale: str
    winner: Winner


class PairVerdict(Record):
    """A reply about two answers that passed every check, in the places in which they were shown."""

    evidence: tuple[Span, ...] = ()
    """Spans of `answer_A`, `answer_B` or a document."""
    findings: tuple[Finding, ...] = ()
    criteria: dict[str, Preference]
    overall: Winner
    """Never a side that no criterion prefers; where all criteria agree, that."""


AnyVerdict = TriageVerdict | ReferenceVerdict | Verdict | PairVerdict
"""What a form can read from a reply."""

Order = Literal["ab", "ba"]
"""Of a pair: whether the first named candidate's answer was shown first (`ab`) or second (`ba`)."""


class Rejection(Record):
    """A reply, or a call, that does not count. Never a pass, never a fail."""

    kind: RejectionKind
    message: str
    """What was wrong, in words that the judge is told at the retry."""


class Reply(Record):
    """What a model server answered to one call: the record that the cache keeps, as JSON text."""

    text: str | None
    """Content of the message; None where the server gave none."""
    finish_reason: str | None = None
    refusal: str | None = None
    """The provider's own refusal field."""
    model: str | None = None
    """The snapshot that answered, as the server named it."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    """Input tokens that the provider served from its prompt cache."""


class BatchShare(Record):
    """The first reply of a purchase, where a batch brought it: its tokens are paid at the prices of batches."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None


class Purchase(Record):
    """What it took to get a verdict, kept as it was when it was bought."""

    tries: int
    """Replies asked for: 1, or 2 after a verdict retry."""
    transport_retries: int = 0
    """Requests sent again because a call failed."""
    model: str | None = None
    """The snapshot that answered."""
    input_tokens: int | None = None
    """Sum over tries; None where the server did not say."""
    output_tokens: int | None = None
    cached_tokens: int | None = None
    batch: BatchShare | None = Field(default=None, exclude_if=lambda share: share is None)
    """How it was bought: the part that a batch brought; None where every reply was asked for by itself."""


class RejectedReply(Record):
    """A reply that was refused, word for word, with the reason."""

    text: str | None
    rejection: Rejection


Outcome = Literal["verdict", "judge_error", "not_bought", "floor_abstains"]


class Judgement(Record):
    """The end of one judge request: a verdict, or the reason for none."""

    case_id: str
    capability: str
    rubric: str
    mode: str
    sample: int
    request_key: str
    """Cache key of the request; also names it in recordings."""
    output_sha256: str
    judge_config_hash: str
    verdict: AnyVerdict | None
    rejected: tuple[RejectedReply, ...] = ()
    """Refused replies of this purchase, oldest first; with two and no verdict it is a judge_error."""
    abstained: tuple[str, ...] = ()
    """Criteria for which the floor judge has no rule."""
    purchase: Purchase | None = None
    """None where nothing was asked (floor, max_cost reached, interrupted)."""
    alterations: tuple[dict[str, Json], ...] = ()
    """What was shown differently from what is stored: source, offset, shown, original."""
    tiers: TierReading | None = Field(default=None, exclude_if=lambda tiers: tiers is None)
    """Of a cascade: what the classifier said and who decided. Where it did, the verdict cites no evidence."""

    @property
    def graded(self) -> Verdict | None:
        """The verdict where one output was graded; None for a pair and where there is none."""
        return self.verdict if isinstance(self.verdict, Verdict) else None


class PairJudgement(Judgement):
    """The end of one question about two answers; `output_sha256` is that of the first named candidate."""

    order: Order
    other_sha256: str
    """Hash of the second named candidate's text."""

    @property
    def preferred(self) -> PairVerdict | None:
        """The verdict, or None where there is none."""
        return self.verdict if isinstance(self.verdict, PairVerdict) else None


class StoredReply(Record):
    """What the cache keeps under a request's key: the accepted reply and what it took to get it."""

    reply: Reply
    purchase: Purchase
