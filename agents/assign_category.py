"""Assign a text to one or more categories of a list."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from ..prompts.data import Categories
from ..prompts.load import Value
from ..prompts.load_data import CategoriesField
from .people.declared import ForPeople
from .rules.technical import abstain_on
from .step import Step
from .verdict import Parts, Verdict, Worded


class CategoryInput(BaseModel):
    """A text, and the categories: a name, a path, data, or a bare list of names.

    `multiple`: whether the text may belong to several categories.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    categories: CategoriesField
    multiple: bool = True


class CategoryAnswer(BaseModel):
    """The categories of the text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    categories: list[str]


class AssignedCategories(BaseModel):
    """One category or more, in the order of the list."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    categories: tuple[str, ...]


def _render(inputs: CategoryInput) -> Mapping[str, Value]:
    return {
        "text": inputs.text,
        "categories": "\n".join(
            f"- {item.name}" + (f": {item.description}" if item.description else "")
            for item in inputs.categories.categories
        ),
        "count": "Give every category that fits well, the fewest that do the text justice."
        if inputs.multiple
        else "Give the one category that fits best.",
    }


@lru_cache(maxsize=256)
def _answer_model(categories: Categories) -> type[CategoryAnswer]:
    names = tuple(item.name for item in categories.categories)
    field = Field(
        min_length=1,
        max_length=len(names),
        description="The names of the categories, as the list has them.",
    )
    return create_model(
        "CategoryAnswer",
        __base__=CategoryAnswer,
        categories=(list[Literal[names]], field),  # type: ignore[valid-type]
    )


def _one(inputs: CategoryInput, answer: CategoryAnswer) -> list[str]:
    if inputs.multiple or len(set(answer.categories)) == 1:
        return []
    return ["categories: give exactly one category"]


def _finish(inputs: CategoryInput, answer: CategoryAnswer) -> AssignedCategories:
    chosen = set(answer.categories)
    names = (item.name for item in inputs.categories.categories)
    return AssignedCategories(categories=tuple(name for name in names if name in chosen))


def _names(inputs: CategoryInput) -> tuple[str, ...]:
    """Return the categories, one verdict each; nothing if the text has exactly one category."""
    return tuple(item.name for item in inputs.categories.categories) if inputs.multiple else ()


def _assigned(inputs: CategoryInput, value: AssignedCategories) -> dict[str, Worded]:
    return {name: Worded(name in value.categories) for name in _names(inputs)}


def _join(
    inputs: CategoryInput, verdicts: Mapping[str, Worded], values: Sequence[AssignedCategories]
) -> dict[str, Any] | None:
    chosen = [name for name, (is_assigned, _) in verdicts.items() if is_assigned]
    return {"categories": chosen} if chosen else None


def _meanings(inputs: CategoryInput) -> dict[str, str]:
    return {f"categories={one.name}": one.description for one in inputs.categories.categories}


ASSIGN_CATEGORY: Step[CategoryInput, CategoryAnswer, AssignedCategories] = Step(
    name="assign_category",
    version=1,
    input=CategoryInput,
    judged="text",
    output=lambda inputs: _answer_model(inputs.categories),
    render=_render,
    checks=(_one,),
    finish=_finish,
    result=AssignedCategories,
    verdict=Verdict(
        "categories",
        kind="text",
        write=", ".join,
        read=lambda name: (name,),
        parts=Parts(names=_names, split=_assigned, join=_join, kind="truth"),
    ),
    stand_ins={"code": abstain_on("text")},
    people=ForPeople(explain=_meanings),
    returns="one or more of the listed categories",
    scale="the categories shown",
)
