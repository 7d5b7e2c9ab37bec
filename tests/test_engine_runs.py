"""Many items at once: nothing lost, nothing asked twice, nothing spent beyond the budget."""

import asyncio
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dxjudge.agents.engine.estimate import estimate
from dxjudge.agents.engine.run import Run
from dxjudge.agents.outcome import Failed, Outcome
from dxjudge.cache.cassette import export_cassette, import_cassette
from dxjudge.cache.replies import Replies
from dxjudge.cache.sqlite import SqliteStore
from dxjudge.errors import AuthenticationFault, ReplayMiss, UsageError
from dxjudge.graphs.step import run_step, run_step_sync, stream_step

from .engine_worker import items
from .protocol_server import (
    DROP,
    HTML,
    Act,
    ProtocolServer,
    Seen,
    cut,
    fail,
    refuse,
    say,
    throttle,
)

WORKER = Path(__file__).with_name("engine_worker.py")


def case(seen: Seen) -> int:
    """The number of the item that a request is about."""
    return int(seen.user.split("case ")[1].split("\n")[0])


def even_odd(seen: Seen) -> Any:
    return {"choice": "Angina" if case(seen) % 2 == 0 else "Asthma"}


def many(inputs: list[Any], server: ProtocolServer, run: Run, **options: Any) -> list[Outcome]:
    outcomes = run_step_sync("choose_candidate", inputs, judge=server.judge(), run=run, **options)
    assert isinstance(outcomes, list)
    return outcomes


def test_outcomes_come_in_the_order_of_the_items(tmp_path: Path) -> None:
    def later_first(seen: Seen) -> Act:
        return say(even_odd(seen), delay=0.1 if case(seen) < 5 else 0.0)

    with ProtocolServer(later_first) as server:
        outcomes = many(items(20), server, Run(cache=tmp_path / "r.sqlite"))
    names = [outcome.value.name for outcome in outcomes if outcome.status == "done"]
    assert names == ["Angina", "Asthma"] * 10


def test_a_stream_gives_outcomes_as_they_finish() -> None:
    def later_first(seen: Seen) -> Act:
        return say(even_odd(seen), delay=0.3 if case(seen) == 0 else 0.0)

    async def work(server: ProtocolServer) -> list[int]:
        stream = stream_step(
            "choose_candidate", items(6), judge=server.judge(), run=Run(mode="off")
        )
        return [index async for index, _ in stream]

    with ProtocolServer(later_first) as server:
        order = asyncio.run(work(server))
    assert order[-1] == 0 and sorted(order) == list(range(6))


def test_leaving_a_stream_stops_the_work() -> None:
    async def work(server: ProtocolServer) -> None:
        run = Run(mode="off", concurrency=2)
        stream = stream_step("choose_candidate", items(500), judge=server.judge(), run=run)
        async for _ in stream:
            break
        await stream.aclose()

    with ProtocolServer(lambda seen: say(even_odd(seen), delay=0.02)) as server:
        asyncio.run(work(server))
        asked = len(server.seen)
        time.sleep(0.2)
        assert len(server.seen) == asked < 50


def test_an_item_that_cannot_be_used_is_that_items_failure() -> None:
    with ProtocolServer(even_odd) as server:
        bad: dict[str, Any] = {"diagnosis": "", "candidates": []}
        outcomes = many([items(1)[0], bad, items(2)[1]], server, Run(mode="off"))
    assert [outcome.status for outcome in outcomes] == ["done", "failed", "done"]
    assert isinstance(outcomes[1], Failed) and outcomes[1].kind == "input"


def test_two_thousand_items_with_faults_all_end_as_a_result_or_as_failed(tmp_path: Path) -> None:
    """One item in five meets a fault; some for good. None is lost and none is asked twice."""
    passing = [fail(500), DROP, throttle(0.01), HTML, {"choice": "Gout"}, "prose {", cut("{")]
    lasting = {3: refuse(), 13: fail(400, "bad item"), 23: say({"choice": "Gout"})}
    turns: Counter[int] = Counter()

    def script(seen: Seen) -> Any:
        number = case(seen)
        turns[number] += 1
        if number % 50 in lasting:
            return lasting[number % 50]
        if number % 5 == 0 and turns[number] == 1:
            return passing[number // 5 % len(passing)]
        return even_odd(seen)

    with ProtocolServer(script) as server:
        run = Run(cache=tmp_path / "r.sqlite", timeout=20, attempts=8)
        outcomes = many(items(2000), server, run)
        asked = len(server.seen)
        again = many(items(2000), server, run)
    assert len(outcomes) == 2000
    for number, outcome in enumerate(outcomes):
        if number % 50 in lasting:
            assert isinstance(outcome, Failed)
        else:
            assert outcome.status == "done", (number, outcome)
            assert outcome.value.name == ("Angina", "Asthma")[number % 2]
    kinds = Counter(outcome.kind for outcome in outcomes if outcome.status == "failed")
    assert kinds == {"refused": 40, "rejected": 40, "invalid": 40}
    assert sum(outcome.calls for outcome in outcomes) == asked
    assert len(run.ledger.attempts) == len(server.seen)
    # The second run asks for the failed ones only: a refusal and a 400 once, the invalid thrice.
    assert len(server.seen) - asked == 40 + 40 + 120
    assert sum(outcome.cached for outcome in again) == 1880


def test_identical_items_under_way_are_one_call(tmp_path: Path) -> None:
    same = [items(1)[0]] * 10
    with ProtocolServer(lambda seen: say(even_odd(seen), delay=0.1)) as server:
        outcomes = many(same, server, Run(cache=tmp_path / "r.sqlite"))
    assert len(server.seen) == 1
    assert [outcome.status for outcome in outcomes] == ["done"] * 10
    assert sum(outcome.calls for outcome in outcomes) == 1
    assert sum(outcome.cached for outcome in outcomes) == 9


def test_identical_items_of_several_runs_and_threads_are_one_call(tmp_path: Path) -> None:
    with ProtocolServer(lambda seen: say(even_odd(seen), delay=0.2)) as server:

        async def work() -> list[Outcome]:
            runs = [Run(cache=tmp_path / "r.sqlite") for _ in range(4)]
            calls = [
                run_step("choose_candidate", items(1)[0], judge=server.judge(), run=run)
                for run in runs
            ]
            thread = asyncio.to_thread(
                lambda: run_step_sync(
                    "choose_candidate",
                    items(1)[0],
                    judge=server.judge(),
                    run=Run(cache=tmp_path / "r.sqlite"),
                )
            )
            return await asyncio.gather(*calls, thread)

        outcomes = asyncio.run(work())
    assert len(server.seen) == 1
    assert [outcome.status for outcome in outcomes] == ["done"] * 5


def test_when_the_one_who_asks_is_cancelled_another_takes_over(tmp_path: Path) -> None:
    async def work(server: ProtocolServer) -> Outcome:
        run = Run(cache=tmp_path / "r.sqlite")

        def ask() -> asyncio.Task[Outcome]:
            one = run_step("choose_candidate", items(1)[0], judge=server.judge(), run=run)
            return asyncio.create_task(one)

        first = ask()
        await asyncio.sleep(0.3)
        second = ask()
        await asyncio.sleep(0.05)
        first.cancel()
        return await second

    with ProtocolServer(lambda seen: say(even_odd(seen), delay=0.6)) as server:
        outcome = asyncio.run(work(server))
    assert outcome.status == "done"
    assert len(server.seen) == 2


def test_a_run_in_one_loop_after_another_works_and_reuses_nothing_closed() -> None:
    with ProtocolServer(even_odd) as server:
        for _ in range(3):
            work = run_step("choose_candidate", items(3), judge=server.judge(), run=Run(mode="off"))
            assert [outcome.status for outcome in asyncio.run(work)] == ["done"] * 3
    assert len(server.seen) == 9


def test_the_synchronous_call_works_inside_a_running_loop() -> None:
    with ProtocolServer(even_odd) as server:

        async def notebook() -> list[Outcome]:
            return many(items(2), server, Run(mode="off"))

        assert [outcome.status for outcome in asyncio.run(notebook())] == ["done"] * 2


def test_concurrency_is_one_limit_for_all_runs_of_the_process() -> None:
    with ProtocolServer(lambda seen: say(even_odd(seen), delay=0.02)) as server:

        async def work() -> None:
            runs = [Run(mode="off", concurrency=3) for _ in range(3)]
            await asyncio.gather(
                *(
                    run_step("choose_candidate", items(10), judge=server.judge(), run=run)
                    for run in runs
                )
            )

        asyncio.run(work())
    assert server.peak == 3


def test_the_budget_of_calls_is_never_passed(tmp_path: Path) -> None:
    with ProtocolServer(even_odd) as server:
        run = Run(cache=tmp_path / "r.sqlite", max_calls=7)
        outcomes = many(items(20), server, run)
        assert len(server.seen) == 7
        assert run.budget_reached
        done = [outcome for outcome in outcomes if outcome.status == "done"]
        left = [outcome for outcome in outcomes if isinstance(outcome, Failed)]
        assert (len(done), {outcome.kind for outcome in left}) == (7, {"budget"})
        rest = many(items(20), server, Run(cache=tmp_path / "r.sqlite"))
    assert [outcome.status for outcome in rest] == ["done"] * 20
    assert len(server.seen) == 20


def test_the_budget_of_money_holds_while_calls_are_under_way(tmp_path: Path) -> None:
    with ProtocolServer(lambda seen: say(even_odd(seen), tokens=(1000, 100))) as server:
        prices = tmp_path / "prices.yaml"
        prices.write_text(
            "date: 2026-11-21\nsource: me\nmodels:\n  openai:\n"
            f"    double@{server.url}: {{ input: 1000, output: 1000 }}\n"
        )
        run = Run(mode="off", max_cost=10.0, prices=prices)
        many(items(40), server, run)
    # A call costs (1000 + 100) x 1000 / 1,000,000 = 1.1 dollars.
    assert run.budget_reached
    assert run.budget.spent == pytest.approx(1.1 * len(server.seen))
    assert 7 <= len(server.seen) <= 9


def test_a_limit_on_cost_needs_a_price() -> None:
    with ProtocolServer(even_odd) as server:
        with pytest.raises(UsageError, match="price .* is unknown"):
            many(items(3), server, Run(mode="off", max_cost=1.0))
    assert server.seen == []


def test_the_ledger_may_keep_the_last_attempts_only_and_still_counts_all() -> None:
    with ProtocolServer(even_odd) as server:
        run = Run(mode="off", keep=3)
        many(items(10), server, run)
    assert len(run.ledger.attempts) == 3
    assert run.ledger.summary()[0].calls == 10


def test_a_refused_key_stops_a_long_run_soon() -> None:
    with ProtocolServer(lambda seen: fail(401, "no")) as server:
        with pytest.raises(AuthenticationFault):
            many(items(1000), server, Run(mode="off", concurrency=4))
    assert len(server.seen) <= 12


def test_an_estimate_says_what_a_run_will_take_and_sends_nothing(tmp_path: Path) -> None:
    with ProtocolServer(even_odd) as server:
        run = Run(cache=tmp_path / "r.sqlite")
        many(items(4), server, run)
        asked = len(server.seen)
        inputs: list[Any] = [*items(10), items(10)[9], {"diagnosis": ""}]
        found = estimate("choose_candidate", inputs, judge=server.judge(), run=run)
    assert len(server.seen) == asked
    assert (found.items, found.cached, found.calls, found.unusable) == (12, 4, 6, 1)
    assert found.tokens_out == 6 * 20  # the mean of the kept replies
    assert found.cost is None


def test_a_replayed_run_asks_nothing_and_misses_are_one_error(tmp_path: Path) -> None:
    with ProtocolServer(even_odd) as server:
        judge = server.judge()
        first = many(items(30), server, Run(cache=tmp_path / "r.sqlite"))
    export_cassette(Replies(tmp_path / "r.sqlite"), tmp_path / "c.jsonl")
    import_cassette(Replies(tmp_path / "away.sqlite"), tmp_path / "c.jsonl")
    run = Run(cache=tmp_path / "away.sqlite", mode="replay")
    again = run_step_sync("choose_candidate", items(30), judge=judge, run=run)
    assert isinstance(again, list)
    assert [o.value for o in again if o.status == "done"] == [
        o.value for o in first if o.status == "done"
    ]
    assert all(outcome.cached and outcome.calls == 0 for outcome in again)
    with pytest.raises(ReplayMiss, match="2 replies are not in"):
        run_step_sync("choose_candidate", items(32), judge=judge, run=run)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    """kill -9 in the middle of 500 items: the same results, no successful call repeated."""
    answered: Counter[int] = Counter()

    def script(seen: Seen) -> Any:
        answered[case(seen)] += 1
        return even_odd(seen)

    with ProtocolServer(script) as server:
        command = [sys.executable, str(WORKER), server.url, str(tmp_path / "r.sqlite"), "500"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while len(server.seen) < 150:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        before = len(server.seen)
        kept = sum(1 for _ in Replies(tmp_path / "r.sqlite").entries())
        finished = subprocess.run(command, capture_output=True, text=True, check=True)
    names, calls = finished.stdout.splitlines()
    assert names.split() == ["Angina", "Asthma"] * 250
    assert int(calls) == len(server.seen) - before == 500 - kept
    # Only items that were under way when it died (twice as many as requests at once, so that a
    # reply on its way to the disk holds nobody up) may have been asked about again.
    repeated = sum(count - 1 for count in answered.values())
    assert repeated == before - kept <= 2 * 8
    assert kept >= 100


def test_two_processes_share_a_cache_without_double_work(tmp_path: Path) -> None:
    with ProtocolServer(lambda seen: say(even_odd(seen), delay=0.005)) as server:
        command = [sys.executable, str(WORKER), server.url, str(tmp_path / "r.sqlite"), "300"]
        both = [
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(2)
        ]
        results = [process.communicate(timeout=60) for process in both]
    for process, (out, err) in zip(both, results, strict=True):
        assert process.returncode == 0, err
        assert "locked" not in err and "going on without" not in err
        assert out.splitlines()[0].split() == ["Angina", "Asthma"] * 150
    assert len(server.seen) == 300


def test_a_run_on_a_locked_cache_ends_and_says_what_it_did_not_keep(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "r.sqlite", patience=0.2)
    lock = sqlite3.connect(tmp_path / "r.sqlite", isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    with ProtocolServer(even_odd) as server, Run(cache=store) as run:
        with pytest.warns(UserWarning, match="going on without it"):
            outcomes = many(items(8), server, run)
        said = run.remarks()
    lock.close()
    assert [outcome.status for outcome in outcomes] == ["done"] * 8
    assert said == [f"8 replies were not kept: the reply cache {store.place} could not be written"]
