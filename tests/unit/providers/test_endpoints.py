import pytest

from evalkit.errors import UsageError
from evalkit.providers.endpoints import base_url_of, chat_url, refuse_foreign_base
from evalkit.records.judges import JudgeConfig


def config(base_url=None, model="m", client="openai"):
    return JudgeConfig(client=client, model=model, base_url=base_url)


@pytest.mark.parametrize(
    "spelling",
    [
        "http://127.0.0.1:8099/v1",
        "http://127.0.0.1:8099/v1/",
        " http://127.0.0.1:8099/v1// ",
        "http://127.0.0.1:8099/v1/chat/completions",
        "http://127.0.0.1:8099/v1/chat/completions/",
    ],
)
def test_every_spelling_of_a_base_url_gives_one_address(spelling):
    assert chat_url(config(spelling)) == "http://127.0.0.1:8099/v1/chat/completions"


def test_without_a_base_url_it_is_openai_whatever_the_environment_says(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/other")
    assert chat_url(config()) == "https://api.openai.com/v1/chat/completions"
    assert base_url_of(config()) is None


@pytest.mark.parametrize(
    "url", ["", "v1", "ftp://h/v1", "file:///etc/passwd", "http://", "http://h:99999999/v1", "http://[::1/v1"]
)
def test_what_is_no_http_address_is_refused(url):
    with pytest.raises(UsageError, match="base_url"):
        base_url_of(config(url))


@pytest.mark.parametrize("url", ["http://u:CANARY@h/v1", "http://h/v1?key=CANARY", "http://h/v1#CANARY"])
def test_a_secret_in_the_address_is_refused_without_showing_it(url):
    with pytest.raises(UsageError, match="api_key_env") as caught:
        base_url_of(config(url))
    assert "CANARY" not in str(caught.value)


@pytest.mark.parametrize(
    ("model", "variable"),
    [
        ("openai/m", "OPENAI_BASE_URL"),
        ("gpt-4o", "OPENAI_API_BASE"),
        ("azure/m", "AZURE_API_BASE"),
        ("a-b/m", "A_B_BASE_URL"),
    ],
)
def test_an_address_from_the_environment_is_refused_where_the_configuration_names_none(monkeypatch, model, variable):
    monkeypatch.setenv(variable, "http://127.0.0.1:9/other")
    with pytest.raises(UsageError, match=variable):
        refuse_foreign_base(config(None, model, "litellm"))
    refuse_foreign_base(config("http://h/v1", model, "litellm"))
