"""Read a form: the questions that a model under test is asked, and the columns of its answers."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ... import prompts
from ...errors import UsageError
from ...prompts.load import Prompt, read_prompt
from ...prompts.variants import find_prompt, vary_prompt
from ..step import problems_of

Kind = Literal["text", "differential", "probabilities", "likelihood"]
COLUMNS = ("response", "predicted_diagnosis", "predicted_ddx", "answered")
PROBABILITIES, SCORES = "probabilities", "scores"
SCORED: Mapping[str, str] = {"probabilities": PROBABILITIES, "likelihood": SCORES}
"""The column of the options' numbers, by the kind of reply."""
_PREFIX, _SUFFIX = "form_", ".yaml"


@dataclass(frozen=True)
class Ask:
    """One question of a form.

    reply: how the answer is read: as text, as a differential of five diagnoses, from the
    probabilities of the options' letters, or from the likelihood of the options' texts. writes:
    the column of the responses in which the answer stands.
    """

    prompt: Prompt
    reply: Kind
    writes: str
    temperature: float | None
    max_tokens: int | None


@dataclass(frozen=True)
class Form:
    """The questions of a form.

    Of the questions with the same column, a case gets the first for which it has everything that
    the prompt needs. adds: columns that have the same value in every row.
    """

    name: str
    about: str
    asks: tuple[Ask, ...]
    adds: Mapping[str, str] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the form writes, in the order of its questions."""
        written = dict.fromkeys(ask.writes for ask in self.asks)
        replies = {ask.reply for ask in self.asks}
        written |= {SCORED[reply]: None for reply in SCORED if reply in replies}
        return tuple(written)


class _AskFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    prompt: str = Field(min_length=1)
    reply: Kind
    writes: Literal["response", "predicted_diagnosis", "predicted_ddx", "answered"]
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, gt=0)


class _FormFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    about: str = ""
    source: str = ""
    asks: list[_AskFile] = Field(min_length=1)
    adds: dict[str, str] = {}


def form_names() -> tuple[str, ...]:
    """Return the names of the forms of the toolkit."""
    folder = resources.files(prompts)
    files = sorted(file.name for file in folder.iterdir() if file.name.startswith(_PREFIX))
    return tuple(name.removeprefix(_PREFIX).removesuffix(_SUFFIX) for name in files)


def load_form(name: str) -> Form:
    """Return a form by its name, or from your own YAML file.

    A prompt is the name of a prompt of the toolkit, or a `.md` file beside the YAML file. Raises
    UsageError, naming the file, for a form that does not exist or cannot be read.
    """
    if name.endswith((".yaml", ".yml")):
        path = Path(name)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as fault:
            raise UsageError(f"the form {name} cannot be read: {fault}") from fault
        return _form(path.stem, text, name, path.parent)
    if name not in form_names():
        near = difflib.get_close_matches(name, form_names(), n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(form_names())}"
        raise UsageError(f"there is no form {name!r}; {hint}; your own is path/to/form.yaml")
    file = resources.files(prompts) / f"{_PREFIX}{name}{_SUFFIX}"
    return _form(name, file.read_text(encoding="utf-8"), f"form {name}", Path())


def _form(name: str, text: str, where: str, folder: Path) -> Form:
    try:
        data: Any = yaml.safe_load(text)
        read = _FormFile.model_validate(data)
    except yaml.YAMLError as fault:
        raise UsageError(f"{where}: {' '.join(str(fault).split())}") from fault
    except ValidationError as fault:
        raise UsageError(f"{where}: {'; '.join(problems_of(fault))}") from fault
    asks = tuple(
        Ask(_prompt(ask.prompt, folder), ask.reply, ask.writes, ask.temperature, ask.max_tokens)
        for ask in read.asks
    )
    return Form(name, read.about, asks, read.adds)


def _prompt(name: str, folder: Path) -> Prompt:
    return read_prompt(folder / name) if name.endswith(".md") else find_prompt(name)


def vary_form(form: Form, variant: str) -> Form:
    """Return the form with its prompts in other words; "" is the form itself.

    Raises UsageError for a variant that one of its prompts does not have.
    """
    if not variant:
        return form
    asks = tuple(replace(ask, prompt=vary_prompt(ask.prompt, variant)) for ask in form.asks)
    return replace(form, asks=asks)
