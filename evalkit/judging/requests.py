"""From a case, its output and a rubric to a request with an identity: what is asked, under which key, checked against what."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from evalkit.judging import pointwise_prompt
from evalkit.judging.shown import PREPROCESSING_VERSION, show
from evalkit.providers.endpoints import base_url_of
from evalkit.records.base import Json
from evalkit.records.cases import Case
from evalkit.records.chat import ChatCall
from evalkit.records.identity import canonical_json, content_hash, text_sha256
from evalkit.records.judges import JudgeConfig
from evalkit.records.outputs import Output
from evalkit.records.rubrics import Rubric
from evalkit.records.texts import ShownText
from evalkit.text.citations import parse_citations
from evalkit.validation.forms import VALIDATOR_VERSION, ReplyForm
from evalkit.validation.material import Material
from evalkit.validation.reader import objects_in

EVIDENCE = "evidence"
"""Source id under which a case's structured evidence is shown, as indented JSON."""


@dataclass(frozen=True)
class Measurement:
    """One judge use: a capability, a rubric and a judge. Everything that makes its numbers is in `config_hash`."""

    capability: str
    rubric: Rubric
    judge: JudgeConfig

    @cached_property
    def form(self) -> ReplyForm:
        """The reply form; for the floor judge without the criteria that have no rule for it."""
        if self.judge.client != "floor":
            return ReplyForm(self.rubric)
        known = tuple(c for c in self.rubric.criteria if c.floor)
        return ReplyForm(self.rubric.model_copy(update={"criteria": known}))

    @property
    def abstained(self) -> tuple[str, ...]:
        """Criteria that this judge gives no verdict on."""
        asked = {c.id for c in self.form.rubric.criteria}
        return tuple(c.id for c in self.rubric.criteria if c.id not in asked)

    @cached_property
    def params(self) -> dict[str, Json]:
        """Parameters exactly as sent."""
        given = self.judge.params
        named = {"temperature": given.temperature, "max_tokens": given.max_tokens, "seed": given.seed}
        return {**{k: v for k, v in named.items() if v is not None}, **given.extra}

    @property
    def endpoint(self) -> str:
        """Name of what serves the model; by default the base URL, in one spelling."""
        return self.judge.endpoint or base_url_of(self.judge) or "default"

    @cached_property
    def identity(self) -> dict[str, Json]:
        """Everything that makes the measurement, by name, so that a diff can say what differs."""
        return {
            "model": self.judge.model or "floor",
            "endpoint": self.endpoint if self.judge.client != "floor" else "embedded",
            "params": self.params if self.judge.client != "floor" else {},
            "structured_output": self.judge.structured_output,
            "prompt": pointwise_prompt.PROMPT_VERSION,
            "prompt_hash": self.prompt_hash,
            "rubric": self.rubric.id,
            "rubric_version": self.rubric.version,
            "rubric_hash": content_hash("rubric/1", self.rubric.model_dump(mode="json", exclude={"constitution"})),
            "constitution_hash": text_sha256(self.rubric.constitution) if self.rubric.constitution else None,
            "schema_hash": self.form.schema_hash,
            "preprocessing": PREPROCESSING_VERSION,
            "validator": VALIDATOR_VERSION,
            "samples": self.judge.samples,
        }

    @cached_property
    def prompt_hash(self) -> str:
        """Hash of every word of the prompt that is not the case's: the prompt of an empty case."""
        nothing = ShownText("", "")
        return content_hash("prompt/1", pointwise_prompt.messages(self.form, nothing, {}, nothing, ()))

    @cached_property
    def config_hash(self) -> str:
        """judge_config_hash of this use."""
        return content_hash("judge-config/1", self.identity)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRequest:
    """One question to a judge."""

    case_id: str
    sample: int
    measurement: Measurement
    material: Material
    messages: tuple[Mapping[str, str], ...]
    output_sha256: str
    key: str
    question: str
    """The case's input as text, for the floor."""
    alterations: tuple[dict[str, Json], ...]

    def call(self) -> ChatCall:
        """Return the first call of this request."""
        return self._call(self.messages, self.key)

    def retry(self, reply: str | None, problem: str) -> ChatCall:
        """Return the call of the one verdict retry."""
        return self._call(pointwise_prompt.retry_messages(self.messages, reply, problem), f"{self.key}/retry")

    def _call(self, messages: tuple[Mapping[str, str], ...], key: str) -> ChatCall:
        judge = self.measurement.judge
        return ChatCall(
            key=key,
            label=self.case_id,
            model=judge.model or "",
            messages=messages,
            params=self.measurement.params,
            schema=self.measurement.form.schema if judge.structured_output else None,
        )


def requests_for(
    measurement: Measurement, case: Case, output: Output, samples: Iterable[int] | None = None
) -> list[JudgeRequest]:
    """Return the requests of one case, a sample each; they share prompt and material. The output has text.

    `samples` are the sample indices to ask for, those of the judge's own configuration by default. Two indices never share a
    cache entry; an experiment's repeats are further indices under the same configuration.
    """
    text = output.text or ""
    sources = {document.id: show(document.text) for document in case.context}
    if case.evidence is not None:
        sources[EVIDENCE] = show(json.dumps(case.evidence, ensure_ascii=False, indent=1))
    candidate, question = show(text), show(question_text(case))
    names = [document.id for document in case.context]
    cited = parse_citations(text, output.citations, names)
    material = Material(
        candidate=candidate,
        question=question,
        sources=sources,
        cited=frozenset(cited.resolved + cited.unresolved),
        echoes=_planted([candidate, *sources.values(), question]),
    )
    messages = pointwise_prompt.messages(measurement.form, question, sources, candidate, material.cited)
    output_hash = text_sha256(text)
    base = {
        "output_sha256": output_hash,
        "messages": [[message["role"], text_sha256(message["content"])] for message in messages],
        "params": measurement.params,
        "schema": measurement.form.schema_hash if measurement.judge.structured_output else None,
        "model": measurement.judge.model,
        "endpoint": measurement.endpoint,
    }
    shared = content_hash("judge-request/1", base)
    return [
        JudgeRequest(
            case_id=case.id,
            sample=sample,
            measurement=measurement,
            material=material,
            messages=messages,
            output_sha256=output_hash,
            key=content_hash("judge-sample/1", [shared, sample]),
            question=question.shown,
            alterations=_logged({"input": question, "candidate": candidate, **sources}),
        )
        for sample in (range(measurement.judge.samples) if samples is None else samples)
    ]


def question_text(case: Case) -> str:
    """Return what was asked as text: the text itself, a transcript of chat messages, or indented JSON."""
    if isinstance(case.input, str):
        return case.input
    if isinstance(case.input, tuple):
        return "\n\n".join(f"{message.role}: {message.content}" for message in case.input)
    return json.dumps(case.input, ensure_ascii=False, indent=1)


def _planted(texts: list[ShownText]) -> frozenset[bytes]:
    """Return the objects that stand in the graded texts and could be taken for a verdict: those with a `criteria` key."""
    found: set[bytes] = set()
    for text in texts:
        if '"criteria"' not in text.stored:
            continue
        for variant in {text.stored, text.shown}:
            try:
                found |= {canonical_json(value) for value in objects_in(variant) if "criteria" in value}
            except ValueError:
                continue
    return frozenset(found)


def _logged(texts: Mapping[str, ShownText]) -> tuple[dict[str, Json], ...]:
    return tuple(
        {"source": name, "kind": a.kind, "offset": a.offset, "original": a.original, "shown": a.shown}
        for name, text in texts.items()
        for a in text.alterations
    )
