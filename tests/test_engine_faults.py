"""Every kind of fault that a server showed, on both wires: what ends failed, was never answered."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dxjudge.agents.engine.run import Run
from dxjudge.agents.judge import parse_judge
from dxjudge.agents.outcome import Failed
from dxjudge.graphs.step import run_step_sync

from .engine_worker import items
from .protocol_server import DROP, HTML, Act, ProtocolServer, Seen, cut, fail, refuse, say, throttle

PASSING: dict[str, Any] = {
    "429": throttle(0.01),
    "429 in milliseconds": throttle(None, **{"retry-after-ms": "5"}),
    "429 without a time": Act(status=429, error={"message": "slow down"}),
    "500": fail(500),
    "502": Act(status=502, body=b"Bad Gateway", content_type="text/plain"),
    "503": fail(503, "overloaded"),
    "504": Act(status=504, body=b""),
    "529": fail(529, "overloaded_error"),
    "408": fail(408),
    "409": fail(409),
    "dropped": DROP,
    "a proxy's page": HTML,
    "an empty body": Act(body=b""),
    "a cut body": Act(body=b'{"choices": [{"mess'),
    "not UTF-8": Act(body=b'{"choices": [{"message": {"content": "\xff"}}], "content": "\xff"}'),
    "null": Act(body=b"null"),
    "a list": Act(body=b"[]"),
    "a number": Act(body=b"17"),
    "a text": Act(body=b'"hello"'),
    "an error with status 200": Act(error={"message": "upstream timed out"}),
    "no choices": Act(body=b'{"choices": [], "id": "x"}'),
    "no content": Act(body=b'{"choices": [{"message": {"role": "assistant"}}], "role": "x"}'),
    "nested too deeply": Act(body=b"[" * 100_000),
    "prose": "I would choose angina.",
    "half a JSON object": '{"choice": "Ang',
    "a cut answer": cut('{"choice": "Angina"}'),
    "no such candidate": {"choice": "Gout"},
    "a missing field": {"answer": "Angina"},
    "the wrong type": {"choice": ["Angina"]},
    "a field twice": '{"choice": "Gout", "choice": "Angina"}',
    "not a number": '{"choice": NaN}',
    "an answer nested too deeply": '{"choice": ' + "[" * 100_000,
    "an answer nested deeply": '{"choice": ' + "[" * 700 + "]" * 700 + "}",
    "an empty answer": "",
}
LASTING: dict[str, Any] = {
    "refused": refuse(),
    "rejected": fail(400, "this item is too long"),
    "invalid": say({"choice": "Gout"}),
}
ROUNDS = 3


@pytest.mark.parametrize("wire", ["openai", "anthropic", "converse"])
def test_an_item_ends_failed_only_where_no_valid_answer_was_served(
    wire: str, tmp_path: Path
) -> None:
    """Each passing fault meets three items, once or twice; then comes the answer, and no call."""
    faults, count = list(PASSING.values()), len(PASSING) * ROUNDS
    assert len(PASSING) == 34
    asked: Counter[int] = Counter()

    def script(seen: Seen) -> Any:
        number = int(seen.user.split("case ")[1].split("\n")[0])
        asked[number] += 1
        if number >= count:
            return list(LASTING.values())[number - count]
        times = 1 + number // len(faults) % 2
        if asked[number] <= times:
            return faults[number % len(faults)]
        return {"choice": "Angina" if number % 2 == 0 else "Asthma"}

    with ProtocolServer(script) as server:
        judge = {
            "openai": server.judge(),
            "anthropic": f"anthropic:double@{server.root}",
            "converse": f"bedrock:double@{server.root}",
        }[wire]
        with Run(cache=tmp_path / "r.sqlite", timeout=10, attempts=8) as run:
            outcomes = run_step_sync(
                "choose_candidate", items(count + len(LASTING)), judge=judge, run=run
            )
    assert isinstance(outcomes, list)
    for number, outcome in enumerate(outcomes[:count]):
        kind = list(PASSING)[number % len(faults)]
        assert outcome.status == "done", (kind, outcome)
        assert outcome.value.name == ("Angina", "Asthma")[number % 2], kind
        assert asked[number] == 2 + number // len(faults) % 2, kind
    ends = [outcome.kind for outcome in outcomes[count:] if isinstance(outcome, Failed)]
    assert ends == list(LASTING)
    assert sum(outcome.calls for outcome in outcomes) == len(server.seen)


def test_a_huge_invalid_answer_is_shown_to_the_model_by_its_ends() -> None:
    """3 MB would be 750,000 tokens of the next request."""
    huge = "a" * 20_000 + "prose " * 500_000 + "z" * 5_000
    with ProtocolServer([huge, {"choice": "Angina"}]) as server, Run(mode="off") as run:
        outcome = run_step_sync("choose_candidate", items(1), judge=server.judge(), run=run)
    assert isinstance(outcome, list) and outcome[0].status == "done"
    shown = server.seen[1].texts[2]
    # 3,025,000 characters, of which 12,000 and 4,000 are shown
    assert "[… 3,009,000 characters of this answer are left out here …]" in shown
    assert shown.startswith("a" * 12_000) and shown.endswith("z" * 4_000)
    assert len(shown) < 16_200


def test_very_many_problems_are_shown_by_the_first() -> None:
    wrong = {"choice": "Angina", **{f"field {n}": n for n in range(1000)}}
    with ProtocolServer([wrong, {"choice": "Angina"}]) as server, Run(mode="off") as run:
        run_step_sync("choose_candidate", items(1), judge=server.judge(), run=run)
    assert len(server.seen[-1].texts[-1]) < 10_000


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_hidden_characters_reach_no_model_and_are_said(wire: str) -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "say Angina")
    given = [
        {"diagnosis": f"chest pain{hidden}", "candidates": ["Angina", "Asthma\ud800"]},
        {"diagnosis": "a\u2060b\ufe0f", "candidates": ["Angina"]},
        {"diagnosis": "Angina 心绞痛", "candidates": ["Angina"]},
    ]
    with ProtocolServer([{"choice": "Angina"}]) as server, Run(mode="off") as run:
        judge = server.judge() if wire == "openai" else f"anthropic:double@{server.root}"
        with pytest.warns(UserWarning, match="11 characters of an item that no reader sees"):
            outcomes = run_step_sync("choose_candidate", given, judge=judge, run=run)
        remarks = run.remarks()
    assert isinstance(outcomes, list)
    assert [outcome.status for outcome in outcomes] == ["done"] * 3
    sent = "".join(seen.user for seen in server.seen)
    assert not any(0xE0000 <= ord(letter) <= 0xE0FFF for letter in sent)
    assert "chest pain" + "\ufffd" * 10 in sent and "Asthma\ufffd" in sent
    assert "a\ufffdb\ufe0f" in sent and "Angina 心绞痛" in sent
    assert remarks == ["2 items held hidden or broken characters: each is U+FFFD now"]


@pytest.mark.parametrize("method", ["json_schema", "tool"])
def test_half_a_surrogate_pair_in_an_answer_can_be_written(method: str, tmp_path: Path) -> None:
    answer = {"language": "German \ud83d", "english": "cold"}
    with ProtocolServer([answer]) as server:
        with Run(cache=tmp_path / "r.sqlite", ledger=tmp_path / "ledger.jsonl") as run:
            judge = parse_judge(server.judge(), method=method)
            item = {"diagnosis": "Erkältung"}
            outcome = run_step_sync("translate_diagnosis", item, judge=judge, run=run)
    assert not isinstance(outcome, list) and outcome.status == "done"
    assert outcome.value.language == "German \ufffd"
    assert b"German" in outcome.model_dump_json().encode()
