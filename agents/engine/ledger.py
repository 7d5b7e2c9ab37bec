"""The ledger: records every attempt at an answer, and sums them by judge and step."""

import json
import threading
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, Literal

from ..outcome import Outcome
from ..watching.call_log import open_private

AttemptStatus = Literal[
    "valid",
    "invalid",  # not JSON, not of the schema, or rejected by the step's checks
    "refused",
    "truncated",
    "throttled",  # 429
    "transport",  # timeout, connection, 5xx, a body without an answer
    "rejected",  # any other 4xx
]


@dataclass(frozen=True)
class Attempt:
    """One request, with its unchanged answer or error, its tokens and its cost.

    turn: 0 for the first question, from 1 for repairs. attempt: from 1 within a turn. latency:
    seconds from sending to the complete answer. cost: US dollars, None when unknown.
    """

    at: str
    step: str
    version: int
    judge: str
    method: str
    key: str
    repeat: int
    turn: int
    attempt: int
    status: AttemptStatus
    text: str
    error: str
    tokens_in: int | None
    tokens_out: int | None
    tokens_cached: int | None
    cost: float | None
    latency: float


@dataclass
class Line:
    """The sums of one judge on one step. `items` counts outcomes, `calls` counts requests.

    tokens_in, tokens_out: of the answers whose tokens the server reported; answers_without_tokens
    counts the others.
    """

    judge: str
    step: str
    items: int = 0
    cached: int = 0
    by_stand_in: int = 0
    done: int = 0
    abstained: int = 0
    failed: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    attempts: Counter[str] = field(default_factory=Counter)
    first_turns: int = 0
    first_valid: int = 0
    repaired: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    answers_without_tokens: int = 0
    cost: float = 0.0
    calls_of_unknown_cost: int = 0
    latency: float = 0.0

    @property
    def first_pass_validity(self) -> float | None:
        """The share of first answers that were valid; None without any first answer."""
        return self.first_valid / self.first_turns if self.first_turns else None


class Ledger:
    """Records attempts in memory, or in a JSONL file that only its owner can read.

    In both cases it also keeps the sums.
    """

    def __init__(self, path: Path | None = None, keep: int | None = None) -> None:
        """path: a file to append to, or None for memory. keep: the most attempts in memory.

        Raises OutputError when the file cannot be written.
        """
        self.attempts: deque[Attempt] = deque(maxlen=keep)
        self.path = path
        self._lines: dict[tuple[str, str], Line] = {}
        self._lock = threading.Lock()
        self._file: IO[str] | None = None
        if path is not None:
            self._file = open_private(path, "ledger")

    def record(self, attempt: Attempt) -> None:
        """Record one attempt."""
        with self._lock:
            if self._file is None:
                self.attempts.append(attempt)
            else:
                self._file.write(json.dumps(asdict(attempt)) + "\n")
                self._file.flush()
            self._add(self._line(attempt.judge, attempt.step), attempt)

    def close_item(self, outcome: Outcome, judge: str) -> None:
        """Count the outcome of an item."""
        with self._lock:
            line = self._line(judge, outcome.step)
            line.items += 1
            line.cached += outcome.cached
            line.by_stand_in += outcome.decided_by not in ("llm", "none")
            answered = outcome.status != "failed" and not outcome.cached
            line.repaired += answered and outcome.repairs > 0
            if outcome.status == "done":
                line.done += 1
            elif outcome.status == "abstained":
                line.abstained += 1
            else:
                line.failed += 1
                line.failures[outcome.kind] += 1

    def summary(self) -> list[Line]:
        """Return one line for each judge and step, in the order of their first use."""
        with self._lock:
            return list(self._lines.values())

    def take(self) -> list[Line]:
        """Return the lines, and begin them again."""
        with self._lock:
            lines = list(self._lines.values())
            self._lines = {}
            return lines

    def add(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """Add the lines of another ledger, as plain JSON."""
        with self._lock:
            for plain in lines:
                line = self._line(plain["judge"], plain["step"])
                for name, value in plain.items():
                    if isinstance(value, Mapping):
                        getattr(line, name).update(value)
                    elif not isinstance(value, str):
                        setattr(line, name, getattr(line, name) + value)

    def close(self) -> None:
        """Close the file, if the ledger has one."""
        if self._file is not None:
            self._file.close()

    def _line(self, judge: str, step: str) -> Line:
        line = self._lines.get((judge, step))
        if line is None:
            line = self._lines[judge, step] = Line(judge, step)
        return line

    @staticmethod
    def _add(line: Line, attempt: Attempt) -> None:
        line.calls += 1
        line.attempts[attempt.status] += 1
        line.latency += attempt.latency
        line.tokens_in += attempt.tokens_in or 0
        line.tokens_out += attempt.tokens_out or 0
        if attempt.cost is None:
            line.calls_of_unknown_cost += 1
        else:
            line.cost += attempt.cost
        answered = attempt.status in ("valid", "invalid", "refused", "truncated")
        if answered and None in (attempt.tokens_in, attempt.tokens_out):
            line.answers_without_tokens += 1
        if answered and attempt.turn == 0:
            line.first_turns += 1
            line.first_valid += attempt.status == "valid"
