"""One evaluation by a battery as it is built, and the same answers decided again with other thresholds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from evalkit.classifiers.batteries.agent_router import AgentRouterClassifier, AgentTree, Group, level_id
from evalkit.classifiers.batteries.asking import Battery, OnError
from evalkit.classifiers.batteries.content_guard import ContentGuardClassifier
from evalkit.classifiers.batteries.is_complete import IsCompleteClassifier
from evalkit.classifiers.batteries.model_router import MODEL, ModelRouterClassifier
from evalkit.classifiers.batteries.relevance import SkillRelevanceClassifier, ToolRelevanceClassifier
from evalkit.classifiers.batteries.rules import completes, content_action, guard_action, keeps, sure_pick
from evalkit.classifiers.batteries.selection import Selection
from evalkit.classifiers.batteries.tool_guard import CUTS, RISK, ToolGuardClassifier
from evalkit.classifiers.batteries.tool_result_filter import ToolResultFilterClassifier
from evalkit.classifiers.batteries.wording import CONTENT_GUARD
from evalkit.classifiers.seam import Classifier
from evalkit.experiments.batteries.remembering import NOT_ASKED
from evalkit.experiments.batteries.subjects import Subject
from evalkit.records.bands import Bands
from evalkit.records.battery_suites import AgentGroup, BatteryUse
from evalkit.records.battery_verdicts import (
    BatteryVerdict,
    CompleteVerdict,
    ContentVerdict,
    GuardVerdict,
    ModelVerdict,
    RiskCuts,
    RouteVerdict,
    SelectionVerdict,
)
from evalkit.records.decisions import Answer

ITEM = "item"
KEEP, DROP = "keep", "drop"
COMPLETE, INCOMPLETE = "complete", "incomplete"
SELECTORS = {
    "tool_relevance": ToolRelevanceClassifier,
    "skill_relevance": SkillRelevanceClassifier,
    "tool_result_filter": ToolResultFilterClassifier,
}


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One decision with what was expected of it."""

    subject: Subject
    item: str
    expected: str
    decided: str
    answers: Mapping[str, Answer]
    """The answers that this decision rests on: question id -> answer."""
    calibrated: bool
    """Whether the classifier's probabilities are calibrated."""
    excluded: str = ""
    """Why it is not counted; empty where it is."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What turns answers into a decision."""

    bands: Bands
    cuts: RiskCuts = CUTS


def thresholds_of(use: BatteryUse) -> Thresholds:
    """Return a battery's own thresholds."""
    return Thresholds(use.bands, use.cuts or CUTS)


def build(use: BatteryUse, classifier: Classifier) -> Battery:
    """Return the battery that a suite describes. Raises UsageError for a tree or models that cannot be asked about."""
    policy: OnError = use.on_error or "closed"
    if use.battery == "tool_guard":
        return ToolGuardClassifier(classifier, on_error=policy, bands=use.bands, cuts=use.cuts or CUTS)
    if use.battery in SELECTORS:
        return SELECTORS[use.battery](classifier, on_error=policy, bands=use.bands)
    if use.battery == "is_complete":
        return IsCompleteClassifier(classifier, on_error=policy, bands=use.bands)
    if use.battery == "content_guard":
        return ContentGuardClassifier(classifier, on_error=policy, bands=use.bands)
    if use.battery == "agent_router":
        return AgentRouterClassifier(classifier, bands=use.bands)
    return ModelRouterClassifier(classifier, models=use.models or {}, bands=use.bands)


async def evaluate(battery: Battery, subject: Subject) -> BatteryVerdict:
    """Return the battery's verdict on a subject, by its own standalone method."""
    use, text = subject.use, subject.text
    if isinstance(battery, ToolGuardClassifier):
        return await battery.check(subject.call)
    if isinstance(battery, Selection):
        return await battery.choose(text, subject.items)
    if isinstance(battery, IsCompleteClassifier):
        return await battery.check(text, subject.answer)
    if isinstance(battery, AgentRouterClassifier):
        return await battery.pick(text, agent_tree(use.agents or {}), str(use.fallback))
    if isinstance(battery, ModelRouterClassifier):
        return await battery.pick(text, str(use.fallback))
    if isinstance(battery, ContentGuardClassifier):
        return await battery.check(text)
    raise TypeError(f"no battery: {battery!r}")


def trials_of(battery: Battery, subject: Subject, verdict: BatteryVerdict) -> list[Trial]:
    """Return the decisions of a verdict: one, or one per item of a selection. Where the classifier failed they are excluded."""
    excluded = ""
    if verdict.error is not None:
        excluded = "not_asked" if verdict.error == NOT_ASKED else "classifier_error"
    made = partial(Trial, subject=subject, calibrated=verdict.calibrated, excluded=excluded)
    if not isinstance(verdict, SelectionVerdict) or not isinstance(battery, Selection):
        item, expected = subject.expected.item or "", str(subject.expected.expected)
        return [made(item=item, expected=expected, decided=_decided(verdict), answers=verdict.answers)]
    keep = subject.expected.keep or ()
    trials = []
    for number, (name, stays) in enumerate(zip(subject.names, verdict.stays, strict=True), 1):
        answer = verdict.answers.get(f"{battery.wording.field}_{number}")
        expected, decided = (KEEP if stay else DROP for stay in (name in keep, stays))
        trials.append(made(item=name, expected=expected, decided=decided, answers={ITEM: answer} if answer else {}))
    return trials


def decide(use: BatteryUse, answers: Mapping[str, Answer], thresholds: Thresholds) -> str:
    """Return what a battery decides on answers it has, with these thresholds. A level that was not asked counts as unsure."""
    bands = thresholds.bands
    if use.battery == "tool_guard":
        return guard_action(answers.get(RISK), thresholds.cuts, bands)[0]
    if use.battery in SELECTORS:
        return KEEP if keeps(answers.get(ITEM), bands) else DROP
    if use.battery == "is_complete":
        return COMPLETE if completes(answers.values(), bands) else INCOMPLETE
    if use.battery == "content_guard":
        return content_action(_every_dimension(answers), bands)
    if use.battery == "model_router":
        return sure_pick(answers.get(MODEL), use.models or {}, bands) or str(use.fallback)
    return _walked(agent_tree(use.agents or {}), answers, bands) or str(use.fallback)


def agent_tree(agents: Mapping[str, str | AgentGroup]) -> AgentTree:
    """Return a suite's agents as the router takes them."""
    return {
        name: entry if isinstance(entry, str) else Group(entry.description, agent_tree(entry.agents))
        for name, entry in agents.items()
    }


def _decided(verdict: BatteryVerdict) -> str:
    if isinstance(verdict, GuardVerdict | ContentVerdict):
        return verdict.action
    if isinstance(verdict, CompleteVerdict):
        return COMPLETE if verdict.complete else INCOMPLETE
    if isinstance(verdict, RouteVerdict):
        return verdict.agent
    if isinstance(verdict, ModelVerdict):
        return verdict.chosen
    raise TypeError(f"no decision: {verdict!r}")


def _every_dimension(answers: Mapping[str, Answer]) -> list[Answer | None]:
    return [answers.get(name) for name in CONTENT_GUARD.dimensions]


def _walked(tree: AgentTree, answers: Mapping[str, Answer], bands: Bands) -> str | None:
    """Return the agent at the end of sure picks, or None."""
    depth = 0
    while True:
        if len(tree) == 1:
            (picked,) = tree
        else:
            found = sure_pick(answers.get(level_id(depth)), tree, bands)
            if found is None:
                return None
            picked, depth = found, depth + 1
        below = tree[picked]
        if isinstance(below, str):
            return picked
        tree = below.agents
