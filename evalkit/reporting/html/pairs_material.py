"""What the page of a comparison of candidates is made of, and its cases: both answers side by side, and both orders of every pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evalkit.experiments.external_pairs import ExternalPair
from evalkit.experiments.pair_outcomes import candidate_on
from evalkit.records.base import Json
from evalkit.records.cases import Case
from evalkit.records.comparisons import Comparison, PairLine
from evalkit.records.outputs import Output
from evalkit.records.verdicts import PairJudgement, PairVerdict
from evalkit.reporting.html.case_detail import asked_parts
from evalkit.reporting.html.case_list import ListedCase, ListWords, list_index
from evalkit.reporting.html.material import Place
from evalkit.reporting.html.packing import cut
from evalkit.reporting.html.word_diff import word_diff

CONFLICT, NO_VERDICT = "depends on the order", "no verdict"
WORDS = ListWords(
    outcomes=(CONFLICT, NO_VERDICT, "second wins", "first wins", "tie"), look_at=(CONFLICT, NO_VERDICT), name="conflict"
)
OVERALL = "overall"


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsMaterial:
    """A comparison, every pair of it, and the texts that were compared."""

    comparison: Comparison
    pairs: Sequence[PairLine]
    cases: Mapping[str, Case]
    outputs: Mapping[tuple[str, str], Output]
    """(candidate, case id) -> what was compared."""
    elsewhere: Sequence[ExternalPair] = ()
    """Pairs judged elsewhere, of which neither question nor answers are known."""


def pair_cases(material: PairsMaterial) -> list[ListedCase]:
    """Return every case of a comparison with what came of each pair and criterion."""
    found: dict[str, ListedCase] = {}
    for line in material.pairs:
        case = found.setdefault(line.case_id, ListedCase(line.case_id))
        for criterion in line.outcomes:
            case.outcomes[_place(line, criterion)] = _outcome(line, criterion)
    for pair in material.elsewhere:
        case = found.setdefault(pair.case_id, ListedCase(pair.case_id))
        case.outcomes[_place_elsewhere(pair)] = _outcome_elsewhere(pair)
    return list(found.values())


def pairs_index(found: Sequence[ListedCase], material: PairsMaterial) -> dict[str, Json]:
    """Return the list of cases as the page's script reads it."""
    return list_index(found, WORDS, material.cases, ())


def pairs_details(found: Sequence[ListedCase], material: PairsMaterial) -> Iterator[Json]:
    """Yield the cases of the list in full, each with all its pairs."""
    lines: dict[str, list[PairLine]] = {}
    for line in material.pairs:
        lines.setdefault(line.case_id, []).append(line)
    elsewhere: dict[str, list[ExternalPair]] = {}
    for pair in material.elsewhere:
        elsewhere.setdefault(pair.case_id, []).append(pair)
    for one in found:
        case = material.cases.get(one.case_id)
        yield {
            "id": one.case_id,
            "tags": list(case.tags) if case else [],
            "asked": asked_parts(case),
            "context": [[document.id, cut(document.text)] for document in case.context] if case else [],
            "pairs": [_pair(line, material) for line in lines.get(one.case_id, ())]
            + [_pair_elsewhere(pair) for pair in elsewhere.get(one.case_id, ())],
        }


def _place(line: PairLine, criterion: str) -> Place:
    return line.capability, f"{line.first} against {line.second}", criterion


def _outcome(line: PairLine, criterion: str) -> str:
    winner = line.outcomes[criterion]
    if winner is None:
        return NO_VERDICT
    if line.positions.get(criterion, "consistent") != "consistent":
        return CONFLICT
    return "tie" if winner == "tie" else f"{winner} wins"


def sampled(criterion: str, sample: int | None) -> str:
    """Return a criterion with the repetition that it was judged in, where that is known."""
    return criterion if sample is None else f"{criterion}, sample {sample}"


def _place_elsewhere(pair: ExternalPair) -> Place:
    return pair.judge, f"{pair.first} against {pair.second}", sampled(pair.criterion, pair.sample)


def _outcome_elsewhere(pair: ExternalPair) -> str:
    if pair.outcome is None:
        return NO_VERDICT
    if pair.outcome.position != "consistent":
        return CONFLICT
    return "tie" if pair.outcome.winner == "tie" else f"{pair.outcome.winner} wins"


def _pair_elsewhere(pair: ExternalPair) -> Json:
    names = {"first": pair.first, "second": pair.second, "tie": "tie"}
    orders = []
    for said in pair.orders:
        preferred = pair.preferred(said)
        told = {"name": pair.criterion, "rationale": "", "quotes": []}
        why = "unreadable: there was a reply that could not be read" if said.unreadable else "no verdict in the file"
        orders.append(
            {
                "shown": [said.first_shown, pair.second if said.first_shown == pair.first else pair.first],
                "sample": 0,
                "refused": [why] if preferred is None else [],
                "criteria": [] if preferred is None else [{**told, "prefers": names[preferred]}],
            }
        )
    return {
        "names": [pair.first, pair.second],
        "capability": pair.judge,
        "answers": [None, None],
        "compared": True,
        "in_code": "",
        "outcomes": [[sampled(pair.criterion, pair.sample), _outcome_elsewhere(pair)]],
        "orders": orders,
    }


def _pair(line: PairLine, material: PairsMaterial) -> Json:
    texts = [_text(material.outputs.get((name, line.case_id))) for name in (line.first, line.second)]
    pieces = word_diff(*(cut(text or "") for text in texts))
    return {
        "names": [line.first, line.second],
        "capability": line.capability,
        "answers": [None if text is None else pieces[side] for side, text in enumerate(texts)],
        "compared": pieces.compared,
        "in_code": line.decided_in_code,
        "outcomes": [[criterion, _outcome(line, criterion)] for criterion in line.outcomes],
        "orders": [_order(line, judgement) for judgement in line.judgements],
    }


def _text(output: Output | None) -> str | None:
    return None if output is None else output.text


def _order(line: PairLine, judgement: PairJudgement) -> Json:
    """Return one order: who was shown first, and per criterion who was preferred and why, by the candidates' own names."""
    verdict = judgement.preferred
    return {
        "shown": [line.first, line.second] if judgement.order == "ab" else [line.second, line.first],
        "sample": judgement.sample,
        "refused": [f"{reply.rejection.kind}: {cut(reply.rejection.message)}" for reply in judgement.rejected],
        "criteria": [] if verdict is None else list(_preferences(line, judgement, verdict)),
    }


def _preferences(line: PairLine, judgement: PairJudgement, verdict: PairVerdict) -> Iterator[Json]:
    spans = {span.id: span for span in verdict.evidence}
    names = {"first": line.first, "second": line.second, "tie": "tie", None: "tie"}
    shown = {"answer_A": "the answer shown first", "answer_B": "the answer shown second"}
    for criterion, preference in verdict.criteria.items():
        quotes = [spans[span_id] for span_id in preference.evidence if span_id in spans]
        yield {
            "name": criterion,
            "prefers": names[candidate_on(criterion, judgement)],
            "rationale": cut(preference.rationale),
            "quotes": [[cut(span.quote), shown.get(span.source, span.source)] for span in quotes],
        }
    yield {"name": OVERALL, "prefers": names[candidate_on(OVERALL, judgement)], "rationale": "", "quotes": []}
