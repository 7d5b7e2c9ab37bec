"""Judge whether an item of a data set is right, against the source it was made from."""

from pydantic import BaseModel, ConfigDict, Field

from ..step import Step
from ..verdict import Verdict


class MadeItemInput(BaseModel):
    """The source of an item and what was made from it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str = Field(min_length=1)
    item: str = Field(min_length=1)


class MadeItemAnswer(BaseModel):
    """The verdict."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reason: str = Field(description="What is wrong with the item, or why nothing is.")
    right: bool = Field(
        description="true if every statement of the item is right and the item is fit for use."
    )


JUDGE_MADE_ITEM: Step[MadeItemInput, MadeItemAnswer, MadeItemAnswer] = Step(
    name="judge_made_item",
    version=1,
    input=MadeItemInput,
    judged="item",
    output=MadeItemAnswer,
    verdict=Verdict("right", words="reason"),
    returns="whether an item of a data set is right, against its source, and why",
    scale="true, false",
)
