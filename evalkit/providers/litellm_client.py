"""Any provider through litellm: the only file that imports it, and importing it takes seconds.

The environment is set before the import: no cost map from the network, no offline checks, no debug log (litellm's and openai's logs show
requests with their headers, partly masked keys among them). Retries are off here and in what litellm calls; no parameter is
dropped silently. The class of litellm's errors says little (a refused connection comes as InternalServerError 500), so only
status and cause are read from them.
"""

from __future__ import annotations

import asyncio
import os
import warnings

# Before the import, hence not with the other statements below.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["LITELLM_OFFLINE_MODE"] = "true"
os.environ["LITELLM_LOG"] = "ERROR"
os.environ.pop("OPENAI_LOG", None)

import litellm
from litellm.exceptions import APIResponseValidationError, JSONSchemaValidationError, RateLimitError, Timeout
from litellm.llms.custom_httpx.async_client_cleanup import close_litellm_async_clients

from evalkit.errors import ProviderError
from evalkit.providers.chat_wire import make_reply, refuse_reserved, response_format
from evalkit.providers.endpoints import base_url_of, refuse_foreign_base
from evalkit.providers.http_errors import brief, status_error
from evalkit.providers.keys import NO_KEY, key_for, reply_without_key, scrub
from evalkit.providers.retry_after import wait_asked
from evalkit.records.base import Json
from evalkit.records.chat import ChatCall
from evalkit.records.judges import JudgeConfig
from evalkit.records.verdicts import Reply

litellm.suppress_debug_info = True
# litellm dumps its own records in ways that pydantic warns about; nobody who runs evalkit can mend that.
warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)
litellm.telemetry = False
litellm.drop_params = False
litellm.num_retries = 0


class LitellmClient:
    """Chat completions through litellm."""

    def __init__(self, config: JudgeConfig) -> None:
        refuse_reserved(config.params.extra)
        refuse_foreign_base(config)
        base_url = base_url_of(config)
        self._key = key_for(config)
        self._fixed: dict[str, Json] = {
            "max_retries": 0,
            "num_retries": 0,
            "drop_params": False,
            "timeout": config.timeout_s,
        }
        if base_url is not None:
            # A dummy key keeps litellm from sending the provider's usual key to a server that was named without one.
            self._fixed |= {"api_base": base_url, "api_key": self._key or NO_KEY}
        elif self._key is not None:
            self._fixed["api_key"] = self._key

    async def complete(self, call: ChatCall) -> Reply:
        """Send the call once. Raises ProviderError."""
        wanted = response_format(call)
        extra = {} if wanted is None else {"response_format": wanted}
        try:
            response = await litellm.acompletion(
                model=call.model,
                messages=[dict(message) for message in call.messages],
                **call.params,
                **extra,
                **self._fixed,
            )
        except asyncio.CancelledError:
            # litellm makes a coroutine in one thread and awaits it in another; cancelled between the two it is never awaited.
            warnings.filterwarnings("ignore", r"coroutine '.*' was never awaited", RuntimeWarning)
            raise
        except Exception as error:  # noqa: BLE001  (litellm raises its own, openai's, httpx's and plain exceptions)
            raise self._failed(error) from None
        return self._read(response)

    async def aclose(self) -> None:
        """Close litellm's pooled connections."""
        await close_litellm_async_clients()  # type: ignore[no-untyped-call]  # litellm's own omission

    def _read(self, response: Json) -> Reply:
        choices = getattr(response, "choices", None)
        if not choices:
            raise ProviderError("bad_response", "litellm returned a response without choices")
        message = choices[0].message
        usage = getattr(response, "usage", None)
        details = getattr(usage, "prompt_tokens_details", None)
        content = message.content
        specific = getattr(message, "provider_specific_fields", None) or {}
        refusal = getattr(message, "refusal", None) or specific.get("refusal")
        reply = make_reply(
            text=content if isinstance(content, str) else None,
            finish_reason=choices[0].finish_reason,
            refusal=refusal,
            model=response.model,
            usage=(
                getattr(usage, "prompt_tokens", None),
                getattr(usage, "completion_tokens", None),
                getattr(details, "cached_tokens", None),
            ),
        )
        return reply_without_key(reply, self._key)

    def _failed(self, error: Exception) -> ProviderError:
        words = brief(scrub(str(error) or type(error).__name__, self._key))
        chain = _chain(error)
        names = {type(link).__name__ for link in chain}
        if isinstance(error, Timeout) or names & _TIMEOUTS:
            return ProviderError("timeout", f"no answer in time: {words}")
        status = getattr(error, "status_code", None)
        if names & _CONNECTION and not isinstance(error, RateLimitError):
            return ProviderError("connection", f"no answer: {words}")
        if isinstance(error, APIResponseValidationError | JSONSchemaValidationError):
            return ProviderError("bad_response", f"the server's answer cannot be read: {words}")
        headers = dict(getattr(getattr(error, "response", None), "headers", None) or {})
        if isinstance(status, int) and 400 <= status < 500:
            return status_error(status, str(error), headers, self._key)
        # litellm gives 500 to what was no answer with status 500 as well, so the text claims no status.
        return ProviderError("server", f"no usable answer: {words}", retry_after=wait_asked(headers))


_TIMEOUTS = {"APITimeoutError", "ConnectTimeout", "ReadTimeout", "PoolTimeout", "TimeoutError"}
_CONNECTION = {
    "ConnectError", "ConnectionError", "ConnectionRefusedError", "ConnectionResetError", "RemoteProtocolError", "ReadError",
    "ClientConnectorError", "ServerDisconnectedError", "ClientOSError", "ClientPayloadError",
}  # fmt: skip


def _chain(error: BaseException) -> list[BaseException]:
    """Return an error with all that it was raised from."""
    chain: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in chain:
        chain.append(link)
        link = link.__cause__ or link.__context__
    return chain
