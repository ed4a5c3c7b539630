"""Retrieval: the retrieved ids of an output against the expected sources of its case, with trec_eval's definitions.

Both lists lose repeats, keeping the first, before any cut: a document found twice is found once, and rank k is the k-th
different document. Relevance is binary. All values are per query, in [0, 1]; a row's mean is trec_eval's `all` line.

    recall@k     relevant in the first k / R               R = number of relevant documents
    precision@k  relevant in the first k / k               fewer than k retrieved still divide by k
    ndcg@k       sum over relevant ranks i <= k of 1/log2(i+1), over the same sum for min(k, R) relevant ranks at the top
    mrr          1 / rank of the first relevant document, 0 where there is none
    rprec        relevant in the first R / R

Sources: trec_eval 9 (m_recall, m_P, m_ndcg_cut, m_recip_rank, m_Rprec); Järvelin & Kekäläinen 2002 for nDCG, log base 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import log2
from typing import Annotated

from pydantic import Field

from evalkit.errors import Fault, InputError
from evalkit.records.base import Json, Record
from evalkit.records.cases import Case
from evalkit.records.outputs import Output
from evalkit.records.scores import CriterionSpec, Result, Score, Signature, Unscored
from evalkit.scoring.settings import Resources, read_settings

Rank = Annotated[int, Field(ge=1)]


class RetrievalSettings(Record):
    """Settings of `retrieval`."""

    k: Annotated[tuple[Rank, ...], Field(min_length=1)] = (5,)
    """Cuts of recall, precision and nDCG."""
    min: dict[str, Annotated[float, Field(ge=0, le=1)]] = Field(default_factory=dict)
    """Criterion -> lowest value of a case that passes, e.g. `{recall@5: 0.8}`; 0 passes everything. The others are bare means."""


class Retrieval:
    """Means of recall@k, precision@k and ndcg@k per cut, then mrr and rprec."""

    def __init__(self, settings: Mapping[str, Json], resources: Resources) -> None:
        read = read_settings(RetrievalSettings, "retrieval", settings, resources)
        self._cuts = tuple(dict.fromkeys(read.k))
        cut_names = [f"{name}@{k}" for k in self._cuts for name in ("recall", "precision", "ndcg")]
        self.criteria = tuple(
            CriterionSpec(id=name, estimate="mean", within=(0.0, 1.0)) for name in (*cut_names, "mrr", "rprec")
        )
        known = {criterion.id for criterion in self.criteria}
        self._min = read.min
        unknown = [name for name in read.min if name not in known]
        if unknown:
            raise InputError([_unknown_criterion(name, known, resources.file) for name in unknown])
        self.signature = Signature(scorer="retrieval", version="1", settings=read.model_dump(mode="json"))

    def score(self, case: Case, output: Output) -> tuple[Result, ...]:
        """Return one Score per criterion; Unscored where no sources are expected or no retrieval was recorded."""
        if not case.expected.sources:
            return (Unscored("no_expectation", "expected.sources is not given"),) * len(self.criteria)
        if output.retrieved is None:
            return (Unscored("not_applicable", "the output does not say what was retrieved"),) * len(self.criteria)
        relevant = frozenset(case.expected.sources)
        ranked = tuple(dict.fromkeys(output.retrieved))
        values = retrieval_values(ranked, relevant, self._cuts)
        missed = [source for source in dict.fromkeys(case.expected.sources) if source not in ranked]
        metadata = {"missed": missed, "retrieved": list(ranked[: max(self._cuts)])}
        return tuple(
            self._scored(criterion.id, value, metadata) for criterion, value in zip(self.criteria, values, strict=True)
        )

    def _scored(self, criterion: str, value: float, metadata: Mapping[str, Json]) -> Score:
        least = self._min.get(criterion)
        if least is None:
            return Score(value, passed=None, metadata=metadata)
        if value >= least:
            return Score(value, passed=True, metadata=metadata)
        reason = f"{criterion} is {value:.3f}, at least {least:g} is asked for"
        return Score(value, passed=False, reason=reason, metadata=metadata)


def retrieval_values(ranked: tuple[str, ...], relevant: frozenset[str], cuts: tuple[int, ...]) -> list[float]:
    """Return recall, precision and nDCG per cut, then MRR and R-precision, of one query.

    `ranked` holds distinct ids, best first; `relevant` holds at least one.
    """
    ranks = [rank for rank, document in enumerate(ranked, 1) if document in relevant]
    total = len(relevant)
    values: list[float] = []
    for k in cuts:
        hits = [rank for rank in ranks if rank <= k]
        ideal = _gain(range(1, min(k, total) + 1))
        values += (len(hits) / total, len(hits) / k, _gain(hits) / ideal)
    values.append(1 / ranks[0] if ranks else 0.0)
    values.append(sum(rank <= total for rank in ranks) / total)
    return values


def _gain(ranks: Iterable[int]) -> float:
    return sum(1 / log2(rank + 1) for rank in ranks)


def _unknown_criterion(name: str, known: Iterable[str], file: str) -> Fault:
    return Fault(
        file=file,
        field=f"scorer retrieval, min.{name}",
        problem="no such criterion",
        remedy=f"criteria with these cuts: {', '.join(sorted(known))}",
    )
