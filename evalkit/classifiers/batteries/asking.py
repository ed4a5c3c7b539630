"""What the batteries share: the classifier is asked once, and whatever goes wrong with it becomes part of the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypedDict

from evalkit.classifiers.batteries.wording import Wording
from evalkit.classifiers.seam import AnyState, Classifier, configuration_hash, state_value
from evalkit.errors import EvalkitError, UsageError
from evalkit.records.bands import Bands
from evalkit.records.base import Json
from evalkit.records.decisions import Answer, Decision, DecisionUsage
from evalkit.records.questions import Question

OnError = Literal["open", "closed"]
"""What the host does where the classifier fails: let through, or hold back. Every battery but the routers requires it."""

ERROR_CHARS = 500


def checked_on_error(value: OnError) -> OnError:
    """Return the value. Raises UsageError for anything but `open` and `closed`: a battery has no default for it."""
    if value not in {"open", "closed"}:
        raise UsageError(f"on_error is `open` or `closed`, not {value!r}")
    return value


class Origin(TypedDict):
    """The fields that every verdict has in common, `reason` aside."""

    battery: str
    signature: str
    model: str
    calibrated: bool
    error: str | None
    answers: dict[str, Answer]
    usage: DecisionUsage


class Asked(NamedTuple):
    """What came of asking."""

    decision: Decision | None
    error: str | None
    """Why there is no decision; None where nothing needed to be asked, too."""

    def answer(self, question: str) -> Answer | None:
        """Return the answer to a question, or None."""
        return self.decision.answers.get(question) if self.decision else None


NOT_ASKED = Asked(None, None)


class Battery:
    """A classifier with a battery's wording and thresholds."""

    name = ""
    """The battery's name in verdicts, suites and signatures."""

    def __init__(self, classifier: Classifier, wording: Wording, bands: Bands, rules: Mapping[str, Json]) -> None:
        self.classifier = classifier
        self.bands = bands
        self._wording = wording
        deciding = {"battery": self.name, "wording": wording.model_dump(mode="json"), **rules}
        self.signature: str = configuration_hash(classifier, {}, bands=bands, rules=deciding)
        """64 hex digits over all that decides: classifier, battery, wording with its version, bands, cuts, `on_error`."""

    @property
    def wording_version(self) -> str:
        """Version of the questions."""
        return self._wording.version

    async def ask(self, state: AnyState, questions: Mapping[str, Question]) -> Asked:
        """Return the classifier's decision, or why there is none. Only being cancelled is raised.

        A host's classifier may raise anything, and return anything; the words of a foreign exception may hold anything, so only its
        type is told.
        """
        try:
            state_value(state)  # so that what is no JSON never reaches a classifier that does not look
            return _checked(await self.classifier.evaluate(state, questions))
        except EvalkitError as error:
            return Asked(None, str(error)[:ERROR_CHARS] or type(error).__name__)
        except Exception as error:  # noqa: BLE001 - what a failing classifier means is the host's decision, made beforehand
            return Asked(None, type(error).__name__)

    def origin(self, asked: Asked) -> Origin:
        """Return the fields that say how a verdict came about."""
        decision = asked.decision
        return Origin(
            battery=self.name,
            signature=self.signature,
            model=decision.model if decision else "",
            calibrated=decision.calibrated if decision else False,
            error=asked.error,
            answers=dict(decision.answers) if decision else {},
            usage=decision.usage if decision else DecisionUsage(),
        )


def _checked(found: object) -> Asked:
    """Return what a classifier gave; what is no decision is a failure, and not a decision without answers."""
    if isinstance(found, Decision):
        return Asked(found, None)
    return Asked(None, f"the classifier returned {type(found).__name__} and no Decision")
