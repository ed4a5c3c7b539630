"""`evalkit judge ping`: one call to the judge that a suite, or a judge.yaml, names, and of a cascade one question to its classifier."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import NamedTuple

from evalkit.errors import ProviderError, UsageError
from evalkit.loading.classifier_files import CheapFiles
from evalkit.loading.suites import load_suite, load_tiers
from evalkit.providers.ping import Ping, ping
from evalkit.records.classifiers import ClassifierConfig
from evalkit.records.decisions import Decision
from evalkit.records.judges import JudgeConfig

STATE = {"message": "The word is apple."}
ONE = "q"


class ClassifierPing(NamedTuple):
    """What one question to a cascade's classifier showed."""

    config: ClassifierConfig
    decision: Decision
    """Its answer to whether `message` names a fruit."""
    latency_ms: float


class Pinged(NamedTuple):
    """Who was asked, and what answered."""

    judge: JudgeConfig
    ping: Ping
    classifier: ClassifierPing | None
    """Of a cascade whose classifier is a model; None of any other."""


def ping_judge(suite: Path | None, judge: Path | None) -> Pinged:
    """Make one call to the judge, after one question to the classifier before it where a model stands there.

    Raises UsageError where there is nobody to ask (the floor, a replay), ProviderError where a call fails.
    """
    cheap: CheapFiles | None
    if judge is not None:
        (config, cheap), folder = load_tiers(judge), judge.parent
    elif suite is not None:
        loaded = load_suite(suite)
        config, cheap, folder = loaded.judge, loaded.cheap, loaded.folder
    else:
        raise UsageError("name a suite, or a judge file with --judge")
    if config.client in ("floor", "replay"):
        raise UsageError(f"client {config.client!r} makes no calls; there is nobody to ping")
    classifier = None if cheap is None else _ask_classifier(cheap[0])
    return Pinged(config, asyncio.run(ping(config, folder)), classifier)


def _ask_classifier(config: ClassifierConfig) -> ClassifierPing | None:
    """Ask one small question, for one time-out at most; nobody where canned answers or the floor stand before the judge."""
    import time

    from evalkit.classifiers.asking import ask
    from evalkit.classifiers.replies import BOUGHT
    from evalkit.classifiers.styles import make_classifier
    from evalkit.records.questions import noul

    if config.style not in BOUGHT:
        return None
    once = config.model_copy(update={"retries": config.retries.model_copy(update={"total_s": config.timeout_s})})
    classifier = make_classifier(once)
    began = time.monotonic()
    try:
        decision = ask(classifier, STATE, {ONE: noul("Does `message` name a fruit?", yes="apple or pear")})
    except ProviderError as error:
        raise ProviderError(error.kind, f"the classifier before the judge: {error}", refused=error.refused) from None
    return ClassifierPing(config, decision, (time.monotonic() - began) * 1000)
