"""List the statements of a written text that its source does not support."""

from pydantic import BaseModel, ConfigDict, Field

from ..rules.quotes import Quote, cite, find_quote
from ..rules.technical import abstain_on
from ..step import Step


class StatementInput(BaseModel):
    """A source, and a text that was written from it.

    allowed: what the text may add to its source, such as general medical knowledge.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str = Field(min_length=1)
    text: str
    allowed: str = "nothing"


class UnsupportedAnswer(BaseModel):
    """One statement without support."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    quote: str = Field(description="The statement, copied word for word from the text.")
    reason: str = Field(description="What the source says instead, or that it says nothing of it.")


class StatementAnswer(BaseModel):
    """All statements without support."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    unsupported: list[UnsupportedAnswer] = Field(description="Empty if all are supported.")


class Unsupported(BaseModel):
    """A statement without support, and its place in the text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    quote: Quote
    reason: str


class StatementCheck(BaseModel):
    """The statements without support; empty if there are none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    unsupported: tuple[Unsupported, ...]

    @property
    def objections(self) -> tuple[str, ...]:
        """One line for each statement, for the model that writes the text again."""
        return tuple(f"{item.quote.text!r}: {item.reason}" for item in self.unsupported)


def _quoted(inputs: StatementInput, answer: StatementAnswer) -> list[str]:
    problems = []
    for place, item in enumerate(answer.unsupported):
        if find_quote(item.quote, inputs.text) is None:
            problems.append(
                f"unsupported.{place}.quote: {item.quote[:200]!r} does not occur in the text; "
                "copy the statement word for word"
            )
        if not item.reason.strip():
            problems.append(f"unsupported.{place}.reason: is empty")
    return problems


def _collect(inputs: StatementInput, answer: StatementAnswer) -> StatementCheck:
    cited = ((cite(item.quote, "text", inputs.text), item.reason) for item in answer.unsupported)
    return StatementCheck(
        unsupported=tuple(
            Unsupported(quote=quote, reason=reason.strip()) for quote, reason in cited if quote
        )
    )


LIST_UNSUPPORTED: Step[StatementInput, StatementAnswer, StatementCheck] = Step(
    name="list_unsupported",
    version=1,
    input=StatementInput,
    judged="text",
    output=StatementAnswer,
    checks=(_quoted,),
    finish=_collect,
    result=StatementCheck,
    stand_ins={"code": abstain_on("text")},
    returns="the statements of a text that its source does not support, with their places",
)
