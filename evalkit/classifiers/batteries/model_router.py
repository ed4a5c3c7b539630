"""ModelRouter: picks the model of one turn from options described in prose. Opt-in: without it the configured model is used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from evalkit.classifiers.banding import BANDS
from evalkit.classifiers.batteries.asking import Battery
from evalkit.classifiers.batteries.rules import sure_pick
from evalkit.classifiers.batteries.wording import MODEL_ROUTER, RouteWording
from evalkit.classifiers.hooks import Hooks, Observe, Override, Turn, then_before_llm, told
from evalkit.classifiers.seam import Classifier, State
from evalkit.errors import UsageError
from evalkit.records.bands import Bands
from evalkit.records.battery_verdicts import ModelVerdict
from evalkit.records.questions import MAX_OPTIONS, MIN_OPTIONS, choice

PROMPT, MODEL = "prompt", "model"


class ModelRouterClassifier(Battery):
    """Routes on a sure pick only; an unsure, missing or failed one leaves the fallback. Errors need no other policy."""

    name = "model_router"

    def __init__(
        self,
        classifier: Classifier,
        *,
        models: Mapping[str, str],
        wording: RouteWording = MODEL_ROUTER,
        bands: Bands = BANDS,
    ) -> None:
        """Take the models with what each is for. Raises UsageError for fewer than 2, more than 255, and one without a description."""
        if not MIN_OPTIONS <= len(models) <= MAX_OPTIONS:
            raise UsageError(f"a model router chooses among {MIN_OPTIONS} to {MAX_OPTIONS} models, not {len(models)}")
        if not all(name.strip() and text.strip() for name, text in models.items()):
            raise UsageError("every model needs a name and a description: the sentences carry the judgment")
        super().__init__(classifier, wording, bands, {"models": [[name, text] for name, text in models.items()]})
        self.wording = wording
        self.models = dict(models)

    async def pick(self, prompt: str, fallback: str) -> ModelVerdict:
        """Return the model for a prompt, or the fallback. Never raises for the classifier."""
        question = choice(self.wording.question, dict(self.models))
        asked = await self.ask(State(self.wording.role, {PROMPT: prompt}), {MODEL: question})
        picked = sure_pick(asked.answer(MODEL), self.models, self.bands)
        reason = "a sure pick" if picked else "unsure, or no answer" if asked.error is None else "the classifier failed"
        return ModelVerdict(chosen=picked or fallback, routed=picked is not None, reason=reason, **self.origin(asked))

    def as_hook(self, following: Hooks | None = None, *, observe: Observe | None = None) -> Hooks:
        """Return `following` with this router before its `before_llm`; it overrides the model of one turn, on a sure pick of another."""
        then = following or Hooks()

        async def before_llm(turn: Turn) -> Override | None:
            own = None
            if turn.prompt:
                verdict = await self.pick(turn.prompt, turn.model)
                told(observe, verdict)
                own = Override(model=verdict.chosen) if verdict.chosen != turn.model else None
            return await then_before_llm(then, own, turn)

        return replace(then, before_llm=before_llm)
