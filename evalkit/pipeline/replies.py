"""The reply cache of whatever asks: whether it is needed, and that it is closed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from evalkit.loading.loaded_suite import LoadedSuite
from evalkit.pipeline.columns import Columns
from evalkit.pipeline.request import RunRequest
from evalkit.providers.batch_journal import FOLDER, BatchJournal
from evalkit.providers.reply_cache import ReplyCache, cache_folder, open_cache


def keeps_replies(loaded: LoadedSuite, columns: Columns) -> bool:
    """Tell whether a run asks something whose replies are kept: a judge that is no floor, or a classifier behind a server."""
    judged = any(column.measurement.judge.client != "floor" for column in columns.judged)
    return judged or any(config.style in {"systemone", "llm"} for config, _ in loaded.classifiers.values())


def settle_open_batches(cache: ReplyCache | None) -> None:
    """Let go of open batches whose replies the cache holds by now; what cannot be read or changed there is left as it is."""
    if cache is None or not (cache.folder / FOLDER).is_dir():
        return
    # Told where it matters: when something is to be bought, and the same disk refuses.
    BatchJournal(cache.folder, lambda _: None).settle_all(cache.get_many)


@contextmanager
def opened_cache(request: RunRequest, note: Callable[[str], None], *, wanted: bool) -> Iterator[ReplyCache | None]:
    """Give the reply cache for as long as it is needed; None where it is not `wanted`, since nothing that is asked is kept.

    `note` is told of a damaged cache. Replies that the cache cannot take are rescued into `request.out`.
    """
    if not wanted:
        yield None
        return
    cache = open_cache(cache_folder(request.cache), note, rescue=request.out)
    try:
        yield cache
    finally:
        cache.close()
