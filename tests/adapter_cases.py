"""Example cases and a scripted judge of them, for the adapters' tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dxjudge.agents.engine.run import Run

from .protocol_server import ProtocolServer, Seen, refuse
from .scripted import example_rows

# Right answers of the judge on the first cases that commit to a diagnosis; one refusal.
SAYS = ("yes", "no", "yes", "refuse", "no")


def pairs() -> list[dict[str, Any]]:
    """The first five cases that commit to a diagnosis."""
    rows = (row for row in example_rows("cases.jsonl") if row["response_diagnosis"])
    return [next(rows) for _ in SAYS]


@contextmanager
def judged_pairs() -> Iterator[tuple[str, Run]]:
    """A judge that says `SAYS` about the pairs, whatever their order, and a run without a cache."""
    said = {row["response_diagnosis"]: word for row, word in zip(pairs(), SAYS, strict=True)}
    assert len(said) == len(SAYS)

    def script(seen: Seen) -> Any:
        (word,) = {word for text, word in said.items() if f"\n{text}\n" in seen.user}
        return refuse() if word == "refuse" else {"same_disease": word}

    with ProtocolServer(script) as server, Run(mode="off") as run:
        yield server.judge(), run
