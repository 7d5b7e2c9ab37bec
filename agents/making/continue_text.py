"""Continue a text from its beginning, to see whether a model knows it by heart."""

from pydantic import BaseModel, ConfigDict, Field

from ..step import Step


class BeginningInput(BaseModel):
    """The beginning of a text, and how many words are wanted."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str = Field(min_length=1)
    words: int = Field(ge=1)


class Continuation(BaseModel):
    """How the text goes on, as the model writes it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    continuation: str


CONTINUE_TEXT: Step[BeginningInput, Continuation] = Step(
    name="continue_text",
    version=1,
    input=BeginningInput,
    output=Continuation,
    returns="the continuation of a text",
)
