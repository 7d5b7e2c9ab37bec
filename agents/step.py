"""Define a step: the data that describes one task for a model."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any, Generic, Literal

from pydantic import BaseModel, ValidationError
from typing_extensions import TypeVar  # with defaults, which typing has from Python 3.13

from ..cache.key import fingerprint
from ..errors import UsageError
from ..files.nearest import no_such
from ..prompts.load import Prompt, Value, read_prompt
from ..prompts.variants import find_prompt, variant_names, vary_prompt
from .people.declared import ForPeople
from .verdict import Verdict, settle_verdict

ReplyForm = Literal["json", "text", "token", "likelihood"]
I = TypeVar("I", bound=BaseModel)  # noqa: E741
O = TypeVar("O", bound=BaseModel)  # noqa: E741
R = TypeVar("R", bound=BaseModel, default=O)


@dataclass(frozen=True)
class Nothing:
    """The result of a stand-in that is sure that there is nothing to answer."""

    reason: str


@dataclass(frozen=True)
class Dimensions(Generic[I]):
    """How a step with several dimensions is asked about one of them at a time.

    inputs: a function of the input that returns, by dimension, the input for it alone. result: a
    function of the input and the results by dimension that returns the result of the whole input.
    """

    inputs: Callable[[I], Mapping[str, I]]
    result: Callable[[I, Mapping[str, Any]], BaseModel]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Step(Generic[I, O, R]):
    """One task for a model. Build it once, at module level.

    `Step[Input, Output, Result]` names the types of `input`, `output` and of the value of `Done`,
    so that a type checker knows them; without `finish`, `Step[Input, Output]` says the same.

    Args:
        name, version: the identity of the step. Raise `version` after a change of a rule that does
            not change the prompt or the output schema.
        input, output: pydantic models. The model writes `output`. It may be a function of the input
            that returns the pydantic model, for example for a rubric or a taxonomy. It must return
            the same class for the same data: use an lru_cache.
        prompt: a `Prompt`; or the path of a `.md` file, relative to the file that builds the step;
            or the name of a prompt of the toolkit; or `NAME~VARIANT` for that prompt in other
            words. By default, the step's name.
        render: a function of the input that returns the values of the prompt's placeholders. By
            default, these are the fields of the input (except `images`) under their own names.
        checks: functions of (input, output). Each returns a list of problems, which are sent to the
            model unchanged. An empty list means that the output is valid.
        abstain: a function of (input, output). It returns the reason if this valid output says that
            there is nothing to answer, and None otherwise.
        finish: a function of (input, output) that computes the step's result. It runs after the
            checks, and again when the reply comes from the cache.
        result: the type that `finish` returns, for readers of the schema; by default, `output`.
        verdict: which value of the result is counted by votes and agreement (see `agents.verdict`).
            By default, the field of a result that has exactly one plain field; a step with any
            other result has no verdict, and a jury refuses it.
        dimensions: how to ask about each dimension in a call of its own, if the run wants it so.
        stand_ins: name -> a function of the input that returns the *result*, Nothing to abstain, or
            None if it cannot decide. Stand-ins never ask a model. They run in order before the
            model (engine "auto"), alone (the engine is their name), or not at all ("llm"). A
            stand-in named "code" is a rule that only code decides, such as an empty response. It
            always runs first.
        symmetric: two fields of the input that can be exchanged without a change of the verdict.
        max_repairs: how often the model may repair an invalid answer.
        judged: the field of the input that is judged, a text or a tuple of texts; "" if nothing is
            judged, as in a step that generates.
        images: whether the input has a field `images` (a tuple of `agents.images.Image`) to send.
        reply: what the model writes. "json": an object with the fields of `output`. "text": a text;
            no schema is sent, and `output` has one field `text`. "token": one token; `output` has
            one field `tokens`, the likeliest tokens with their log-probabilities. "likelihood":
            nothing; the input has a field `continuation`, and `output` has one field `logprobs`,
            the log-probability of each token of that text as the model's answer.
        temperature, max_tokens: sent if the judge's spec does not set them.
        people: what people who answer the step see and mark (see `agents.people.declared`).
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
    finish: Callable[[I, O], R] | None = None
    result: type[R] | None = None
    verdict: Verdict | None = None
    dimensions: Dimensions[I] | None = None
    stand_ins: Mapping[str, Callable[[I], R | Nothing | None]] = field(default_factory=dict)
    max_repairs: int = 2
    judged: str = ""
    symmetric: tuple[str, str] | None = None
    images: bool = False
    reply: ReplyForm = "json"
    temperature: float | None = 0.0
    max_tokens: int | None = None
    people: ForPeople | None = None
    returns: str = ""
    scale: str = ""

    def __post_init__(self) -> None:
        """Complete prompt and verdict. Raises UsageError if the verdict does not fit the result."""
        prompt = self.prompt
        if isinstance(prompt, Prompt) and not prompt.name:
            prompt = replace(prompt, name=self.name)
        if isinstance(prompt, Path) or (isinstance(prompt, str) and prompt.endswith(".md")):
            prompt = _folder_of_caller() / prompt
        object.__setattr__(self, "prompt", prompt)
        verdict = settle_verdict(self.verdict, self.known_result, self.name)
        object.__setattr__(self, "verdict", verdict)

    def __repr__(self) -> str:
        result = self.known_result.__name__ if self.known_result else "depends on the input"
        types = f"{self.input.__name__} -> {result}"
        return f"Step({self.name!r}, version {self.version}, {types})"

    @property
    def prompt_name(self) -> str:
        """The name of the prompt and its variant; the step's name where the prompt is a file."""
        if isinstance(self.prompt, Prompt):
            return self.prompt.name
        if isinstance(self.prompt, Path):
            return self.name
        return self.prompt or self.name

    def load_prompt(self) -> Prompt:
        """Load the prompt.

        Raises UsageError if its file is missing or its placeholders are not the input's fields.
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
        """Validate one input. Raises UsageError; the message names the step and the field."""
        if isinstance(inputs, self.input):
            return inputs
        fields = inputs.model_dump() if isinstance(inputs, BaseModel) else inputs
        try:
            return self.input.model_validate(fields)
        except ValidationError as fault:
            faults = "; ".join(_input_faults(fault, self.input))
            raise UsageError(f"step {self.name}: {faults}") from fault

    def values(self, inputs: I) -> Mapping[str, Value]:
        """Return the values of the prompt's placeholders for this input."""
        if self.render is not None:
            return self.render(inputs)
        return {
            name: _as_value(getattr(inputs, name))
            for name in type(inputs).model_fields
            if name != "images"
        }

    def output_model(self, inputs: I) -> type[O]:
        """Return the pydantic model that the answer to this input must match."""
        if isinstance(self.output, type):
            return self.output
        return self.output(inputs)

    def problems(self, inputs: I, output: O) -> list[str]:
        """Return the problems that the checks report in a well-formed answer."""
        return [problem for check in self.checks for problem in check(inputs, output)]

    @property
    def known_result(self) -> type[BaseModel] | None:
        """The type of the result; None if it depends on the input."""
        return self.result or (self.output if isinstance(self.output, type) else None)

    def result_model(self, inputs: I | Mapping[str, Any]) -> type[BaseModel]:
        """Return the type of the result for this input."""
        return self.result or self.output_model(self.read_input(inputs))

    def demand_verdict(self) -> Verdict:
        """Return the step's verdict. If it has none, raise UsageError that says what to declare."""
        if self.verdict is None:
            raise UsageError(
                f"step {self.name} has no verdict that votes can count: declare "
                'verdict=Verdict("FIELD") with the field of its result that is the verdict'
            )
        return self.verdict

    def read_value(self, inputs: I | Mapping[str, Any], value: Any) -> BaseModel:
        """Validate the `value` of an outcome that was read from JSON."""
        model = self.result_model(inputs)
        return value if isinstance(value, model) else model.model_validate(value)


def variants_of(step: Step[Any, Any]) -> tuple[str, ...]:
    """Return the names of the other wordings of a step's prompt (see variants.yaml).

    A step that is a variant itself has none. Raises UsageError if the prompt cannot be loaded.
    """
    return variant_names(step.load_prompt())


# One graph is kept for each step object, so each wording must always be the same object.
@lru_cache(maxsize=512)
def vary(step: Step[Any, Any], variant: str) -> Step[Any, Any]:
    """Return the step with its prompt in other words; everything else is the same.

    The prompt is named `NAME~VARIANT` and has a different hash, so that cache keys, journals and
    signatures distinguish it. Raises UsageError for a variant that the prompt does not have.
    """
    return replace(step, prompt=vary_prompt(step.load_prompt(), variant))


# A prompt's path is relative to the file of the step, not to the working directory.
_BETWEEN = (__name__, "dataclasses", "typing")


def _folder_of_caller() -> Path:
    """Return the folder of the file that builds a step; without a file, the current folder."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__") in _BETWEEN:
        frame = frame.f_back
    file = frame.f_globals.get("__file__") if frame is not None else None
    return Path(file).absolute().parent if file else Path()


def problems_of(fault: ValidationError) -> list[str]:
    """Return a pydantic error as short lines, `field: what is wrong`, without the wrong values."""
    return [
        f"{'.'.join(map(str, error['loc'])) or 'answer'}: {error['msg']}"
        for error in fault.errors(include_url=False, include_input=False)
    ]


def _input_faults(fault: ValidationError, model: type[BaseModel]) -> list[str]:
    """Return what is wrong with an input, for the person who wrote the table; no wrong values."""
    return [
        _input_fault(error, model) for error in fault.errors(include_url=False, include_input=False)
    ]


def _input_fault(error: Mapping[str, Any], model: type[BaseModel]) -> str:
    field = ".".join(map(str, error["loc"]))
    limits = error.get("ctx", {})
    least, count = limits.get("min_length", 0), limits.get("actual_length", 0)
    kind = error["type"]
    if kind == "missing" or (kind in ("string_too_short", "too_short") and least == 1):
        state = "missing" if kind == "missing" else "empty"
        return f"the field {field} is {state}: fill it in, or leave the row out"
    if kind == "too_short":
        items = f"{count} of at least {least} items"
        return f"the field {field} has {items}: add items, or leave the row out"
    if kind == "extra_forbidden":
        return no_such("field", error["loc"], model.model_fields)
    if kind == "string_type":
        return f"the field {field} is not a text: write a text, or leave the row out"
    if kind == "value_error":
        return f"{field or 'the input'}: {limits['error']}"
    return f"{field or 'the input'}: {error['msg']}"


@lru_cache(maxsize=1024)
def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of a pydantic model. The dict is shared; do not change it."""
    return model.model_json_schema()


@lru_cache(maxsize=1024)
def schema_hash(model: type[BaseModel]) -> str:
    """Return the SHA-256 of the JSON schema of a pydantic model."""
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
