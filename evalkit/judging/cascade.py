"""The cascade: a classifier decides the cases of which it is sure on every criterion, the judge reads all others whole.

A criterion's question and pass condition become a yes-or-no question about the case as data, one a request. Where anything is left, the
judge is asked for the whole rubric under its usual key and decides the whole case: leaving criteria out of its prompt would save few
tokens, and a verdict would rest on two readers. Rubrics that a probability cannot answer are not taken (`why_not`); see
docs/decisions/cascade.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from evalkit.classifiers.banding import side
from evalkit.classifiers.replies import BOUGHT
from evalkit.classifiers.seam import hash_of
from evalkit.classifiers.styles import identity_of
from evalkit.judging.requests import JudgeRequest
from evalkit.providers.families import family_of
from evalkit.records.bands import Bands
from evalkit.records.base import Json
from evalkit.records.classifiers import CannedAnswer, ClassifierConfig
from evalkit.records.decisions import Decision, NoulAnswer
from evalkit.records.identity import content_hash
from evalkit.records.judges import CascadeConfig
from evalkit.records.questions import NoulQuestion, canonical_question, noul
from evalkit.records.rubrics import Criterion, Rubric
from evalkit.records.tiers import CheapAnswer, CheapBand, TierReading, Why
from evalkit.records.verdicts import CriterionVerdict, Judgement, Verdict

RULES = "cascade/1"
"""Version of the questions, the state and the way in which answers become a decision; part of the configuration's hash."""

FIELDS = ("question", "context", "answer")
"""Of the state."""
BANDS: dict[str, CheapBand] = {"yes": "pass", "no": "fail", "uncertain": "uncertain"}


def why_not(rubric: Rubric) -> str:
    """Return why a classifier cannot decide by a rubric, empty where it can: everything that it would leave out is the judge's."""
    if rubric.mode != "pointwise":
        return f"its mode is {rubric.mode}, and only pointwise criteria are asked as yes or no"
    if rubric.claims != "none" or any(criterion.claims_rule for criterion in rubric.criteria):
        return "its grades follow from claims, which a classifier does not list"
    if rubric.constitution is not None:
        return "it has a constitution, which a classifier is not shown"
    three = [criterion.id for criterion in rubric.criteria if criterion.partial]
    return f"{', '.join(three)}: a middle grade is no yes or no" if three else ""


@dataclass(frozen=True)
class CheapTier:
    """The classifier before the judge, with what it is asked by one rubric."""

    rubric: Rubric
    settings: CascadeConfig
    config: ClassifierConfig
    canned: tuple[CannedAnswer, ...] = ()

    @cached_property
    def questions(self) -> dict[str, NoulQuestion]:
        """Criterion -> its question."""
        return {criterion.id: question_of(criterion) for criterion in self.rubric.criteria}

    @property
    def bands(self) -> Bands:
        """The cuts of judge.yaml; those of classifier.yaml do not count here."""
        return Bands(low=self.settings.low, high=self.settings.high)

    @cached_property
    def classifier(self) -> Mapping[str, Json]:
        """The classifier's own identity. Raises UsageError where it cannot be made.

        `layout` is no part of it: a cascade asks one question a request, whatever the file says of several.
        """
        return identity_of(self.config.model_copy(update={"layout": "together"}), self.canned)

    @property
    def name(self) -> str:
        """The model asked for, or the style that asks none."""
        return str(self.classifier.get("model") or self.config.style)

    @property
    def is_model(self) -> bool:
        """Whether a model answers; a canned list and the floor's rule are none."""
        return self.config.style in BOUGHT

    @property
    def family(self) -> str | None:
        """Family of the model that answers: of classifier.yaml, else of the table of known names; None where it is unknown or none."""
        return self.config.family or (family_of(self.name) if self.is_model else None)

    @cached_property
    def configuration_hash(self) -> str:
        """Classifier, questions in their order, cuts, layout and rules."""
        rules: dict[str, Json] = {"version": RULES, "layout": "alone"}
        return hash_of(self.classifier, self.questions, bands=self.bands, rules=rules)

    @property
    def identity(self) -> dict[str, Json]:
        """What the judge's configuration hash covers of this tier, part by part, so that a lost trust can say what changed.

        The sample is no part of it: it decides nothing.
        """
        asked = [[name, canonical_question(question)] for name, question in self.questions.items()]
        return {
            "classifier": dict(self.classifier),
            "questions": content_hash("cascade-questions/1", asked),
            "rules": RULES,
            "low": self.settings.low,
            "high": self.settings.high,
            "layout": "alone",
        }


def question_of(criterion: Criterion) -> NoulQuestion:
    """Return a criterion as a question about `answer`, the field of the state that holds what is judged."""
    return noul(f"About the text in `answer`: {criterion.question}", yes=criterion.pass_condition)


def state_of(request: JudgeRequest) -> dict[str, Json]:
    """Return the case as data, in the texts that the judge is shown."""
    material = request.material
    return {
        "question": request.question,
        "context": [{"id": name, "text": text.shown} for name, text in material.sources.items()],
        "answer": material.candidate.shown,
    }


def reading(tier: CheapTier, found: Mapping[str, Decision], failed: Sequence[str], one: str) -> TierReading:
    """Return who decides a case. `found`: criterion -> decision, `failed`: why others have none, `one`: the decision's question id.

    Any criterion without an answer: the judge, as `classifier_failed` (`not_asked` without a failure). Any between the cuts: the
    judge. Otherwise the classifier.
    """
    answers = {name: _answer(tier, decision, one) for name, decision in found.items()}
    why: Why = "sure"
    if len(answers) < len(tier.questions):
        why = "classifier_failed" if failed else "not_asked"
    elif any(answer.band == "uncertain" for answer in answers.values()):
        why = "uncertain"
    return TierReading(
        decided_by="classifier" if why == "sure" else "judge",
        why=why,
        detail=next(iter(failed), "") if why == "classifier_failed" else "",
        low=tier.settings.low,
        high=tier.settings.high,
        answers=answers,
    )


def altered(tier: CheapTier) -> TierReading:
    """Return the reading of a case with a text that is shown altered: it may address whoever grades, and the judge is told so."""
    return TierReading(decided_by="judge", why="altered_text", low=tier.settings.low, high=tier.settings.high)


def decided(tier: CheapTier, request: JudgeRequest, told: TierReading) -> Judgement:
    """Return the end of a request that the classifier decides. It quotes nothing, and no one was paid for it as a judge."""
    grades = {
        name: CriterionVerdict(claims=(), evidence=(), rationale=_rationale(answer, told), grade=answer.band)
        for name, answer in told.answers.items()
    }
    measurement = request.measurement
    return Judgement(
        case_id=request.case_id,
        capability=measurement.capability,
        rubric=measurement.rubric.id,
        mode=measurement.rubric.mode,
        sample=request.sample,
        request_key=content_hash("cascade-decision/1", [request.key, tier.configuration_hash]),
        output_sha256=request.output_sha256,
        judge_config_hash=measurement.config_hash,
        verdict=Verdict(criteria=grades, overall_pass=overall_of(tier, told)),
        tiers=told,
    )


def overall_of(tier: CheapTier, told: TierReading) -> bool | None:
    """Return whether a case that the classifier decides passes on all critical criteria; None where there is none."""
    bands = [told.answers[criterion.id].band for criterion in tier.rubric.criteria if criterion.critical]
    return all(band == "pass" for band in bands) if bands else None


def _answer(tier: CheapTier, decision: Decision, one: str) -> CheapAnswer:
    answer = decision.answers[one]
    if not isinstance(answer, NoulAnswer):
        raise TypeError(f"{answer!r} answers no yes-or-no question")
    return CheapAnswer(
        p_pass=answer.p, band=BANDS[side(answer, tier.bands)], model=decision.model, calibrated=decision.calibrated
    )


def _rationale(answer: CheapAnswer, told: TierReading) -> str:
    cut = f"above {told.high:g}" if answer.band == "pass" else f"below {told.low:g}"
    return f"decided by the classifier {answer.model} without the judge: the probability of a pass is {answer.p_pass:.3g}, {cut}"
