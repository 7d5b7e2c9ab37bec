"""Define the settings of a DermCase data set: tries, seed, and the data of the steps."""

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
    """The settings of a data set. Raises UsageError for fewer than one try.

    tries: how often a text is written at most, if the check objects to it. seed: decides the
    structure of each question. form, rules, flaws: the data of the steps.
    """

    tries: int = 3
    seed: int = 0
    form: RecordForm = field(default_factory=lambda: load_record_form("dermcase"))
    rules: QuestionRules = field(default_factory=lambda: load_question_rules("dermcase"))
    flaws: FlawKinds = field(default_factory=lambda: load_flaw_kinds("dermcase"))

    def __post_init__(self) -> None:
        """Check the bounds."""
        if self.tries < 1:
            raise UsageError(f"tries is {self.tries}; it must be at least 1")
