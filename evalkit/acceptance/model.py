"""A generator that is a model on a server: the request as the first message, feedback as a later one, the request itself unchanged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evalkit.acceptance.generator import Done, GenerationError, GeneratorConfig, Turn, failed
from evalkit.errors import ProviderError
from evalkit.judging.materials import question_text
from evalkit.providers.channel import Channel
from evalkit.providers.clients import make_client
from evalkit.providers.meter import Meter, cost_of, usage_known
from evalkit.records.chat import ChatCall
from evalkit.records.identity import content_hash
from evalkit.records.judges import JudgeConfig
from evalkit.records.outputs import Output, Usage
from evalkit.records.verdicts import Reply

MOST_TRIES = 20


@dataclass
class ModelGenerator:
    """Asks a model per turn, several at once."""

    config: GeneratorConfig
    asked: JudgeConfig
    transport_retries: int
    """Failed calls that are sent again for one turn."""

    def generate(self, turns: Sequence[Turn], done: Done) -> None:
        """Take all turns in an event loop of their own; outputs are told as they come."""
        import asyncio

        asyncio.run(self._generate(turns, done))

    async def _generate(self, turns: Sequence[Turn], done: Done) -> None:
        import asyncio

        tries = min(MOST_TRIES, self.transport_retries + 1)
        judge = self.asked.model_copy(
            update={
                "backoff": self.asked.backoff.model_copy(update={"tries": tries}),
                "max_in_flight": max(1, self.config.jobs),
            }
        )
        client = make_client(judge, self.config.folder)
        try:
            channel = Channel(client, judge, Meter(judge.prices))

            async def one(turn: Turn) -> None:
                done(turn, await self._turn(channel, turn))

            async with asyncio.TaskGroup() as group:
                for turn in turns:
                    group.create_task(one(turn))
        finally:
            await client.aclose()

    async def _turn(self, channel: Channel, turn: Turn) -> Output:
        import asyncio

        messages = messages_of(turn)
        call = ChatCall(
            key=content_hash("acceptance-turn/1", [turn.case.id, turn.attempt, list(messages)]),
            label=turn.case.id,
            model=self.asked.model or "",
            messages=messages,
            params=self.asked.params.as_sent(),
            schema=None,
        )
        began = asyncio.get_running_loop().time()
        try:
            reply, retries = await channel.ask(call)
        except ProviderError as error:
            kind = "rejected" if error.kind == "rejected" else "provider"
            used = turn.resends if kind == "provider" else 0
            return failed(turn, GenerationError(kind, str(error)), used)
        took = (asyncio.get_running_loop().time() - began) * 1000
        return self._output(turn, reply, retries, took)

    def _output(self, turn: Turn, reply: Reply, retries: int, took_ms: float) -> Output:
        known = usage_known(reply)
        tokens = (reply.input_tokens or 0, reply.output_tokens or 0, reply.cached_tokens or 0)
        return Output(
            case_id=turn.case.id,
            attempt=turn.attempt,
            text=reply.text if reply.text is not None else reply.refusal,
            finish_reason=reply.finish_reason,
            latency_ms=round(took_ms, 1),
            usage=Usage(input_tokens=reply.input_tokens, output_tokens=reply.output_tokens) if known else None,
            cost_usd=cost_of(self.asked.prices, *tokens) if known else None,
            transport_retries=retries,
            feedback=turn.feedback,
            meta={"model": reply.model} if reply.model else {},
        )


def messages_of(turn: Turn) -> tuple[dict[str, str], ...]:
    """Return the request, and after a missed attempt its text and what to mend; the first message is the same at every attempt."""
    sources = "\n\n".join(f"[{document.id}]\n{document.text}" for document in turn.case.context)
    question = question_text(turn.case)
    first = {"role": "user", "content": f"{question}\n\nSources:\n\n{sources}" if sources else question}
    if turn.feedback is None:
        return (first,)
    said = [{"role": "assistant", "content": turn.previous.text}] if turn.previous and turn.previous.text else []
    return (first, *said, {"role": "user", "content": turn.feedback})
