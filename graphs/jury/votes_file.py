"""Read and write votes as a long table of any form, with one row for each vote.

The columns are the fields of a `Vote`; any other column is a group. In all forms except JSON, a
verdict is written as text: true, false and numbers unchanged; a text unchanged, or in double
quotes if it would otherwise be read as true, false or a number. A verdict is read back as the
kind of its step's verdicts. If the step is unknown, the kind depends on the text of the verdict.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...agents.step import Step
from ...agents.steps import find_verdict
from ...errors import InputError, UsageError
from ...files.cells import is_empty, plain_text
from ...files.forms import Form, table_format
from ...files.json_text import load_json
from ...files.nearest import lacking
from ...files.rows_in import Sheet, read_sheet
from ...files.rows_out import write_columns
from ...scoring.votes import Scalar, Vote, fault_of
from ..columns import columns_of

COLUMNS = (
    "case", "step", "judge", "repeat", "variant", "status", "verdict", "explanation", "reason",
    "tokens_in", "tokens_out", "cost",
)  # fmt: skip
"""The columns that are fields of a vote."""
NEEDED = ("case", "step", "judge", "verdict")
"""The columns that a table of votes must have."""

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
_TRUTHS = {"true": True, "false": False}
_TYPED = ("json", "jsonl")  # forms that distinguish the text "1" from the number


def read_votes(
    path: Path | str,
    form: Form | None = None,
    *,
    by_groups: bool = False,
    steps: Iterable[Step[Any, Any]] = (),
) -> list[Vote]:
    """Read the votes of a table, in the order of its rows.

    A verdict is read as the kind of its step's verdicts. `steps` are searched before those of the
    toolkit. If the step is unknown, the kind depends on the text of the verdict.

    `by_groups`: votes that differ only in a group (for example, the model whose response was
    judged) count as two votes, not as a repetition.

    Without a status, a row with a verdict is done and a row without a verdict is failed. A
    missing verdict never means that the judge abstained.

    Raises InputError for a missing column, a cell that cannot be read, or a repeated vote; the
    message names the file, row and column.
    """
    sheet = read_sheet(str(path), form or Form(), list_allowed=False)
    missing = [name for name in NEEDED if name not in sheet.columns]
    if missing:
        others = [name for name in sheet.columns if name not in COLUMNS]
        raise InputError(
            f"{lacking(sheet.name, missing, others)}; a table of votes has "
            f"{', '.join(NEEDED)}, and it has {', '.join(sheet.columns)}"
        )
    twice = next((name for name in sheet.columns if sheet.columns.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{sheet.name} has two columns {twice!r}")
    own = tuple(steps)
    votes: list[Vote] = []
    rows: dict[tuple[Any, ...], int] = {}
    for number, cells in enumerate(_rows(sheet), 1):
        vote = _read(cells, f"{sheet.name}, row {number}", own, typed=sheet.format in _TYPED)
        key = _key(vote, by_groups)
        if key in rows:
            raise InputError(
                f"{sheet.name}, row {number}: the same case, step, judge, repeat and variant "
                f"as row {rows[key]} ({vote.case!r}, {vote.step!r}, {vote.judge!r}, "
                f"{vote.repeat}, {vote.variant!r})"
            )
        rows[key] = number
        votes.append(vote)
    return votes


def _key(vote: Vote, by_groups: bool) -> tuple[Any, ...]:
    return (*vote.key, *sorted(vote.groups.items())) if by_groups else vote.key


def write_votes(path: Path | str, votes: Sequence[Vote], *, by_groups: bool = False) -> None:
    """Write votes so that `read_votes` reads the same votes back.

    Raises UsageError for an unknown suffix, a repeated vote or a group with the name of a field,
    and OutputError if the file cannot be written.
    """
    format = table_format(str(path), "votes")
    table = votes_table(votes, typed=format in _TYPED, by_groups=by_groups)
    write_columns(str(path), format, table)


def votes_table(
    votes: Sequence[Vote], *, typed: bool = True, by_groups: bool = False
) -> dict[str, Sequence[Any]]:
    """Return the columns, with one cell for each vote, read when it is asked for.

    typed: whether verdicts keep their type; if not, they are written as text. Raises UsageError
    for a repeated vote or a group with the name of a field.
    """
    seen: set[bytes] = set()  # not the keys themselves: there may be millions
    groups: dict[str, None] = {}
    for vote in votes:
        key = repr(_key(vote, by_groups)).encode("utf-8", "surrogatepass")
        digest = hashlib.blake2b(key, digest_size=16).digest()
        if digest in seen:
            raise UsageError(f"there are two votes {vote.key}; each vote must be unique")
        seen.add(digest)
        groups.update(dict.fromkeys(vote.groups))
    taken = sorted(set(groups) & set(COLUMNS))
    if taken:
        raise UsageError(f"a group cannot be named {taken[0]!r}; votes have a field of that name")

    def cells(vote: Vote) -> dict[str, Any]:
        verdict = vote.verdict if typed else verdict_text(vote.verdict)
        of_groups = {name: vote.groups.get(name, "") for name in groups}
        return {**vars(vote), "verdict": verdict, **of_groups}

    return columns_of(votes, (*COLUMNS, *groups), cells)


def verdict_text(verdict: Scalar | None) -> str | None:
    """Return a verdict as text that `read_verdict` reads back.

    >>> verdict_text(True), verdict_text(2.5), verdict_text("psoriasis"), verdict_text("2.5")
    ('true', '2.5', 'psoriasis', '"2.5"')
    """
    if verdict is None:
        return None
    if isinstance(verdict, str):
        plain = verdict.strip() == verdict and read_verdict(verdict) == verdict
        return verdict if plain and not verdict.startswith('"') else json.dumps(verdict)
    return json.dumps(verdict)


def read_verdict(text: str) -> Scalar:
    """Read a verdict from text: true or false (in any case), a number, quoted text, or text.

    >>> read_verdict("True"), read_verdict("3"), read_verdict("3.5"), read_verdict("yes")
    (True, 3, 3.5, 'yes')
    """
    bare = text.strip()
    if bare.lower() in _TRUTHS:
        return _TRUTHS[bare.lower()]
    number = _NUMBER.fullmatch(bare)
    if number:
        return float(bare) if number[1] or number[2] else int(bare)
    if bare.startswith('"'):
        try:
            value = load_json(bare)
        except ValueError:
            return bare
        return value if isinstance(value, str) else bare
    return bare


def _rows(sheet: Sheet) -> Iterator[dict[str, Any]]:
    for row in sheet.rows:
        cells = zip(sheet.columns, row, strict=True)
        yield {name: cell for name, cell in cells if not _is_blank(cell)}


def _is_blank(cell: Any) -> bool:
    return is_empty(cell.strip() if isinstance(cell, str) else cell)


def _read(
    cells: Mapping[str, Any], place: str, own: tuple[Step[Any, Any], ...], *, typed: bool
) -> Vote:
    for name in ("case", "step", "judge"):
        if name not in cells:
            raise InputError(f"{place}, column {name!r}: is empty")
    verdict = _verdict(cells, place, own, typed)
    status = cells.get("status", "failed" if verdict is None else "done")
    unsaid = "the table has no verdict" if verdict is None and "status" not in cells else ""
    fields: dict[str, Any] = {
        "case": plain_text(cells["case"]),
        "step": plain_text(cells["step"]),
        "judge": plain_text(cells["judge"]),
        "repeat": _number(cells, "repeat", place, int) or 0,
        "variant": plain_text(cells.get("variant", "")),
        "status": status,
        "verdict": verdict,
        "explanation": str(cells.get("explanation", "")),
        "reason": str(cells.get("reason", unsaid)),
        "tokens_in": _number(cells, "tokens_in", place, int),
        "tokens_out": _number(cells, "tokens_out", place, int),
        "cost": _number(cells, "cost", place, float),
        "groups": {name: plain_text(cell) for name, cell in cells.items() if name not in COLUMNS},
    }
    fault = fault_of(fields)
    if fault:
        raise InputError(f"{place}, column {fault[0]!r}: {fault[1]}")
    return Vote(**fields)


def _verdict(
    cells: Mapping[str, Any], place: str, own: tuple[Step[Any, Any], ...], typed: bool
) -> Any:
    cell, step = cells.get("verdict"), str(cells["step"])
    if cell is None:
        return None
    known, part = find_verdict(step, own)
    if known is not None and known.kind_of(part) == "text" and typed:
        return cell if isinstance(cell, str) else verdict_text(cell)
    if known is None and not (isinstance(cell, str) and not typed):
        return cell
    try:
        return read_known(step, cell if isinstance(cell, str) else json.dumps(cell), own)
    except (ValueError, TypeError) as fault:
        raise InputError(f"{place}, column 'verdict': {fault}") from None


def read_known(step: str, text: str, own: Sequence[Step[Any, Any]] = ()) -> Scalar:
    """Read a verdict from text as the kind of the step's verdicts.

    step: the name in the field `step` of votes; a verdict of an unknown step is read with
    `read_verdict`. own: steps that are searched before those of the toolkit. Raises ValueError
    for a text of another kind.
    """
    known, part = find_verdict(step, own)
    if known is None:
        return read_verdict(text)
    try:
        return known.read_cell(text, part)
    except ValueError as fault:
        raise ValueError(f"{fault}, as verdicts of {step} are") from None


def _number(cells: Mapping[str, Any], name: str, place: str, kind: type) -> Any:
    if name not in cells:
        return None
    cell = cells[name]
    try:
        number = float(cell)
        if isinstance(cell, bool) or (kind is int and number != int(number)):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        what = "a whole number" if kind is int else "a number"
        raise InputError(f"{place}, column {name!r}: {cell!r} is not {what}") from None
    return int(number) if kind is int else number
