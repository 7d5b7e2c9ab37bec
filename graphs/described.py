"""What a step takes and gives, in words and as JSON schemas."""

from typing import Annotated, Any

from pydantic import TypeAdapter

from ..agents.step import Step


def schemas(step: Step[Any, Any]) -> dict[str, Any]:
    """Return the JSON schemas of a step: its input, the answer of the model, and the result.

    Where the form of the answer depends on the input (options, categories), it is the form for
    the defaults of the input, or None where the input has no defaults.
    """
    answer = _answer(step)
    result = step.known_result
    return {
        "step": step.prompt_name,
        "version": step.version,
        "input": step.input.model_json_schema(),
        "answer": answer.model_json_schema() if answer is not None else None,
        "result": result.model_json_schema() if result is not None else None,
    }


def _answer(step: Step[Any, Any]) -> Any:
    if isinstance(step.output, type):
        return step.output
    defaults = {
        name: TypeAdapter(_with_metadata(field)).validate_python(field.default)
        for name, field in step.input.model_fields.items()
        if not field.is_required()
    }
    try:
        return step.output(step.input.model_construct(**defaults))
    except AttributeError:  # the answer depends on a field without a default
        return None


def _with_metadata(field: Any) -> Any:
    # The metadata has validators that read a name such as "dermcase" as the data it stands for.
    return Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation


def step_row(step: Step[Any, Any]) -> dict[str, str]:
    """Return what a reader of a list of steps wants to know about one, as texts."""
    decides = list(step.stand_ins)
    if "predicted" in step.input.model_fields:  # for `judge --engine ontology`
        decides.append("ontology")
    return {
        "name": step.prompt_name,
        "returns": step.returns or "-",
        "scale": step.scale or "-",
        "verdict": _verdict(step),
        "fields": ", ".join(step.input.model_fields),
        "decides": ", ".join(decides) or "-",
        "source": step.load_prompt().source or "-",
    }


def _verdict(step: Step[Any, Any]) -> str:
    """Return the verdict in words: its field, kind, scale, levels and the field of its words."""
    verdict = step.verdict
    if verdict is None:
        return "none"
    if not verdict.field:
        parts = verdict.parts
        assert parts is not None  # a verdict has a field or parts
        return f"one for each part: {parts.kind}, {parts.scale}"
    text = f"{verdict.field}: {verdict.kind}, {verdict.scale}"
    if verdict.levels is not None:
        text += f", levels {', '.join(map(str, verdict.levels))}"
    if verdict.parts is not None:
        text += f"; or one for each part: {verdict.parts.kind}"
    return text + (f"; words: {verdict.words}" if verdict.words else "")
