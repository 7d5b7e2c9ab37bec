"""Cells: what counts as an empty one, and a cell as text or JSON."""

import datetime
import json
import math
from typing import Any


class Missing:
    """The value of a key that a JSON object does not have."""


MISSING = Missing()


def is_empty(cell: Any) -> bool:
    """Whether a cell holds nothing: no value, a missing value of any library, or no character."""
    if isinstance(cell, (str, float)):
        return cell == "" or cell != cell
    # pandas has two of its own; one of them is neither true nor false, whatever it is asked.
    return cell is None or cell is MISSING or type(cell).__name__ in ("NAType", "NaTType")


def cell_text(value: Any) -> str:
    """A cell as delimited text holds it: lists and objects as JSON, an empty cell as ""."""
    if isinstance(value, str):
        return value
    if value is None or value is MISSING:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, dict)):
        return to_json(value)
    return str(value) if isinstance(value, (int, float)) else _plain(value)


def to_json(value: Any) -> str:
    """JSON on one line; what is not a finite number becomes null, also inside."""
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
    """The other types of Parquet and Excel as text."""
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    return str(value)
