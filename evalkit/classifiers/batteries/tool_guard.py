"""ToolGuard: rates a tool call by what it would do. Advice to a host's policy, which stands in code and in front of it."""

from __future__ import annotations

from dataclasses import replace

from evalkit.classifiers.banding import BANDS
from evalkit.classifiers.batteries.approvals import Approvals
from evalkit.classifiers.batteries.asking import Asked, Battery, OnError, checked_on_error
from evalkit.classifiers.batteries.rules import guard_action
from evalkit.classifiers.batteries.wording import TOOL_GUARD, GuardWording
from evalkit.classifiers.hooks import Hooks, Observe, Pending, ToolResult, told
from evalkit.classifiers.seam import Classifier, State
from evalkit.classifiers.suspensions import make_request
from evalkit.records.bands import Bands
from evalkit.records.base import Json
from evalkit.records.battery_verdicts import GuardAction, GuardVerdict, RiskCuts
from evalkit.records.decisions import Request, ScoreAnswer
from evalkit.records.identity import canonical_json
from evalkit.records.questions import score

CALL, RISK = "call", "risk"
APPROVAL = "tool_approval"
CUTS = RiskCuts()


class ToolGuardClassifier(Battery):
    """Says allow, ask or deny to a tool call, by a risk from 0 (read-only) to 3 (destructive, money, credentials).

    It advises: allow-lists, permissions and limits belong in code in front of it. `on_error`: `closed` denies a call that could
    not be rated, `open` allows it.
    """

    name = "tool_guard"

    def __init__(
        self,
        classifier: Classifier,
        *,
        on_error: OnError,
        wording: GuardWording = TOOL_GUARD,
        bands: Bands = BANDS,
        cuts: RiskCuts = CUTS,
    ) -> None:
        self.on_error = checked_on_error(on_error)
        super().__init__(classifier, wording, bands, {"cuts": cuts.model_dump(), "on_error": on_error})
        self.wording = wording
        self.cuts = cuts

    async def check(self, call: Json) -> GuardVerdict:
        """Return what to do with a call: any JSON that names tool and arguments, in the host's own form. Never raises for the classifier."""
        asked = await self.ask(
            State(self.wording.role, {CALL: call}), {RISK: score(self.wording.question, self.wording.levels)}
        )
        action, reason = self._decided(asked)
        answer = asked.answer(RISK)
        risk = answer.value() if isinstance(answer, ScoreAnswer) else None
        return GuardVerdict(action=action, risk=risk, reason=reason, **self.origin(asked))

    def as_hook(
        self, following: Hooks | None = None, *, approvals: Approvals | None = None, observe: Observe | None = None
    ) -> Hooks:
        """Return `following` with this guard before its `before_tool`.

        allow -> `following` decides; deny -> an error result; ask -> Pending, and once `approvals` holds the answer to its request,
        `following` decides (approved) or an error result stands (refused). `following` is not called on deny, ask and refused.
        """
        then = following or Hooks()
        answers = approvals or Approvals()

        async def before_tool(call: Json) -> ToolResult | Pending | None:
            request = approval_request(call)
            approved = answers.take(request) if request else None
            if approved is False:
                return ToolResult(content="A person refused this call.", error=True)
            if approved is None:
                verdict = await self.check(call)
                told(observe, verdict)
                if verdict.action == "ask" and request:
                    return Pending(request=request)
                if verdict.action != "allow":
                    return ToolResult(content=f"This call was not carried out: {verdict.reason}.", error=True)
            return await then.before_tool(call) if then.before_tool else None

        return replace(then, before_tool=before_tool)

    def _decided(self, asked: Asked) -> tuple[GuardAction, str]:
        if asked.error is None:
            return guard_action(asked.answer(RISK), self.cuts, self.bands)
        return ("allow" if self.on_error == "open" else "deny"), f"on_error: {self.on_error}"


def approval_request(call: Json) -> Request | None:
    """Return the request on which a call waits; the same call has the same id. None for what is no JSON: nobody can be shown it."""
    try:
        canonical_json(call)
    except (TypeError, ValueError, RecursionError):
        return None
    return make_request(APPROVAL, "May this tool call be carried out?", {CALL: call})
