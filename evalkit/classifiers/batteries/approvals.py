"""Answers of people to pending calls, by the request's id. An id is the hash of the call, so an approval fits this call only."""

from __future__ import annotations

from collections.abc import Mapping

from evalkit.records.decisions import Request


class Approvals:
    """Who may carry on. Each answer is used once: the same call again asks again."""

    def __init__(self, answers: Mapping[str, bool] | None = None) -> None:
        self._answers = dict(answers or {})

    def answer(self, request_id: str, *, approved: bool) -> None:
        """Keep a person's answer."""
        self._answers[request_id] = approved

    def take(self, request: Request) -> bool | None:
        """Return a person's answer and forget it; None where there is none."""
        return self._answers.pop(request.id, None)
