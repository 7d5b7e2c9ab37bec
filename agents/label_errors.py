"""Label the errors of a response by the categories of a taxonomy."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from ..cache.key import canonical
from ..prompts.data import ErrorCategory, Taxonomy
from ..prompts.load import Value
from ..prompts.load_data import TaxonomyField
from .people.declared import ForPeople
from .rules.quotes import Quote, cite
from .rules.technical import technical_fault
from .step import Dimensions, Nothing, Step
from .verdict import Parts, Verdict, Worded


class ErrorInput(BaseModel):
    """A reference, a response, and the taxonomy (a name, path or data).

    `case` is the case or question that the response answers; it may be left out.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    reference: str = Field(min_length=1)
    response: str
    case: str = ""
    taxonomy: TaxonomyField = Field(default="dermcase", validate_default=True)


class FoundError(BaseModel):
    """One error of the response."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    quote: str = Field(
        description="The passage that shows the error, copied word for word from the response; "
        "for an omission, the passage of the reference that the response leaves out."
    )
    reasoning_step: str = Field(
        description="The step of the reasoning at which the error happens, in a few words."
    )
    explanation: str = Field(description="Why this is an error, measured against the reference.")
    category: str


class ErrorAnswer(BaseModel):
    """All errors of the response."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    errors: list[FoundError] = Field(description="One entry an error; empty if there is none.")


class LabelledError(BaseModel):
    """One error; `group` is the category's group in the taxonomy, where it has one.

    `quote` is None only for a technical error.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    category: str
    group: str
    quote: Quote | None
    reasoning_step: str
    explanation: str


class LabelledErrors(BaseModel):
    """The errors of a response; an empty list is a verdict too."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    taxonomy: str
    errors: tuple[LabelledError, ...]


def _render(inputs: ErrorInput) -> Mapping[str, Value]:
    return {
        "case": inputs.case or "(not given)",
        "reference": inputs.reference,
        "response": inputs.response,
        "taxonomy": "\n".join(map(_describe, inputs.taxonomy.judged)),
    }


def _describe(category: ErrorCategory) -> str:
    group = f" ({category.group})" if category.group else ""
    return f"- {category.name}{group}: {category.description}"


@lru_cache(maxsize=64)
def _answer_model(taxonomy: Taxonomy) -> type[ErrorAnswer]:
    names = tuple(category.name for category in taxonomy.judged)
    fields: dict[str, Any] = {
        "category": (Literal[names], Field(description="The category that fits best."))
    }
    error_model = create_model("FoundError", __base__=FoundError, **fields)
    errors: Any = (list[error_model], ErrorAnswer.model_fields["errors"])  # type: ignore[valid-type]
    return create_model("ErrorAnswer", __base__=ErrorAnswer, errors=errors)


def _cite(inputs: ErrorInput, error: FoundError) -> Quote | None:
    sources = {
        "response": ("response",),
        "reference": ("reference",),
        "either": ("response", "reference"),
    }[_category(inputs.taxonomy, error.category).evidence]
    cited = (cite(error.quote, source, getattr(inputs, source)) for source in sources)
    return next((quote for quote in cited if quote is not None), None)


def _category(taxonomy: Taxonomy, name: str) -> ErrorCategory:
    return next(category for category in taxonomy.judged if category.name == name)


def _proved(inputs: ErrorInput, answer: ErrorAnswer) -> list[str]:
    problems: list[str] = []
    seen: set[tuple[str, str]] = set()
    for place, error in enumerate(answer.errors):
        evidence = _category(inputs.taxonomy, error.category).evidence
        where = "response or the reference" if evidence == "either" else evidence
        quote = _cite(inputs, error)
        if quote is None:
            problems.append(
                f"errors.{place}.quote: {error.quote[:200]!r} does not occur in the {where}; copy "
                "a passage word for word"
            )
        elif (error.category, quote.text) in seen:
            problems.append(f"errors.{place}: the same error is listed twice")
        else:
            seen.add((error.category, quote.text))
        if not error.explanation.strip():
            problems.append(f"errors.{place}.explanation: is empty")
        if not error.reasoning_step.strip():
            problems.append(f"errors.{place}.reasoning_step: is empty")
    return problems


def _collect(inputs: ErrorInput, answer: ErrorAnswer) -> LabelledErrors:
    errors = tuple(
        LabelledError(
            category=error.category,
            group=_category(inputs.taxonomy, error.category).group,
            quote=_cite(inputs, error),
            reasoning_step=error.reasoning_step.strip(),
            explanation=error.explanation.strip(),
        )
        for error in answer.errors
    )
    return LabelledErrors(taxonomy=inputs.taxonomy.name, errors=errors)


def technical_error(inputs: ErrorInput) -> LabelledErrors | Nothing | None:
    """Label an empty or broken response without a model; None for any other response.

    Return Nothing if the taxonomy has no category for technical errors.
    """
    fault = technical_fault(inputs.response)
    if fault is None:
        return None
    category = inputs.taxonomy.technical
    if category is None:
        return Nothing(f"technical error: {fault}")
    error = LabelledError(
        category=category.name,
        group=category.group,
        quote=None,
        reasoning_step="response",
        explanation=fault,
    )
    return LabelledErrors(taxonomy=inputs.taxonomy.name, errors=(error,))


def _names(inputs: ErrorInput) -> tuple[str, ...]:
    return tuple(category.name for category in inputs.taxonomy.categories)


def _present(inputs: ErrorInput, value: LabelledErrors) -> dict[str, Worded]:
    """Return for each category whether the response has such an error, and the reason."""
    words: dict[str, list[str]] = {name: [] for name in _names(inputs)}
    for error in value.errors:
        words[error.category].append(error.explanation)
    return {name: Worded(bool(why), " / ".join(why)) for name, why in words.items()}


def _join(
    inputs: ErrorInput, verdicts: Mapping[str, Worded], values: Sequence[LabelledErrors]
) -> dict[str, Any]:
    """Return the errors of each present category, in the words of one judge who listed them."""
    errors: list[Any] = []
    for category in inputs.taxonomy.categories:
        if not verdicts[category.name].verdict:
            continue
        by_judge = [
            [
                error.model_dump(mode="json")
                for error in value.errors
                if error.category == category.name
            ]
            for value in values
        ]
        blank = {"category": category.name, "group": category.group, "quote": None,
                 "reasoning_step": "", "explanation": ""}  # fmt: skip
        errors += min(filter(None, by_judge), key=canonical, default=[blank])
    return {"taxonomy": inputs.taxonomy.name, "errors": errors}


def _meanings(inputs: ErrorInput) -> dict[str, str]:
    return {f"errors.category={one.name}": one.description for one in inputs.taxonomy.judged}


def _one_by_one(inputs: ErrorInput) -> dict[str, ErrorInput]:
    return {
        category.name: inputs.model_copy(
            update={"taxonomy": inputs.taxonomy.model_copy(update={"categories": (category,)})}
        )
        for category in inputs.taxonomy.judged
    }


def _added(inputs: ErrorInput, labelled: Mapping[str, LabelledErrors]) -> LabelledErrors:
    errors = tuple(error for one in labelled.values() for error in one.errors)
    return LabelledErrors(taxonomy=inputs.taxonomy.name, errors=errors)


LABEL_ERRORS: Step[ErrorInput, ErrorAnswer, LabelledErrors] = Step(
    name="label_errors",
    version=1,
    input=ErrorInput,
    judged="response",
    output=lambda inputs: _answer_model(inputs.taxonomy),
    render=_render,
    checks=(_proved,),
    finish=_collect,
    result=LabelledErrors,
    verdict=Verdict(parts=Parts(names=_names, split=_present, join=_join, kind="truth")),
    dimensions=Dimensions(_one_by_one, _added),
    stand_ins={"code": technical_error},
    people=ForPeople(quotes={"quote": ("response", "reference")}, explain=_meanings),
    returns="errors with category, quote, explanation and reasoning step",
    scale="categories of the taxonomy",
)
