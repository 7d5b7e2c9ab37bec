"""What a step says about the fields of its answer, for people who answer it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class ForPeople:
    """What people see and mark beside the fields of an answer.

    quotes: fields of the answer that are passages, and the prompt's values in which each occurs;
        people mark them in these texts.
    explain: a function of the input that returns texts by field and by value of a field: "score"
        says what is asked, and "score=5" what this level means. The field of a part is written
        with its path, such as "medical_knowledge.level=4".
    """

    quotes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    explain: Callable[[Any], Mapping[str, str]] | None = None
