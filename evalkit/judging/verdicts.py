"""The only two ways to a verdict: `lookup` needs no client, `buy` asks for what is missing. Nothing leaves unvalidated.

lookup: the floor judge answers at once; for a model, cached replies are validated again at each read, so a stricter validator
reaches old replies for free. buy: one verdict retry with the errors appended, then a judge_error; an accepted reply is on disk
under the first request's key before anyone sees it; failed calls and refused replies are never cached.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evalkit.judging.floor import floor_reply
from evalkit.judging.requests import JudgeRequest
from evalkit.records.verdicts import (
    Judgement,
    Purchase,
    RejectedReply,
    Rejection,
    Verdict,
)
from evalkit.validation.pointwise import read_verdict


def lookup(requests: Iterable[JudgeRequest], cache: None) -> tuple[list[Judgement], list[JudgeRequest]]:
    """Return the judgements that cost nothing and the requests that must be bought."""
    hits: list[Judgement] = []
    misses: list[JudgeRequest] = []
    for request in requests:
        if request.measurement.judge.client == "floor":
            hits.append(_from_floor(request))
        else:
            misses.append(request)
    return hits, misses


def _from_floor(request: JudgeRequest) -> Judgement:
    reply = floor_reply(request)
    read = read_verdict(reply, request.measurement.form, request.material)
    if isinstance(read, Rejection):
        return judgement(request, None, None, [RejectedReply(text=reply.text, rejection=read)])
    return judgement(request, read, None)


def judgement(
    request: JudgeRequest,
    verdict: Verdict | None,
    purchase: Purchase | None,
    rejected: Sequence[RejectedReply] = (),
) -> Judgement:
    """Return the end of a request as a record."""
    measurement = request.measurement
    return Judgement(
        case_id=request.case_id,
        capability=measurement.capability,
        rubric=measurement.rubric.id,
        mode=measurement.rubric.mode,
        sample=request.sample,
        request_key=request.key,
        output_sha256=request.output_sha256,
        judge_config_hash=measurement.config_hash,
        verdict=verdict,
        rejected=tuple(rejected),
        abstained=measurement.abstained,
        purchase=purchase,
        alterations=request.alterations,
    )
