"""Recognise responses that are empty, cut off or an error page, without a model."""

import json
import re
from collections.abc import Callable
from typing import Any

from ..step import Nothing

_MARKERS = re.compile(r"<\|[^|>]*\|>|</?s>|<(?:pad|unk|eos|bos)>|\[(?:PAD|UNK|SEP|CLS)\]", re.I)
_NULL = {"none", "null", "nan", "n/a", "undefined", "[]", "{}"}
_ERROR = re.compile(
    r"^\W*(?:traceback \(most recent call last\)|"
    r"(?:internal server|gateway|rate limit|api|connection|timeout|request) ?error\b|"
    r"error code: ?\d{3}|http(?:/[\d.]+)? [45]\d\d|<!doctype html|<html\b|"
    r"\{\s*\"error\"\s*:)",
    re.IGNORECASE,
)
_LOOP = 20  # repetitions in a row; so many show a stuck decoder, not prose
_STUCK = re.compile(rf"\b(\w+(?:\W+\w+){{0,3}}?)(?:\W+\1){{{_LOOP - 1},}}\b", re.IGNORECASE)


def technical_fault(response: str) -> str | None:
    """Return why a response is empty or broken, None if it can be judged.

    A refusal can be judged. A very short response can be judged too.

    >>> technical_fault("  ")
    'the response is empty'
    >>> technical_fault("I cannot help with that.") is None
    True
    """
    text = _MARKERS.sub("", response).strip()
    if not text or text.lower() in _NULL:
        return "the response is empty"
    if not any(char.isalnum() for char in text):
        return "the response holds no word"
    if _ERROR.match(text):
        return "the response is an error message"
    if text.count("\ufffd") * 10 > len(text):
        return "the response is not readable text"
    if _is_cut_json(text):
        return "the response is JSON that breaks off"
    if _STUCK.search(text[:20_000]):
        return "the response repeats itself without end"
    return None


def abstain_on(field: str) -> Callable[[Any], Nothing | None]:
    """Return a stand-in "code" that abstains if this field of the input is empty or broken."""

    def decide(inputs: Any) -> Nothing | None:
        fault = technical_fault(getattr(inputs, field))
        return Nothing(f"technical error: {fault}") if fault else None

    return decide


def _is_cut_json(text: str) -> bool:
    if not re.match(r'\{\s*"[^"]+"\s*:', text):
        return False
    try:
        json.JSONDecoder().raw_decode(text)
    except json.JSONDecodeError:
        return True
    return False
