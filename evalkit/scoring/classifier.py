"""Classifier: a typed question about the case, answered with probabilities; sure answers pass or fail, the others are `uncertain`.

Settings name the question, the fields of the state that it is asked about, the bands and which answer passes. An uncertain answer is
never rounded: the case is excluded as `uncertain`, its bounds say what it could have been, and a person finds it in the review queue.
A run gathers the questions and asks them together (`state_of`, then `result_of`); `score` asks one at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from evalkit.classifiers.asking import ask
from evalkit.classifiers.banding import is_sure, side
from evalkit.classifiers.lint import lint
from evalkit.classifiers.replies import ONE
from evalkit.classifiers.seam import hash_of
from evalkit.classifiers.styles import identity_of, make_classifier
from evalkit.errors import EvalkitError, Fault, InputError
from evalkit.records.bands import Bands
from evalkit.records.base import Json, Record
from evalkit.records.cases import Case
from evalkit.records.classified import UNCERTAIN
from evalkit.records.classifiers import CannedAnswer, ClassifierConfig
from evalkit.records.decisions import EXACT, Answer, ChoiceAnswer, NoulAnswer, ScoreAnswer
from evalkit.records.outputs import Output
from evalkit.records.questions import ChoiceQuestion, NoulQuestion, Question, ScoreQuestion
from evalkit.records.scores import SCORER_ERROR, CriterionSpec, Result, Score, Signature, Unscored
from evalkit.scoring.answer import without_text
from evalkit.scoring.classifier_wording import people_asked
from evalkit.scoring.settings import Resources, read_settings

NAME = "classifier"
RULES = "classifier-scorer/1"
"""Version of the way in which an answer becomes a result; part of the configuration's hash."""

StateField = Literal["input", "answer", "context", "tool_calls"]


class ClassifierSettings(Record):
    """Settings of `classifier`."""

    question: Annotated[Question, Field(discriminator="type")]
    """A noul, choice or score, as in a file of canned answers."""
    state: Annotated[tuple[StateField, ...], Field(min_length=1)] = ("answer",)
    """Fields of the case that the question is asked about; the question names the one that it judges."""
    classifier: str | None = None
    """classifier.yaml, a path in the suite's folder; without one the floor answers, which is no model."""
    passes: bool | tuple[str, ...] = True
    """Of a noul: which answer passes, yes (true) or no (false). Of a choice: the options that pass."""
    at_least: float | None = None
    """Of a score: the lowest expectation that passes, 0 being the lowest level."""
    at_most: float | None = None
    """Of a score: the highest expectation that passes."""
    bands: Bands | None = None
    """What counts as sure; by default that of classifier.yaml."""

    @model_validator(mode="after")
    def _fits_the_question(self) -> Self:
        question = self.question
        bounded = self.at_least is not None or self.at_most is not None
        if isinstance(question, ScoreQuestion):
            if not bounded or "passes" in self.model_fields_set:
                raise ValueError("a score needs `at_least` or `at_most`, and no `passes`")
            highest = len(question.criteria) - 1
            if any(limit is not None and not 0 <= limit <= highest for limit in (self.at_least, self.at_most)):
                raise ValueError(f"the levels of this score go from 0 to {highest}")
            if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
                raise ValueError("`at_least` lies above `at_most`: no answer could pass")
        elif bounded:
            raise ValueError("`at_least` and `at_most` are for a score; say which answer passes with `passes`")
        elif isinstance(question, NoulQuestion) and not isinstance(self.passes, bool):
            raise ValueError("`passes` of a noul is true (yes passes) or false (no passes)")
        elif isinstance(question, ChoiceQuestion):
            self._options_pass(question)
        if len(set(self.state)) != len(self.state):
            raise ValueError("a field of `state` stands twice")
        return self

    def _options_pass(self, question: ChoiceQuestion) -> None:
        if isinstance(self.passes, bool) or not self.passes:
            raise ValueError("`passes` of a choice lists the options that pass")
        unknown = [option for option in self.passes if option not in question.criteria]
        if unknown:
            raise ValueError(f"`passes`: {unknown[0]!r} is none of the options")
        if len(set(self.passes)) != len(self.passes):
            raise ValueError("`passes` lists an option twice")
        if set(self.passes) == set(question.criteria):
            raise ValueError("`passes` lists every option: no answer could fail")


class ClassifierScorer:
    """1 where the answer to the question passes and is sure, 0 where it fails and is sure, else `uncertain`."""

    criteria = (CriterionSpec(id=NAME),)

    def __init__(self, settings: Mapping[str, Json], resources: Resources) -> None:
        self._settings = read_settings(ClassifierSettings, NAME, settings, resources)
        self.config, self.canned = _configured(self._settings, resources)
        self.question: Question = self._settings.question
        self.identity: Mapping[str, Json] = identity_of(self.config, self.canned)
        self._bands = self._settings.bands or self.config.bands
        rules = self._settings.model_dump(mode="json", include={"state", "passes", "at_least", "at_most"})
        self.configuration_hash = hash_of(
            self.identity, {ONE: self.question}, bands=self._bands, rules={"version": RULES, **rules}
        )
        shown = self._settings.model_dump(mode="json", exclude_none=True)
        told: dict[str, Json] = {
            **shown,
            "bands": self._bands.model_dump(),
            "identity": dict(self.identity),
            "configuration_hash": self.configuration_hash,
        }
        self.signature = Signature(scorer=NAME, version="1", settings=told)
        self.state_fields: tuple[StateField, ...] = self._settings.state
        self.people_asked = people_asked(
            self.question, self._settings.passes, self._settings.at_least, self._settings.at_most
        )
        self.warnings = tuple(
            str(doubt) for doubt in lint({"question": self.question}, dict.fromkeys(self._settings.state, ""))
        )

    def score(self, case: Case, output: Output) -> tuple[Result, ...]:
        """Return one result, asking now. Where nobody answers the case is a `scorer_error`."""
        state = self.state_of(case, output)
        if isinstance(state, Score | Unscored):
            return (state,)
        try:
            decision = ask(make_classifier(self.config, self.canned), state, {ONE: self.question})
        except EvalkitError as error:
            return (Unscored(SCORER_ERROR, str(error)),)
        answer = decision.answers.get(ONE)
        if answer is None:
            return (Unscored(SCORER_ERROR, decision.unanswered.get(ONE, "no answer")),)
        return (self.result_of(answer),)

    def state_of(self, case: Case, output: Output) -> Result | dict[str, Json]:
        """Return what the question is asked about, or the result of a case that needs no asking: an output without a text."""
        fields = self._settings.state
        missing = without_text(output) if "answer" in fields else None
        if missing is not None:
            return missing
        known: dict[StateField, Json] = {
            "input": case.model_dump(mode="json", include={"input"})["input"],
            "answer": output.text or "",
            "context": [{"id": document.id, "text": document.text} for document in case.context],
            "tool_calls": list(output.tool_calls or ()),
        }
        return {name: known[name] for name in fields}

    def result_of(self, answer: Answer) -> Result:
        """Return what an answer comes to under the bands and the pass rule."""
        found = _told(answer)
        if not is_sure(answer, self._bands):
            low, high = self._bands.low, self._bands.high
            cuts = (
                f"not below {low:g} nor above {high:g}" if isinstance(answer, NoulAnswer) else f"needs above {high:g}"
            )
            return Unscored(UNCERTAIN, f"{found}: {cuts}")
        passed = self._passes(answer)
        metadata: dict[str, Json] = {"answer": answer.model_dump(mode="json")}
        return Score(float(passed), passed=passed, reason="" if passed else found, metadata=metadata)

    def p_pass(self, answer: Answer) -> float:
        """Return the probability that the case passes under the pass rule, 0 to 1, whatever the bands."""
        settings = self._settings
        if isinstance(answer, NoulAnswer):
            return round(answer.p if settings.passes else 1 - answer.p, EXACT)
        if isinstance(answer, ChoiceAnswer):
            passing = settings.passes if isinstance(settings.passes, tuple) else ()
            share = sum(answer.probabilities[option] for option in passing)
        else:
            low, high = settings.at_least or 0, settings.at_most if settings.at_most is not None else float("inf")
            share = sum(p for level, p in enumerate(answer.probabilities) if low <= level <= high)
        return min(1.0, round(share, EXACT))

    def told(self, answer: Answer, result: Result) -> str:
        """Return in words what was answered, and of an uncertain result why it is."""
        return result.detail if isinstance(result, Unscored) else _told(answer)

    def _passes(self, answer: Answer) -> bool:
        settings = self._settings
        if isinstance(answer, NoulAnswer):
            return (side(answer, self._bands) == "yes") is settings.passes
        if isinstance(answer, ChoiceAnswer):
            return not isinstance(settings.passes, bool) and answer.choice in settings.passes
        low = settings.at_least is None or answer.score >= settings.at_least
        return low and (settings.at_most is None or answer.score <= settings.at_most)


def _told(answer: Answer) -> str:
    if isinstance(answer, NoulAnswer):
        return f"the probability of yes is {answer.p:.3g}"
    if isinstance(answer, ScoreAnswer):
        return f"the answer is {answer.score:.3g}, with a confidence of {answer.confidence:.3g}"
    return f"the answer is {answer.choice!r}, with a confidence of {answer.confidence:.3g}"


def _configured(
    settings: ClassifierSettings, resources: Resources
) -> tuple[ClassifierConfig, tuple[CannedAnswer, ...]]:
    """Return the classifier that the settings name. Raises InputError where loading read none of that name."""
    if settings.classifier is None:
        return ClassifierConfig(), ()
    found = resources.classifiers.get(settings.classifier)
    if found is None:
        problem = f"the classifier {settings.classifier!r} cannot be used here"
        raise InputError([Fault(file=resources.file, field=f"scorer {NAME}", problem=problem)])
    return found
