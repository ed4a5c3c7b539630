"""litellm alone: its import and N calls with a judge's own body, M at once. The baseline of a cold run through litellm.

python benchmarks/bare_litellm.py URL CALLS IN_FLIGHT BODY.json
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["LITELLM_OFFLINE_MODE"] = "true"


async def main(url: str, calls: int, in_flight: int, body: dict[str, object]) -> None:
    """Make the calls."""
    import litellm

    litellm.suppress_debug_info = True
    gate = asyncio.Semaphore(in_flight)

    async def one() -> None:
        async with gate:
            await litellm.acompletion(**body, api_base=url, api_key="none", max_retries=0, num_retries=0, timeout=120)

    await asyncio.gather(*(one() for _ in range(calls)))


if __name__ == "__main__":
    url, calls, in_flight, body = sys.argv[1:]
    asyncio.run(main(url, int(calls), int(in_flight), json.loads(Path(body).read_text(encoding="utf-8"))))
