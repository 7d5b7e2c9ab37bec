"""The JSON schema that a model is sent, and the reading of the JSON that it writes."""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ValidationError

from ...files.json_text import read_nested
from ..step import problems_of, schema_of

# Keywords that strict servers reject or that a model does not need.
_UNSENT = {"title", "default", "uniqueItems", "discriminator"}
_THINKING = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL | re.IGNORECASE)
_FENCED = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL | re.IGNORECASE)

_OBJECT = re.compile(r"\{\s*[\"}]")  # a brace that starts JSON, not one in prose


class NotJson(ValueError):
    """The text does not hold a JSON object."""


@lru_cache(maxsize=1024)
def sent_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema to send: objects without further fields, every field required."""
    schema: dict[str, Any] = _close(schema_of(model))
    return schema


@lru_cache(maxsize=1024)
def schema_text(model: type[BaseModel]) -> str:
    """Return the schema as text, for prompts."""
    return json.dumps(sent_schema(model), ensure_ascii=False)


def _close(value: Any, *, names: bool = False) -> Any:
    # `names` is true when the keys of this mapping are field names, not schema keywords.
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
    """Return the JSON object in a model's text.

    Accepts a code fence, thinking tags, and prose around the object. Of several objects it takes
    the last, because a conclusion follows its examples. Raises NotJson when there is no object,
    and ValueError for one that is cut off, has a field twice, or holds NaN.
    """
    try:
        value = read_nested(_DECODER.decode, text)
    except json.JSONDecodeError:
        value = _search(_THINKING.sub("", text))
    if isinstance(value, list) and len(value) > 1:  # such as two calls of a tool: it is no prose
        raise ValueError("the answer is a list, not one JSON object")
    if not isinstance(value, dict):
        raise NotJson("the answer is not a JSON object")
    return value


def _search(text: str) -> Any:
    fenced = _FENCED.findall(text)
    is_complete, last = _objects(fenced[-1] if fenced else text)
    if is_complete:
        return last
    if "{" in text:
        raise ValueError("the JSON object is not complete or not valid")
    raise NotJson("the answer holds no JSON object")


def _objects(text: str) -> tuple[bool, Any]:
    place, is_complete, last = text.find("{"), False, None
    while place >= 0:
        try:
            last, end = read_nested(_DECODER.raw_decode, text, place)
            is_complete = True
        except json.JSONDecodeError:
            if _OBJECT.match(text, place):
                # An object inside or before a broken one is not the answer.
                return False, None
            end = place + 1
        place = text.find("{", end)
    return is_complete, last


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a field occurs twice in the JSON object")
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_constant)


def read_answer(model: type[BaseModel], data: Mapping[str, Any]) -> tuple[Any, list[str]]:
    """Validate data; return (the answer, no problems) or (None, the problems)."""
    try:
        return model.model_validate(data), []
    except ValidationError as fault:
        return None, problems_of(fault)
