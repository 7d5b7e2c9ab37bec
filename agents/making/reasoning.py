"""Define a diagnostic reasoning: five parts and a final diagnosis, and how to write them."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

LIMITED = "limited information"
"""The text of a part for which the record documents nothing."""
PARTS = ("presentation", "examination", "tests", "differential", "pathophysiology")
"""The five parts in order; errors refer to a part by its number, from 1."""


class TestResult(BaseModel):
    """A test and what it showed."""

    __test__ = False  # pytest would collect this class because of its name
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1, description="The test by its name in the record.")
    result: str = Field(description="What it showed.")


class Considered(BaseModel):
    """A diagnosis of the differential."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    diagnosis: str = Field(min_length=1)
    support: str = Field(description="The findings that speak for it.")
    contradiction: str = Field(description="The findings that speak against it; empty if none.")
    weight: Literal["high", "moderate", "low"]


class Parts(BaseModel):
    """Parts 2 to 5, which a rejected answer writes again."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    examination: str = Field(min_length=1)
    tests: list[TestResult]
    differential: list[Considered] = Field(min_length=2)
    pathophysiology: str = Field(min_length=1)


class Reasoning(Parts):
    """The five parts and the final diagnosis."""

    presentation: str = Field(min_length=1)
    final_diagnosis: str = Field(min_length=1)

    def part(self, number: int) -> str:
        """Return the text of a part, 1 to 5."""
        return self._texts()[number - 1]

    def text(self) -> str:
        """Return the reasoning as one text: a heading for each part, and the final diagnosis."""
        parts = zip(PARTS, self._texts(), strict=True)
        blocks = [
            f"{number}. {name.capitalize()}\n{text}" for number, (name, text) in enumerate(parts, 1)
        ]
        return "\n\n".join([*blocks, f"Final diagnosis: {self.final_diagnosis}"])

    def _texts(self) -> tuple[str, ...]:
        tests = "\n".join(f"- {test.name}: {test.result}" for test in self.tests)
        return (
            self.presentation,
            self.examination,
            tests or f"- {LIMITED}",
            "\n".join(map(_considered, self.differential)),
            self.pathophysiology,
        )


def _considered(item: Considered) -> str:
    against = f" Against it: {item.contradiction}" if item.contradiction.strip() else ""
    return f"- {item.diagnosis} ({item.weight}). For it: {item.support}{against}"
