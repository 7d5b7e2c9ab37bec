"""The steps that ask a model under test: one for each question of a form."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict

from ...prompts.load import Value
from ...prompts.variants import MARK
from ..generate_ddx import GENERATE_DDX
from ..images import Image
from ..step import Step
from .form import Ask


class AskInput(BaseModel):
    """The values of a prompt's placeholders, the images, and the text whose likelihood is asked."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fields: dict[str, str | list[str]]
    images: tuple[Image, ...] = ()
    continuation: str = ""


class FreeText(BaseModel):
    """What a model wrote, unchanged."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str


class FirstTokens(BaseModel):
    """The likeliest first tokens of an answer with their log-probabilities."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tokens: list[tuple[str, float]]


class TextLogprobs(BaseModel):
    """The log-probability of each token of a text, as the answer to a question."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    logprobs: list[float]


def step_of(ask: Ask) -> Step[Any, Any]:
    """Return the step of a question; its name is that of its prompt without a variant."""
    name = ask.prompt.name.partition(MARK)[0]
    shared: dict[str, Any] = {
        "name": name,
        "input": AskInput,
        "prompt": ask.prompt,
        "render": _render,
        "images": True,
    }
    if ask.temperature is not None:
        shared["temperature"] = ask.temperature
    if ask.max_tokens is not None:
        shared["max_tokens"] = ask.max_tokens
    if ask.reply == "differential":
        return replace(GENERATE_DDX, **{"temperature": 0.0, "max_tokens": None, **shared})
    shared |= {"version": 1, "max_repairs": 0}
    if ask.reply == "probabilities":
        return Step(output=FirstTokens, reply="token", **{"max_tokens": 1, **shared})
    if ask.reply == "likelihood":
        return Step(output=TextLogprobs, reply="likelihood", **{"max_tokens": 1, **shared})
    return Step(output=FreeText, reply="text", **shared)


def _render(inputs: AskInput) -> Mapping[str, Value]:
    return inputs.fields
