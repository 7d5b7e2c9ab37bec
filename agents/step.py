"""What a step is: data that names a task, its prompt, its types and its checks."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from ..cache.key import fingerprint
from ..errors import UsageError
from ..prompts.load import Prompt, Value, read_prompt
from ..prompts.variants import find_prompt
from .verdict import Verdict, settle_verdict

I = TypeVar("I", bound=BaseModel)  # noqa: E741
O = TypeVar("O", bound=BaseModel)  # noqa: E741


@dataclass(frozen=True)
class Nothing:
    """What a stand-in returns when it is sure that there is nothing to answer."""

    reason: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Step(Generic[I, O]):
    """One task for a model. Build it once, at module level.

    name, version: the identity; raise `version` when a rule changes that the prompt and the
        output schema do not show.
    input, output: pydantic models. `output` is what the model itself must write; it may be a
        function of the input that returns the model, where rubrics and taxonomies shape it
        (return the same class for the same data: keep it in an lru_cache).
    prompt: a `Prompt`; or the path of a `.md` file, looked for beside the file in which the step
        stands; or the name of a prompt of the toolkit, or `NAME~VARIANT` for it in other words.
        The step's name unless given.
    render: the prompt's placeholders from the input. Default: the fields of the input (all but
        `images`) by their own names.
    checks: each takes (input, output) and returns a list of problems, written to the model:
        they are sent back to it as they stand. Empty list: fine.
    abstain: (input, output) -> the reason, when this valid output says that there is nothing
        to answer; None otherwise.
    finish: (input, output) -> the step's result, what code computes from the model's words.
        Runs after the checks, and again when the reply comes from the cache.
    result: the type `finish` returns, for readers of the schema; `output` unless given.
    verdict: which value of the result votes and agreement count (see `agents.verdict`). Without
        one, the only field of a result that has exactly one plain field; else the step has no
        verdict, and no jury.
    stand_ins: name -> function of the input that returns the *result*, Nothing to abstain, or
        None where it cannot decide. They never ask a model. Tried in order before the model
        (engine "auto"), alone (engine = their name), or not at all ("llm"). One named "code" is a
        rule of the step that only code decides, such as an empty response: always tried first.
    symmetric: two fields of the input that may change places without a change of the verdict.
    max_repairs: how often an invalid answer is shown to the model again.
    judged: the field of the input that holds what is judged, a text or a tuple of texts; "" where
        nothing is (a step that generates).
    images: the input has a field `images` (a tuple of `agents.images.Image`) that is sent.
    temperature, max_tokens: sent where the judge's spec does not set them.
    returns, scale: one line each for the table of steps.
    """

    name: str
    version: int
    input: type[I]
    output: type[O] | Callable[[I], type[O]]
    prompt: str | Path | Prompt = ""
    render: Callable[[I], Mapping[str, Value]] | None = None
    checks: tuple[Callable[[I, O], Sequence[str]], ...] = ()
    abstain: Callable[[I, O], str | None] | None = None
    finish: Callable[[I, O], BaseModel] | None = None
    result: type[BaseModel] | None = None
    verdict: Verdict | None = None
    stand_ins: Mapping[str, Callable[[I], BaseModel | Nothing | None]] = field(default_factory=dict)
    max_repairs: int = 2
    judged: str = ""
    symmetric: tuple[str, str] | None = None
    images: bool = False
    temperature: float | None = 0.0
    max_tokens: int | None = None
    returns: str = ""
    scale: str = ""

    def __post_init__(self) -> None:
        """Settle the prompt and the verdict. Raises UsageError for a verdict that does not fit."""
        prompt = self.prompt
        if isinstance(prompt, Prompt) and not prompt.name:
            prompt = replace(prompt, name=self.name)
        if isinstance(prompt, Path) or (isinstance(prompt, str) and prompt.endswith(".md")):
            prompt = _folder_of_caller() / prompt
        object.__setattr__(self, "prompt", prompt)
        verdict = settle_verdict(self.verdict, self.known_result, self.name)
        object.__setattr__(self, "verdict", verdict)

    @property
    def prompt_name(self) -> str:
        """The prompt's name: its file without the suffix, and its variant."""
        if isinstance(self.prompt, Prompt):
            return self.prompt.name
        if isinstance(self.prompt, Path):
            return self.prompt.stem
        return self.prompt or self.name

    def load_prompt(self) -> Prompt:
        """Load the prompt.

        Raises UsageError when its file is missing or its placeholders are not the input's fields.
        """
        prompt = self._read_prompt()
        if self.render is None:
            _compare(self, prompt)
        return prompt

    def _read_prompt(self) -> Prompt:
        if isinstance(self.prompt, Prompt):
            return self.prompt
        if isinstance(self.prompt, Path):
            return read_prompt(self.prompt)
        return find_prompt(self.prompt or self.name)

    def read_input(self, inputs: I | Mapping[str, Any]) -> I:
        """Validate one input. Raises UsageError that names the step and the field."""
        if isinstance(inputs, self.input):
            return inputs
        given = inputs.model_dump() if isinstance(inputs, BaseModel) else inputs
        try:
            return self.input.model_validate(given)
        except ValidationError as fault:
            raise UsageError(f"step {self.name}: {'; '.join(problems_of(fault))}") from fault

    def values(self, inputs: I) -> Mapping[str, Value]:
        """The prompt's placeholders for this input."""
        if self.render is not None:
            return self.render(inputs)
        return {
            name: _as_value(getattr(inputs, name))
            for name in type(inputs).model_fields
            if name != "images"
        }

    def output_model(self, inputs: I) -> type[O]:
        """The model that the answer to this input must match."""
        if isinstance(self.output, type):
            return self.output
        return self.output(inputs)

    def problems(self, inputs: I, output: O) -> list[str]:
        """What the checks find wrong with a well-formed answer."""
        return [problem for check in self.checks for problem in check(inputs, output)]

    @property
    def known_result(self) -> type[BaseModel] | None:
        """The type of the result; None where it depends on the input."""
        return self.result or (self.output if isinstance(self.output, type) else None)

    def result_model(self, inputs: I | Mapping[str, Any]) -> type[BaseModel]:
        """The type of the result for this input."""
        return self.result or self.output_model(self.read_input(inputs))

    def demand_verdict(self) -> Verdict:
        """The step's verdict. Raises UsageError, saying what to declare, where it has none."""
        if self.verdict is None:
            raise UsageError(
                f"step {self.name} has no verdict that votes can count: declare "
                'verdict=Verdict("FIELD") with the field of its result that is the verdict'
            )
        return self.verdict

    def read_value(self, inputs: I | Mapping[str, Any], value: Any) -> BaseModel:
        """Type the `value` of an outcome that was read from JSON."""
        model = self.result_model(inputs)
        return value if isinstance(value, model) else model.model_validate(value)


# A path beside a step means the step's file, wherever the program was started.
_BETWEEN = (__name__, "dataclasses", "typing")


def _folder_of_caller() -> Path:
    """The folder of the file that builds a step; the current one where there is none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__") in _BETWEEN:
        frame = frame.f_back
    file = frame.f_globals.get("__file__") if frame is not None else None
    return Path(file).absolute().parent if file else Path()


def problems_of(fault: ValidationError) -> list[str]:
    """A pydantic fault as short lines, `field: what is wrong`, without the offending values."""
    return [
        f"{'.'.join(map(str, error['loc'])) or 'answer'}: {error['msg']}"
        for error in fault.errors(include_url=False, include_input=False)
    ]


@lru_cache(maxsize=1024)
def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a model; do not change it."""
    return model.model_json_schema()


@lru_cache(maxsize=1024)
def schema_hash(model: type[BaseModel]) -> str:
    """The sha256 of the model's JSON schema."""
    return fingerprint(schema_of(model))


def _as_value(value: object) -> Value:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        return [str(item) for item in value]
    return str(value)


def _compare(step: Step[Any, Any], prompt: Prompt) -> None:
    known = set(step.input.model_fields) - {"images"}
    wanted = set(prompt.placeholders)
    if wanted == known:
        return
    parts = []
    if wanted - known:
        parts.append(f"placeholders without a field: {', '.join(sorted(wanted - known))}")
    if known - wanted:
        parts.append(f"fields without a placeholder: {', '.join(sorted(known - wanted))}")
    raise UsageError(f"step {step.name}, prompt {prompt.name}: {'; '.join(parts)}")
