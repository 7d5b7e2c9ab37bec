"""Guess the right option without the case, to see whether the options give it away."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field, field_validator

from ...prompts.load import Value
from ..step import Step


class OptionsInput(BaseModel):
    """The options by letter, and nothing else."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    options: dict[str, str]

    @field_validator("options")
    @classmethod
    def _enough(cls, options: dict[str, str]) -> dict[str, str]:
        if len(options) < 2:
            raise ValueError("at least two are needed")
        return options


class Guess(BaseModel):
    """The guess, first the reason for it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reason: str = Field(description="In a sentence, what in the options points to this one.")
    option: str = Field(description="The letter of one option.")


def _render(inputs: OptionsInput) -> Mapping[str, Value]:
    return {"options": "\n".join(f"{name}. {text}" for name, text in inputs.options.items())}


def _listed(inputs: OptionsInput, answer: Guess) -> list[str]:
    if answer.option.strip() in inputs.options:
        return []
    return [f"option: must be one of {', '.join(inputs.options)}"]


def _collect(inputs: OptionsInput, answer: Guess) -> Guess:
    return answer.model_copy(update={"option": answer.option.strip()})


GUESS_OPTION: Step[OptionsInput, Guess] = Step(
    name="guess_option",
    version=1,
    input=OptionsInput,
    output=Guess,
    render=_render,
    checks=(_listed,),
    finish=_collect,
    returns="the option that a reader without the case takes for the right one",
)
