"""AgentRouter: hands a task to an agent, down a tree that the host made; a choice per level.

A level holds at most 255 options, so more agents need groups. A level with one option asks nothing. A pick that is unsure,
missing or fails at any level leads to the fallback.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from evalkit.classifiers.banding import BANDS
from evalkit.classifiers.batteries.asking import NOT_ASKED, Asked, Battery
from evalkit.classifiers.batteries.rules import sure_pick
from evalkit.classifiers.batteries.wording import AGENT_ROUTER, RouteWording
from evalkit.classifiers.hooks import Dispatch, Hooks, Observe, told
from evalkit.classifiers.merging import merged
from evalkit.classifiers.seam import Classifier, State
from evalkit.errors import UsageError
from evalkit.records.bands import Bands
from evalkit.records.battery_verdicts import RouteVerdict
from evalkit.records.decisions import Decision
from evalkit.records.questions import MAX_OPTIONS, choice

TASK = "task"


@dataclass(frozen=True, slots=True)
class Group:
    """Agents that are told apart one level further down."""

    description: str
    agents: AgentTree


AgentTree = Mapping[str, str | Group]
"""Agent -> what it is responsible for, or the name of a group -> the group."""


class AgentRouterClassifier(Battery):
    """Picks the agent for a task. Errors need no policy: every pick names its fallback."""

    name = "agent_router"

    def __init__(self, classifier: Classifier, *, wording: RouteWording = AGENT_ROUTER, bands: Bands = BANDS) -> None:
        super().__init__(classifier, wording, bands, {})
        self.wording = wording

    async def pick(self, task: str, agents: AgentTree, fallback: str) -> RouteVerdict:
        """Return the agent for a task, or the fallback. Never raises for the classifier.

        Raises UsageError for a tree that cannot be asked about: an empty level, one with more than 255 options, a name that is
        blank, an agent that stands twice.
        """
        check_tree(agents)
        level: AgentTree = agents
        path: list[str] = []
        levels: list[Asked] = []
        while True:
            asked, picked = await self._pick_one(task, level, len(levels))
            if asked is not NOT_ASKED:
                levels.append(asked)
            if picked is None:
                return self._verdict(levels, path, fallback, routed=False)
            path.append(picked)
            below = level[picked]
            if isinstance(below, str):
                return self._verdict(levels, path, picked, routed=True)
            level = below.agents

    def as_hook(
        self, following: Hooks | None = None, *, agents: AgentTree, fallback: str, observe: Observe | None = None
    ) -> Hooks:
        """Return `following` with this router before its `dispatch`; `following` sees the pick, and the agent that it names wins.

        Raises UsageError as `pick` does, at once.
        """
        check_tree(agents)
        then = following or Hooks()

        async def dispatch(sent: Dispatch) -> str | None:
            verdict = await self.pick(sent.task, agents, fallback)
            told(observe, verdict)
            if then.dispatch is None:
                return verdict.agent
            later = await then.dispatch(replace(sent, agent=verdict.agent))
            return verdict.agent if later is None else later

        return replace(then, dispatch=dispatch)

    async def _pick_one(self, task: str, level: AgentTree, depth: int) -> tuple[Asked, str | None]:
        if len(level) == 1:
            return NOT_ASKED, next(iter(level))
        options = {name: entry if isinstance(entry, str) else entry.description for name, entry in level.items()}
        question = {
            level_id(depth): choice(
                self.wording.question, {name: text.strip() or None for name, text in options.items()}
            )
        }
        asked = await self.ask(State(self.wording.role, {TASK: task}), question)
        return asked, sure_pick(asked.answer(level_id(depth)), options, self.bands)

    def _verdict(self, levels: list[Asked], path: list[str], agent: str, *, routed: bool) -> RouteVerdict:
        last = levels[-1] if levels else NOT_ASKED
        reason = "sure at every level" if routed else "unsure, or no answer"
        reason = reason if last.error is None else "the classifier failed"
        origin = self.origin(Asked(_together(levels), last.error))
        if last.error is not None:
            origin["calibrated"] = False
        return RouteVerdict(agent=agent, path=tuple(path), routed=routed, reason=reason, **origin)


def check_tree(agents: AgentTree) -> None:
    """Raise UsageError for a tree that cannot be asked about."""
    if not agents:
        raise UsageError("the tree of agents has an empty level")
    if len(agents) > MAX_OPTIONS:
        raise UsageError(
            f"a level of the tree of agents has {len(agents)} options; group them, at most {MAX_OPTIONS} a level"
        )
    for name, entry in agents.items():
        if not name.strip():
            raise UsageError("the tree of agents has an agent or a group without a name")
        if isinstance(entry, Group):
            check_tree(entry.agents)
    twice = [name for name, count in Counter(leaves(agents)).items() if count > 1]
    if twice:
        raise UsageError(f"the agent {twice[0]!r} stands twice in the tree")


def leaves(agents: AgentTree) -> Iterator[str]:
    """Yield the agents of a tree."""
    for name, entry in agents.items():
        if isinstance(entry, Group):
            yield from leaves(entry.agents)
        else:
            yield name


def level_id(depth: int) -> str:
    """Return the id of the question that is asked at a depth, the first being 0; single options are no depth of their own."""
    return f"level_{depth + 1}"


def _together(levels: list[Asked]) -> Decision | None:
    """Return the decisions of all levels as one; calibrated where all are."""
    decisions = [asked.decision for asked in levels if asked.decision is not None]
    return merged(decisions, [level_id(depth) for depth in range(len(levels))]) if decisions else None
