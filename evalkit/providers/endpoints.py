"""Where a judge is reached. The address comes from judge.yaml alone, so that a report's endpoint is the one that answered."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from evalkit.errors import UsageError
from evalkit.records.judges import JudgeConfig

OPENAI_BASE_URL = "https://api.openai.com/v1"
_CHAT = "/chat/completions"


def base_url_of(config: JudgeConfig) -> str | None:
    """Return the base URL without a trailing slash or a chat path, or None where judge.yaml names none.

    Raises UsageError for what is no http(s) URL, and for one that carries a user, a query or a fragment: keys would sit there.
    """
    if config.base_url is None:
        return None
    return sound_base_url(config.base_url, "judge.yaml: base_url").removesuffix(_CHAT).rstrip("/")


def sound_base_url(base_url: str, where: str) -> str:
    """Return a base URL without trailing slashes; `where` names its field in errors, which never repeat it.

    Raises UsageError for what is no http(s) URL, and for one that carries a user, a query or a fragment: keys would sit there.
    """
    url = base_url.strip()
    try:
        parts = urlsplit(url)
        port_is_sound = parts.port is None or parts.port > 0
    except ValueError:
        port_is_sound, parts = False, urlsplit("")
    if not port_is_sound or parts.scheme not in {"http", "https"} or not parts.hostname:
        raise UsageError(f"{where}: expected an http or https URL such as http://127.0.0.1:8000/v1")
    if parts.username is not None or parts.query or parts.fragment:
        raise UsageError(
            f"{where}: a user, a query or a fragment cannot stand in it; "
            "keys come from the environment, by `api_key_env`"
        )
    return url.rstrip("/")


def proxy_for(url: str) -> str | None:
    """Return the environment's proxy for a URL, NO_PROXY honoured.

    The libraries' own `trust_env` would also read a password from netrc and send it.
    """
    from urllib.request import getproxies, proxy_bypass  # brings http and ssl, which only a purchase needs

    parts = urlsplit(url)
    if proxy_bypass(parts.netloc):
        return None
    return getproxies().get(parts.scheme)


def chat_url(config: JudgeConfig) -> str:
    """Return the URL of chat completions on the OpenAI wire; without a base URL that of OpenAI itself."""
    return (base_url_of(config) or OPENAI_BASE_URL) + _CHAT


def refuse_foreign_base(config: JudgeConfig) -> None:
    """Raise UsageError where a library would take the address from the environment although judge.yaml names none.

    The same judge.yaml would then measure with another server under the same identity.
    """
    if config.base_url is not None or not config.model:
        return
    provider = config.model.partition("/")[0] if "/" in config.model else "openai"
    name = "".join(c if c.isalnum() else "_" for c in provider).upper()
    for variable in (f"{name}_BASE_URL", f"{name}_API_BASE"):
        if os.environ.get(variable):
            raise UsageError(
                f"the environment variable {variable} would redirect the judge {config.model!r}: "
                "write the address into judge.yaml as `base_url` (and the key's variable as `api_key_env`), or unset it"
            )
