import pytest

from evalkit.providers.http_errors import brief, message_in, status_error


@pytest.mark.parametrize(
    ("status", "kind", "permanent"),
    [
        (301, "rejected", True),
        (400, "rejected", True),
        (401, "rejected", True),
        (403, "rejected", True),
        (404, "rejected", True),
        (413, "rejected", True),
        (422, "rejected", True),
        (408, "timeout", False),
        (409, "server", False),
        (425, "server", False),
        (429, "rate_limited", False),
        (500, "server", False),
        (502, "server", False),
        (503, "server", False),
        (504, "timeout", False),
        (529, "server", False),
    ],
)
def test_a_status_decides_kind_and_whether_trying_again_can_help(status, kind, permanent):
    error = status_error(status, "no", {})
    assert (error.kind, error.permanent) == (kind, permanent)
    assert f"HTTP {status}" in str(error)


def test_a_used_up_quota_is_no_rate_limit():
    error = status_error(
        429, message_in('{"error": {"message": "quota", "code": "insufficient_quota"}}'), {"retry-after": "1"}
    )
    assert (error.kind, error.permanent) == ("rejected", True)


def test_retry_after_travels_with_the_error():
    assert status_error(503, "", {"Retry-After": "7"}).retry_after == 7.0


def test_the_servers_words_are_cleaned_before_they_are_cut():
    error = status_error(401, "x" * 280 + " sk-CANARY-0123456789abcdef", {})
    assert "CANARY" not in str(error)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('{"error": {"message": "no such model"}}', "no such model"),
        ('{"message": "no"}', "no"),
        ('{"error": "plain"}', "plain"),
        ("<html>gateway</html>", "<html>gateway</html>"),
        ("", ""),
        ('{"error": {}}', '{"error": {}}'),
        ("[1]", "[1]"),
        ("[" * 100_000, "[" * 100_000),
    ],
)
def test_the_words_of_an_error_body_are_found(body, words):
    assert message_in(body) == words


def test_texts_are_shown_on_one_line_and_bounded():
    assert brief("a\n\x0b b") == "a b"
    assert len(brief("x" * 10_000)) < 400
