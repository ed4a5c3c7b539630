"""The System One wire, without a network: questions to a request's body, a response's JSON to a Decision.

Everything a server sends is untrusted. An answer of an unknown type is skipped and named; anything else that cannot be right (NaN,
an option too many or too few, a choice that is not the most probable, a score that is not the expectation) is an error of kind
`bad_response` that names the question. Confidence is computed here, the server's number is kept beside it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

from evalkit.errors import ProviderError, UsageError
from evalkit.providers.chat_wire import whole_count
from evalkit.records.base import Json
from evalkit.records.decisions import (
    EXACT,
    Answer,
    Decision,
    DecisionUsage,
    NoulAnswer,
    choice_answer,
    distribution_fault,
    score_answer,
)
from evalkit.records.questions import ChoiceQuestion, NoulQuestion, Question, ScoreQuestion

REQUEST_TOKENS = 64_000
STATE_AND_QUESTION_TOKENS = 32_000
SURELY_A_TOKEN = 6
"""Characters that are surely a token on average: a text is refused only where it is too long by this generous count."""

NOT_LARGEST = 0.005
"""How far a choice may lie under the most probable option: probabilities come rounded to two decimals."""

_KINDS = ("noul", "choice", "score")


def body_of(model: str, state: Json, questions: Mapping[str, Question]) -> dict[str, Json]:
    """Return the request's body. Raises UsageError, naming the question, where a limit that can be counted is exceeded."""
    body: dict[str, Json] = {
        "model": model,
        "state": state,
        "questions": {n: wire_question(q) for n, q in questions.items()},
    }
    _refuse_too_long(body)
    return body


def wire_question(question: Question) -> dict[str, Json]:
    """Return a question as the wire has it: absent instructions and outcomes left out, an option without a description null."""
    sent: dict[str, Json] = {"type": question.type}
    if question.instructions is not None:
        sent["instructions"] = question.instructions
    if isinstance(question, ChoiceQuestion):
        sent["criteria"] = dict(question.criteria)
    elif isinstance(question, ScoreQuestion):
        sent["criteria"] = list(question.criteria)
    elif question.criteria is not None:
        sent["criteria"] = question.criteria.model_dump(exclude_none=True)
    return sent


def decision_of(data: Json, questions: Mapping[str, Question], *, calibrated: bool) -> Decision:
    """Return the decision in a response. Raises ProviderError(bad_response) naming the question that cannot be right."""
    if not isinstance(data, dict) or not isinstance(data.get("answers"), dict):
        raise ProviderError("bad_response", "the server's JSON has no `answers`, so it is no decision")
    model = data.get("model")
    source = model if isinstance(model, str) and model else "unnamed"
    answers: dict[str, Answer] = {}
    unanswered: dict[str, str] = {}
    for name, question in questions.items():
        given = data["answers"].get(name)
        if given is None:
            unanswered[name] = "the server gave no answer"
        elif isinstance(given, dict) and given.get("type") not in _KINDS:
            unanswered[name] = f"unknown answer type {str(given.get('type'))[:40]!r}"
        else:
            answers[name] = _answer(name, question, given, source)
    return Decision(
        answers=answers, model=source, calibrated=calibrated, usage=_usage(data.get("usage")), unanswered=unanswered
    )


def _answer(name: str, question: Question, given: Json, source: str) -> Answer:
    if not isinstance(given, dict) or given.get("type") != question.type:
        kind = given.get("type") if isinstance(given, dict) else type(given).__name__
        raise _wrong(name, f"a {question.type} was asked and {kind} came")
    if isinstance(question, NoulQuestion):
        p = _number(name, "noul", given.get("noul"))
        if not 0 <= p <= 1:
            raise _wrong(name, f"a probability of {p:g} is outside 0 to 1")
        return NoulAnswer(p=p, source=source)
    probabilities = _probabilities(name, question.options, given.get("probabilities"))
    stated = given.get("confidence")
    server = None if stated is None else _number(name, "confidence", stated)
    if isinstance(question, ChoiceQuestion):
        chosen = given.get("choice")
        if not isinstance(chosen, str) or chosen not in probabilities:
            raise _wrong(name, f"the choice {str(chosen)[:60]!r} is none of the question's options")
        if round(max(probabilities.values()) - probabilities[chosen], EXACT) > NOT_LARGEST:
            raise _wrong(name, f"the choice {chosen[:60]!r} is not the most probable option")
        return choice_answer(probabilities, choice=chosen, server_confidence=server, source=source)
    return _score(name, tuple(probabilities.values()), given, server, source)


def _score(
    name: str, levels: tuple[float, ...], given: Mapping[str, Json], server: float | None, source: str
) -> Answer:
    value = _number(name, "score", given.get("score"))
    highest = len(levels) - 1
    if not 0 <= value <= highest:
        raise _wrong(name, f"a score of {value:g} is outside 0 to {highest}")
    answer = score_answer(levels, score=value, server_confidence=server, source=source)
    rounding = NOT_LARGEST * sum(range(len(levels))) + NOT_LARGEST
    if abs(value - score_answer(levels).score) > rounding + 0.05 * highest:
        raise _wrong(name, f"a score of {value:g} is not the expectation of its probabilities")
    return answer


def _probabilities(name: str, options: tuple[str, ...], given: Json) -> dict[str, float]:
    """Return the probabilities in the question's order."""
    if not isinstance(given, dict):
        raise _wrong(name, "it has no `probabilities`")
    unknown = sorted(set(given) - set(options))
    missing = [option for option in options if option not in given]
    if unknown or missing:
        named = f"unknown option {unknown[0][:60]!r}" if unknown else f"no probability for {missing[0][:60]!r}"
        raise _wrong(name, named)
    probabilities = {option: _number(name, option, given[option]) for option in options}
    fault = distribution_fault(tuple(probabilities.values()))
    if fault:
        raise _wrong(name, fault)
    return probabilities


def _number(name: str, field: str, value: Json) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(name, f"`{field[:60]}` is no number")
    number = _as_float(value)
    if not math.isfinite(number):
        raise _wrong(name, f"`{field[:60]}` is {number}")
    return number


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _usage(given: Json) -> DecisionUsage:
    counts = given if isinstance(given, dict) else {}
    read, written = whole_count(counts.get("input_tokens")), whole_count(counts.get("output_tokens"))
    if not read and not written:
        read = written = None
    return DecisionUsage(requests=1, input_tokens=read, output_tokens=written)


def _refuse_too_long(body: Mapping[str, Json]) -> None:
    sizes = {name: _tokens(question) for name, question in body["questions"].items()}
    longest = max(sizes, key=lambda name: sizes[name])
    together = _tokens(body["state"]) + sizes[longest]
    if together > STATE_AND_QUESTION_TOKENS:
        raise UsageError(
            f"the state and the question {longest!r} have at least {together} tokens, and {STATE_AND_QUESTION_TOKENS} are allowed: "
            "shorten the state"
        )
    whole = _tokens(body)
    if whole > REQUEST_TOKENS:
        raise UsageError(
            f"the request has at least {whole} tokens, and {REQUEST_TOKENS} are allowed; its longest question is {longest!r}: "
            "ask fewer questions at once, or `layout: alone`"
        )


def _tokens(value: Json) -> int:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return len(text) // SURELY_A_TOKEN


def _wrong(name: str, problem: str) -> ProviderError:
    return ProviderError("bad_response", f"the answer to {name!r} cannot be right: {problem}")
