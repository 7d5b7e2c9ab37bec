"""One item against a server that shows every fault; both wires, where both have it."""

import json
from pathlib import Path
from typing import Any

import pytest

from dxjudge.agents.choose_candidate import CandidateChoice
from dxjudge.agents.engine.judges import as_judge
from dxjudge.agents.engine.ledger import Attempt
from dxjudge.agents.engine.redact import redact, redact_value
from dxjudge.agents.engine.run import Run
from dxjudge.agents.judge import JudgeSpec, parse_judge
from dxjudge.agents.outcome import Abstained, Failed, Outcome
from dxjudge.errors import AuthenticationFault, ModelFault, ReplayMiss, UsageError
from dxjudge.graphs.step import run_step_sync

from .protocol_server import DROP, HTML, Act, ProtocolServer, cut, fail, refuse, say, throttle

ITEM = {"diagnosis": "heart attack", "candidates": ["Acute myocardial infarction", "Angina"]}
GOOD = {"choice": "Angina"}
KEY = "sk-planted-0123456789"

wires = pytest.mark.parametrize("wire", ["openai", "anthropic"])


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "DXJUDGE_SERVER_KEY"):
        monkeypatch.setenv(name, KEY)
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def judge_on(server: ProtocolServer, wire: str) -> str:
    return server.judge() if wire == "openai" else f"anthropic:double@{server.root}"


def quick(**options: Any) -> Run:
    return Run(**{"mode": "off", "timeout": 2.0, "attempts": 3, **options})


def ask(server: ProtocolServer, wire: str = "openai", run: Run | None = None) -> Outcome:
    outcome = run_step_sync(
        "choose_candidate", ITEM, judge=judge_on(server, wire), run=run or quick()
    )
    assert not isinstance(outcome, list)
    return outcome


def statuses(run: Run) -> list[str]:
    return [attempt.status for attempt in run.ledger.attempts]


@wires
def test_a_good_answer_is_done_in_one_request(wire: str) -> None:
    with ProtocolServer([GOOD]) as server:
        run = quick()
        outcome = ask(server, wire, run)
    assert outcome.status == "done"
    assert outcome.value == CandidateChoice(name="Angina", index=1)
    assert (outcome.calls, outcome.repairs, outcome.cached) == (1, 0, False)
    assert (outcome.tokens_in, outcome.tokens_out) == (100, 20)
    assert len(server.seen) == 1


@wires
def test_no_answer_is_abstained_with_its_reason(wire: str) -> None:
    with ProtocolServer([{"choice": None}]) as server:
        outcome = ask(server, wire)
    assert outcome.status == "abstained"
    assert outcome.reason == "no candidate stands for the diagnosis"


@wires
@pytest.mark.parametrize(
    "fault",
    [
        throttle(0.05),
        throttle(None, **{"retry-after-ms": "50"}),
        fail(500),
        fail(503),
        fail(408),
        fail(409),
        fail(529),
        DROP,
        HTML,
        Act(body=b'{"choi', content_type="application/json"),
        Act(body=b'{"choices": [{"message": {"content": "\xff\xfe"}}], "content": "\xff"}'),
        Act(body=b'{"choices": [{"message": {"role": "assistant"}, "finish_reason": "stop"}]}'),
        Act(body=b"[" * 100_000 + b"]" * 100_000),
        Act(GOOD, delay=9.0),
        Act(GOOD, trickle=0.02),
    ],
    ids=[
        "429", "429-ms", "500", "503", "408", "409", "529", "drop", "html", "cut-body", "no-utf-8",
        "no-content", "deep", "timeout", "slow-stream",
    ],
)  # fmt: skip
def test_what_passes_is_tried_again(wire: str, fault: Act) -> None:
    with ProtocolServer([fault, GOOD]) as server:
        run = quick(timeout=3.0)
        outcome = ask(server, wire, run)
    assert outcome.status == "done", outcome
    assert outcome.calls == len(server.seen) == 2
    assert statuses(run) in (["throttled", "valid"], ["transport", "valid"])


@wires
def test_faults_that_last_are_failed_after_the_allowed_requests(wire: str) -> None:
    with ProtocolServer([fail(500)]) as server:
        outcome = ask(server, wire)
    assert isinstance(outcome, Failed)
    assert outcome.kind == "transport"
    assert len(server.seen) == 3  # not 9: nobody else retries


@wires
def test_retry_after_is_waited_for(wire: str) -> None:
    with ProtocolServer([throttle(0.6), GOOD]) as server:
        ask(server, wire)
    first, second = server.seen
    assert 0.6 <= second.at - first.at < 1.5


def test_a_retry_after_beyond_all_patience_is_not_waited_for() -> None:
    with ProtocolServer([throttle(3600), GOOD]) as server:
        outcome = ask(server)
    assert isinstance(outcome, Failed)
    assert "asks to wait 3600 s" in outcome.reasons[0]
    assert len(server.seen) == 1


@wires
@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_rejected_request_is_not_sent_again(wire: str, status: int) -> None:
    with ProtocolServer([fail(status, "the prompt is too long")]) as server:
        outcome = ask(server, wire)
    assert isinstance(outcome, Failed)
    assert outcome.kind == "rejected"
    assert "too long" in outcome.reasons[0]
    assert len(server.seen) == 1


@wires
@pytest.mark.parametrize("status", [403, 404])
def test_a_model_that_cannot_be_used_stops_the_run(wire: str, status: int) -> None:
    with ProtocolServer([fail(status, "no")]) as server:
        with pytest.raises(ModelFault, match="double@http"):
            ask(server, wire)
    assert len(server.seen) == 1


def test_after_the_first_answer_a_404_is_one_items_failure() -> None:
    with ProtocolServer([GOOD, fail(404, "gone for a moment")]) as server:
        assert ask(server).status == "done"
        outcome = ask(server)
    assert isinstance(outcome, Failed) and outcome.kind == "rejected"


def test_no_server_stops_the_run() -> None:
    with pytest.raises(ModelFault, match="no server answers there"):
        run_step_sync(
            "choose_candidate", ITEM, judge="openai:m@http://127.0.0.1:9/v1", run=quick(attempts=2)
        )


@wires
def test_a_refused_key_stops_the_run_and_names_the_variable(wire: str) -> None:
    with ProtocolServer([fail(401, f"Incorrect API key provided: {KEY}")]) as server:
        with pytest.raises(AuthenticationFault, match="DXJUDGE_SERVER_KEY") as error:
            ask(server, wire)
    assert len(server.seen) == 1
    assert KEY not in str(error.value)


def test_an_empty_account_stops_the_run() -> None:
    empty = fail(429, "You exceeded your quota", code="insufficient_quota")
    with ProtocolServer([empty]) as server:
        with pytest.raises(ModelFault, match="quota"):
            ask(server)
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("judge", "variable"),
    [("openai:gpt-4o", "OPENAI_API_KEY"), ("anthropic:claude-opus-4-5", "ANTHROPIC_API_KEY")],
)
def test_a_missing_key_is_named_before_anything_is_sent(
    judge: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(variable)
    with pytest.raises(AuthenticationFault, match=variable):
        run_step_sync("choose_candidate", [ITEM], judge=judge, run=quick())


@wires
@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ({"choise": "Angina"}, "choice: Field required"),
        ({"choice": 7}, "choice: Input should be a valid string"),
        ({"choice": "Pneumonia"}, "'Pneumonia' is not one of the candidate names"),
        ({"choice": "angina"}, "'angina' is not one of the candidate names"),
        ('{"choice": "Ang', "not complete"),
        ('{"choice": "Angina", "choice": null}', "occurs twice"),
        ('{"choice": NaN}', "NaN"),
    ],
)
def test_an_invalid_answer_goes_back_with_what_is_wrong(wire: str, bad: Any, told: str) -> None:
    with ProtocolServer([bad, GOOD]) as server:
        run = quick()
        outcome = ask(server, wire, run)
    assert outcome.status == "done"
    assert outcome.repairs == 1
    repair = server.seen[1].texts[-1]
    assert told in repair
    shown = server.seen[1].texts[-2]
    assert shown == (bad if isinstance(bad, str) else json.dumps(bad))
    assert statuses(run) == ["invalid", "valid"]


@wires
def test_after_the_allowed_repairs_the_item_is_failed_with_every_reason(wire: str) -> None:
    with ProtocolServer([{"choice": "A"}, {"choice": "B"}, {"choice": "C"}, GOOD]) as server:
        outcome = ask(server, wire)
    assert isinstance(outcome, Failed)
    assert outcome.kind == "invalid"
    assert [reason.split("'")[1] for reason in outcome.reasons] == ["A", "B", "C"]
    assert len(server.seen) == 3


@wires
def test_a_cut_off_answer_is_not_believed_even_when_it_parses(wire: str) -> None:
    with ProtocolServer([cut('{"choice": "Angina"}'), {"choice": None}]) as server:
        run = quick()
        outcome = ask(server, wire, run)
    assert outcome.status == "abstained"
    assert statuses(run) == ["truncated", "valid"]
    assert "cut off" in server.seen[1].texts[-1]


@wires
def test_answers_that_are_always_cut_off_are_failed_as_truncated(wire: str) -> None:
    with ProtocolServer([cut('{"choice": "Angina"}')]) as server:
        outcome = ask(server, wire)
    assert isinstance(outcome, Failed) and outcome.kind == "truncated"


@wires
def test_a_refusal_is_failed_and_not_argued_with(wire: str) -> None:
    with ProtocolServer([refuse("I will not.")]) as server:
        run = quick()
        outcome = ask(server, wire, run)
    assert isinstance(outcome, Failed)
    assert (outcome.kind, outcome.reasons) == ("refused", ("refused: I will not.",))
    assert len(server.seen) == 1
    assert statuses(run) == ["refused"]


def test_a_content_filter_is_a_refusal() -> None:
    with ProtocolServer([say(GOOD, finish="content_filter")]) as server:
        outcome = ask(server)
    assert isinstance(outcome, Failed) and outcome.kind == "refused"


def test_repairs_are_shown_the_whole_conversation() -> None:
    with ProtocolServer([{"choice": "A"}, {"choice": "B"}, GOOD]) as server:
        ask(server)
    roles = [message["role"] for message in server.seen[2].body["messages"]]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]


def test_every_attempt_is_in_the_ledger_with_its_words_and_tokens() -> None:
    with ProtocolServer([throttle(0.01), {"choice": "A"}, say(GOOD, tokens=(7, 3))]) as server:
        run = quick()
        outcome = ask(server, run=run)
    throttled, invalid, valid = run.ledger.attempts
    assert (throttled.status, throttled.attempt, throttled.turn) == ("throttled", 1, 0)
    assert (invalid.text, invalid.attempt, invalid.turn) == ('{"choice": "A"}', 2, 0)
    assert (valid.tokens_in, valid.tokens_out, valid.turn) == (7, 3, 1)
    assert isinstance(valid, Attempt) and valid.latency > 0 and valid.key == outcome.key
    assert outcome.tokens_in == 107  # 100 of the invalid answer and 7 of the valid one
    (line,) = run.ledger.summary()
    assert (line.calls, line.items, line.done, line.repaired) == (3, 1, 1, 1)
    assert (line.first_turns, line.first_valid, line.first_pass_validity) == (1, 0, 0.0)


def test_a_price_that_is_unknown_is_not_zero() -> None:
    with ProtocolServer([GOOD]) as server:
        run = quick()
        outcome = ask(server, run=run)
    assert outcome.cost is None
    (line,) = run.ledger.summary()
    assert (line.cost, line.calls_of_unknown_cost) == (0.0, 1)


def test_a_known_price_is_counted(tmp_path: Path) -> None:
    with ProtocolServer([say(GOOD, tokens=(1000, 10))]) as server:
        prices = tmp_path / "prices.yaml"
        prices.write_text(
            "date: 2026-11-21\nsource: me\nmodels:\n  openai:\n"
            f"    double@{server.url}: {{ input: 2, output: 8 }}\n"
        )
        outcome = ask(server, run=quick(prices=prices))
    # (1000 x 2 + 10 x 8) / 1,000,000
    assert outcome.cost == pytest.approx(0.00208)


def test_the_same_item_is_asked_once_and_then_kept(tmp_path: Path) -> None:
    with ProtocolServer([GOOD]) as server:
        first = ask(server, run=quick(mode="read-write", cache=tmp_path / "r.sqlite"))
        second = ask(server, run=quick(mode="read-write", cache=tmp_path / "r.sqlite"))
    assert len(server.seen) == 1
    assert (second.cached, second.calls, second.tokens_in, second.cost) == (True, 0, 0, 0.0)
    assert first.status == second.status == "done"
    assert first.value == second.value
    assert first.judge == second.judge


@pytest.mark.parametrize("bad", [refuse(), cut("{"), say({"choice": "A"}), fail(400)])
def test_failures_and_refusals_are_never_kept(tmp_path: Path, bad: Act) -> None:
    with ProtocolServer([bad] * (1 if bad.finish == "refusal" or bad.error else 3) + [GOOD]) as (
        server
    ):
        run = quick(mode="read-write", cache=tmp_path / "r.sqlite")
        assert ask(server, run=run).status == "failed"
        assert list(run.replies.entries()) == []
        assert ask(server, run=run).status == "done"


def test_a_replay_needs_no_key_and_a_miss_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "r.sqlite"
    with ProtocolServer([GOOD]) as server:
        judge = server.judge()
        ask(server, run=quick(mode="read-write", cache=cache))
    monkeypatch.delenv("DXJUDGE_SERVER_KEY")
    run = quick(mode="replay", cache=cache)
    assert run_step_sync("choose_candidate", ITEM, judge=judge, run=run).status == "done"
    with pytest.raises(ReplayMiss, match="cache why") as error:
        run_step_sync("choose_candidate", {**ITEM, "diagnosis": "MI"}, judge=judge, run=run)
    key = str(error.value).split("why ")[1].split("`")[0]
    found = run.replies.why(key)
    assert set(found.differences) == {"input.diagnosis", "messages"}


def test_another_temperature_or_repeat_is_another_call(tmp_path: Path) -> None:
    from dxjudge.agents.judge import parse_judge

    with ProtocolServer([GOOD]) as server:
        run = quick(mode="read-write", cache=tmp_path / "r.sqlite")
        for temperature, repeat in ((0.0, 0), (0.5, 0), (0.0, 1), (0.0, 0)):
            judge = parse_judge(server.judge(), temperature=temperature)
            run_step_sync("choose_candidate", ITEM, judge=judge, run=run, repeat=repeat)
    assert len(server.seen) == 3


def test_a_kept_reply_that_no_longer_holds_is_asked_for_again(tmp_path: Path) -> None:
    with ProtocolServer([GOOD]) as server:
        run = quick(mode="read-write", cache=tmp_path / "r.sqlite")
        ask(server, run=run)
        ((key, entry),) = list(run.replies.entries())
        entry["reply"]["answer"] = {"choice": "not on the list"}
        run.replies.store.set({(("reply",), key): (entry, None)})
        outcome = ask(server, run=run)
    assert outcome.status == "done" and not outcome.cached
    assert len(server.seen) == 2


def test_the_answer_of_a_broken_check_is_one_items_failure() -> None:
    from dataclasses import replace

    from dxjudge.agents.choose_candidate import CHOOSE_CANDIDATE

    def broken(*_: object) -> list[str]:
        raise ZeroDivisionError("a bug in a check")

    step = replace(CHOOSE_CANDIDATE, checks=(broken,))
    with ProtocolServer([GOOD]) as server:
        outcome = run_step_sync(step, ITEM, judge=server.judge(), run=quick())
    assert isinstance(outcome, Failed)
    assert outcome.kind == "error" and "a bug in a check" in outcome.reasons[0]


def test_a_model_object_that_raises_is_one_items_failure() -> None:
    from langchain_core.language_models.fake_chat_models import FakeListChatModel

    class Broken(FakeListChatModel):
        def _call(self, *_: Any, **__: Any) -> str:
            raise RuntimeError("a bug in a model")

    outcome = run_step_sync("choose_candidate", ITEM, judge=Broken(responses=[]), run=quick())
    assert isinstance(outcome, Failed)
    assert outcome.kind == "error" and "a bug in a model" in outcome.reasons[0]


def test_a_step_without_stand_ins_says_that_it_needs_a_judge() -> None:
    with pytest.raises(UsageError, match="--judge openai:gpt-4o"):
        run_step_sync("choose_candidate", ITEM)


def test_unknown_names_are_errors_that_help() -> None:
    with pytest.raises(UsageError, match="choose_candidate"):
        run_step_sync("choose_candidat", ITEM)
    with pytest.raises(UsageError, match="no engine 'rules'"):
        run_step_sync("choose_candidate", ITEM, judge="openai:gpt-4o", engine="rules")
    with pytest.raises(UsageError, match="diagnosis"):
        run_step_sync("choose_candidate", {"candidates": ["a"]}, judge="openai:gpt-4o")


@wires
def test_the_key_is_in_nothing_that_is_written(
    wire: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A server that echoes the key in errors and in answers, and everything that is kept."""
    caplog.set_level("DEBUG")
    script = [
        fail(500, f"bad things for {KEY}"),
        say(f"Your key is {KEY}"),
        say({"choice": f"{KEY}"}),
        say({"choice": None}, tokens=None),
    ]
    run = quick(mode="read-write", cache=tmp_path / "r.sqlite", ledger=tmp_path / "ledger.jsonl")
    with ProtocolServer(script) as server:
        outcome = ask(server, wire, run)
    assert outcome.status == "abstained"
    with ProtocolServer([fail(400, f"no {KEY}")]) as server:
        outcome = ask(server, wire, run)
    assert isinstance(outcome, Failed)
    run.close()
    assert server.seen[0].headers["authorization"].endswith(KEY)  # it was really sent
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert len(written) > 1000
    assert KEY.encode() not in written
    assert KEY not in outcome.model_dump_json()
    assert KEY not in caplog.text


ODD_KEY = 'sk-"quoted"/planted\\0123456789'


@wires
@pytest.mark.parametrize("method", ["json_schema", "tool", "text"])
def test_a_key_is_taken_out_of_tool_arguments_and_of_what_json_escapes(
    wire: str, method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DXJUDGE_SERVER_KEY", ODD_KEY)
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in ODD_KEY)
    answers = [{"choice": ODD_KEY}, f'{{"choice": "{escaped}"}}', {"choice": None}]
    run = quick(mode="read-write", cache=tmp_path / "r.sqlite", ledger=tmp_path / "ledger.jsonl")
    with ProtocolServer(answers) as server:
        judge = parse_judge(judge_on(server, wire), method=method)
        outcome = run_step_sync("choose_candidate", ITEM, judge=judge, run=run)
    run.close()
    assert isinstance(outcome, Abstained) and len(server.seen) == 3
    told = "".join(text for seen in server.seen for text in seen.texts)
    written = (tmp_path / "ledger.jsonl").read_text() + told
    for form in (ODD_KEY, json.dumps(ODD_KEY)[1:-1], json.dumps(json.dumps(ODD_KEY)[1:-1])[1:-1]):
        assert form not in written


def test_of_a_key_that_begins_with_another_one_nothing_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-12345678")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-12345678-and-more")
    judge = as_judge("openai:m")
    assert redact("sk-12345678-and-more, sk-12345678", judge) == "[key], [key]"
    assert redact_value(["sk-12345678-and-more"], judge) == ["[key]"]


@pytest.mark.parametrize(
    "url",
    ["http://me:hunter22@host/v1", "https://host/v1?key=hunter22", "https://host/v1#hunter22"],
)
def test_an_address_with_a_secret_is_refused_wherever_it_is_from(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="set the key in the environment variable") as error:
        as_judge(f"openai:m@{url}")
    assert "hunter22" not in str(error.value)
    with pytest.raises(UsageError, match="set the key in the environment"):
        as_judge(JudgeSpec(provider="openai", model="m", base_url=url))
    with pytest.raises(UsageError) as error:
        as_judge(f"opnai:m@{url}")
    assert "hunter22" not in str(error.value)
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    with pytest.raises(UsageError, match="OPENAI_BASE_URL") as error:
        as_judge("openai:m")
    assert "hunter22" not in str(error.value)


def test_the_vendors_key_is_never_sent_to_another_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DXJUDGE_SERVER_KEY")
    with ProtocolServer([GOOD]) as server:
        assert ask(server).status == "done"
    assert KEY not in json.dumps(dict(server.seen[0].headers))


def test_a_judge_in_the_environment_is_part_of_the_spec(monkeypatch: pytest.MonkeyPatch) -> None:
    with ProtocolServer([GOOD]) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        judge = as_judge("openai:gpt-4o")
        assert judge.spec.base_url == server.url
        outcome = run_step_sync("choose_candidate", ITEM, judge=judge, run=quick())
    assert outcome.status == "done"
    assert server.seen[0].headers["authorization"] == f"Bearer {KEY}"
