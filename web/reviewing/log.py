"""The file beside a canonical table that records who did what to which row: TABLE.reviews.csv.

Acts are only added, one line each, so that a kill in the middle of writing loses no act that was
written before. Blind reviews stand here alone, until they are settled in the table.
"""

import contextlib
import csv
import io
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, get_args

from ...errors import InputError, OutputError
from ...files.bytes import decode, read_bytes
from ...files.delimited import Style, line_end_of, parse_delimited
from ...ontology.table_file import guarded, unguarded

SUFFIX = ".reviews.csv"
"""What the name of a table's record of reviews ends with, in place of the table's own suffix."""

Act = Literal[
    "decided", "settled", "blind", "undone", "flagged", "unflagged", "drawn", "accepted",
    "withdrawn",
]  # fmt: skip
COLUMNS = (
    "time", "reviewer", "act", "text", "code", "additional_codes", "note", "sample", "details",
)  # fmt: skip
_HEADER = ("\ufeff" + ",".join(COLUMNS)).encode()


@dataclass(frozen=True)
class Review:
    """One act.

    decided: a row of the table was decided; settled: so were the blind reviews of a row. blind: a
    review that the table does not hold. undone: the reviewer's last act on this text was taken
    back. drawn: the text belongs to a sample. accepted, withdrawn: of all other rows of a sample.
    sample: its number, "" for none. details: the changed cells "before" and "after", or what is
    known of a sample.
    """

    reviewer: str
    act: Act
    text: str = ""
    code: str = ""
    additional_codes: str = ""
    note: str = ""
    sample: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    time: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))


def log_path(table: Path) -> Path:
    """Return where the reviews of a canonical table are recorded."""
    return table.with_name(table.stem + SUFFIX)


@dataclass
class Log:
    """The record of one table; read again when another process wrote it."""

    path: Path
    reviews: list[Review] = field(default_factory=list)
    _style: Style = Style(mark=True)
    _stamp: tuple[int, int] | None = None
    _whole: int = 0  # bytes up to the end of the last whole act
    _is_ended: bool = True  # whether a line end follows it

    def refresh(self) -> bool:
        """Read the file again if it changed, and return whether it did.

        A last act whose writing was cut short is left out. Raises InputError for a file that is
        not such a record.
        """
        stamp = _stamp(self.path)
        if stamp == self._stamp:
            return False
        data = read_bytes(self.path) if stamp else b""
        is_begun = data and not _HEADER.startswith(data)  # else its first line was cut short
        self.reviews, self._style, self._whole = (
            _read(data, self.path) if is_begun else ([], Style(mark=True), 0)
        )
        self._is_ended = data[: self._whole].endswith(b"\n")
        self._stamp = stamp
        return True

    def append(self, reviews: Sequence[Review]) -> None:
        """Add acts and wait until the disk has them. The caller holds the lock of the table.

        Raises OutputError where they cannot be written; then the file is as it was.
        """
        self.refresh()
        text = io.StringIO(newline="")
        writer = csv.writer(
            text, delimiter=self._style.delimiter, lineterminator=self._style.line_end
        )
        if not self._whole:
            writer.writerow(COLUMNS)
        writer.writerows(_cells(review) for review in reviews)
        mark = "\ufeff" if not self._whole else "" if self._is_ended else self._style.line_end
        data = (mark + text.getvalue()).encode("utf-8", errors="backslashreplace")
        try:
            _append(self.path, self._whole, data)
        except OSError as fault:
            raise OutputError(f"cannot write {self.path}: {fault.strerror or fault}") from fault
        self._whole += len(data)
        self._is_ended = True
        self._stamp = _stamp(self.path)
        self.reviews = [*self.reviews, *reviews]


def _append(path: Path, whole: int, data: bytes) -> None:
    """Write data after the first `whole` bytes of a file; at a fault cut it there again."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o666)
    with os.fdopen(descriptor, "wb", buffering=0) as file:
        file.truncate(whole)
        file.seek(whole)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[file.write(rest) :]
            os.fsync(file.fileno())
        except OSError:
            with contextlib.suppress(OSError):
                file.truncate(whole)
            raise


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_mtime_ns, status.st_size


def _cells(review: Review) -> list[str]:
    plain = asdict(review)
    details = json.dumps(plain["details"], ensure_ascii=False) if review.details else ""
    return [guarded(details if name == "details" else str(plain[name])) for name in COLUMNS]


def _read(data: bytes, path: Path) -> tuple[list[Review], Style, int]:
    """Return the acts, the style of the file and the number of its bytes that hold whole acts."""
    whole = _whole(data)
    if whole == len(data) or not data.endswith(b"\n"):
        try:  # an editor may have saved it without the last line end
            return *_parsed(data, path), len(data)
        except InputError:
            if whole == len(data):
                raise
    return *_parsed(data[:whole], path), whole


def _parsed(data: bytes, path: Path) -> tuple[list[Review], Style]:
    text = decode(data, str(path))
    table = parse_delimited(text, str(path))
    if missing := [name for name in COLUMNS if name not in table.columns]:
        raise InputError(f"{path} is not a record of reviews: it has no column {missing[0]!r}")
    reviews = [
        _review(dict(zip(table.columns, row, strict=True)), f"{path}, row {number + 1}")
        for number, row in enumerate(table.rows)
    ]
    return reviews, Style(table.delimiter, mark=True, line_end=line_end_of(text))


def _whole(data: bytes) -> int:
    """Return the bytes up to the last line end outside quotes, with which a whole act ends."""
    end = len(data)
    quotes = data.count(b'"')
    while end:
        last = data.rfind(b"\n", 0, end) + 1
        quotes -= data.count(b'"', last, end)
        if quotes % 2 == 0:
            return last
        end = last - 1
    return 0


def _review(cells: dict[str, str], place: str) -> Review:
    known = {name: unguarded(cells.get(name, "")) for name in COLUMNS}
    act = next((act for act in get_args(Act) if act == known["act"]), None)
    if act is None:
        raise InputError(f"{place}: act is {known['act']!r}, not one of {', '.join(get_args(Act))}")
    try:
        details = json.loads(known.pop("details") or "{}")
    except ValueError as fault:
        raise InputError(f"{place}: details are not JSON: {fault}") from fault
    return Review(**{**known, "act": act, "details": details})
