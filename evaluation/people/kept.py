"""The file of what people answered: each answer is a line that is on the disk before it counts.

A line is only ever added. The last answer of a person to an item counts; earlier ones stay in the
file. A process that is killed loses at most the answer that it was writing.
"""

import json
import os
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...errors import InputError, OutputError
from ...files.bytes import BINARY
from ...files.claim import claim

Status = Literal["done", "abstained", "skipped", "withdrawn"]


class Plan(BaseModel):
    """The first line: what is asked in which order, so that a later run asks the same.

    order: the keys of the items, as they are shown. design: how they were drawn, in words.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["dxjudge ratings"] = "dxjudge ratings"
    seed: int
    design: dict[str, Any]
    order: tuple[str, ...]


class Answer(BaseModel):
    """What a person answered to an item. number: its line in the file, which says what is newer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rater: str
    item: str
    status: Status
    answer: dict[str, Any] = Field(default_factory=dict)
    note: str = ""
    at: str = ""
    number: int = Field(default=0, exclude=True)


class Kept:
    """The answers in memory and in their file, which one process at a time may write.

    Raises InputError for a file that is something else or is damaged (the message names the line),
    and OutputError where it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, or make it ready to be created by `begin`."""
        self.path = path
        self.plan: Plan | None = None
        self._last: dict[tuple[str, str], Answer] = {}
        self._lines = 0
        self._lock = threading.Lock()
        self._give_back = claim(path, "end that command first: several people can use its pages")
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | BINARY, 0o600)
            self._load()
        except OSError as fault:
            self._give_back()
            raise OutputError(f"{path}: {fault.strerror or fault}") from fault
        except BaseException:
            self.close()
            raise

    def _load(self) -> None:
        with open(self._descriptor, "rb", closefd=False) as file:
            content = file.read()
        end = content.rfind(b"\n") + 1
        if end < len(content):  # a crash cut the last line off
            os.ftruncate(self._descriptor, end)
        for number, line in enumerate(content[:end].splitlines(), 1):
            self._lines = number
            try:
                if number == 1:
                    self.plan = Plan.model_validate_json(line)
                else:
                    self._take(Answer.model_validate_json(line))
            except ValidationError as fault:
                what = "is not a file of ratings" if number == 1 else "is damaged"
                raise InputError(
                    f"{self.path}, line {number} {what}: remove the line, or name another output"
                ) from fault

    def _take(self, answer: Answer) -> Answer:
        numbered = answer.model_copy(update={"number": self._lines})
        self._last[answer.rater, answer.item] = numbered
        return numbered

    def begin(self, plan: Plan) -> None:
        """Write the plan as the first line of a new file."""
        with self._lock:
            self._write(plan)
            self.plan = plan

    def keep(self, answer: Answer) -> Answer:
        """Write an answer, and return it with its number once it is on the disk."""
        stamped = answer.model_copy(
            update={"at": datetime.now(UTC).isoformat(timespec="milliseconds")}
        )
        with self._lock:
            self._write(stamped)
            return self._take(stamped)

    def _write(self, line: BaseModel) -> None:
        size = os.fstat(self._descriptor).st_size
        # ASCII, because UTF-8 cannot hold a lone surrogate, which JSON can.
        rest = memoryview(json.dumps(line.model_dump(mode="json")).encode() + b"\n")
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
            os.fsync(self._descriptor)
        except OSError as fault:
            os.ftruncate(self._descriptor, size)  # half a line would join the next one
            raise OutputError(
                f"{self.path}: {fault.strerror or fault}; this answer is not kept"
            ) from fault
        self._lines += 1

    def of(self, rater: str, item: str) -> Answer | None:
        """Return the last answer of a person to an item; None if there is none."""
        last = self._last.get((rater, item))
        return None if last is None or last.status == "withdrawn" else last

    @property
    def raters(self) -> tuple[str, ...]:
        """The people with an answer, in the order in which they began."""
        known = dict.fromkeys(rater for rater, _ in self._last)
        return tuple(name for name in known if self.by_item(name))

    def by_item(self, rater: str) -> Mapping[str, Answer]:
        """Return the last answers of a person, by item."""
        with self._lock:
            return {
                item: answer
                for (name, item), answer in self._last.items()
                if name == rater and answer.status != "withdrawn"
            }

    def close(self) -> None:
        """Close the file. A file without a plan is removed."""
        if self._descriptor < 0:
            return
        os.close(self._descriptor)
        self._descriptor = -1
        if self.plan is None and self._lines == 0 and self.path.stat().st_size == 0:
            self.path.unlink()
        self._give_back()
