"""List categories for a data set from a sample of its captions."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

from ...prompts.data import Categories
from ...prompts.load import Value
from ..step import Step

_NAME_WORDS = 4


class CaptionsInput(BaseModel):
    """A sample of captions, and how many categories are wanted."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    captions: tuple[str, ...] = Field(min_length=2)
    fewest: int = Field(default=2, ge=2)
    most: int = Field(default=9, ge=2)


class ListedCategory(BaseModel):
    """A category, and the captions that belong to it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    description: str
    captions: list[int] = Field(description="The numbers of captions that belong to it.")


class CategoriesAnswer(BaseModel):
    """The categories."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    categories: list[ListedCategory]


def _render(inputs: CaptionsInput) -> Mapping[str, Value]:
    return {
        "fewest": str(inputs.fewest),
        "most": str(inputs.most),
        "captions": "\n".join(
            f"{number}. {' '.join(text.split())}" for number, text in enumerate(inputs.captions, 1)
        ),
    }


def _named(inputs: CaptionsInput, answer: CategoriesAnswer) -> list[str]:
    problems = []
    names = [category.name.strip() for category in answer.categories]
    if not inputs.fewest <= len(names) <= inputs.most:
        problems.append(
            f"categories: has {len(names)}; {inputs.fewest} to {inputs.most} are wanted"
        )
    folded = [name.casefold() for name in names]
    for place, category in enumerate(answer.categories):
        if folded[place] in folded[:place]:
            problems.append(f"categories.{place}.name: {names[place]!r} occurs twice")
        if not 1 <= len(names[place].split()) <= _NAME_WORDS:
            problems.append(f"categories.{place}.name: 1 to {_NAME_WORDS} words fit")
        if not category.description.strip():
            problems.append(f"categories.{place}.description: is empty")
    return problems


def _supported(inputs: CaptionsInput, answer: CategoriesAnswer) -> list[str]:
    """Check that each category has a caption of the sample."""
    problems = []
    for place, category in enumerate(answer.categories):
        unknown = [
            number for number in category.captions if not 1 <= number <= len(inputs.captions)
        ]
        if unknown:
            problems.append(f"categories.{place}.captions: there is no caption {unknown[0]}")
        if not category.captions:
            problems.append(f"categories.{place}.captions: a category needs at least one caption")
    return problems


def _collect(inputs: CaptionsInput, answer: CategoriesAnswer) -> Categories:
    return Categories.model_validate(
        {
            "name": "listed",
            "version": 1,
            "source": f"listed from {len(inputs.captions)} captions",
            "categories": [
                {"name": one.name.strip(), "description": " ".join(one.description.split())}
                for one in answer.categories
            ],
        }
    )


LIST_CATEGORIES: Step[CaptionsInput, CategoriesAnswer, Categories] = Step(
    name="list_categories",
    version=1,
    input=CaptionsInput,
    output=CategoriesAnswer,
    render=_render,
    checks=(_named, _supported),
    finish=_collect,
    result=Categories,
    returns="a list of categories, each with a caption that belongs to it",
)
