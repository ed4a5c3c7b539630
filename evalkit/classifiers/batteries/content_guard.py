"""ContentGuard: reads a text for several things at once; any sure yes blocks. Advice to a host's policy."""

from __future__ import annotations

from dataclasses import replace

from evalkit.classifiers.banding import BANDS
from evalkit.classifiers.batteries.asking import Battery, OnError, checked_on_error
from evalkit.classifiers.batteries.rules import content_action
from evalkit.classifiers.batteries.wording import CONTENT_GUARD, ContentWording
from evalkit.classifiers.hooks import ContentBlockedError, Hooks, Observe, Override, Turn, text_of, told
from evalkit.classifiers.seam import Classifier, State
from evalkit.records.bands import Bands
from evalkit.records.base import Json
from evalkit.records.battery_verdicts import ContentAction, ContentVerdict
from evalkit.records.decisions import NoulAnswer
from evalkit.records.questions import noul

TEXT = "text"


class ContentGuardClassifier(Battery):
    """Says allow, review or block to a text. `on_error`: `closed` blocks a text that could not be read, `open` allows it."""

    name = "content_guard"

    def __init__(
        self,
        classifier: Classifier,
        *,
        on_error: OnError,
        wording: ContentWording = CONTENT_GUARD,
        bands: Bands = BANDS,
    ) -> None:
        self.on_error = checked_on_error(on_error)
        super().__init__(classifier, wording, bands, {"on_error": on_error})
        self.wording = wording

    async def check(self, text: str) -> ContentVerdict:
        """Return what to do with a text, with a probability per dimension. Never raises for the classifier."""
        dimensions = self.wording.dimensions
        questions = {name: noul(one.question, yes=one.yes, no=one.no) for name, one in dimensions.items()}
        asked = await self.ask(State(self.wording.role, {TEXT: text}), questions)
        answers = {name: asked.answer(name) for name in dimensions}
        p = {name: answer.p if isinstance(answer, NoulAnswer) else None for name, answer in answers.items()}
        action: ContentAction
        if asked.error is None:
            action = content_action(answers.values(), self.bands)
            reason = _reason(action, p, self.bands)
        else:
            action, reason = ("allow" if self.on_error == "open" else "block"), f"on_error: {self.on_error}"
        return ContentVerdict(action=action, p=p, reason=reason, **self.origin(asked))

    def as_hook(self, following: Hooks | None = None, *, observe: Observe | None = None) -> Hooks:
        """Return `following` with this guard before its `inbound`, `before_llm` and `after_llm`.

        A blocked text raises ContentBlockedError at the first two, and `following` is not called; after the model it only observes.
        Texts to review go on: `observe` is told.
        """
        then = following or Hooks()

        async def guarded(text: str, place: str) -> None:
            verdict = await self.check(text)
            told(observe, verdict)
            if verdict.action == "block":
                raise ContentBlockedError(place, verdict)

        async def inbound(text: str) -> None:
            await guarded(text, "inbound")
            if then.inbound is not None:
                await then.inbound(text)

        async def before_llm(turn: Turn) -> Override | None:
            if turn.prompt:
                await guarded(turn.prompt, "before_llm")
            return await then.before_llm(turn) if then.before_llm else None

        async def after_llm(message: Json) -> None:
            text = text_of(message.get("content") if isinstance(message, dict) else message)
            if text:
                told(observe, await self.check(text))
            if then.after_llm is not None:
                await then.after_llm(message)

        return replace(then, inbound=inbound, before_llm=before_llm, after_llm=after_llm)


def _reason(action: ContentAction, p: dict[str, float | None], bands: Bands) -> str:
    if action == "block":
        return "sure of " + ", ".join(name for name, value in p.items() if value is not None and value > bands.high)
    if action == "review":
        return "unsure of " + ", ".join(name for name, value in p.items() if value is None or value >= bands.low)
    return "sure of nothing found"
