"""How a DermCase data set is made: bounds, the seed, and the data of the steps."""

from dataclasses import dataclass, field

from ..errors import UsageError
from ..prompts.making import (
    FlawKinds,
    QuestionRules,
    RecordForm,
    load_flaw_kinds,
    load_question_rules,
    load_record_form,
)


@dataclass(frozen=True)
class Settings:
    """Raises UsageError for fewer than one try.

    tries: how often a text is written at most, while a check objects to it. seed: draws the
    structure of each question. form, rules, flaws: data of the steps.
    """

    tries: int = 3
    seed: int = 0
    form: RecordForm = field(default_factory=lambda: load_record_form("dermcase"))
    rules: QuestionRules = field(default_factory=lambda: load_question_rules("dermcase"))
    flaws: FlawKinds = field(default_factory=lambda: load_flaw_kinds("dermcase"))

    def __post_init__(self) -> None:
        """Check the bounds."""
        if self.tries < 1:
            raise UsageError(f"tries is {self.tries}; a text is written at least once")
