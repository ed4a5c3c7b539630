"""`from evalkit.acceptance import accept`: three lines of Python, the same endings as the command line."""

from __future__ import annotations

import asyncio

import pytest
from fakes.acceptance import FAITHFUL, SHORT, TERMS, write_spec
from fakes.chat_server import MODEL, closed_port
from fakes.judged_suites import QUICK, write_judge
from fakes.reading_judge import judge

from evalkit.acceptance import Untrusted, accept
from evalkit.acceptance.chain import UNSAID
from evalkit.errors import InputError, UsageError
from evalkit.loading.acceptance_files import load_spec
from evalkit.records.cases import Case
from evalkit.records.judges import CascadeConfig, JudgeConfig
from evalkit.records.outputs import Candidate, Output

SOURCE = {"id": "plans/a", "text": "Plan a costs 10 dollars a month. Plan a has 5 seats."}
REQUEST = {"input": "a: What does plan a cost?", "context": [SOURCE]}
GOOD, BAD = "Plan a costs 10 dollars a month [plans/a].", "Plan a costs 99 dollars a month [plans/a]."


def run(request, generate, asked, spec, **options):
    return asyncio.run(accept(request, generate, asked, spec, **options))


@pytest.fixture
def faithful(tmp_path):
    return write_spec(tmp_path, FAITHFUL)


@pytest.fixture
def server(chat_server, tmp_path):
    chat_server.reply = judge
    chat_server.file = write_judge(tmp_path / "judge.yaml", chat_server.url)
    return chat_server


def test_an_async_generator_is_told_what_to_mend_until_it_is_accepted(server, faithful):
    seen = []

    async def generate(request, feedback, attempt):
        await asyncio.sleep(0)
        seen.append((request, feedback, attempt))
        return BAD if feedback is None else GOOD

    result = run(REQUEST, generate, server.file, faithful)
    assert (result.state, result.reason, result.complete) == ("complete", "criteria_met", True)
    assert (result.output.text, result.output.attempt) == (GOOD, 2)
    assert [attempt for _, _, attempt in seen] == [1, 2]
    assert seen[0][0] == seen[1][0] == {"id": "request", **REQUEST}
    assert "Plan a costs 99 dollars" in seen[1][1]
    assert [line.state_after for line in result.lines] == ["requested", "complete"]
    assert len(result.judgements) == 2


def test_a_plain_function_will_do_and_may_return_fields_or_an_output(tmp_path):
    spec = write_spec(tmp_path, SHORT)
    for answer in ("Short.", {"text": "Short.", "cost_usd": 0.1}, Output(case_id="other", text="Short.")):
        result = run("Hello?", lambda *_, answer=answer: answer, None, spec)
        assert (result.state, result.output.case_id, result.output.text) == ("complete", "request", "Short.")


def test_a_case_and_a_loaded_specification_may_be_given_and_expectations_stay_with_the_case(tmp_path):
    seen = []
    spec = load_spec(write_spec(tmp_path, SHORT))
    request = Case(id="c", input="Hello?", expected={"answer": "Hi."}, tags=("t",))
    run(request, lambda asked, *_: seen.append(asked) or "Hi.", None, spec)
    assert seen == [{"id": "c", "input": "Hello?", "context": []}]


@pytest.mark.parametrize("answer", [5, None, {"texts": "x"}, {"text": object()}, {"case_id": "other"}])
def test_what_is_no_output_is_an_error_and_never_judged(tmp_path, answer):
    result = run("Hello?", lambda *_: answer, None, write_spec(tmp_path, SHORT))
    assert (result.state, result.reason, result.output) == ("error", "unreadable_output", None)


def test_what_a_generator_raises_is_the_callers(tmp_path):
    def generate(*_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run("Hello?", generate, None, write_spec(tmp_path, SHORT))


def test_each_attempt_can_be_kept_before_it_is_judged(server, faithful):
    order = []

    def reply(body):
        order.append("judged")
        return judge(body)

    server.reply = reply
    run(REQUEST, lambda *_: BAD, server.file, faithful, on_attempt=lambda output: order.append(output.attempt))
    assert order == [1, "judged", 2, "judged", 3, "judged"]


@pytest.mark.parametrize(
    ("on_skipped", "state"), [("block", "judgment_skipped"), ("accept_unjudged", "accepted_unjudged")]
)
def test_a_judge_that_is_down_gives_no_score(tmp_path, on_skipped, state):
    spec = write_spec(tmp_path, FAITHFUL, terms={**TERMS, "on_skipped": on_skipped})
    down = write_judge(tmp_path / "judge.yaml", f"http://127.0.0.1:{closed_port()}/v1", backoff={**QUICK, "tries": 1})
    result = run(REQUEST, lambda *_: GOOD, down, spec)
    assert (result.state, result.reason, result.complete) == (state, "judge_error:transport", False)
    assert result.lines[0].score is None


def test_a_trusted_judge_completes_and_an_untrusted_one_does_so_provisionally(server, tmp_path):
    spec = write_spec(tmp_path, FAITHFUL, terms={**TERMS, "require_trust": True})
    asked = []

    def trust(measurement, criterion, snapshots):
        asked.append((measurement.rubric.id, criterion, snapshots))
        return True

    assert run(REQUEST, lambda *_: GOOD, server.file, spec).state == "complete_provisional"
    assert run(REQUEST, lambda *_: GOOD, server.file, spec, trust=trust).state == "complete"
    assert asked == [("faithfulness", "F1", frozenset({MODEL}))]


@pytest.mark.parametrize(
    ("answer", "said"), [(Untrusted("too few labels"), "too few labels (faithful)"), (False, f"{UNSAID} (faithful)")]
)
def test_why_completion_is_provisional_stands_in_its_line(server, tmp_path, answer, said):
    spec = write_spec(tmp_path, FAITHFUL, terms={**TERMS, "require_trust": True})
    found = run(REQUEST, lambda *_: GOOD, server.file, spec, trust=lambda *_: answer)
    assert (found.state, found.reason, found.lines[-1].detail) == ("complete_provisional", "untrusted_judge", said)


def test_the_judges_own_model_as_generator_is_not_independent(server, faithful):
    result = run(REQUEST, lambda *_: GOOD, server.file, faithful, candidate=Candidate(model="test-judge"))
    assert result.independence["independent"] is False
    assert result.lines[0].independent is False


def test_verdicts_are_kept_where_a_cache_is_named(server, faithful, tmp_path):
    for _ in range(2):
        assert run(REQUEST, lambda *_: GOOD, server.file, faithful, cache=tmp_path / "cache").state == "complete"
    assert len(server.requests) == 1


def test_many_requests_may_be_under_way_in_one_loop(server, faithful):
    async def generate(request, feedback, attempt):
        await asyncio.sleep(0)
        return GOOD if attempt == 2 else BAD

    async def everything():
        asked = [accept({**REQUEST, "id": f"r{n}"}, generate, server.file, faithful) for n in range(8)]
        return await asyncio.gather(*asked)

    results = asyncio.run(everything())
    assert {result.state for result in results} == {"complete"}
    assert [result.lines[0].case_id for result in results] == [f"r{n}" for n in range(8)]
    assert all(f"request r{n}, attempt 2" in result.lines[1].subject for n, result in enumerate(results))


def test_faulty_files_are_told_before_anything_is_generated(tmp_path):
    def never(*_):
        pytest.fail("nothing may be generated")

    with pytest.raises(InputError, match="judge: is missing"):
        run(REQUEST, never, None, write_spec(tmp_path, FAITHFUL))
    with pytest.raises(InputError, match="does not exist"):
        run(REQUEST, never, None, tmp_path / "nothing.yaml")
    with pytest.raises(UsageError, match="context"):
        run({"input": "x", "context": 5}, never, None, write_spec(tmp_path, SHORT))


def test_the_embedded_floor_judge_needs_no_server(faithful):
    assert run(REQUEST, lambda *_: GOOD, JudgeConfig(client="floor"), faithful).state == "complete"


def test_a_judge_with_a_cascade_is_refused_and_never_asked_without_it(server, faithful):
    asked = JudgeConfig(client="openai", model="m", base_url=server.url, cascade=CascadeConfig(classifier="c.yaml"))
    with pytest.raises(UsageError, match="acceptance asks the judge alone"):
        run(REQUEST, lambda *_: GOOD, asked, faithful)
    assert server.requests == []
