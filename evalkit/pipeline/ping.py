"""`evalkit judge ping`: one call to the judge that a suite, or a judge.yaml, names."""

from __future__ import annotations

import asyncio
from pathlib import Path

from evalkit.errors import UsageError
from evalkit.loading.suites import load_judge, load_suite
from evalkit.providers.ping import Ping, ping
from evalkit.records.judges import JudgeConfig


def ping_judge(suite: Path | None, judge: Path | None) -> tuple[JudgeConfig, Ping]:
    """Make one call and return who was asked and what answered.

    Raises UsageError where there is nobody to ask (the floor, a replay), ProviderError where the call fails.
    """
    if judge is not None:
        config, folder = load_judge(judge), judge.parent
    elif suite is not None:
        loaded = load_suite(suite)
        config, folder = loaded.judge, loaded.folder
    else:
        raise UsageError("name a suite, or a judge file with --judge")
    if config.client in ("floor", "replay"):
        raise UsageError(f"client {config.client!r} makes no calls; there is nobody to ping")
    return config, asyncio.run(ping(config, folder))
