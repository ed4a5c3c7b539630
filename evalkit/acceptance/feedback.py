"""Missed criteria -> short instructions for the next candidate. They are attached to the request, which itself is never changed.

What stands in them comes from the verdict that judged this candidate: the claims that no source carries or a source contradicts,
quoted, and the rationale. Claims and quotes are the candidate's and the sources' own words, bounded, each on a line behind a dash.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evalkit.records.acceptance import AcceptanceCriterion
from evalkit.records.acceptance_log import CriterionResult
from evalkit.records.verdicts import AnyVerdict, Claim, Span, Verdict
from evalkit.validation.material import CANDIDATE

CLAIMS_SHOWN = 5
"""Claims of one criterion that are repeated; the rest is counted."""
TEXT_CHARS = 240
LONGEST = 4000
"""Most characters of all instructions together."""


def feedback_on(
    missed: Iterable[tuple[AcceptanceCriterion, str, CriterionResult, AnyVerdict | None]], attempt: int
) -> str:
    """Return instructions from the missed criteria: (criterion, what passes in words, its result, the verdict that missed it)."""
    parts = [f"Attempt {attempt} was not accepted. Answer the same request again and mend this:"]
    for number, (criterion, description, result, verdict) in enumerate(missed, 1):
        kind = "required" if criterion.required else "wanted"
        lines = [f"{number}. {criterion.name} ({kind}): {_head(criterion, description, result.reason)}"]
        if isinstance(verdict, Verdict):
            lines += _claims(criterion, verdict)
        parts.append("\n".join(lines))
    text = "\n".join(parts)
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def _head(criterion: AcceptanceCriterion, description: str, reason: str) -> str:
    """Return what passes and why it was missed; of a check in code the reason first, which says what to change."""
    rule = _short(description, 2 * TEXT_CHARS)
    if not reason:
        return rule
    if criterion.strategy.scorer is not None:
        return _short(reason) + (f"\n   The rule: {rule}" if rule else "")
    return f"{rule}\n   Why it was missed: {_short(reason)}"


def _claims(criterion: AcceptanceCriterion, verdict: Verdict) -> list[str]:
    """Return what decided against a criterion: its claims, each with the quote that speaks against it, then passages by themselves."""
    entry = verdict.criteria.get(criterion.strategy.criterion or "")
    if entry is None:
        return []
    named = set(entry.claims)
    faulty = [claim for claim in verdict.claims if claim.id in named and claim.status != "supported"]
    lines = [_claim(claim) for claim in faulty[:CLAIMS_SHOWN]]
    if len(faulty) > CLAIMS_SHOWN:
        lines.append(f"   - and {len(faulty) - CLAIMS_SHOWN} more such claims")
    passages = [span for span in verdict.evidence if span.id in entry.evidence]
    return lines + [f"   - quoted from {_passage(span)}" for span in passages[:CLAIMS_SHOWN]]


_WORDS: Mapping[str, str] = {
    "unsupported": "no source says",
    "contradicted": "a source says otherwise than",
}


def _claim(claim: Claim) -> str:
    quotes = "; ".join(_passage(span) for span in claim.evidence if span.source != CANDIDATE)
    against = f" ({quotes})" if quotes else ""
    return f'   - {_WORDS[claim.status]}: "{_short(claim.text)}"{against}'


def _passage(span: Span) -> str:
    where = "the answer" if span.source == CANDIDATE else span.source
    return f'{_short(where)}: "{_short(span.quote)}"'


def _short(text: str, most: int = TEXT_CHARS) -> str:
    """Return a text on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 3] + "..."
