"""How an outcome shows itself in a notebook: a small table, everything escaped."""

import json
from collections.abc import Iterable
from html import escape
from typing import Any

_LONGEST = 400  # characters of a cell


def html_table(title: str, rows: Iterable[tuple[str, Any]]) -> str:
    """A title and a row a pair; empty values are left out, long ones cut."""
    cells = "".join(
        f'<tr><th style="text-align:left">{escape(name)}</th>'
        f'<td style="text-align:left">{escape(_text(value))}</td></tr>'
        for name, value in rows
        if value not in (None, "", (), [], {})
    )
    return f"<table><caption>{escape(title)}</caption>{cells}</table>"


def fields_of(value: Any) -> list[tuple[str, Any]]:
    """The fields of a result as rows; a result that is one plain value is one row."""
    plain = value.model_dump(mode="json") if hasattr(value, "model_dump") else value
    return list(plain.items()) if isinstance(plain, dict) else [("value", plain)]


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
