"""Cells of tables: which ones are empty, and how a cell is written as text or JSON."""

import datetime
import json
import math
from typing import Any


class Missing:
    """The value of a key that a JSON object does not have."""


MISSING = Missing()


def is_empty(cell: Any) -> bool:
    """Whether a cell is empty: None, a missing value of any library, or the empty text."""
    if isinstance(cell, (str, float)):
        return cell == "" or cell != cell
    # By name, since pandas may be absent; comparing its NA gives neither True nor False.
    return cell is None or cell is MISSING or type(cell).__name__ in ("NAType", "NaTType")


def cell_text(value: Any) -> str:
    """Return a cell as text for CSV or TSV: lists and objects as JSON, an empty cell as ""."""
    if isinstance(value, str):
        return value
    if value is None or value is MISSING:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, dict)):
        return to_json(value)
    return str(value) if isinstance(value, (int, float)) else _plain(value)


def plain_text(value: Any) -> str:
    """Return a cell as the text that a CSV file has for it.

    A whole number has no decimal point: spreadsheets and frames keep 7 as 7.0.

    >>> plain_text(7.0), plain_text(7.5), plain_text(True), plain_text(["a"])
    ('7', '7.5', 'true', '["a"]')
    """
    is_whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if is_whole else cell_text(value)


def to_json(value: Any) -> str:
    """Return JSON on one line; NaN and infinite numbers, also nested ones, become null."""
    try:
        return json.dumps(value, ensure_ascii=False, default=_plain, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(value), ensure_ascii=False, default=_plain)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _plain(value: Any) -> str:
    """Return a date, time, bytes or any other value of Parquet or Excel as text."""
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return str(value)
