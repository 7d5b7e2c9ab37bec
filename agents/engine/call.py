"""A prepared call: the messages for a step's input, and the key of its reply in the cache."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from ...cache.key import Fields, fingerprint
from ...errors import UsageError
from ...prompts.load import Rendered
from ..images import LoadedImage, load_images
from ..judge import JudgeSpec
from ..step import Step, schema_hash
from .judges import Judge


@dataclass(frozen=True)
class Call:
    """One item for one judge, ready to be looked up in the cache or sent.

    spec: the judge's spec, completed with the step's defaults. fields: everything that the key
    is computed from.
    """

    step: Step[Any, Any]
    inputs: BaseModel
    judge: Judge
    spec: JudgeSpec
    rendered: Rendered
    images: tuple[LoadedImage, ...]
    answer: type[BaseModel]
    repeat: int
    fields: Fields
    key: str


def prepare(step: Step[Any, Any], inputs: BaseModel, judge: Judge, repeat: int = 0) -> Call:
    """Prepare a call. Raises UsageError or InputError for inputs that cannot be sent."""
    prompt = step.load_prompt()
    values = {name: _plain(value) for name, value in step.values(inputs).items()}
    rendered = prompt.render(values)
    images = _images(step, inputs)
    spec = judge.spec
    if judge.model is None:  # a model object keeps its own settings
        spec = _with_defaults(spec, step.temperature, step.max_tokens)
    answer: type[BaseModel] = step.output_model(inputs)
    messages = hashlib.sha256(
        f"{len(rendered.system)}\x00{rendered.system}\x00{rendered.user}".encode(
            "utf-8", "surrogatepass"
        )
    )
    fields: Fields = {
        "step": step.name,
        "version": step.version,
        "prompt": prompt.hash,
        "schema": schema_hash(answer),
        "judge": spec_fields(spec),
        "input": values,
        "messages": messages.hexdigest(),
        "images": [image.hash for image in images],
        "repeat": repeat,
    }
    return Call(
        step, inputs, judge, spec, rendered, images, answer, repeat, fields, fingerprint(fields)
    )


@lru_cache(maxsize=1024)
def _with_defaults(spec: JudgeSpec, temperature: float | None, max_tokens: int | None) -> JudgeSpec:
    defaults = {"temperature": temperature, "max_tokens": max_tokens}
    unset = {name: value for name, value in defaults.items() if getattr(spec, name) is None}
    return spec.model_copy(update=unset)


@lru_cache(maxsize=1024)
def spec_fields(spec: JudgeSpec) -> Mapping[str, Any]:
    """Return the spec's part of a cache key; callers must not change it."""
    return spec.model_dump(mode="json", exclude={"dropped"})


def _images(step: Step[Any, Any], inputs: BaseModel) -> tuple[LoadedImage, ...]:
    images = getattr(inputs, "images", ())
    if not images:
        return ()
    if not step.images:
        raise UsageError(f"step {step.name} takes no images")
    return load_images(tuple(images))


def _plain(value: Any) -> Any:
    return value if isinstance(value, str) else list(value)
