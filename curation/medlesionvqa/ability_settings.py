"""Define the settings of a set of ability questions."""

from dataclasses import dataclass, field

from ...errors import UsageError
from ...prompts.annotations import (
    AbilityRules,
    ValueLists,
    load_ability_rules,
    load_value_lists,
)


@dataclass(frozen=True)
class AbilitySettings:
    """The settings of a set of questions. Raises UsageError for one outside its bounds.

    questions: how many questions are wanted; None for as many as the shares of the abilities allow.
    tries: how often a question is written at most, if a check objects to it. seed: decides what is
    asked, the question types, the order of the options, and the split. validation: the share of
    the questions in the validation split. lists, rules: the value lists and the abilities.
    """

    questions: int | None = None
    tries: int = 3
    seed: int = 0
    validation: float = 0.1
    lists: ValueLists = field(default_factory=lambda: load_value_lists("medlesionvqa"))
    rules: AbilityRules = field(default_factory=lambda: load_ability_rules("medlesionvqa"))

    def __post_init__(self) -> None:
        """Check the bounds."""
        if self.tries < 1:
            raise UsageError(f"tries is {self.tries}; it must be at least 1")
        if self.questions is not None and self.questions < 1:
            raise UsageError(f"questions is {self.questions}; it must be at least 1")
        if not 0 <= self.validation <= 1:
            raise UsageError(f"validation is {self.validation}; a share is from 0 to 1")
        facets = {ability.facet for ability in self.rules.abilities}
        if "attribute" in facets and not self.lists.attributes:
            raise UsageError("the value lists have no attribute, which an ability asks for")
