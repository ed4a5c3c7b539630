"""A classifier made of a chat model: one prompt, probabilities as JSON, every number checked, `calibrated: false`.

The model says how sure it is; nobody has measured what that is worth, so no threshold of a calibrated classifier holds here. A
reply that cannot be right is asked for once more with the fault named; after that it is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from evalkit.classifiers import llm_prompt
from evalkit.classifiers.seam import AnyState, asked, state_value
from evalkit.errors import ProviderError, UsageError
from evalkit.records.base import Json
from evalkit.records.chat import ChatCall
from evalkit.records.classifiers import ClassifierConfig
from evalkit.records.decisions import Decision, DecisionUsage
from evalkit.records.identity import content_hash
from evalkit.records.judges import Backoff, JudgeConfig, Rate
from evalkit.records.questions import Question
from evalkit.records.verdicts import Reply

if TYPE_CHECKING:
    import asyncio

    from evalkit.providers.channel import Channel
    from evalkit.providers.client import Client

TRIES = 2
"""Replies asked for: one, and one more with the fault named."""


class LlmClassifier:
    """Asks a chat model. Raises UsageError where no model is named, or as its client does."""

    def __init__(self, config: ClassifierConfig) -> None:
        if not config.model:
            raise UsageError("classifier.yaml: style llm needs a `model`")
        self._model = config.model
        self._config = config
        self._loop: asyncio.AbstractEventLoop | None = None
        self._opened: tuple[Client, Channel] | None = None

    @property
    def identity(self) -> Mapping[str, Json]:
        """Style, model, address, parameters, prompt and layout."""
        config = self._config
        return {
            "style": "llm",
            "model": self._model,
            "endpoint": config.base_url.rstrip("/") if config.base_url else config.client,
            "params": config.params.as_sent(),
            "structured_output": config.structured_output,
            "prompt": llm_prompt.PROMPT,
            "layout": "together",
        }

    async def evaluate(self, state: AnyState, questions: Mapping[str, Question]) -> Decision:
        """Return the model's answers, all asked in one prompt. Raises UsageError and ProviderError."""
        wanted, value = asked(questions), state_value(state)
        said = llm_prompt.messages(value, wanted)
        replies: list[Reply] = []
        while True:
            reply = await self._ask(said, wanted)
            replies.append(reply)
            try:
                answers = llm_prompt.read_reply(_text_of(reply), wanted, reply.model or self._model)
                break
            except ProviderError as error:
                if len(replies) == TRIES:
                    raise
                said = (*said, {"role": "assistant", "content": reply.text or ""}, _again(error))
        return Decision(
            answers=answers, model=replies[-1].model or self._model, calibrated=False, usage=_usage(replies)
        )

    async def aclose(self) -> None:
        """Close the client's connections; a later call opens new ones."""
        if self._opened is not None:
            (client, _), self._opened = self._opened, None
            await client.aclose()

    async def _ask(self, said: tuple[dict[str, str], ...], questions: Mapping[str, Question]) -> Reply:
        params = self._config.params.as_sent()
        call = ChatCall(
            key=content_hash("classifier-llm", {"model": self._model, "messages": list(said), "params": params}),
            label="classifier",
            model=self._model,
            messages=said,
            params=params,
            schema=llm_prompt.reply_schema(questions) if self._config.structured_output else None,
        )
        reply, _ = await self._channel().ask(call)
        return reply

    def _channel(self) -> Channel:
        """Return this event loop's channel; client and retries are the judges' own."""
        import asyncio
        from pathlib import Path

        from evalkit.providers.channel import Channel
        from evalkit.providers.clients import make_client
        from evalkit.providers.meter import Meter

        loop = asyncio.get_running_loop()
        if self._opened is None or self._loop is not loop:
            judge = _as_judge(self._config)
            client = make_client(judge, Path())
            self._loop, self._opened = loop, (client, Channel(client, judge, Meter()))
        return self._opened[1]


def _as_judge(config: ClassifierConfig) -> JudgeConfig:
    return JudgeConfig(
        client=config.client,
        model=config.model,
        base_url=config.base_url,
        api_key_env=config.api_key_env,
        params=config.params,
        max_in_flight=config.max_in_flight,
        timeout_s=config.timeout_s,
        rate=Rate(rpm=config.rpm),
        backoff=Backoff(first_s=config.retries.first_s, cap_s=config.retries.cap_s),
    )


def _text_of(reply: Reply) -> str | None:
    if reply.refusal:
        raise ProviderError("bad_response", "the model refused to answer")
    if reply.finish_reason == "length":
        raise ProviderError("bad_response", "the model's reply was cut off: raise `params.max_tokens`")
    return reply.text


def _again(error: ProviderError) -> dict[str, str]:
    return {"role": "user", "content": f"That reply cannot be used: {error}. Reply again, with the JSON object alone."}


def _usage(replies: list[Reply]) -> DecisionUsage:
    read = [reply.input_tokens for reply in replies]
    written = [reply.output_tokens for reply in replies]
    return DecisionUsage(requests=len(replies), input_tokens=_sum(read), output_tokens=_sum(written))


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
