"""A desk over real HTTP, where a whole run would hide what happens: answers that are no answer, and none at all."""

from __future__ import annotations

import asyncio
import time

import pytest
from fakes.batch_server import BatchServer

from evalkit.errors import ProviderError
from evalkit.providers.batch_client import BatchClient
from evalkit.providers.batch_desk import BatchDesk
from evalkit.providers.batch_journal import BatchJournal
from evalkit.providers.meter import Meter
from evalkit.records.batches import OpenBatch
from evalkit.records.chat import ChatCall
from evalkit.records.judges import Backoff, BatchConfig, JudgeConfig


class Watching:
    """What a desk told."""

    def __init__(self):
        self.stages, self.steps, self.notes = [], [], []

    def stage(self, name, total):
        self.stages.append((name, total))

    def step(self, done, *, cost_usd=None):
        self.steps.append(done)

    def note(self, message):
        self.notes.append(message)


@pytest.fixture
def server():
    with BatchServer(reply="fine") as running:
        yield running


@pytest.fixture
def at_desk(server, tmp_path):
    """Run work at a desk of a server; return what came of it and what was told."""

    def run(work, timeout_s=60.0, **fields):
        watch = Watching()

        async def go():
            config = BatchConfig(**({"poll_s": 0.01, "poll_cap_s": 0.02} | fields))
            backoff = Backoff(tries=2, first_s=0.01, cap_s=0.1)
            judge = JudgeConfig(
                client="openai", model="m", base_url=server.url, backoff=backoff, batch=config, timeout_s=timeout_s
            )
            client = BatchClient(judge, Meter())
            try:
                return await work(BatchDesk(client, config, BatchJournal(tmp_path, watch.note), watch))
            finally:
                await client.aclose()

        return asyncio.run(go()), watch

    return run


CALLS = [
    ChatCall(key=f"k{n}", label="c", model="m", messages=({"role": "user", "content": "x"},), params={}, schema=None)
    for n in range(3)
]


async def bought(desk):
    return await desk.results(await desk.submit(CALLS))


def test_who_watches_sees_states_and_counts(at_desk):
    results, watch = at_desk(bought)
    assert sorted(results.replies) == ["k0", "k1", "k2"]
    assert watch.stages == [("batches 1 in_progress", 3), ("batches 1 completed", 3)]
    assert watch.steps[-1] == 3
    assert watch.notes == ["batch batch_0 of 3 requests is submitted", "batch batch_0: completed: answered 3"]


def test_waits_between_looks_grow_up_to_the_cap(server, at_desk):
    server.looks_needed = 6
    began = time.monotonic()
    at_desk(bought, poll_s=0.02, poll_cap_s=0.05)
    assert len(server.polls) == 6
    assert time.monotonic() - began > 0.02 + 0.03 + 0.045 + 0.05 + 0.05 - 0.01


def test_a_provider_that_gives_no_answer_for_a_while_costs_patience_only(server, at_desk):
    server.scripts = {"look": [500, 500, 502, 502, 0]}
    results, watch = at_desk(bought)
    assert len(results.replies) == 3
    assert sum("no answer about it for now" in note for note in watch.notes) == 2


def test_a_key_that_is_refused_leaves_the_batch_open(server, at_desk):
    server.scripts = {"look": [401]}

    async def work(desk):
        found = await bought(desk)
        desk.tell_open()
        return found

    results, watch = at_desk(work)
    assert results is None
    assert "has not ended and stays with the provider" in watch.notes[-1]


def test_an_upload_without_an_id_is_no_upload(server, at_desk):
    server.file_name = "\x00"
    with pytest.raises(ProviderError, match="no file was uploaded"):
        at_desk(bought)


def test_a_start_that_is_never_answered_leaves_open_what_may_have_been_bought(server, at_desk):
    server.slow_start_s = 60.0

    async def work(desk):
        batch = await desk.submit(CALLS)
        desk.tell_open()
        return batch

    batch, watch = at_desk(work, timeout_s=1.5)
    assert batch is None
    assert "not known whether it was started (no complete answer within 1.5 s; 2 requests sent)" in watch.notes[0]
    assert "the batch of file file-0 of 3 requests may have been started, which nobody could say" in watch.notes[1]


def test_a_file_whose_batch_nobody_knows_for_now_is_kept_and_said(server, at_desk, tmp_path):
    kept = BatchJournal(tmp_path, lambda _: None)
    kept.write(OpenBatch(address=server.url, file_id="f", batch_id=None, submitted_at=time.time(), keys=("k0",)))
    server.scripts = {"list": [500, 500]}

    async def found(desk):
        return await desk.found({"k0"})

    with pytest.raises(ProviderError, match="not now"):
        at_desk(found)
    assert kept.keys(server.url) == {"k0"}
    server.scripts = {"list": [404]}
    assert at_desk(found)[0] == []
    assert kept.keys(server.url) == frozenset()
