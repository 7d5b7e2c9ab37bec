"""Replace characters that a model reads but no person sees, before anything is sent."""

import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

# Tag characters and the variation selectors beside them can spell whole sentences that no reader
# sees; U+2060 to U+2064 and U+206A to U+206F are invisible too. Half a surrogate pair is not a
# character, and no encoding can write it.
_HIDDEN = re.compile("[\ud800-\udfff\u2060-\u2064\u206a-\u206f\U000e0000-\U000e0fff]")
_MARK = "\ufffd"


def without_hidden(
    inputs: BaseModel | Mapping[str, Any],
) -> tuple[BaseModel | Mapping[str, Any], int]:
    """Replace hidden and broken characters by U+FFFD; return the item and their number."""
    fields = inputs.model_dump() if isinstance(inputs, BaseModel) else inputs
    cleaned, count = _clean(fields)
    return (cleaned, count) if count else (inputs, 0)


def without_surrogates(text: str) -> str:
    """Replace each half of a surrogate pair by U+FFFD, so that the text can be encoded."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _clean(value: Any) -> tuple[Any, int]:
    if isinstance(value, str):
        return (value, 0) if value.isascii() else _HIDDEN.subn(_MARK, value)
    if isinstance(value, Mapping):
        items = {name: _clean(item) for name, item in value.items()}
        return {name: item for name, (item, _) in items.items()}, _sum(items.values())
    if isinstance(value, (list, tuple)):
        parts = [_clean(part) for part in value]
        return [part for part, _ in parts], _sum(parts)
    return value, 0


def _sum(parts: Any) -> int:
    return sum(count for _, count in parts)
