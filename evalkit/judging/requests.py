"""From a case, its output and a rubric to a request with an identity: what is asked, under which key, checked against what.

Where the case's reference must be split into facts first and the split is not known yet, the request stands for the one that is put
once it is: whoever looks verdicts up or buys them gets the split first (`verdicts`), so nobody else has to know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from evalkit.judging.materials import alterations_of, material_for, split_material
from evalkit.judging.modes import MODES, SPLIT, Mode, Task
from evalkit.judging.prompt_parts import Messages, retry_messages
from evalkit.judging.shown import PREPROCESSING_VERSION
from evalkit.judging.split_prompt import SPLIT_RUBRIC
from evalkit.providers.endpoints import base_url_of
from evalkit.records.base import Json
from evalkit.records.cases import Case
from evalkit.records.chat import ChatCall
from evalkit.records.identity import content_hash, text_sha256
from evalkit.records.judges import JudgeConfig
from evalkit.records.outputs import Output
from evalkit.records.rubrics import Rubric
from evalkit.records.texts import ShownText
from evalkit.records.verdicts import Judgement, Order, ReferenceFact, ReferenceSplit
from evalkit.validation.forms import VALIDATOR_VERSION, ReplyForm
from evalkit.validation.material import Material

if TYPE_CHECKING:
    # A judge without a cascade imports no classifier.
    from evalkit.judging.cascade import CheapTier


@dataclass(frozen=True)
class Measurement:
    """One judge use: a capability, a rubric and a judge. Everything that makes its numbers is in `config_hash`."""

    capability: str
    rubric: Rubric
    judge: JudgeConfig
    cheap: CheapTier | None = None
    """What is asked before the judge; None where the judge is asked about every case."""
    splits: dict[str, Judgement] = field(default_factory=dict, compare=False, repr=False)
    """Key of a split -> how it ended, as far as it is known."""

    @property
    def mode(self) -> Mode:
        """How the judge is asked: the rubric's mode."""
        return MODES[self.rubric.mode]

    @property
    def task(self) -> Task:
        """What is put to the judge."""
        return self.mode

    @cached_property
    def form(self) -> ReplyForm:
        """The reply form; for the floor judge without the criteria that have no rule for it."""
        if self.judge.client != "floor":
            return self.task.form(self.rubric)
        known = tuple(c for c in self.rubric.criteria if self.task.floor_knows(c))
        return self.task.form(self.rubric.model_copy(update={"criteria": known}))

    @cached_property
    def abstained(self) -> tuple[str, ...]:
        """Criteria and counts that this judge gives no verdict on."""
        asked = {c.id for c in self.form.rubric.criteria}
        beyond = self.task.floor_abstains if self.judge.client == "floor" else ()
        return (*(c.id for c in self.rubric.criteria if c.id not in asked), *beyond)

    @cached_property
    def params(self) -> dict[str, Json]:
        """Parameters exactly as sent."""
        given = self.judge.params
        named = {"temperature": given.temperature, "max_tokens": given.max_tokens, "seed": given.seed}
        return {**{k: v for k, v in named.items() if v is not None}, **given.extra}

    @cached_property
    def endpoint(self) -> str:
        """Name of what serves the model; by default the base URL, in one spelling."""
        return self.judge.endpoint or base_url_of(self.judge) or "default"

    @cached_property
    def identity(self) -> dict[str, Json]:
        """Everything that makes the measurement, by name, so that a diff can say what differs."""
        tiers: dict[str, Json] = {} if self.cheap is None else {"cascade": self.cheap.identity}
        return {
            "model": self.judge.model or "floor",
            "endpoint": self.endpoint if self.judge.client != "floor" else "embedded",
            "params": self.params if self.judge.client != "floor" else {},
            "structured_output": self.judge.structured_output,
            "prompt": self.task.prompt_version,
            "prompt_hash": self.prompt_hash,
            "rubric": self.rubric.id,
            "rubric_version": self.rubric.version,
            "rubric_hash": content_hash("rubric/1", self.rubric.model_dump(mode="json", exclude={"constitution"})),
            "constitution_hash": text_sha256(self.rubric.constitution) if self.rubric.constitution else None,
            "schema_hash": self.form.schema_hash,
            "preprocessing": PREPROCESSING_VERSION,
            "validator": VALIDATOR_VERSION,
            "samples": self.judge.samples,
            **self._split_identity,
            **tiers,
        }

    @cached_property
    def _split_identity(self) -> dict[str, Json]:
        """How references become facts; nothing for a mode that splits none."""
        if self.splitting is None:
            return {}
        return {
            "split_prompt": self.splitting.task.prompt_version,
            "split_prompt_hash": self.splitting.prompt_hash,
            "split_schema_hash": self.splitting.form.schema_hash,
        }

    @cached_property
    def splitting(self) -> Splitting | None:
        """What the same judge is asked in order to split a reference; None in a mode that splits none."""
        return Splitting(self.capability, SPLIT_RUBRIC, self.judge) if self.rubric.mode == "reference" else None

    @cached_property
    def prompt_hash(self) -> str:
        """Hash of every word of the prompt that is not the case's: the prompt of an empty case."""
        nothing = Material(candidate=ShownText("", ""), question=ShownText("", ""), sources={})
        return content_hash("prompt/1", self.task.messages(self.form, nothing))

    @cached_property
    def config_hash(self) -> str:
        """judge_config_hash of this use."""
        return content_hash("judge-config/1", self.identity)


@dataclass(frozen=True)
class Splitting(Measurement):
    """The splitting of references by one judge, whatever is then held against their facts."""

    @property
    def task(self) -> Task:
        """The split."""
        return SPLIT

    @cached_property
    def splitting(self) -> None:
        """Nothing is split in order to split."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRequest:
    """One question to a judge."""

    case_id: str
    sample: int
    measurement: Measurement
    material: Material
    messages: Messages
    output_sha256: str
    key: str
    question: str
    """The case's input as text, for the floor."""
    alterations: tuple[dict[str, Json], ...]
    order: Order | None = None
    """Of a pair: whose answer is shown first."""
    other_sha256: str = ""
    """Of a pair: hash of the second named candidate's text; `output_sha256` is that of the first."""
    split: JudgeRequest | None = None
    """The split of the reference that this request waits for: until it is known, prompt and key hold the reference as one fact, and
    nothing is asked or looked up under them."""
    again: Callable[[], list[JudgeRequest]] | None = None
    """Makes the request anew, once the split is known."""

    @property
    def split_end(self) -> Judgement | None:
        """How the split ended that this request waits for; None where it waits for none, or still does."""
        return self.measurement.splits.get(self.split.key) if self.split else None

    def put(self) -> JudgeRequest:
        """Return the request as it is put to the judge; itself where its split is not known, or has failed."""
        end = self.split_end
        if self.again is None or end is None or end.verdict is None:
            return self
        (request,) = self.again()
        return request

    def call(self) -> ChatCall:
        """Return the first call of this request."""
        return self._call(self.messages, self.key)

    def retry(self, reply: str | None, problem: str) -> ChatCall:
        """Return the call of the one verdict retry."""
        again = self.measurement.task.again
        return self._call(retry_messages(self.messages, reply, problem, again), f"{self.key}/retry")

    def _call(self, messages: Messages, key: str) -> ChatCall:
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
    split = split_request(measurement, case)
    facts = _facts_of(measurement, split)
    material = material_for(measurement.mode, measurement.form, case, output, facts=facts)
    asked = _asked(measurement, case.id, material, text_sha256(output.text or ""), samples)
    if split is None or facts:
        return asked
    return [
        replace(request, split=split, again=partial(requests_for, measurement, case, output, (request.sample,)))
        for request in asked
    ]


def split_request(measurement: Measurement, case: Case) -> JudgeRequest | None:
    """Return the request to split a case's reference, None where there is nothing to split.

    Its key depends on the reference, the prompt and the judge alone: every answer, rubric and sample shares one purchase.
    """
    reference = measurement.mode.to_split(case)
    if reference is None or measurement.splitting is None:
        return None
    asked = measurement.splitting
    (request,) = _asked(asked, case.id, split_material(asked.form, reference), text_sha256(reference), (0,))
    return request


def _facts_of(measurement: Measurement, split: JudgeRequest | None) -> tuple[ReferenceFact, ...]:
    end = measurement.splits.get(split.key) if split else None
    return end.verdict.facts if end and isinstance(end.verdict, ReferenceSplit) else ()


def pair_requests(
    measurement: Measurement, case: Case, one: Output, other: Output, samples: Iterable[int] | None = None
) -> list[JudgeRequest]:
    """Return the requests about two outputs of one case: for each sample both orders, `ab` first. Both outputs have text."""
    this, that = text_sha256(one.text or ""), text_sha256(other.text or "")
    orders: tuple[tuple[Order, Output, Output, list[str]], ...] = (
        ("ab", one, other, [this, that]),
        ("ba", other, one, [that, this]),
    )
    asked = [
        replace(request, order=order, output_sha256=this, other_sha256=that)
        for order, first, second, shown in orders
        for request in _asked(
            measurement, case.id, material_for(measurement.mode, measurement.form, case, first, second), shown, samples
        )
    ]
    return sorted(asked, key=lambda request: request.sample)


def _asked(
    measurement: Measurement, case_id: str, material: Material, shown: str | list[str], samples: Iterable[int] | None
) -> list[JudgeRequest]:
    """Return the requests of one prompt; `shown` is the hash of the output that is judged, or of both in their order."""
    messages = measurement.task.messages(measurement.form, material)
    base = {
        "output_sha256": shown,
        "messages": [[message["role"], text_sha256(message["content"])] for message in messages],
        "params": measurement.params,
        "schema": measurement.form.schema_hash if measurement.judge.structured_output else None,
        "model": measurement.judge.model,
        "endpoint": measurement.endpoint,
    }
    shared = content_hash("judge-request/1", base)
    return [
        JudgeRequest(
            case_id=case_id,
            sample=sample,
            measurement=measurement,
            material=material,
            messages=messages,
            output_sha256=shown if isinstance(shown, str) else shown[0],
            key=content_hash("judge-sample/1", [shared, sample]),
            question=material.question.shown if material.question else "",
            alterations=alterations_of(material),
        )
        for sample in (range(measurement.judge.samples) if samples is None else samples)
    ]
