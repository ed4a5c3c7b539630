import pytest

from evalkit.providers.families import FAMILIES, family_of, known_family
from evalkit.records.judges import JudgeConfig
from evalkit.records.outputs import Candidate


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("gpt-4o-2024-08-06", "gpt"),
        ("openai/gpt-5-mini", "gpt"),
        ("azure/gpt4o", "gpt"),
        ("o3-mini", "gpt"),
        ("openai/o1", "gpt"),
        ("claude-sonnet-4-5", "claude"),
        ("bedrock/us.anthropic.claude-3-haiku-20240307-v1:0", "claude"),
        ("gemini/gemini-2.0-flash", "gemini"),
        ("google/gemma-3-27b-it", "gemma"),
        ("meta-llama/Llama-3.1-70B-Instruct", "llama"),
        ("mistralai/Mixtral-8x7B", "mistral"),
        ("ollama/qwen2.5:7b", "qwen"),
        ("deepseek/deepseek-chat", "deepseek"),
        ("command-r-plus", "command"),
        ("xai/grok-4", "grok"),
        ("microsoft/phi-4", "phi"),
    ],
)
def test_known_names_have_their_family(model, family):
    assert family_of(model) == family


@pytest.mark.parametrize(
    "model", [None, "", "stub", "my-finetune", "openai/some-unlisted-model", "foo3-mini", "ephilia"]
)
def test_unknown_names_stay_unknown(model):
    assert family_of(model) is None


def test_a_name_of_two_families_is_unknown():
    assert family_of("deepseek-r1-distill-llama-70b") is None


def test_the_table_names_no_family_twice():
    names = [family for family, _ in FAMILIES]
    assert len(names) == len(set(names))


def test_a_stated_family_counts_before_that_of_the_name_and_an_unknown_one_stays_unknown():
    assert known_family(JudgeConfig(client="openai", model="gpt-4o")) == "gpt"
    assert known_family(JudgeConfig(client="openai", model="gpt-4o", family="house")) == "house"
    assert known_family(JudgeConfig()) is None
    assert known_family(Candidate(model="claude-sonnet")) == "claude"
    assert known_family(Candidate()) is None
