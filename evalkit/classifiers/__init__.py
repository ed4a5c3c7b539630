"""Classifiers: typed judgments, patterns over them, batteries on top. See docs/classifiers.md."""

from evalkit.classifiers.banding import is_sure, side
from evalkit.classifiers.seam import Classifier, State, configuration_hash
from evalkit.classifiers.static import StaticClassifier
from evalkit.records.bands import Bands
from evalkit.records.decisions import (
    Answer,
    ChoiceAnswer,
    Decision,
    DecisionUsage,
    NoulAnswer,
    Request,
    ScoreAnswer,
)
from evalkit.records.questions import ChoiceQuestion, NoulQuestion, Question, ScoreQuestion, choice, noul, score

__all__ = [
    "Answer",
    "Bands",
    "ChoiceAnswer",
    "ChoiceQuestion",
    "Classifier",
    "Decision",
    "DecisionUsage",
    "NoulAnswer",
    "NoulQuestion",
    "Question",
    "Request",
    "ScoreAnswer",
    "ScoreQuestion",
    "State",
    "StaticClassifier",
    "choice",
    "configuration_hash",
    "is_sure",
    "noul",
    "score",
    "side",
]
