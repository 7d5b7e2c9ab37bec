"""One request and its reply, in a form that does not depend on the provider."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel

from ..images import LoadedImage
from ..step import ReplyForm

Finish = Literal["stop", "length", "refusal"]
FINISHES: Mapping[str, Finish] = {
    "length": "length",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "refusal",
    "content_filtered": "refusal",
    "guardrail_intervened": "refusal",
    "refusal": "refusal",
}
"""Servers' names of the reasons for which a model stops; any other name means "stop"."""


@dataclass(frozen=True)
class Request:
    """What a model is asked.

    turns: pairs of an earlier answer and the correction sent to it. reply: what the model writes
    (see `Step`). continuation: the answer of which the model gives the likelihood.
    """

    system: str
    user: str
    images: Sequence[LoadedImage]
    turns: Sequence[tuple[str, str]]
    answer: type[BaseModel]
    reply: ReplyForm = "json"
    continuation: str = ""


@dataclass(frozen=True)
class Reply:
    """One answer before it is checked. Tokens are None when the server does not report them.

    logprobs: the log-probabilities of the answer's tokens, or else of the prompt's, as sent.
    """

    text: str
    data: Mapping[str, Any] | None
    finish: Finish
    tokens_in: int | None
    tokens_out: int | None
    tokens_cached: int | None
    logprobs: Any = None


def one_answer(answers: Sequence[Any]) -> Any:
    """Return the answer of several calls of a tool: what all of them say, else a list of them.

    A list is no valid answer, so the model is asked again which of them is meant.
    """
    is_one = all(answer == answers[0] for answer in answers)
    return answers[0] if answers and is_one else list(answers)


def text_of(asked: Any, texts: Iterable[Any]) -> str:
    """Return the text of a reply: its several answers, which are no prose, else its texts.

    asked: what `one_answer` returns.
    """
    if isinstance(asked, list) and asked:
        return json.dumps(asked)
    return "".join(text for text in texts if isinstance(text, str))


class NoAnswer(Exception):
    """A body without an answer: cut off, not UTF-8, of an unknown form, or without content."""
