"""A run in a process of its own, for tests that kill it or start two: URL CACHE ITEMS."""

import sys

from dxjudge.agents.engine.run import Run
from dxjudge.graphs.step import run_step_sync


def items(count: int) -> list[dict[str, object]]:
    return [{"diagnosis": f"case {n}", "candidates": ["Angina", "Asthma"]} for n in range(count)]


if __name__ == "__main__":
    url, cache, count = sys.argv[1:4]
    run = Run(cache=cache, concurrency=8, timeout=10)
    outcomes = run_step_sync(
        "choose_candidate", items(int(count)), judge=f"openai:double@{url}", run=run
    )
    assert isinstance(outcomes, list)
    print(" ".join(outcome.value.name for outcome in outcomes if outcome.status == "done"))
    print(sum(outcome.calls for outcome in outcomes))
