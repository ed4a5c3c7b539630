"""The OpenAI chat wire, without a network: a call to a request's body, a response's JSON to a Reply.

Everything a server sends is untrusted: a field of the wrong type is unknown or an error of kind `bad_response`, never a crash
and never a default that looks like an answer.
"""

from __future__ import annotations

from collections.abc import Mapping

from evalkit.errors import ProviderError, UsageError
from evalkit.records.base import Json
from evalkit.records.chat import ChatCall
from evalkit.records.verdicts import Reply

SCHEMA_NAME = "verdict"
RESERVED = frozenset({
    "model", "messages", "response_format", "stream", "stream_options", "n", "tools", "functions",
    "api_key", "api_base", "base_url", "api_version", "headers", "extra_headers", "extra_body", "timeout", "request_timeout",
    "num_retries", "max_retries", "retry_strategy", "fallbacks", "context_window_fallback_dict", "drop_params",
    "additional_drop_params", "mock_response", "mock_tool_calls", "mock_timeout", "custom_llm_provider", "callbacks",
    "success_callback", "failure_callback", "logger_fn", "verbose", "cache", "caching", "ssl_verify", "client", "model_list",
    "organization", "acompletion", "input_cost_per_token", "output_cost_per_token",
})  # fmt: skip
"""Names that decide where or how a call is sent, or what comes back; no provider parameter may carry one of them."""


def refuse_reserved(params: Mapping[str, Json]) -> None:
    """Raise UsageError where parameters of judge.yaml would take over the call itself."""
    taken = sorted(RESERVED.intersection(params))
    if taken:
        raise UsageError(
            f"judge.yaml: params.extra: {', '.join(taken)} cannot be set there: "
            "the client sets it from judge.yaml's own fields, or keys and routes would hide in parameters"
        )


def response_format(call: ChatCall) -> dict[str, Json] | None:
    """Return the response format that asks for the call's schema, or None."""
    if call.schema is None:
        return None
    return {
        "type": "json_schema",
        "json_schema": {"name": SCHEMA_NAME, "strict": True, "schema": dict(call.schema)},
    }


def body_of(call: ChatCall) -> dict[str, Json]:
    """Return the request's body: model, messages, the parameters as they stand, the response format where there is a schema."""
    body: dict[str, Json] = {"model": call.model, "messages": [dict(m) for m in call.messages], **call.params}
    wanted = response_format(call)
    if wanted is not None:
        body["response_format"] = wanted
    return body


def reply_of(data: Json) -> Reply:
    """Return the reply in a chat completion. Raises ProviderError(bad_response, or what an embedded error says)."""
    if not isinstance(data, dict):
        raise ProviderError("bad_response", "the server's JSON is not an object, so it is no chat completion")
    if data.get("error"):
        raise _embedded_error(data["error"])
    choices = data.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise ProviderError("bad_response", "the server's JSON has no `choices`, so it is no chat completion")
    message = choices[0].get("message")
    if not isinstance(message, dict):
        raise ProviderError(
            "bad_response", "the server's JSON has no `choices[0].message`, so it is no chat completion"
        )
    usage = data.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    return make_reply(
        text=_content(message.get("content")),
        finish_reason=choices[0].get("finish_reason"),
        refusal=message.get("refusal"),
        model=data.get("model"),
        usage=(usage.get("prompt_tokens"), usage.get("completion_tokens"), cached),
    )


def make_reply(
    *, text: str | None, finish_reason: Json, refusal: Json, model: Json, usage: tuple[Json, Json, Json]
) -> Reply:
    """Return a reply whose optional fields are None unless they have the right type; usage of 0/0 is unknown."""
    prompt, completion, cached = (whole_count(value) for value in usage)
    if not prompt and not completion:
        prompt = completion = cached = None
    return Reply(
        text=text,
        finish_reason=_text(finish_reason),
        refusal=_text(refusal),
        model=_text(model),
        input_tokens=prompt,
        output_tokens=completion,
        cached_tokens=cached,
    )


def _content(content: Json) -> str | None:
    """Return a message's content: text, the text of content parts, or None for null."""
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [
            part.get("text")
            for part in content
            if isinstance(part, dict) and part.get("type") in ("text", "output_text")
        ]
        if parts and all(isinstance(part, str) for part in parts):
            return "".join(str(part) for part in parts)
    raise ProviderError("bad_response", "the server's message has a `content` that is neither text nor null")


def _embedded_error(error: Json) -> ProviderError:
    """Gateways report an upstream's error inside a response with status 200."""
    if not isinstance(error, dict):
        return ProviderError("server", f"the server answered with an error: {str(error)[:300]}")
    message = str(error.get("message") or error)[:300]
    code = error.get("code")
    if isinstance(code, int) and 400 <= code < 500 and code not in (408, 429):
        return ProviderError("rejected", f"the server answered with error {code}: {message}", permanent=True)
    return ProviderError("rate_limited" if code == 429 else "server", f"the server answered with an error: {message}")


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) and value else None


def whole_count(value: Json) -> int | None:
    """Return a count that a server stated, or None for anything that is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
