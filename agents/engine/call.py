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
from ..step import ReplyForm, Step, schema_hash
from .answer import schema_text
from .judges import Judge
from .models import PROVIDERS


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

    @property
    def continuation(self) -> str:
        """The answer of which the model gives the likelihood; "" for any other step."""
        return _continuation(self.step, self.inputs)


def schema_length(call: Call) -> int:
    """Return the number of characters of the schema that is sent, 0 if none is."""
    return len(schema_text(call.answer)) if call.step.reply == "json" else 0


def prepare(step: Step[Any, Any], inputs: BaseModel, judge: Judge, repeat: int = 0) -> Call:
    """Prepare a call. Raises UsageError or InputError for inputs that cannot be sent."""
    prompt = step.load_prompt()
    values = {name: _plain(value) for name, value in step.values(inputs).items()}
    rendered = prompt.render(values)
    images = _images(step, inputs)
    spec = judge.spec
    if judge.model is None:  # a model object keeps its own settings
        spec = _with_defaults(spec, step.temperature, step.max_tokens)
    if step.reply != "json":
        check_reply(spec, step.reply)
        spec = spec.model_copy(update={"method": "text"})
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
    if step.reply != "json":
        fields |= {"reply": step.reply, "continuation": _continuation(step, inputs)}
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


def check_reply(spec: JudgeSpec, reply: ReplyForm) -> None:
    """Raise UsageError if a step asks for scores of tokens that the provider does not give."""
    need = {"token": "logprobs", "likelihood": "prompt_logprobs"}.get(reply)
    known = PROVIDERS.get(spec.provider)
    own_server = spec.provider == "openai" and spec.base_url is not None
    if need is None or own_server or (known is not None and need in known.more):
        return
    able = ", ".join(f"{name}:MODEL" for name, one in PROVIDERS.items() if need in one.more)
    raise UsageError(
        f"{spec.label} does not give {_SCORED[need]}: take {able} or openai:MODEL@URL for a server "
        "of your own that gives them"
    )


_SCORED = {
    "logprobs": "the probabilities of its tokens",
    "prompt_logprobs": "the probability of a text that it did not write",
}


def _continuation(step: Step[Any, Any], inputs: BaseModel) -> str:
    return str(getattr(inputs, "continuation", "")) if step.reply == "likelihood" else ""


def _plain(value: Any) -> Any:
    return value if isinstance(value, str) else list(value)
