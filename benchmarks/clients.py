"""CPU per chat call of the clients that could carry the OpenAI wire, each in a process of its own against one loopback server.

    python benchmarks/clients.py [--calls 2000] [--in-flight 50]

A call is what a judge sends: about 8 KB of messages and a response format, and a reply of about 1 KB. Reported are CPU of the client's
process per call without its import, that CPU as a multiple of the baseline's (a bare POST over asyncio streams, measured in the same
run), and the import. The figures that chose the client stand in docs/decisions/openai-wire-client.md.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parent.parent / "tests"
CLIENTS = ("streams", "aiohttp", "evalkit", "httpx", "openai", "litellm")
MESSAGES = [{"role": "system", "content": "Grade. " * 200}, {"role": "user", "content": "The answer is 42. " * 400}]
SCHEMA = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
}
BODY = {
    "model": "stub",
    "messages": MESSAGES,
    "temperature": 0,
    "max_tokens": 1000,
    "response_format": {"type": "json_schema", "json_schema": {"name": "verdict", "strict": True, "schema": SCHEMA}},
}


async def _many(calls: int, in_flight: int, one: Any) -> float:
    """Return CPU seconds of `calls` calls, after a few to warm up."""
    gate = asyncio.Semaphore(in_flight)

    async def guarded() -> None:
        async with gate:
            await one()

    await asyncio.gather(*(guarded() for _ in range(in_flight)))
    started = time.process_time()
    await asyncio.gather(*(guarded() for _ in range(calls)))
    return time.process_time() - started


async def _streams(url: str, calls: int, in_flight: int) -> float:
    """The least that can be done: keep-alive connections, a request written by hand, a body of known length, JSON both ways."""
    host, port = url.removeprefix("http://").removesuffix("/v1").split(":")
    idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def one() -> None:
        reader, writer = idle.pop() if idle else await asyncio.open_connection(host, int(port))
        data = json.dumps(BODY).encode()
        writer.write(
            b"POST /v1/chat/completions HTTP/1.1\r\nHost: %b\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
            % (host.encode(), len(data))
        )
        writer.write(data)
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        json.loads(await reader.readexactly(length))["choices"][0]["message"]["content"]
        idle.append((reader, writer))

    spent = await _many(calls, in_flight, one)
    for _, writer in idle:
        writer.close()
        await writer.wait_closed()
    return spent


async def _aiohttp(url: str, calls: int, in_flight: int) -> float:
    import aiohttp

    async with aiohttp.ClientSession() as session:

        async def one() -> None:
            async with session.post(f"{url}/chat/completions", json=BODY) as response:
                (await response.json())["choices"][0]["message"]["content"]

        return await _many(calls, in_flight, one)


async def _evalkit(url: str, calls: int, in_flight: int) -> float:
    from evalkit.providers.channel import Channel
    from evalkit.providers.clients import make_client
    from evalkit.providers.meter import Meter
    from evalkit.records.chat import ChatCall
    from evalkit.records.judges import JudgeConfig

    config = JudgeConfig(client="openai", model="stub", base_url=url, max_in_flight=in_flight)
    client = make_client(config, Path())
    channel = Channel(client, config, Meter())
    call = ChatCall(
        key="k",
        label="case",
        model="stub",
        messages=tuple(MESSAGES),
        params={"temperature": 0, "max_tokens": 1000},
        schema=SCHEMA,
    )
    try:
        return await _many(calls, in_flight, lambda: channel.ask(call))
    finally:
        await client.aclose()


async def _httpx(url: str, calls: int, in_flight: int) -> float:
    import httpx

    async with httpx.AsyncClient(limits=httpx.Limits(max_connections=in_flight), timeout=60) as client:

        async def one() -> None:
            response = await client.post(f"{url}/chat/completions", json=BODY)
            response.json()["choices"][0]["message"]["content"]

        return await _many(calls, in_flight, one)


async def _openai(url: str, calls: int, in_flight: int) -> float:
    import openai

    async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
        completions: Any = client.chat.completions
        return await _many(calls, in_flight, lambda: completions.create(**BODY))


async def _litellm(url: str, calls: int, in_flight: int) -> float:
    from evalkit.providers.clients import make_client
    from evalkit.records.chat import ChatCall
    from evalkit.records.judges import JudgeConfig

    client = make_client(
        JudgeConfig(client="litellm", model="openai/stub", base_url=url, max_in_flight=in_flight), Path()
    )
    call = ChatCall(
        key="k", label="case", model="openai/stub", messages=tuple(MESSAGES), params={"temperature": 0}, schema=SCHEMA
    )
    try:
        return await _many(calls, in_flight, lambda: client.complete(call))
    finally:
        await client.aclose()


def _measure(name: str, url: str, calls: int, in_flight: int) -> None:
    """Measure one client in this process and print its figures as JSON."""
    run = {
        "streams": _streams,
        "aiohttp": _aiohttp,
        "evalkit": _evalkit,
        "httpx": _httpx,
        "openai": _openai,
        "litellm": _litellm,
    }
    started = time.process_time()
    if name == "litellm":
        import evalkit.providers.litellm_client
    elif name == "evalkit":
        import evalkit.providers.channel
        import evalkit.providers.openai_wire  # noqa: F401  (imports are what is measured)
    elif name != "streams":
        __import__(name)
    imported = time.process_time() - started
    spent = asyncio.run(run[name](url, calls, in_flight))
    print(json.dumps({"import_s": imported, "ms_per_call": spent / calls * 1000}))


def main() -> None:
    """Measure all clients and print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--in-flight", type=int, default=50)
    parser.add_argument("--measure", nargs=2, metavar=("CLIENT", "URL"))
    options = parser.parse_args()
    if options.measure:
        _measure(*options.measure, options.calls, options.in_flight)
        return
    server = subprocess.Popen([sys.executable, "-m", "fakes.chat_server"], cwd=TESTS, stdout=subprocess.PIPE, text=True)
    try:
        url = server.stdout.readline().strip() if server.stdout else ""
        print(f"{'client':10}{'ms CPU a call':>15}{'x streams':>12}{'import s':>10}")
        base = None
        for name in CLIENTS:
            calls = str(options.calls if name != "litellm" else max(100, options.calls // 5))
            command = [
                sys.executable,
                __file__,
                "--measure",
                name,
                url,
                "--calls",
                calls,
                "--in-flight",
                str(options.in_flight),
            ]
            figures = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            base = base or figures["ms_per_call"]
            print(
                f"{name:10}{figures['ms_per_call']:15.2f}{figures['ms_per_call'] / base:12.1f}{figures['import_s']:10.2f}",
                flush=True,
            )
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
