"""From a model's words to a checked answer: the schema it is sent, and reading what it wrote."""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ValidationError

from ..step import problems_of, schema_of

# Keywords that strict servers reject or that say nothing to a model.
_UNSENT = {"title", "default", "uniqueItems", "discriminator"}
_THINKING = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL | re.IGNORECASE)
_FENCED = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL | re.IGNORECASE)

_OBJECT = re.compile(r"\{\s*[\"}]")  # a brace that opens JSON, not one in prose


class NotJson(ValueError):
    """The text holds no JSON object at all."""


@lru_cache(maxsize=1024)
def sent_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema as it is sent: closed objects, every field required."""
    schema: dict[str, Any] = _close(schema_of(model))
    return schema


@lru_cache(maxsize=1024)
def schema_text(model: type[BaseModel]) -> str:
    """The same as text, for prompts."""
    return json.dumps(sent_schema(model), ensure_ascii=False)


def _close(value: Any, *, names: bool = False) -> Any:
    # `names`: the keys of this mapping are field names, not schema keywords.
    if isinstance(value, list):
        return [_close(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    if names:
        return {key: _close(item) for key, item in value.items()}
    closed = {
        "anyOf" if key == "oneOf" else key: _close(item, names=key in ("properties", "$defs"))
        for key, item in value.items()
        if key not in _UNSENT
    }
    if closed.get("type") == "object" and "properties" in closed:
        closed["required"] = list(closed["properties"])
        closed["additionalProperties"] = False
    return closed


def read_json(text: str) -> dict[str, Any]:
    """The JSON object in a model's text.

    Tolerates a code fence, thinking tags, and prose around one object; of several objects the
    last is taken, the conclusion after an example. Raises NotJson where there is none, and
    ValueError for one that is cut off, holds a field twice, or holds NaN.
    """
    try:
        value = _decode(text)
    except json.JSONDecodeError:
        value = _search(_THINKING.sub("", text))
    if not isinstance(value, dict):
        raise NotJson("the answer is not a JSON object")
    return value


def _search(text: str) -> Any:
    fenced = _FENCED.findall(text)
    found, last = _objects(fenced[-1] if fenced else text)
    if found:
        return last
    if "{" in text:
        raise ValueError("the JSON object is not complete or not valid")
    raise NotJson("the answer holds no JSON object")


def _objects(text: str) -> tuple[bool, Any]:
    decoder = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_constant)
    place, found, last = text.find("{"), False, None
    while place >= 0:
        try:
            last, end = decoder.raw_decode(text, place)
            found = True
        except json.JSONDecodeError:
            if _OBJECT.match(text, place):
                # A complete object inside or before a broken one is not the answer.
                return False, None
            end = place + 1
        place = text.find("{", end)
    return found, last


def _decode(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a field occurs twice in the JSON object")
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def read_answer(model: type[BaseModel], data: Mapping[str, Any]) -> tuple[Any, list[str]]:
    """Validate: (the answer, no problems) or (None, the problems)."""
    try:
        return model.model_validate(data), []
    except ValidationError as fault:
        return None, problems_of(fault)
