"""A classifier behind the System One wire: the service's own server, a gateway, or an open server on the loopback."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from evalkit.classifiers.seam import AnyState, asked, state_value
from evalkit.records.base import Json
from evalkit.records.classifiers import ClassifierConfig
from evalkit.records.decisions import Decision
from evalkit.records.questions import Question

if TYPE_CHECKING:
    from evalkit.providers.systemone_client import SystemOneClient


def systemone_identity(config: ClassifierConfig) -> Mapping[str, Json]:
    """Return style, model asked for, address and layout; needs no key. Raises UsageError where the address cannot be used."""
    from evalkit.providers.systemone_address import endpoint, model_of

    return {
        "style": "systemone",
        "model": model_of(config),
        "endpoint": endpoint(config),
        "layout": "together",
        "calibrated": config.calibrated,
    }


class SystemOneClassifier:
    """Asks a System One server. Raises UsageError where no key is set or the address cannot be used."""

    def __init__(self, config: ClassifierConfig | None = None) -> None:
        # httpx is imported where something is asked, not with the room.
        from evalkit.providers.systemone_client import SystemOneClient

        self._config = config or ClassifierConfig(style="systemone")
        self._client: SystemOneClient = SystemOneClient(self._config)

    @property
    def identity(self) -> Mapping[str, Json]:
        """Style, model asked for, address and layout."""
        return systemone_identity(self._config)

    async def evaluate(self, state: AnyState, questions: Mapping[str, Question]) -> Decision:
        """Return the server's answers, all asked in one request. Raises UsageError and ProviderError."""
        from evalkit.providers.systemone_wire import body_of, decision_of

        wanted = asked(questions)
        data = await self._client.post(body_of(self._client.model, state_value(state), wanted))
        return decision_of(data, wanted, calibrated=self._config.calibrated)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()
