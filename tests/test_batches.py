"""Batches: every item is answered or fails with a reason, and none is paid for twice."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from dxjudge.agents.batches.settings import Batching
from dxjudge.agents.batches.tickets import Record, Tickets
from dxjudge.agents.engine.estimate import estimate
from dxjudge.agents.engine.habits import forget_habits
from dxjudge.agents.engine.models import PROVIDERS, BatchLimits
from dxjudge.agents.engine.run import Run
from dxjudge.agents.outcome import Outcome
from dxjudge.cache.replies import Replies
from dxjudge.cli.main import run
from dxjudge.errors import AuthenticationFault, ModelFault, UsageError
from dxjudge.evaluation.from_data import evaluate
from dxjudge.graphs.chooser import Chooser
from dxjudge.graphs.jury.result import JuryOutcome
from dxjudge.graphs.jury.run_jury import run_jury, run_jury_sync
from dxjudge.graphs.mapper import Mapper
from dxjudge.graphs.mapping import mapping_graph
from dxjudge.graphs.step import run_step, run_step_sync

from .batch_server import EXPIRE, BatchServer
from .engine_worker import items
from .evaluation_judge import make_judge
from .protocol_server import Act, Seen, fail, refuse
from .test_cli_map_model import shown
from .test_engine_runs import case, even_odd

FAST = Batching(quiet=0.1, first=0.02, longest=0.05)


@pytest.fixture(autouse=True)
def with_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DXJUDGE_SERVER_KEY", "key-of-the-server")


@pytest.fixture(params=["openai", "anthropic"])
def wire(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server() -> Iterator[BatchServer]:
    server = BatchServer(even_odd)
    with server:
        yield server


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "replies.sqlite"


def judge_of(server: BatchServer, wire: str) -> str:
    return server.judge() if wire == "openai" else server.anthropic


def asked(
    server: BatchServer, wire: str, cache: Path, count: int = 10, batch: Batching = FAST, **run: Any
) -> tuple[list[Outcome], Run]:
    with Run(cache=cache, batch=batch, **run) as settings:
        outcomes = run_step_sync(
            "choose_candidate", items(count), judge=judge_of(server, wire), run=settings
        )
    assert isinstance(outcomes, list)
    return outcomes, settings


def names(outcomes: list[Outcome]) -> list[str]:
    return [one.value.name if one.status == "done" else one.status for one in outcomes]


def right(count: int = 10) -> list[str]:
    return ["Asthma" if n % 2 else "Angina" for n in range(count)]


def tickets_left(cache: Path) -> int:
    replies = Replies(cache)
    left = sum(1 for _ in replies.store.scan(("batch_ticket",)))
    replies.close()
    return left


def test_one_live_question_then_one_batch_then_the_cache(
    server: BatchServer, wire: str, cache: Path
) -> None:
    outcomes, run = asked(server, wire, cache)
    assert names(outcomes) == right()
    assert (len(server.live), server.sizes) == (1, [9])
    [line] = run.ledger.summary()
    assert (line.done, line.calls, line.first_valid) == (10, 10, 10)
    assert tickets_left(cache) == 0
    before = len(server.seen)
    again, _ = asked(server, wire, cache)
    assert names(again) == right() and len(server.seen) == before


def test_a_kept_reply_that_no_longer_holds_is_asked_for_again(
    server: BatchServer, cache: Path
) -> None:
    asked(server, "openai", cache)
    replies = Replies(cache)
    key, entry = next(replies.entries())
    entry["reply"]["answer"] = {"choice": "not on the list"}
    replies.store.set({(("reply",), key): (entry, None)})
    replies.close()
    outcomes, _ = asked(server, "openai", cache)
    assert (names(outcomes), server.sizes) == (right(), [9, 1])


def test_what_is_invalid_expired_faulty_or_refused_in_a_batch(
    server: BatchServer, wire: str, cache: Path
) -> None:
    tries: Counter[int] = Counter()

    def script(seen: Seen) -> Any:
        number = case(seen)
        tries[number] += 1
        deep: list[Any] = []
        for _ in range(800):
            deep = [deep]
        first: dict[int, Any] = {2: "no JSON", 3: {"choice": "Gout"}, 4: fail(500), 5: EXPIRE,
                                 8: Act(error={"deep": deep})}  # fmt: skip
        if number in first and tries[number] == 1:
            return first[number]
        return {6: refuse(), 7: fail(400, "too long")}.get(number, even_odd(seen))

    server.script = script
    asked(server, wire, cache, 1)  # the live question is that of item 0
    outcomes, _ = asked(server, wire, cache)
    expected = right()
    expected[6] = expected[7] = "failed"
    assert names(outcomes) == expected
    assert (len(server.live), server.sizes) == (1, [9, 5])
    assert [one.repairs for one in outcomes[1:6]] == [0, 1, 1, 0, 0]
    failures = [one for one in outcomes if one.status == "failed"]
    assert [one.kind for one in failures] == ["refused", "rejected"]
    assert "too long" in failures[1].why
    assert tries == Counter({n: 2 if n in (2, 3, 4, 5, 8) else 1 for n in range(10)})


def test_repairs_live(server: BatchServer, wire: str, cache: Path) -> None:
    def script(seen: Seen) -> Any:
        repair = len(seen.body["messages"]) > 2
        return even_odd(seen) if repair or case(seen) != 5 else "prose"

    server.script = script
    live = Batching("live", FAST.quiet, FAST.first, FAST.longest)
    outcomes, _ = asked(server, wire, cache, batch=live)
    assert names(outcomes) == right()
    assert (len(server.live), server.sizes) == (2, [9])


@pytest.mark.parametrize("end", ["expired", "cancelled"])
def test_a_batch_that_ends_half_done(server: BatchServer, wire: str, cache: Path, end: str) -> None:
    server.ends, server.answered = [end, "ended"], 4
    outcomes, _ = asked(server, wire, cache)
    if end == "expired":  # the rest is asked again
        assert names(outcomes) == right()
    else:  # somebody wanted it to stop; what was answered counts, and the rest says why
        lost = [one for one in outcomes if one.status == "failed"]
        assert len(lost) == 5
        assert all("was cancelled before this request was answered" in one.why for one in lost)
        outcomes, _ = asked(server, wire, cache)
        assert names(outcomes) == right()
    assert (len(server.live), server.sizes) == (1, [9, 5])
    assert tickets_left(cache) == 0


async def leave(server: BatchServer, wire: str, cache: Path, batches: int = 1) -> None:
    """Ask, and stop like a killed process when so many batches are created."""
    with Run(cache=cache, batch=FAST) as run:
        step = run_step("choose_candidate", items(10), judge=judge_of(server, wire), run=run)
        work = asyncio.create_task(step)
        while len(server.batches) < batches:
            await asyncio.sleep(0.01)
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)


def test_left_and_picked_up(server: BatchServer, wire: str, cache: Path) -> None:
    server.hold = True
    asyncio.run(leave(server, wire, cache))
    assert tickets_left(cache) == 9
    forget_habits()  # as in another process
    server.release()
    outcomes, _ = asked(server, wire, cache)
    assert names(outcomes) == right()
    assert (len(server.live), server.sizes) == (1, [9])
    assert tickets_left(cache) == 0


def test_a_batch_whose_creation_was_not_confirmed_is_found(
    server: BatchServer, wire: str, cache: Path
) -> None:
    server.hold = server.stall = True
    asyncio.run(leave(server, wire, cache))  # before the server has said its name
    [record] = Tickets(Replies(cache)).records()
    assert record.id == "" and tickets_left(cache) == 9
    server.stall = False
    server.release()
    outcomes, _ = asked(server, wire, cache)
    assert (names(outcomes), server.sizes) == (right(), [9])
    server.lose = True  # the connection breaks after the creation
    outcomes, _ = asked(server, wire, cache, 20)
    assert (names(outcomes), server.sizes) == (right(20), [9, 10])


def test_a_batch_that_was_never_created_or_is_gone_is_asked_again(
    server: BatchServer, wire: str, cache: Path
) -> None:
    server.hold = True
    asyncio.run(leave(server, wire, cache))
    server.batches[0].id = "another account's"
    server.hold = False
    outcomes, _ = asked(server, wire, cache)
    assert (names(outcomes), server.sizes) == (right(), [9, 9])


def test_two_judges_of_two_providers_wait_side_by_side(server: BatchServer, cache: Path) -> None:
    server.hold = True
    server.release_at = 2  # neither batch ends before both are there
    with Run(cache=cache, batch=FAST) as run:
        outcomes = run_jury_sync(
            "choose_candidate", items(6), [server.judge(), server.anthropic], run=run
        )
    assert [one.verdict for one in outcomes] == right(6)
    assert (len(server.live), sum(server.sizes)) == (2, 10)
    assert {batch.wire for batch in server.batches} == {"openai", "anthropic"}


def test_two_runs_at_once_share_their_batch(server: BatchServer, wire: str, cache: Path) -> None:
    async def both() -> list[list[Outcome]]:
        server.hold = True
        runs = [Run(cache=cache, batch=FAST) for _ in range(2)]
        judge = judge_of(server, wire)
        tasks = [
            asyncio.create_task(run_step("choose_candidate", items(8), judge=judge, run=run))
            for run in runs
        ]
        await asyncio.sleep(0.6)
        server.release()
        return await asyncio.gather(*tasks)

    for outcomes in asyncio.run(both()):
        assert names(outcomes) == right(8)
    assert sum(server.sizes) == 7


def test_batches_are_split_at_the_limits_of_requests_and_bytes(
    server: BatchServer, wire: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = replace(PROVIDERS[wire], batch=BatchLimits(requests=4, size=10**6))
    monkeypatch.setitem(PROVIDERS, wire, small)
    outcomes, _ = asked(server, wire, cache)
    assert (names(outcomes), server.sizes) == (right(), [4, 4, 1])
    body = max(len(str(body)) for batch in server.batches for body in batch.requests.values())
    small = replace(PROVIDERS[wire], batch=BatchLimits(requests=100, size=3 * body))
    monkeypatch.setitem(PROVIDERS, wire, small)
    outcomes, _ = asked(server, wire, cache, 20)
    assert names(outcomes) == right(20)
    assert max(server.sizes[3:]) <= 3 and sum(server.sizes[3:]) == 10


def test_a_full_queue_is_filled_by_one_smaller_batch_after_the_other(
    server: BatchServer, cache: Path
) -> None:
    server.most = 3
    outcomes, _ = asked(server, "openai", cache)
    assert names(outcomes) == right()
    done = [batch for batch in server.batches if batch.status == "ended"]
    assert sum(len(batch.requests) for batch in done) == 9
    assert max(len(batch.requests) for batch in done) <= 3


def test_where_the_queue_is_full_the_batches_before_end_first(
    server: BatchServer, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = replace(PROVIDERS["openai"], batch=BatchLimits(requests=4, size=10**6))
    monkeypatch.setitem(PROVIDERS, "openai", small)
    server.hold = True
    looks = Counter[str]()
    act = server.act

    def busy(seen: Seen) -> Act:
        looks[seen.path] += 1
        if looks["/v1/batches/batch_1"] == 10:
            server.release()
        server.most = 0 if any(one.status == "running" for one in server.batches) else 10**9
        return act(seen)

    monkeypatch.setattr(server, "act", busy)
    outcomes, _ = asked(server, "openai", cache)
    assert names(outcomes) == right()
    assert sum(len(one.requests) for one in server.batches if one.status == "ended") == 9


def test_answers_that_the_provider_has_deleted_are_asked_for_again(
    server: BatchServer, wire: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.hold = True
    asyncio.run(leave(server, wire, cache))
    forget_habits()
    server.release()
    act, fetched = server.act, Counter[str]()

    def forgetful(seen: Seen) -> Act:
        fetched["all"] += (is_result := seen.path.endswith(("/content", "/results")))
        return fail(404, "deleted") if is_result and fetched["all"] == 1 else act(seen)

    monkeypatch.setattr(server, "act", forgetful)
    outcomes, _ = asked(server, wire, cache)
    assert (names(outcomes), server.sizes) == (right(), [9, 9])


def test_a_batch_of_which_the_provider_could_not_be_asked_is_found_later(
    server: BatchServer, wire: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.lose = True
    act = server.act

    def silent(seen: Seen) -> Act:
        if server.batches:
            server.closed = fail(500)
        return act(seen)

    monkeypatch.setattr(server, "act", silent)
    with pytest.raises(ModelFault, match="its batches cannot be used"):
        asked(server, wire, cache)
    assert tickets_left(cache) == 9
    monkeypatch.undo()
    monkeypatch.setenv("DXJUDGE_SERVER_KEY", "key-of-the-server")
    server.closed = None
    outcomes, _ = asked(server, wire, cache)
    assert (names(outcomes), server.sizes) == (right(), [9])


def test_a_first_question_that_waits_for_the_budget_lets_the_others_batch_go(
    server: BatchServer, cache: Path
) -> None:
    def script(seen: Seen) -> Any:
        late = "messages" in seen.path and len(server.live) < 3
        return fail(503) if late else even_odd(seen)

    server.script = script
    prices = cache.with_name("prices.yaml")
    price = "{ input: 0, output: 8 }"
    models = f"openai: {{ 'double@{server.url}': {price} }}\n"
    models += f"  anthropic: {{ 'claude@{server.root}': {price} }}\n"
    factors = "batch: { openai: 1, anthropic: 1 }\n"
    prices.write_text(f"date: 2026-11-22\nsource: ours\nmodels:\n  {models}{factors}")
    most = 5.7 * 1024 * 8e-6  # five and not six requests at once
    judges = [server.judge(), server.anthropic]

    async def both() -> list[JuryOutcome]:
        with Run(cache=cache, batch=FAST, prices=prices, max_cost=most) as run:
            work = run_jury("choose_candidate", items(6), judges, run=run)
            return await asyncio.wait_for(work, 30)

    assert [one.verdict for one in asyncio.run(both())] == right(6)
    assert sum(server.sizes) == 10  # in two batches or more, as the machine is fast


def test_a_judge_without_batches_is_refused_before_any_call(
    server: BatchServer, cache: Path
) -> None:
    with Run(cache=cache, batch=FAST) as run:
        for judge in (f"ollama:qwen@{server.url}", "google:gemini-2.5-pro"):
            with pytest.raises(UsageError, match=r"has no batches .* take openai:MODEL, anthropic"):
                run_jury_sync("choose_candidate", items(1), [server.judge(), judge], run=run)
    with pytest.raises(UsageError, match="batches need the reply cache"):
        Run(cache=cache, mode="off", batch=FAST)
    with pytest.raises(UsageError, match="repairs is 'later'"):
        Batching("later")  # type: ignore[arg-type]
    assert not server.seen


def test_a_wrong_key_or_a_server_without_batches_ends_the_run(
    server: BatchServer, wire: str, cache: Path
) -> None:
    server.script = lambda seen: fail(401, "bad key")
    with pytest.raises(AuthenticationFault):  # found by the question that is asked live
        asked(server, wire, cache)
    assert not server.batches
    server.script = even_odd
    server.closed = Act(status=404, error={"message": "no such path"})
    with pytest.raises(ModelFault, match="its batches cannot be used"):
        asked(server, wire, cache)
    assert tickets_left(cache) == 0
    server.closed = None
    assert names(asked(server, wire, cache)[0]) == right()


def test_the_price_of_a_batch_and_what_was_saved(server: BatchServer, cache: Path) -> None:
    prices = cache.with_name("prices.yaml")
    listed = f"'double@{server.url}': {{ input: 2, cached: 1, output: 8, up_to: 1000 }}"
    text = "date: 2026-11-22\nsource: ours\nmodels:\n  openai:\n    " + listed + "\n"
    prices.write_text(text + "batch: { openai: 0.25 }\n")
    with Run(cache=cache, prices=prices, batch=FAST) as run, Run(prices=prices) as live:
        judge = server.judge()
        batch = estimate("choose_candidate", items(10), judge=judge, run=run).cost
        assert batch == pytest.approx(
            0.25 * (estimate("choose_candidate", items(10), judge=judge, run=live).cost or 0)
        )
    outcomes, run = asked(server, "openai", cache, prices=prices)
    # A reply has 100 tokens in and 20 out: 100 x 2 + 20 x 8 = 360 millionths of a dollar live.
    # One was asked live and 9 in a batch: 360 + 9 x 90 = 1170, which is 9 x 270 = 2430 less.
    assert sum(one.cost or 0 for one in outcomes) == pytest.approx(1170e-6)
    assert list(run.remarks()) == ["9 replies came by batch for $0.0008, $0.0024 less than live"]
    # The budget is reserved at the batch's price, and what is beyond it is not asked.
    outcomes, run = asked(server, "openai", cache, 30, prices=prices, max_calls=5)
    assert [one.status for one in outcomes].count("failed") == 15 and run.budget_reached
    without = cache.with_name("without.yaml")
    without.write_text(text)  # a list without a factor for batches
    _, run = asked(server, "openai", cache, 32, prices=without)
    assert list(run.remarks()) == ["17 replies came by batch; the price of 17 is unknown"]


@pytest.fixture
def commands(server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table of pairs; the server says yes to each."""
    server.script = lambda seen: {"same_disease": "yes"}
    monkeypatch.setenv("DXJUDGE_CACHE_DIR", str(tmp_path / "cache"))
    lines = ["predicted,truth", *(f"disease {n},illness {n}" for n in range(5))]
    (tmp_path / "pairs.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def judged(folder: Path, server: BatchServer, *more: str) -> int:
    step = ["judge", "judge_equivalence", str(folder / "pairs.csv"), "--engine", "llm"]
    return run([*step, "-o", str(folder / "out.csv"), "--judge", server.judge(), "--batch", *more])


def test_a_command_that_is_stopped_says_how_to_go_on_and_goes_on(
    server: BatchServer, commands: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.hold = True
    server.looked = lambda: os.kill(os.getpid(), signal.SIGINT)  # as ctrl-C while it waits
    assert judged(commands, server) == 130
    said = capsys.readouterr().err
    assert "4 requests in a batch (" in said and "go on at the provider" in said
    assert not (commands / "out.csv").exists()

    assert run(["batch", "list", "--json"]) == 0
    [listed] = json.loads(capsys.readouterr().out)["batches"]
    assert (listed["state"], listed["requests"], listed["id"]) == ("running", 4, "batch_1")
    assert listed["judge"] == server.judge()
    assert run(["batch", "fetch"]) == 0 and "running" in capsys.readouterr().out
    server.release()
    assert run(["batch", "fetch", listed["batch"]]) == 0
    assert "fetched" in capsys.readouterr().out
    assert run(["batch", "list"]) == 0
    assert "1 fetched batch: --all lists them too" in capsys.readouterr().out

    server.closed = fail(500)  # what is fetched needs no provider any more
    forget_habits()
    assert judged(commands, server) == 0
    said = capsys.readouterr().err
    assert "4 replies came by batch; the price of 4 is unknown" in said
    assert "finished by an earlier run: 1 row" in said
    assert (commands / "out.csv").read_text("utf-8").count(",done,") == 5
    assert (len(server.live), server.sizes) == (1, [4])


def test_of_two_commands_started_together_one_is_killed_and_nothing_is_paid_twice(
    server: BatchServer, commands: Path
) -> None:
    paid: Counter[str] = Counter()

    def script(seen: Seen) -> Any:
        paid[seen.user] += 1
        return {"same_disease": "yes"}

    server.script, server.hold = script, True

    def start(name: str) -> subprocess.Popen[bytes]:
        words = ["judge", "judge_equivalence", str(commands / "pairs.csv"), "--engine", "llm"]
        words += ["-o", str(commands / name), "--judge", server.judge(), "--batch", "-q"]
        return subprocess.Popen([sys.executable, "-m", "dxjudge", *words])

    killed, other = start("out.csv"), start("other.csv")
    while not server.batches:
        assert killed.poll() is None and other.poll() is None
        time.sleep(0.01)
    killed.kill()
    killed.wait()
    server.release()
    assert other.wait(60) == 0
    assert not (commands / "out.csv").exists()
    assert judged(commands, server) == 0  # the same command goes on
    assert (len(server.live), server.sizes) == (1, [4])
    assert set(paid.values()) == {1} and len(paid) == 5
    live = ["judge", "judge_equivalence", str(commands / "pairs.csv"), "--engine", "llm"]
    live += ["-o", str(commands / "live.csv"), "--judge", server.judge(), "--cache-mode", "off"]
    assert run(live) == 0
    written = {(commands / f"{name}.csv").read_bytes() for name in ("out", "other", "live")}
    assert len(written) == 1


def test_what_an_earlier_run_sent_in_an_older_form_is_asked_again_in_the_new_one(
    server: BatchServer, wire: str, cache: Path
) -> None:
    def strict(seen: Seen) -> Any:
        sent = "temperature" in seen.body
        told = "temperature is not supported by this model"
        return fail(400, told, param="temperature") if sent else even_odd(seen)

    server.hold = True
    asyncio.run(leave(server, wire, cache))  # its first question was answered with a temperature
    server.script = strict
    forget_habits()
    with Run(cache=cache) as live, pytest.warns(UserWarning, match="does not take temperature"):
        run_step_sync("choose_candidate", items(11)[10:], judge=judge_of(server, wire), run=live)
    server.release()
    outcomes, _ = asked(server, wire, cache)
    assert (names(outcomes), server.sizes) == (right(), [9, 9])


def test_a_process_that_is_late_leaves_the_batch_of_another_alone(cache: Path) -> None:
    """Two see that a batch is gone: the first hands in again, then the second cleans up."""
    replies = Replies(cache)
    tickets = Tickets(replies)
    gone, again = (Record(name, "openai", "m", None, 1, 0.0, id=name) for name in ("gone", "again"))

    async def late() -> str:
        for record in (gone, again):
            await tickets.open(record, {"t": {"method": "tool", "dropped": []}})
        await tickets.drop(gone)
        await tickets.leave(["t"], gone.name)
        return (await tickets.find(["t"]))["t"].batch

    assert asyncio.run(late()) == again.name
    assert tickets.records() == [again]
    replies.close()


def test_a_command_whose_batch_is_cancelled(
    server: BatchServer, commands: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.hold, server.answered = True, 1
    server.looked = lambda: os.kill(os.getpid(), signal.SIGINT)
    assert judged(commands, server, "--quiet") == 130
    assert "go on at the provider" not in capsys.readouterr().err  # it is to be quiet
    assert run(["batch", "cancel"]) == 2 and run(["batch", "cancel", "nope"]) == 2
    capsys.readouterr()
    assert run(["batch", "cancel", "batch_1"]) == 0
    assert "cancelled" in capsys.readouterr().out
    assert judged(commands, server) == 3
    assert "was cancelled before this request was answered" in capsys.readouterr().err
    server.hold = False
    assert judged(commands, server) == 0
    assert (len(server.live), server.sizes) == (1, [4, 3])


def test_commands_refuse_what_no_batch_can_do(
    server: BatchServer, commands: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = str(commands / "pairs.csv")
    unable = ["--batch", "--judge", f"vllm:qwen@{server.url}"]
    assert run(["judge", "judge_equivalence", pairs, *unable]) == 2
    assert "has no batches that dxjudge can use" in capsys.readouterr().err
    assert run(["judge", "judge_equivalence", pairs, *unable, "--estimate"]) == 2
    mapped = ["map", pairs, "--column", "truth", "--batch", "--model", f"vllm:qwen@{server.url}"]
    assert run(mapped) == 2
    assert judged(commands, server, "--batch-repairs", "never") == 2
    assert "repairs is 'never'; it must be batch or live" in capsys.readouterr().err
    assert judged(commands, server, "--cache-mode", "off") == 2
    assert run(["batch", "list"]) == 0 and "no batches" in capsys.readouterr().out
    assert not server.seen
    assert judged(commands, server, "--estimate") == 0
    assert ", in batches." in capsys.readouterr().out and not server.seen


def test_mapping_and_an_evaluation_end_as_they_do_live(
    server: BatchServer, cache: Path, mapper: Mapper
) -> None:
    def script(seen: Seen) -> Any:
        if "choice" in (seen.schema or {}).get("properties", {}):
            return {"choice": shown(seen)[-1]}
        return make_judge()(seen)

    server.script = script
    judges = [server.judge("other"), server.anthropic]
    cases = [{"id": f"c{n}", "case": f"A rash {n}.", "diagnosis": "psoriasis"} for n in range(6)]
    told = "{} things: psoriasis, eczema, tinea corporis."
    responses = [{"id": f"c{n}", "response": told.format(n)} for n in range(6)]
    tables = []
    for batch, kept in ((FAST, cache), (None, cache.with_name("live.sqlite"))):
        with Run(cache=kept, batch=batch) as settings:
            parts = replace(mapper.parts, chooser=Chooser(server.judge(), settings))
            texts = ["swollen big toe attack", "burning foot pain at night"]
            mappings = mapping_graph(parts).invoke({"texts": texts})["mappings"]
            assert [mapping["decided_by"] for mapping in mappings] == ["llm", "llm"]
            result = evaluate(
                cases, {"m": responses}, judges=judges, run=settings, mapper=mapper, resamples=50
            )
            records = result.table("verdicts").to_dict("records")
            tables.append([*map(str, mappings), *map(str, records)])
        if batch:
            assert len(server.live) == 3  # the first question of each of three models
            by_batch = sum(server.sizes)
    assert tables[0] == tables[1]
    assert len(server.live) == 3 + 3 + by_batch
    steps = ("extract_final_diagnosis", "extract_ddx", "judge_equivalence_ddx", "grade_ddx")
    for step, judge in product(steps, ("openai:other", "anthropic:claude")):
        asked_by = [row for row in tables[0] if f"'{step}'" in row and judge in row]
        assert asked_by or (step.startswith("extract") and judge == "anthropic:claude")
