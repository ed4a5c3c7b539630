"""The ways to a model server, all with one method. Which one carries a call is transport and no part of a judge's identity.

    litellm   any provider that litellm knows, any api_base
    openai    the OpenAI chat wire at any base URL (OpenAI, vLLM, Ollama, gateways), at a fraction of the CPU
    replay    recorded replies by key, no network

Clients neither retry, nor wait, nor count: that is the channel's. They raise ProviderError and nothing else for a failed call.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from evalkit.errors import UsageError
from evalkit.providers.client import Client
from evalkit.records.judges import JudgeConfig


def make_client(config: JudgeConfig, folder: Path) -> Client:
    """Return the client that judge.yaml asks for; paths in it are relative to `folder`.

    To be called where an event loop runs. Raises UsageError for a missing key or an address that cannot be used, InputError
    for a faulty recording.
    """
    if config.client == "floor":
        raise UsageError(
            "the floor judge is embedded and asks no server (set `client` in judge.yaml to litellm, openai or replay)"
        )
    return CLIENTS[config.client](config, folder)


def preload(config: JudgeConfig) -> None:
    """Import what the configured client needs; run in a thread while data is read, because litellm takes seconds."""
    if config.client == "floor":
        return
    import evalkit.providers.channel

    if config.client == "litellm":
        import evalkit.providers.litellm_client
    elif config.client == "openai":
        import evalkit.providers.openai_wire  # noqa: F401  (imported for its effect, as are the two above)


def _litellm(config: JudgeConfig, folder: Path) -> Client:  # noqa: ARG001  (one signature for the whole table)
    from evalkit.providers.litellm_client import LitellmClient

    return LitellmClient(config)


def _openai(config: JudgeConfig, folder: Path) -> Client:  # noqa: ARG001  (one signature for the whole table)
    from evalkit.providers.openai_wire import OpenAIWireClient

    return OpenAIWireClient(config)


def _replay(config: JudgeConfig, folder: Path) -> Client:
    from evalkit.providers.replay import ReplayClient

    if not config.replay:
        raise UsageError("client: replay needs `replay: FILE` in judge.yaml; `evalkit run --record FILE` writes one")
    return ReplayClient(folder / config.replay)


CLIENTS: dict[str, Callable[[JudgeConfig, Path], Client]] = {"litellm": _litellm, "openai": _openai, "replay": _replay}
"""Client names of judge.yaml -> what makes them."""
