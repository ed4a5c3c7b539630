"""Answers that were bought, as replies of the reply cache: asked once, read again for ever, checked at each read.

The key covers the classifier, the question and the state, and nothing that only reads the answer: other bands or another pass rule read
the same replies again. A style that costs nothing to ask (static, floor) keeps none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from pydantic import ValidationError

from evalkit.classifiers.seam import AnyState, state_value
from evalkit.records.base import Json
from evalkit.records.decisions import Decision, DecisionUsage, distribution_fault
from evalkit.records.identity import content_hash
from evalkit.records.questions import Question, canonical_question
from evalkit.records.verdicts import Purchase, Reply, StoredReply

BOUGHT = frozenset({"systemone", "llm"})
"""Styles whose answers are kept."""
ONE = "q"
"""Id under which one question is asked; it reaches no model."""


def reply_key(identity: Mapping[str, Json], state: AnyState, question: Question, sample: int = 0) -> str:
    """Return the key under which the answer to a question about a state is kept. Raises UsageError for what is no state.

    Two samples never share an answer; sample 0, which every run asks for, is not named in its key.
    """
    asked: dict[str, Json] = {
        "classifier": dict(identity),
        "state": state_value(state),
        "question": canonical_question(question),
    }
    return content_hash("classifier-reply/1", {**asked, "sample": sample} if sample else asked)


def stored_reply(decision: Decision) -> StoredReply:
    """Return a decision on one question as the cache keeps it."""
    used = decision.usage
    kept = decision.model_dump(mode="json", exclude={"usage", "unanswered"})
    return StoredReply(
        reply=Reply(
            text=json.dumps(kept, separators=(",", ":")),
            model=decision.model,
            input_tokens=used.input_tokens,
            output_tokens=used.output_tokens,
        ),
        purchase=Purchase(
            tries=max(1, used.requests),
            model=decision.model,
            input_tokens=used.input_tokens,
            output_tokens=used.output_tokens,
        ),
    )


def read_reply(reply: Reply, question: Question) -> Decision | None:
    """Return the decision on a question that a kept reply holds, None where it holds none that fits the question.

    Its usage is what asking took when it was asked; no request was made for it now.
    """
    try:
        decision = Decision.model_validate_json(reply.text or "")
    except ValidationError:
        return None
    if not answers_it(decision, question):
        return None
    used = DecisionUsage(input_tokens=reply.input_tokens, output_tokens=reply.output_tokens)
    return decision.model_copy(update={"usage": used})


def answers_it(decision: Decision, question: Question) -> bool:
    """Tell whether a decision holds an answer of the question's type, over the question's options."""
    answer = decision.answers.get(ONE)
    if answer is None or answer.type != question.type:
        return False
    if answer.type == "noul" or question.type == "noul":
        return True
    options: list[str]
    if answer.type == "choice":
        options, given = list(answer.probabilities), tuple(answer.probabilities.values())
    else:
        options, given = [str(level) for level in range(len(answer.probabilities))], answer.probabilities
    return options == list(question.options) and distribution_fault(given) is None
