"""A judge for whole evaluations: it reads the schema and the item and answers something valid.

What it answers depends on the item alone, and on `lean`, so that two such judges differ.
"""

import re
import zlib
from collections.abc import Callable
from typing import Any

from .protocol_server import Act, Seen, fail


def make_judge(lean: int = 0, broken: str = "") -> Callable[[Seen], Any]:
    """A script for the protocol server; items that hold the text `broken` always fail."""

    def script(seen: Seen) -> Act | Any:
        if broken and broken in seen.user:
            return fail(400, "this request is rejected")
        schema = seen.schema
        assert schema is not None
        return _answer(schema, seen, zlib.crc32(seen.user.encode()) + lean)

    return script


def _answer(schema: dict[str, Any], seen: Seen, luck: int) -> dict[str, Any]:
    names = set(schema["properties"])
    if "same_disease" in names:
        return {"same_disease": "yes" if luck % 3 else "no"}
    if "verdict" in names:
        return {"verdict": "Correct" if luck % 3 else "Incorrect"}
    if "diagnosis" in names:
        return {"diagnosis": "psoriasis" if luck % 4 else None}
    if "diagnoses" in names:
        return {"diagnoses": ["psoriasis", "eczema", "tinea corporis"][: luck % 4]}
    if "rationale" in names:
        levels = _values(schema["properties"]["score"], schema)
        return {"rationale": "The names are near.", "score": levels[luck % len(levels)]}
    if "errors" in names:
        return {"errors": [_error(schema, seen, luck)] if luck % 2 else []}
    if "closeness_a" in names:
        return {"closeness_a": 9 if luck % 2 else 2, "closeness_b": 5}
    if "letters" in names:
        return {"letters": ["A"] if luck % 3 else []}
    if "explanation" in names:
        levels = _values(schema["properties"]["score"], schema)
        return {"explanation": "The words are near.", "score": levels[luck % len(levels)]}
    return {name: _dimension(seen, luck + at) for at, name in enumerate(schema["properties"])}


def _values(field: dict[str, Any], schema: dict[str, Any]) -> list[Any]:
    if "anyOf" in field:
        return [value for one in field["anyOf"] for value in _values(one, schema)]
    if "$ref" in field:
        return _values(schema["$defs"][field["$ref"].rsplit("/", 1)[1]], schema)
    return [field["const"]] if "const" in field else list(field["enum"])


def _dimension(seen: Seen, luck: int) -> dict[str, Any]:
    quote = _quote(seen)
    level = luck % 5 if quote else 0
    return {
        "quotes": [quote] if quote else [],
        "invented": [],
        "justification": "As far as the reference goes.",
        "level": level,
    }


def _error(schema: dict[str, Any], seen: Seen, luck: int) -> dict[str, Any]:
    categories = _values(schema["$defs"]["FoundError"]["properties"]["category"], schema)
    return {
        "quote": _quote(seen),
        "reasoning_step": "first",
        "explanation": "The reference says otherwise.",
        "category": categories[luck % 2],
    }


def _quote(seen: Seen) -> str:
    """The first words of the response that is judged."""
    found = re.search(r"<response-\w+>\s*(.*?)\s*</response-", seen.user, re.DOTALL)
    return " ".join(found[1].split(" ")[:4]) if found else ""
