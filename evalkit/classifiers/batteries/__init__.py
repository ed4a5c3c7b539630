"""Batteries: one judgment each at one place of an agent's loop, useful without a loop too. See docs/batteries.md."""

from evalkit.classifiers.batteries.agent_router import AgentRouterClassifier, Group
from evalkit.classifiers.batteries.approvals import Approvals
from evalkit.classifiers.batteries.content_guard import ContentGuardClassifier
from evalkit.classifiers.batteries.is_complete import IsCompleteClassifier
from evalkit.classifiers.batteries.model_router import ModelRouterClassifier
from evalkit.classifiers.batteries.relevance import SkillRelevanceClassifier, ToolRelevanceClassifier
from evalkit.classifiers.batteries.tool_guard import ToolGuardClassifier
from evalkit.classifiers.batteries.tool_result_filter import ToolResultFilterClassifier
from evalkit.records.battery_verdicts import RiskCuts

__all__ = [
    "AgentRouterClassifier",
    "Approvals",
    "ContentGuardClassifier",
    "Group",
    "IsCompleteClassifier",
    "ModelRouterClassifier",
    "RiskCuts",
    "SkillRelevanceClassifier",
    "ToolGuardClassifier",
    "ToolRelevanceClassifier",
    "ToolResultFilterClassifier",
]
