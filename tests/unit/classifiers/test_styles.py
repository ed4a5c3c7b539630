"""classifier.yaml to a classifier."""

from __future__ import annotations

import pytest

from evalkit.classifiers import Alone, ask, make_classifier, noul
from evalkit.records.classifiers import CannedAnswer, ClassifierConfig

RUDE = noul("Is `message` rude?")


@pytest.mark.parametrize("style", ["static", "systemone", "llm", "floor"])
def test_every_style_says_what_it_is(style):
    config = ClassifierConfig(style=style, model="m", base_url="http://127.0.0.1:9", client="openai")
    assert make_classifier(config).identity["style"] == style
    alone = make_classifier(config.model_copy(update={"layout": "alone"}))
    assert isinstance(alone, Alone)
    assert alone.identity["layout"] == "alone"


@pytest.mark.parametrize("calibrated", [True, False])
def test_static_answers_from_its_lines(calibrated):
    canned = (CannedAnswer(state="hi", question=RUDE, answer=0.9), CannedAnswer(state="ho", question=RUDE, answer=True))
    classifier = make_classifier(ClassifierConfig(style="static", calibrated=calibrated), canned)
    found = ask(classifier, "ho", {"any_name": RUDE})
    assert found.answers["any_name"].value() == 1.0
    assert found.calibrated is calibrated
