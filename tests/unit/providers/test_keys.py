import pytest

from evalkit.errors import UsageError
from evalkit.providers.keys import key_for, scrub, without_key
from evalkit.records.judges import JudgeConfig

CANARY = "sk-CANARY-0123456789abcdef"


def config(**fields):
    return JudgeConfig(client="openai", model="m", **fields)


def test_the_key_comes_from_the_named_variable(monkeypatch):
    monkeypatch.setenv("JUDGE_KEY", f" {CANARY}\n")
    assert key_for(config(api_key_env="JUDGE_KEY", base_url="http://127.0.0.1:1/v1")) == CANARY


def test_the_usual_variable_is_read_only_without_a_base_url(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    assert key_for(config()) == CANARY
    assert key_for(config(base_url="http://127.0.0.1:1/v1")) is None


def test_litellm_looks_for_its_providers_keys_itself(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    assert key_for(JudgeConfig(client="litellm", model="openai/m")) is None


@pytest.mark.parametrize("value", [None, "", "   "])
def test_a_missing_key_names_its_variable(monkeypatch, value):
    monkeypatch.delenv("JUDGE_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("JUDGE_KEY", value)
    with pytest.raises(UsageError, match="JUDGE_KEY is not set or empty"):
        key_for(config(api_key_env="JUDGE_KEY"))


@pytest.mark.parametrize("value", ["sk-one two", "sk-“curly”-CANARY", "sk-\x07CANARY"])
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(monkeypatch, value):
    monkeypatch.setenv("JUDGE_KEY", value)
    with pytest.raises(UsageError) as caught:
        key_for(config(api_key_env="JUDGE_KEY"))
    assert value not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "Incorrect API key provided: sk-CANARY-0123456789abcdef.",
        "Incorrect API key provided: sk-CANAR*************cdef.",
        "Client error for url http://127.0.0.1:8099/v1/x?key=CANARY-0123",
        "Client error for url http://u:CANARY-pw@127.0.0.1:8099/v1",
        "headers: {'Authorization': 'Bearer CANARY'}",
        "Authorization: Basic CANARY",
        'curl -H "x-api-key: CANARY" http://h/',
        "api_key=CANARY&x=1",
        "token=CANARY",
        "key sk-ant-api03-CANARY-and-more was refused",
        "wss://h/path?access_token=CANARY",
    ],
)
def test_secrets_are_removed_by_their_shape_even_when_they_are_nobodys_we_know(text):
    cleaned = scrub(text)
    assert "CANAR" not in cleaned
    assert "[removed]" in cleaned


@pytest.mark.parametrize(
    "text",
    [
        "bad key Zq7CANARYCANARYxw9 here",
        "bad key Zq7CAN...xw9 here",
        "bad key Zq7CANARY******** here",
        "bad key ************Yxw9 here",
        "Zq7CANARYCANARYxw9Zq7CANARYCANARYxw9",
    ],
)
def test_a_known_key_is_removed_whole_and_partly_masked(monkeypatch, text):
    monkeypatch.setenv("SOME_PROVIDER_API_KEY", "Zq7CANARYCANARYxw9")
    cleaned = scrub(text)
    assert "Zq7" not in cleaned
    assert "xw9" not in cleaned


def test_the_sent_key_is_removed_whatever_its_variable_is_called():
    assert scrub("it was plain-canary-value", "plain-canary-value") == "it was [removed]"


def test_ordinary_error_texts_stay_as_they_are():
    text = "model `stub-1` does not support temperature=0 (see https://example.org/docs); max_tokens is 4096"
    assert scrub(text) == text


def test_a_reply_that_echoes_the_key_loses_it_and_any_other_text_is_untouched():
    assert without_key(f"you sent {CANARY}", CANARY) == "you sent [removed]"
    assert without_key("a?key=b Bearer c", CANARY) == "a?key=b Bearer c"
    assert without_key(None, CANARY) is None
    assert without_key("abc", "b") == "abc"
