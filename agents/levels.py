"""Build types and texts from the levels of a scale."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from ..prompts.data import Level


def number(value: float) -> int | float:
    """Return a whole number as an int and any other number unchanged.

    >>> number(3.0), number(0.5)
    (3, 0.5)
    """
    return int(value) if value == int(value) else value


@lru_cache(maxsize=256)
def level_type(values: tuple[float, ...]) -> Any:
    """Return a type for a field that accepts exactly these values."""
    numbers = tuple(map(number, values))
    if all(isinstance(value, int) for value in numbers):
        return Literal[numbers]

    def listed(value: float) -> float:
        if value not in numbers:
            raise ValueError(f"is none of {', '.join(map(str, numbers))}")
        return value

    return Annotated[
        float, Field(json_schema_extra={"enum": list(numbers)}), AfterValidator(listed)
    ]


def describe(levels: Sequence[Level]) -> str:
    """Return the text of the levels for a prompt: one line for each level, the highest first."""
    return "\n".join(f"{number(level.value)}: {level.text}" for level in reversed(levels))
