"""Classifiers: typed judgments, patterns over them, batteries on top. See docs/classifiers.md.

Everything a host needs is named here. No model library is imported by it.
"""

from evalkit.classifiers.asking import Alone, ask, evaluate_many
from evalkit.classifiers.banding import is_sure, side
from evalkit.classifiers.batteries import (
    AgentRouterClassifier,
    Approvals,
    ContentGuardClassifier,
    Group,
    IsCompleteClassifier,
    ModelRouterClassifier,
    SkillRelevanceClassifier,
    ToolGuardClassifier,
    ToolRelevanceClassifier,
    ToolResultFilterClassifier,
)
from evalkit.classifiers.composite import Composite, Part, composite
from evalkit.classifiers.consistency import Consistent, agreed, consistent
from evalkit.classifiers.escalation import Cascade, Escalated, Person, escalate, resume
from evalkit.classifiers.floor import FloorClassifier
from evalkit.classifiers.gate import gate
from evalkit.classifiers.hooks import ContentBlockedError, Dispatch, Hooks, Override, Pending, ToolResult, Turn
from evalkit.classifiers.lint import Doubt, lint
from evalkit.classifiers.llm import LlmClassifier
from evalkit.classifiers.seam import Classifier, State, configuration_hash
from evalkit.classifiers.static import StaticClassifier
from evalkit.classifiers.styles import make_classifier
from evalkit.classifiers.suspensions import Suspensions, make_request
from evalkit.classifiers.systemone import SystemOneClassifier
from evalkit.classifiers.tape import Recording, Tape
from evalkit.records.bands import Bands
from evalkit.records.battery_verdicts import RiskCuts
from evalkit.records.classifiers import CannedAnswer, ClassifierConfig, Retries
from evalkit.records.decisions import Answer, ChoiceAnswer, Decision, DecisionUsage, NoulAnswer, Request, ScoreAnswer
from evalkit.records.policies import GateOutcome, Policy, Rule
from evalkit.records.questions import ChoiceQuestion, NoulQuestion, Question, ScoreQuestion, choice, noul, score

__all__ = [
    "AgentRouterClassifier", "Alone", "Answer", "Approvals", "Bands", "CannedAnswer", "Cascade", "ChoiceAnswer",
    "ChoiceQuestion", "Classifier", "ClassifierConfig", "Composite", "Consistent", "ContentBlockedError",
    "ContentGuardClassifier", "Decision", "DecisionUsage", "Dispatch", "Doubt", "Escalated", "FloorClassifier",
    "GateOutcome", "Group", "Hooks", "IsCompleteClassifier", "LlmClassifier", "ModelRouterClassifier", "NoulAnswer",
    "NoulQuestion", "Override", "Part", "Pending", "Person", "Policy", "Question", "Recording", "Request", "Retries",
    "RiskCuts", "Rule", "ScoreAnswer", "ScoreQuestion", "SkillRelevanceClassifier", "State", "StaticClassifier",
    "Suspensions", "SystemOneClassifier", "Tape", "ToolGuardClassifier", "ToolRelevanceClassifier", "ToolResult",
    "ToolResultFilterClassifier", "Turn", "agreed", "ask", "choice", "composite", "configuration_hash", "consistent",
    "escalate", "evaluate_many", "gate", "is_sure", "lint", "make_classifier", "make_request", "noul", "resume",
    "score", "side",
]  # fmt: skip
