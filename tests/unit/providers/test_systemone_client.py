"""System One over real HTTP: the request as it arrives, every failure, retries, keys."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest
from fakes import chat_server as chat
from fakes.systemone_server import SystemOneServer, decide, detail

from evalkit.classifiers import SystemOneClassifier, ask, choice, evaluate_many, noul, score
from evalkit.errors import ProviderError, UsageError
from evalkit.providers.systemone_address import endpoint
from evalkit.records.classifiers import ClassifierConfig, Retries

KEY = "ts-canary-0123456789"
QUESTIONS = {"is_urgent": noul("Is `message` urgent?")}
YES = {"is_urgent": {"type": "noul", "noul": 0.95}}
QUICK = Retries(first_s=0.01, cap_s=0.02, total_s=20.0)


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch):
    for name in ("TYPESAFE_API_KEY", "TYPESAFE_BASE_URL", "TYPESAFE_DEFAULT_MODEL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server():
    with SystemOneServer(YES) as running:
        yield running


def made(server, **fields):
    config = {"style": "systemone", "base_url": server.base, "retries": QUICK, "timeout_s": 10.0, **fields}
    return SystemOneClassifier(ClassifierConfig(**config))


def evaluate(server, **fields):
    return ask(made(server, **fields), {"message": "hi"}, QUESTIONS)


def refused(server, *script, **fields):
    server.script = list(script)
    with pytest.raises(ProviderError) as raised:
        evaluate(server, **fields)
    return raised.value


def test_a_question_is_posted_and_its_answer_read(server, monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    found = evaluate(server, api_key_env="MY_KEY", model="jev-1.13.0")
    assert found.answers["is_urgent"].value() == 0.95
    assert found.calibrated
    [request] = server.requests
    assert request.path == "/v1/systemone"
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert request.headers["Content-Type"] == "application/json"
    assert request.body == {
        "model": "jev-1.13.0",
        "state": {"message": "hi"},
        "questions": {"is_urgent": {"type": "noul", "instructions": "Is `message` urgent?"}},
    }


def test_a_compatible_server_may_be_declared_uncalibrated(server):
    assert not evaluate(server, calibrated=False).calibrated


@pytest.mark.parametrize("tail", ["", "/", "/v1", "/v1/", "/v1/systemone", "/v1/systemone/"])
def test_a_base_may_come_with_or_without_its_path(server, tail):
    evaluate(server, base_url=server.base + tail)
    assert server.requests[0].path == "/v1/systemone"


def test_a_base_below_a_path_keeps_it():
    config = ClassifierConfig(style="systemone", base_url="https://gateway.example/api")
    assert endpoint(config) == "https://gateway.example/api/v1/systemone"


@pytest.mark.parametrize("base", ["ftp://x", "http://", "http://u:p@host", "http://host/?key=x", "nonsense"])
def test_a_base_that_cannot_be_used_is_refused_and_not_repeated(base):
    with pytest.raises(UsageError, match="base_url") as raised:
        SystemOneClassifier(ClassifierConfig(style="systemone", base_url=base))
    assert "u:p" not in str(raised.value)


def test_the_services_own_variables_are_used_where_the_configuration_names_nothing(server, monkeypatch):
    monkeypatch.setenv("TYPESAFE_API_KEY", KEY)
    monkeypatch.setenv("TYPESAFE_BASE_URL", server.base + "/v1")
    monkeypatch.setenv("TYPESAFE_DEFAULT_MODEL", "jev-9")
    classifier = SystemOneClassifier()
    ask(classifier, "hi", QUESTIONS)
    assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    assert server.requests[0].body["model"] == "jev-9"
    assert classifier.identity["endpoint"] == f"{server.base}/v1/systemone"
    assert classifier.identity["model"] == "jev-9"
    assert KEY not in str(classifier.identity)


def test_a_key_never_goes_to_a_server_that_was_not_named_with_it(server, monkeypatch):
    monkeypatch.setenv("TYPESAFE_API_KEY", KEY)
    evaluate(server)
    assert "Authorization" not in server.requests[0].headers
    assert server.requests[0].body["model"] == "jev-latest"


def test_without_a_key_nothing_is_asked():
    with pytest.raises(UsageError, match="TYPESAFE_API_KEY"):
        SystemOneClassifier()
    with pytest.raises(UsageError, match=r"MY_KEY.*classifier\.yaml"):
        SystemOneClassifier(ClassifierConfig(style="systemone", base_url="http://127.0.0.1:9", api_key_env="MY_KEY"))


@pytest.mark.parametrize("status", [401, 403])
def test_the_body_of_a_refused_key_is_never_repeated(server, monkeypatch, status):
    monkeypatch.setenv("MY_KEY", KEY)
    error = refused(server, detail(status, f"the key {KEY} of account secret-account is bad"), api_key_env="MY_KEY")
    assert (error.kind, error.permanent) == ("rejected", True)
    assert f"HTTP {status}" in str(error)
    assert KEY not in str(error)
    assert "secret-account" not in str(error)
    assert len(server.requests) == 1


def test_a_server_that_wants_another_key_refuses(monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    with SystemOneServer(YES, key="another") as server:
        assert "HTTP 401" in str(refused(server, api_key_env="MY_KEY"))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("a noul needs instructions", "a noul needs instructions"),
        (
            [{"loc": ["body", "questions", "is_urgent"], "msg": "field required"}],
            "body.questions.is_urgent: field required",
        ),
        ([{"msg": "one"}, {"loc": ["x", 0], "msg": "two"}], "one; x.0: two"),
        ({"message": "too many options"}, "too many options"),
        ({"code": 7}, '{"code": 7}'),
        (["plain"], "plain"),
    ],
)
@pytest.mark.parametrize("status", [400, 422])
def test_a_bad_request_says_what_the_server_said_and_is_not_sent_again(server, status, said, words):
    error = refused(server, detail(status, said))
    assert (error.kind, error.permanent) == ("rejected", True)
    assert words in str(error)
    assert "1 request sent" in str(error)


@pytest.mark.parametrize(("status", "word"), [(402, "cannot pay"), (404, "base_url"), (418, "the request")])
def test_other_refusals_say_what_to_do(server, status, word):
    error = refused(server, detail(status, f"no, and your key is api_key={KEY}"))
    assert word in str(error)
    assert KEY not in str(error)


def test_an_error_in_another_servers_words_is_read_too(server):
    assert "upstream said no" in str(refused(server, chat.fail(400, "upstream said no")))
    assert "plain words" in str(refused(server, chat.send(b"plain words", status=400, content_type="text/plain")))


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_tried_again(server, status):
    server.script = [detail(status, "busy"), detail(status, "busy")]
    assert evaluate(server).answers["is_urgent"].value() == 0.95
    assert len(server.requests) == 3


def test_waits_double_up_to_the_cap_and_end_with_the_time(server):
    error = refused(server, *[detail(529, "overloaded")] * 200, retries=Retries(first_s=0.05, cap_s=0.2, total_s=3.0))
    assert error.kind == "server"
    assert error.permanent
    sent = [request.at for request in server.requests]
    waits = [later - earlier for earlier, later in pairwise(sent)]
    assert waits[0] >= 0.05
    assert waits[1] >= 0.1
    assert 3 <= len(sent) <= 3 + 3.0 / 0.2  # waits without a cap end at five, waits that do not double at sixty
    assert f"{len(sent)} requests sent" in str(error)


@pytest.mark.parametrize(("header", "value"), [("retry_after", "0.3"), ("retry_after_ms", "300")])
@pytest.mark.parametrize("status", [429, 529])
def test_a_server_that_asks_to_wait_is_waited_for(server, status, header, value):
    server.script = [detail(status, "slow down", **{header: value})]
    evaluate(server)
    first, second = (request.at for request in server.requests)
    assert second - first >= 0.3


def test_a_server_that_asks_for_longer_than_there_is_time_is_given_up_at_once(server):
    error = refused(server, detail(429, "tomorrow", retry_after="60"))
    assert error.kind == "rate_limited"
    assert error.retry_after == 60
    assert len(server.requests) == 1


@pytest.mark.parametrize("behaviour", [chat.silence(), chat.drip(0.2)])
def test_a_reply_that_does_not_come_in_time_is_a_timeout(server, behaviour):
    error = refused(server, *[behaviour] * 9, timeout_s=0.2, retries=Retries(first_s=0.01, total_s=0.3))
    assert error.kind == "timeout"


def test_the_last_try_ends_with_the_time_and_not_after_it(server):
    async def timed():
        started = asyncio.get_running_loop().time()
        classifier = made(server, timeout_s=300.0, retries=Retries(first_s=0.01, total_s=0.4))
        try:
            with pytest.raises(ProviderError):
                await classifier.evaluate("hi", QUESTIONS)
        finally:
            await classifier.aclose()
        return asyncio.get_running_loop().time() - started

    server.script = [chat.silence()] * 3
    assert asyncio.run(timed()) < 30.0


def test_a_connection_that_breaks_is_tried_again(server):
    server.script = [chat.closed_mid_body()]
    assert evaluate(server).answers["is_urgent"].value() == 0.95


def test_a_port_where_nobody_listens_is_a_connection_error(server):
    error = refused(
        server, base_url=f"http://127.0.0.1:{chat.closed_port()}", retries=Retries(first_s=0.01, total_s=1.0)
    )
    assert error.kind == "connection"


@pytest.mark.parametrize("behaviour", [chat.html(), chat.broken_json(), chat.send(b""), chat.send(b"[" * 100_000)])
def test_a_200_that_is_no_json_is_a_bad_response_and_not_tried_again(server, behaviour):
    error = refused(server, behaviour)
    assert error.kind == "bad_response"
    assert len(server.requests) == 1


def test_a_key_given_twice_is_no_answer(server):
    twice = b'{"model": "m", "answers": {"is_urgent": {"type": "noul", "noul": 0.9, "noul": 0.1}}}'
    assert "given twice" in str(refused(server, chat.send(twice)))


def test_a_body_without_end_is_given_up(server):
    error = refused(server, chat.send(b" " * (9 * 1024 * 1024)), timeout_s=5.0, retries=Retries(total_s=10.0))
    assert "longer than 8 MB" in str(error)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"type": "noul", "noul": float("nan")}, "is nan"),
        ({"type": "choice", "choice": "a", "probabilities": {"a": 1.0}}, "a noul was asked"),
        ({"type": "noul"}, "no number"),
    ],
)
def test_an_answer_that_cannot_be_right_names_the_question_over_the_wire(server, answer, words):
    error = refused(server, decide({"is_urgent": answer}))
    assert error.kind == "bad_response"
    assert "'is_urgent'" in str(error)
    assert words in str(error)


TEAMS = {"team": choice("Whose is `message`?", {"sales": "offers", "billing": "refunds"})}
RISK = {"risk": score("How risky is `message`?", ["harmless", "some", "high"])}


@pytest.mark.parametrize(
    ("questions", "answer", "words"),
    [
        (TEAMS, {"choice": "sales", "probabilities": {"sales": 1.0}}, "no probability for 'billing'"),
        (
            TEAMS,
            {"choice": "sales", "probabilities": {"sales": 0.9, "billing": 0.1, "legal": 0.0}},
            "unknown option 'legal'",
        ),
        (TEAMS, {"choice": "legal", "probabilities": {"sales": 0.9, "billing": 0.1}}, "legal"),
        (TEAMS, {"choice": "billing", "probabilities": {"sales": 0.9, "billing": 0.1}}, "not the most probable"),
        (TEAMS, {"choice": "sales", "probabilities": {"sales": float("nan"), "billing": 0.1}}, "is nan"),
        (TEAMS, {"choice": "sales", "probabilities": {"sales": float("inf"), "billing": 0.1}}, "is inf"),
        (TEAMS, {"choice": "sales", "probabilities": {"sales": 0.9, "billing": 0.3}}, "sum to 1.200"),
        (RISK, {"score": 2.0, "probabilities": {"0": 0.9, "1": 0.1, "2": 0.0}}, "not the expectation"),
        (RISK, {"score": 0.1, "probabilities": {"0": 0.9, "1": 0.1}}, "no probability for '2'"),
    ],
)
def test_probabilities_that_cannot_be_right_name_the_question_over_the_wire(server, questions, answer, words):
    (name,) = questions
    server.script = [decide({name: {"type": questions[name].type, **answer}})]
    with pytest.raises(ProviderError, match=f"'{name}' cannot be right") as raised:
        ask(made(server), {"message": "hi"}, questions)
    assert raised.value.kind == "bad_response"
    assert words in str(raised.value)
    assert len(server.requests) == 1


def test_an_unknown_answer_type_is_skipped_over_the_wire(server):
    server.script = [decide({"is_urgent": {"type": "mood"}})]
    assert "mood" in evaluate(server).unanswered["is_urgent"]


def test_a_redirect_is_not_followed(server):
    assert refused(server, chat.send(b"", status=307, headers={"Location": "/elsewhere"})).permanent
    assert len(server.requests) == 1


def test_a_cookie_is_not_sent_back(server):
    async def twice():
        classifier = made(server)
        await classifier.evaluate("a", QUESTIONS)
        await classifier.evaluate("b", QUESTIONS)
        await classifier.aclose()

    server.script = [chat.send_json({"model": "m", "answers": {}}, headers={"Set-Cookie": "session=1"})]
    asyncio.run(twice())
    assert "Cookie" not in server.requests[1].headers


def test_a_server_that_echoes_the_key_leaves_none_in_a_decision(server, monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    server.script = [decide(YES, model=f"jev for {KEY}")]
    assert KEY not in evaluate(server, api_key_env="MY_KEY").model_dump_json()
    error = refused(server, chat.send(f"<html>{KEY}".encode()), api_key_env="MY_KEY")
    assert KEY not in str(error)


def test_no_more_than_max_in_flight_requests_are_open_at_once(server):
    server.together = 2

    async def many():
        classifier = made(server, max_in_flight=2)
        found = await evaluate_many(classifier, [str(n) for n in range(8)], QUESTIONS, cap=8)
        await classifier.aclose()
        return found

    server.script = [chat.send_json({"model": "m", "answers": YES}, latency=0.02)] * 8
    assert len(asyncio.run(many())) == 8
    assert server.most_in_flight == 2


def test_requests_keep_to_the_pace(server):
    async def many():
        classifier = made(server, rpm=600)
        started = asyncio.get_running_loop().time()
        await evaluate_many(classifier, [str(n) for n in range(14)], QUESTIONS, cap=14)
        await classifier.aclose()
        return asyncio.get_running_loop().time() - started

    assert asyncio.run(many()) >= 0.39  # ten at once, then ten a second


def test_one_classifier_serves_one_event_loop_after_another(server):
    classifier = made(server)
    for _ in range(2):
        assert ask(classifier, "hi", QUESTIONS).answers["is_urgent"].value() == 0.95
    asyncio.run(classifier.aclose())


def test_half_a_surrogate_pair_in_a_state_is_sent_as_it_is(server):
    ask(made(server), {"message": "\ud83d"}, QUESTIONS)
    assert server.requests[0].body["state"] == {"message": "\ud83d"}
