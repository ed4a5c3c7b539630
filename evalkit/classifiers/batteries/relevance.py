"""ToolRelevance and SkillRelevance: which tools and skills a turn is offered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evalkit.classifiers.banding import BANDS
from evalkit.classifiers.batteries.asking import OnError
from evalkit.classifiers.batteries.selection import Selection
from evalkit.classifiers.batteries.wording import SKILL_RELEVANCE, TOOL_RELEVANCE, ItemWording
from evalkit.classifiers.hooks import Hooks, Observe, Override, Turn, then_before_llm, told
from evalkit.classifiers.seam import Classifier
from evalkit.records.bands import Bands
from evalkit.records.base import Json
from evalkit.records.battery_verdicts import SelectionVerdict


class ToolRelevanceClassifier(Selection):
    """Drops the tools that a prompt surely does not need. `on_error`: `open` offers all, `closed` none."""

    name = "tool_relevance"

    def __init__(
        self,
        classifier: Classifier,
        *,
        on_error: OnError,
        wording: ItemWording = TOOL_RELEVANCE,
        bands: Bands = BANDS,
    ) -> None:
        super().__init__(classifier, on_error=on_error, wording=wording, bands=bands)

    async def select(self, prompt: str, tools: Sequence[Json]) -> SelectionVerdict:
        """Return the tools to offer; a tool is a name or, better, an object with name and description. Never raises for the classifier."""
        return await self.choose(prompt, tools)

    def as_hook(self, following: Hooks | None = None, *, observe: Observe | None = None) -> Hooks:
        """Return `following` with this selection before its `before_llm`; where nothing is dropped, nothing is overridden."""
        then = following or Hooks()

        async def before_llm(turn: Turn) -> Override | None:
            own = None
            if turn.prompt:
                verdict = await self.select(turn.prompt, turn.tools)
                told(observe, verdict)
                own = Override(tools=verdict.kept) if verdict.dropped else None
            return await then_before_llm(then, own, turn)

        return replace(then, before_llm=before_llm)


class SkillRelevanceClassifier(Selection):
    """Drops the skills that a prompt surely does not need. `on_error`: `open` offers all, `closed` none."""

    name = "skill_relevance"

    def __init__(
        self,
        classifier: Classifier,
        *,
        on_error: OnError,
        wording: ItemWording = SKILL_RELEVANCE,
        bands: Bands = BANDS,
    ) -> None:
        super().__init__(classifier, on_error=on_error, wording=wording, bands=bands)

    async def select(self, prompt: str, skills: Sequence[Json]) -> SelectionVerdict:
        """Return the skills to load; a skill is a name or, better, an object with name and description. Never raises for the classifier."""
        return await self.choose(prompt, skills)

    def as_hook(self, following: Hooks | None = None, *, observe: Observe | None = None) -> Hooks:
        """Return `following` with this selection before its `before_llm`; where nothing is dropped, nothing is overridden."""
        then = following or Hooks()

        async def before_llm(turn: Turn) -> Override | None:
            own = None
            if turn.prompt:
                verdict = await self.select(turn.prompt, turn.skills)
                told(observe, verdict)
                own = Override(skills=verdict.kept) if verdict.dropped else None
            return await then_before_llm(then, own, turn)

        return replace(then, before_llm=before_llm)
