"""One request and one answer, before and after any wire."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel

from ..images import LoadedImage

Finish = Literal["stop", "length", "refusal"]
FINISHES: Mapping[str, Finish] = {
    "length": "length",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "refusal",
    "refusal": "refusal",
}
"""What servers call the reasons for which a model stops; every other one is "stop"."""


@dataclass(frozen=True)
class Request:
    """What a model is asked. turns: what it answered before, and what it was told then."""

    system: str
    user: str
    images: Sequence[LoadedImage]
    turns: Sequence[tuple[str, str]]
    answer: type[BaseModel]


@dataclass(frozen=True)
class Reply:
    """One answer as it came, before anything is made of it. Tokens are None when not told."""

    text: str
    data: Mapping[str, Any] | None
    finish: Finish
    tokens_in: int | None
    tokens_out: int | None
    tokens_cached: int | None
    logprobs: Any = None


class NoAnswer(Exception):
    """A body that is no answer: cut, not UTF-8, of another kind, or without content."""
