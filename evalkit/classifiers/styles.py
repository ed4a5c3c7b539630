"""classifier.yaml to a classifier: the written-out table of styles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from evalkit.classifiers.asking import Alone
from evalkit.classifiers.floor import FloorClassifier
from evalkit.classifiers.llm import LlmClassifier
from evalkit.classifiers.seam import Classifier
from evalkit.classifiers.static import StaticClassifier
from evalkit.classifiers.systemone import SystemOneClassifier, systemone_identity
from evalkit.records.base import Json
from evalkit.records.classifiers import CannedAnswer, ClassifierConfig

ONE = "q"


def make_classifier(config: ClassifierConfig, canned: Sequence[CannedAnswer] = ()) -> Classifier:
    """Return the classifier that a configuration asks for; `canned` are the answers of `style: static`.

    Raises UsageError where a key, a model or an address is missing or cannot be used.
    """
    classifier = STYLES[config.style](config, canned)
    return Alone(classifier) if config.layout == "alone" else classifier


def identity_of(config: ClassifierConfig, canned: Sequence[CannedAnswer] = ()) -> Mapping[str, Json]:
    """Return the identity of the classifier that `make_classifier` would make, without a key and without a client.

    Raises UsageError where a model is missing or an address cannot be used.
    """
    if config.style == "systemone":
        identity = systemone_identity(config)
    else:
        identity = STYLES[config.style](config, canned).identity
    return {**identity, "layout": "alone"} if config.layout == "alone" else identity


def _static(config: ClassifierConfig, canned: Sequence[CannedAnswer]) -> Classifier:
    cases = [(line.state, {ONE: line.question}, {ONE: line.answer}) for line in canned]
    return StaticClassifier(cases, model=config.model or "static", calibrated=config.calibrated)


STYLES: dict[str, Callable[[ClassifierConfig, Sequence[CannedAnswer]], Classifier]] = {
    "static": _static,
    "systemone": lambda config, _: SystemOneClassifier(config),
    "llm": lambda config, _: LlmClassifier(config),
    "floor": lambda _, __: FloorClassifier(),
}
"""Styles of classifier.yaml -> what makes them."""
