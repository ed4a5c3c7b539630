"""The same judge under two rubrics is two configurations and one answerer."""

from __future__ import annotations

import pytest
from fakes.pairs import preference
from fakes.references import coverage_rubric
from fakes.verdicts import faithfulness, helpfulness

from evalkit.judging.answerer import ASKED, answerer_of
from evalkit.judging.cascade import CheapTier
from evalkit.judging.requests import Measurement
from evalkit.records.classifiers import ClassifierConfig
from evalkit.records.judges import CascadeConfig, JudgeConfig, Params

JUDGE = JudgeConfig(client="openai", model="m", base_url="http://localhost/v1")
CHEAP = CheapTier(helpfulness(), CascadeConfig(classifier="c.yaml"), ClassifierConfig())


def answerer(judge=JUDGE, rubric=None):
    return answerer_of(Measurement("f", rubric or faithfulness(), judge).identity)


def test_rubric_mode_and_samples_are_what_is_asked():
    repeated = JUDGE.model_copy(update={"samples": 3})
    assert answerer() == answerer(repeated) == answerer(rubric=preference())
    assert Measurement("f", faithfulness(), JUDGE).config_hash != Measurement("f", preference(), JUDGE).config_hash


@pytest.mark.parametrize(
    "change", [{"model": "n"}, {"base_url": "http://elsewhere/v1"}, {"params": Params(temperature=0.5)}]
)
def test_model_endpoint_and_parameters_are_who_answers(change):
    assert answerer(JUDGE.model_copy(update=change)) != answerer()


def test_the_floor_is_an_answerer_of_its_own():
    assert answerer(JudgeConfig()) == {"model": "floor", "endpoint": "embedded", "params": {}} | {
        "structured_output": answerer()["structured_output"]
    }


def test_every_part_that_is_left_out_is_one_of_an_identity():
    rubrics = (faithfulness(), coverage_rubric())
    cascaded = Measurement("f", helpfulness(), JUDGE, CHEAP).identity
    assert {*cascaded, *(name for rubric in rubrics for name in Measurement("f", rubric, JUDGE).identity)} > ASKED


def test_a_judge_behind_a_classifier_is_the_same_answerer_for_pairs_are_put_to_it_alone():
    assert answerer_of(Measurement("f", helpfulness(), JUDGE, CHEAP).identity) == answerer()
