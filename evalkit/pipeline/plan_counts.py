"""Requests of a plan, counted by judge use while they stream past: what is cached, shared, to be bought, and how long its prompts are.

Lengths are characters. Cached verdicts whose usage is known tell how many of them this model's token takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from evalkit.judging.requests import JudgeRequest
from evalkit.judging.verdicts import lookup
from evalkit.pipeline.columns import JudgeColumn
from evalkit.pipeline.plan_batches import PlannedBatches, Way
from evalkit.providers.reply_cache import ReplyCache
from evalkit.records.plans import Tokens
from evalkit.records.verdicts import Judgement

CHARS_PER_TOKEN = 4.0
"""Rule of thumb for English, used until cached verdicts tell the model's own ratio."""
OUTPUT_TOKENS = 220
"""Tokens of a reply, until cached verdicts tell."""
BATCH = 256


@dataclass(slots=True)
class Use:
    """One judge use while requests stream past; characters, not tokens."""

    column: JudgeColumn
    cases: int = 0
    requests: int = 0
    cached: int = 0
    at_once: int = 0
    shared: int = 0
    already_open: int = 0
    to_buy: int = 0
    splits: int = 0
    too_large: int = 0
    too_large_chars: int = 0
    chars: dict[str, int] = field(default_factory=lambda: dict.fromkeys(Tokens.model_fields, 0))

    def add(self, parts: Mapping[str, int], way: Way) -> None:
        """Count the characters of a prompt by its parts."""
        for part, chars in parts.items():
            self.chars[part] += chars
        if way == "too_large":
            self.too_large += 1
            self.too_large_chars += sum(parts.values())


@dataclass(slots=True)
class Seen:
    """What the cache tells about tokens, and what prompts share."""

    keys: set[str] = field(default_factory=set)
    last_prompt: str = ""
    prefix_chars: int = 0
    known_chars: int = 0
    known_input: int = 0
    known_output: int = 0
    known: int = 0

    @property
    def chars_per_token(self) -> float:
        """Characters of a prompt per input token."""
        return self.known_chars / self.known_input if self.known_input else CHARS_PER_TOKEN

    @property
    def output_tokens(self) -> float:
        """Tokens of a reply."""
        return self.known_output / self.known if self.known else OUTPUT_TOKENS


@dataclass(slots=True)
class Counting:
    """Looks requests up, a batch at a time, and counts each under the judge use of its measurement."""

    by_measurement: Mapping[int, Use]
    """Measurement (by identity) -> its use."""
    cache: ReplyCache | None
    note: Callable[[str], None]
    """Told what is wrong with the batches that an earlier run left open."""
    seen: Seen = field(default_factory=Seen)
    batches: PlannedBatches = field(init=False)
    """What goes in batches."""
    waiting: list[JudgeRequest] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin with no batch filled."""
        self.batches = PlannedBatches(self.cache, self.note)

    def take(self, requests: Iterable[JudgeRequest]) -> None:
        """Take requests; count them when enough have gathered."""
        self.waiting += requests
        if len(self.waiting) >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Look up and count what waits."""
        for start in range(0, len(self.waiting), BATCH):
            batch = self.waiting[start : start + BATCH]
            for asked, judgement in zip(batch, lookup(batch, self.cache)[0], strict=True):
                request = asked.put()
                self._count(self.by_measurement[id(request.measurement)], request, judgement)
        self.waiting = []

    def _count(self, use: Use, request: JudgeRequest, judgement: Judgement | None) -> None:
        use.requests += 1
        if request.measurement.judge.client == "floor":
            use.at_once += 1
            return
        prompt = "".join(message["content"] for message in request.messages)
        if judgement is not None:
            use.cached += 1
            _learn(self.seen, prompt, judgement)
        elif request.key in self.seen.keys:
            use.shared += 1
        else:
            self._count_purchase(use, request, prompt)

    def _count_purchase(self, use: Use, request: JudgeRequest, prompt: str) -> None:
        """Count a request that would be bought, and the split of its reference where that would be bought as well.

        What waits in an open batch was bought: it is counted, and takes no tokens.
        """
        seen = self.seen
        seen.keys.add(request.key)
        way = self.batches.take(request)
        if way == "open":
            use.already_open += 1
            return
        use.to_buy += 1
        seen.prefix_chars += shared_prefix(seen.last_prompt, prompt)
        seen.last_prompt = prompt
        use.add(_parts(request, prompt), way)
        if request.split and request.split.key not in seen.keys:
            seen.keys.add(request.split.key)
            way = self.batches.take(request.split, split=True)
            if way != "open":
                use.splits += 1
                use.add(_split_parts(request.split), way)


def shared_prefix(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _learn(seen: Seen, prompt: str, judgement: Judgement) -> None:
    """Take a cached verdict's own usage as the measure for what is to be bought; a retried one counts another prompt."""
    bought = judgement.purchase
    if bought is None or bought.tries != 1 or not bought.input_tokens or not bought.output_tokens:
        return
    seen.known += 1
    seen.known_chars += len(prompt)
    seen.known_input += bought.input_tokens
    seen.known_output += bought.output_tokens


def _parts(request: JudgeRequest, prompt: str) -> dict[str, int]:
    material = request.material
    candidate = len(material.candidate.shown)
    context = len(request.question) + sum(len(text.shown) for text in material.sources.values())
    rubric = len(request.measurement.mode.closing(request.measurement.form))
    return {
        "template": len(prompt) - candidate - context - rubric,
        "context": context,
        "candidate": candidate,
        "rubric": rubric,
    }


def _split_parts(split: JudgeRequest) -> dict[str, int]:
    """Return the characters of a request to split a reference: the reference counts as context, the rest is the template."""
    context = len(split.material.candidate.shown)
    return {"template": sum(len(message["content"]) for message in split.messages) - context, "context": context}
