"""ToolResultFilter: which passages of a tool's result the model reads."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from evalkit.classifiers.banding import BANDS
from evalkit.classifiers.batteries.asking import OnError
from evalkit.classifiers.batteries.selection import Selection
from evalkit.classifiers.batteries.wording import TOOL_RESULT_FILTER, ItemWording
from evalkit.classifiers.hooks import Hooks, Observe, ToolResult, then_after_tool, told
from evalkit.classifiers.seam import Classifier
from evalkit.records.bands import Bands
from evalkit.records.base import Json
from evalkit.records.battery_verdicts import SelectionVerdict


def query_of(call: Json) -> str:
    """Return what a call asked for: the argument `query`, else all arguments, else the call, as text."""
    arguments = call.get("arguments") if isinstance(call, Mapping) else None
    query = arguments.get("query") if isinstance(arguments, Mapping) else None
    if isinstance(query, str) and query.strip():
        return query
    return json.dumps(call if arguments is None else arguments, ensure_ascii=False, default=str)


class ToolResultFilterClassifier(Selection):
    """Drops the passages that surely do not answer a query. `on_error`: `open` keeps all, `closed` none."""

    name = "tool_result_filter"
    subject = "query"

    def __init__(
        self,
        classifier: Classifier,
        *,
        on_error: OnError,
        wording: ItemWording = TOOL_RESULT_FILTER,
        bands: Bands = BANDS,
    ) -> None:
        super().__init__(classifier, on_error=on_error, wording=wording, bands=bands)

    async def filter(self, query: str, chunks: Sequence[Json]) -> SelectionVerdict:
        """Return the chunks to keep; a chunk is a text or an object with one. Never raises for the classifier."""
        return await self.choose(query, chunks)

    def as_hook(
        self,
        following: Hooks | None = None,
        *,
        query: Callable[[Json], str] = query_of,
        observe: Observe | None = None,
    ) -> Hooks:
        """Return `following` with this filter before its `after_tool`. It looks at results that are lists and no errors, at no others."""
        then = following or Hooks()

        async def after_tool(call: Json, result: ToolResult) -> ToolResult | None:
            own = None
            if isinstance(result.content, list | tuple) and not result.error:
                verdict = await self.filter(query(call), result.content)
                told(observe, verdict)
                own = replace(result, content=list(verdict.kept)) if verdict.dropped else None
            return await then_after_tool(then, own, call, result)

        return replace(then, after_tool=after_tool)
