"""The account of a run as JSON: what was estimated before it, and what it took."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...files.bytes import writing
from ..engine.ledger import Line

_SUMS = (
    "items", "done", "abstained", "failed", "cached", "by_stand_in", "repaired", "calls",
    "calls_of_unknown_cost", "tokens_in", "tokens_out", "answers_without_tokens", "cost",
    "latency",
)  # fmt: skip


def write_account(
    path: Path,
    lines: Sequence[Line],
    *,
    prices: str,
    remarks: Sequence[str],
    budget_reached: bool,
    estimate: Sequence[Mapping[str, Any]] | None,
) -> None:
    """Write an account, which replaces the file.

    lines: the sums of each judge on each step. prices: the date of the price list. estimate: one
    entry for each judge and step, None if nothing was estimated. Costs are US dollars; they do
    not include the calls of unknown cost. Latency is the sum of the seconds of all calls. Raises
    OutputError.
    """
    account = {
        "estimate": estimate,
        "lines": [_line(line) for line in lines],
        "total": {name: sum(getattr(line, name) for line in lines) for name in _SUMS},
        "prices": prices,
        "budget_reached": budget_reached,
        "remarks": list(remarks),
    }
    with writing(path) as file:
        file.write(json.dumps(account, indent=2, ensure_ascii=False).encode() + b"\n")


def _line(line: Line) -> dict[str, Any]:
    return {
        name: dict(value) if isinstance(value, Counter) else value
        for name, value in vars(line).items()
    }
