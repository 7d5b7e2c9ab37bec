"""One item that people rate, whatever file it was read from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pydantic import BaseModel

from ...agents.step import Step
from ...cache.key import fingerprint


@dataclass(frozen=True)
class ToRate:
    """A step's input that people answer, and what its votes say beside the verdict.

    case, name: the case and the step in the votes; the name is the task of an evaluation, else
    the step's. groups: the other columns of its votes. People see none of these three.
    arranged: the input with its sides or its order as drawn; None for the input as it is.
    """

    step: Step[Any, Any] = field(repr=False)
    name: str
    case: str
    inputs: BaseModel = field(repr=False)
    groups: Mapping[str, str] = field(default_factory=dict)
    arranged: BaseModel | None = field(default=None, repr=False)

    @property
    def asked(self) -> BaseModel:
        """The input as people see it."""
        return self.arranged or self.inputs

    @cached_property
    def key(self) -> str:
        """What identifies the item in the file of answers: all that it is, as a short digest."""
        about = [self.name, self.case, dict(self.groups), self.step.prompt_name, self.step.version]
        return fingerprint([*about, self.inputs.model_dump(mode="json")])[:16]


@dataclass(frozen=True)
class Found:
    """The items of a file, and a line for each row that cannot be shown, with the reason."""

    items: tuple[ToRate, ...]
    left_out: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()
    """Names of models and judges that no page may show."""
