"""Where a System One server is and which model is asked for: from the configuration, then from the service's own variables.

Both are part of a measurement's identity, which is also told where nothing is asked: no HTTP library is imported here and no key read.
"""

from __future__ import annotations

import os

from evalkit.providers.endpoints import sound_base_url
from evalkit.records.classifiers import ClassifierConfig

BASE_URL = "https://api.typesafe.ai"
MODEL = "jev-latest"
PATH = "/v1/systemone"
BASE_VARIABLE, MODEL_VARIABLE = "TYPESAFE_BASE_URL", "TYPESAFE_DEFAULT_MODEL"
FILE = "classifier.yaml"


def endpoint(config: ClassifierConfig) -> str:
    """Return the URL that evaluations are posted to; a base may come with or without `/v1` or `/v1/systemone`.

    Raises UsageError for what is no http(s) URL, or one in which a key could stand.
    """
    named = config.base_url
    where = f"{FILE}: base_url" if named else f"the environment variable {BASE_VARIABLE}"
    base = sound_base_url(named or _variable(BASE_VARIABLE) or BASE_URL, where)
    return base.removesuffix(PATH).removesuffix("/v1").rstrip("/") + PATH


def model_of(config: ClassifierConfig) -> str:
    """Return the model that is asked for."""
    return config.model or _variable(MODEL_VARIABLE) or MODEL


def _variable(name: str) -> str | None:
    return os.environ.get(name, "").strip() or None
