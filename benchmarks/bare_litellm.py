"""litellm alone: its import and N calls of a judge's size, M at once. The baseline of a cold run through litellm."""

from __future__ import annotations

import asyncio
import os
import sys

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["LITELLM_OFFLINE_MODE"] = "true"


async def main(url: str, calls: int, in_flight: int) -> None:
    """Make the calls."""
    import litellm

    litellm.suppress_debug_info = True
    gate = asyncio.Semaphore(in_flight)
    messages = [{"role": "system", "content": "Grade. " * 200}, {"role": "user", "content": "The answer is 42. " * 400}]

    async def one() -> None:
        async with gate:
            await litellm.acompletion(
                model="openai/stub",
                messages=messages,
                api_base=url,
                api_key="none",
                max_retries=0,
                num_retries=0,
                max_tokens=1000,
                temperature=0,
            )

    await asyncio.gather(*(one() for _ in range(calls)))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
