"""Ways to ask: from code without an event loop, over many states at once, one question a request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evalkit.classifiers.merging import merged
from evalkit.classifiers.seam import AnyState, Classifier, asked
from evalkit.errors import EvalkitError, UsageError
from evalkit.records.base import Json
from evalkit.records.decisions import Decision
from evalkit.records.questions import Question

if TYPE_CHECKING:
    import asyncio

DEFAULT_CAP = 8
"""Evaluations in flight at once."""


def ask(classifier: Classifier, state: AnyState, questions: Mapping[str, Question]) -> Decision:
    """Return the decision on one state, from code that runs no event loop. Raises what `evaluate` raises."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_once(classifier, state, questions))
    raise UsageError("an event loop is running here: use `await classifier.evaluate(state, questions)`")


async def evaluate_many(
    classifier: Classifier,
    states: Sequence[AnyState],
    questions: Mapping[str, Question],
    *,
    cap: int = DEFAULT_CAP,
) -> list[Decision | EvalkitError]:
    """Return a decision per state, in the order of the states; where one failed its error stands in its place.

    At most `cap` evaluations are under way at once. Raises UsageError for a cap below 1, and what is no error of evalkit as it is; no
    evaluation is then left behind.
    """
    import asyncio

    if cap < 1:
        raise UsageError(f"at least one evaluation must be allowed in flight, not {cap}")
    slots = asyncio.Semaphore(cap)

    async def one(state: AnyState) -> Decision | EvalkitError:
        async with slots:
            try:
                return await classifier.evaluate(state, questions)
            except EvalkitError as error:
                return error

    tasks = [asyncio.ensure_future(one(state)) for state in states]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        await _all_ended(tasks)


class Alone:
    """Asks each question in a request of its own: dearer, and surer than many questions at once over one state."""

    def __init__(self, classifier: Classifier) -> None:
        self._classifier = classifier

    @property
    def identity(self) -> Mapping[str, Json]:
        """The classifier's, with the layout in it."""
        return {**self._classifier.identity, "layout": "alone"}

    async def evaluate(self, state: AnyState, questions: Mapping[str, Question]) -> Decision:
        """Return the answers, all asked at the same time and none beside another. Raises the first failure."""
        import asyncio

        wanted = asked(questions)
        tasks = [asyncio.ensure_future(self._classifier.evaluate(state, {name: q})) for name, q in wanted.items()]
        try:
            decisions = await asyncio.gather(*tasks)
        finally:
            await _all_ended(tasks)
        return merged(decisions, wanted)

    async def aclose(self) -> None:
        """Close the classifier's connections, if it has any."""
        await close(self._classifier)


async def close(classifier: Classifier) -> None:
    """Close a classifier's connections, if it has any."""
    aclose = getattr(classifier, "aclose", None)
    if aclose is not None:
        await aclose()


async def _once(classifier: Classifier, state: AnyState, questions: Mapping[str, Question]) -> Decision:
    try:
        return await classifier.evaluate(state, questions)
    finally:
        await close(classifier)


async def _all_ended(tasks: Sequence[asyncio.Future[Any]]) -> None:
    """Leave no request behind when one of them failed."""
    import asyncio

    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
