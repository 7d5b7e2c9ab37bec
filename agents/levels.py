"""Types and texts made of the levels of a scale."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from ..prompts.data import Level


def number(value: float) -> int | float:
    """The value as a whole number where it is one.

    >>> number(3.0), number(0.5)
    (3, 0.5)
    """
    return int(value) if value == int(value) else value


@lru_cache(maxsize=256)
def level_type(values: tuple[float, ...]) -> Any:
    """A type for a field that takes exactly these values."""
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
    """One line a level, the highest first, as a prompt shows them."""
    return "\n".join(f"{number(level.value)}: {level.text}" for level in reversed(levels))
