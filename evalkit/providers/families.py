"""Which family a model belongs to, from a written-out table of known names; an unknown name stays unknown, never guessed.

Families matter because a judge tends to prefer its own kind. `family` in judge.yaml or candidate.yaml overrules the table.
"""

from __future__ import annotations

import re

from evalkit.records.judges import JudgeConfig
from evalkit.records.outputs import Candidate

FAMILIES: tuple[tuple[str, str], ...] = (
    ("gpt", r"gpt-?\d|gpt-oss|chatgpt|o[134](?:-|$)|davinci|codex"),
    ("claude", r"claude"),
    ("gemini", r"gemini|palm-?2"),
    ("gemma", r"(?:code|shield|med)?gemma"),
    ("llama", r"(?:meta-)?llama|codellama"),
    ("mistral", r"mistral|mixtral|ministral|codestral|magistral|devstral|pixtral"),
    ("qwen", r"qwen|qwq|qvq"),
    ("deepseek", r"deepseek"),
    ("command", r"command(?:-|$)|c4ai|aya"),
    ("grok", r"grok"),
    ("phi", r"phi-?\d"),
    ("nova", r"nova-(?:micro|lite|pro|premier)"),
    ("titan", r"titan-"),
    ("jamba", r"jamba|jurassic"),
    ("glm", r"(?:chat)?glm"),
    ("kimi", r"kimi|moonshot"),
    ("minimax", r"minimax|abab"),
    ("yi", r"yi-"),
    ("granite", r"granite"),
    ("olmo", r"olmo|tulu"),
    ("falcon", r"falcon"),
    ("smollm", r"smollm"),
    ("nemotron", r"nemotron"),
    ("hermes", r"(?:nous-)?hermes"),
    ("ernie", r"ernie"),
    ("hunyuan", r"hunyuan"),
    ("jev", r"jev-"),
)
"""Family -> pattern of the words with which its models' names begin, after a provider's prefix."""

_BOUNDARY = r"(?:^|[/.:@_-])"
_TABLE = tuple((family, re.compile(_BOUNDARY + "(?:" + pattern + ")")) for family, pattern in FAMILIES)


def known_family(named: JudgeConfig | Candidate) -> str | None:
    """Return the family that a judge.yaml or candidate.yaml states, else the one of its model's name; None where neither tells."""
    return named.family or family_of(named.model)


def family_of(model: str | None) -> str | None:
    """Return the family of a model's name, or None where the table does not know it or names more than one.

    `deepseek-r1-distill-llama-70b` belongs to two families, so it is unknown here and must be said in the configuration.
    """
    if not model:
        return None
    name = model.strip().lower()
    found = {family for family, pattern in _TABLE if pattern.search(name)}
    return found.pop() if len(found) == 1 else None
