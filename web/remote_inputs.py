"""Refuse inputs that would make the service read a file of its own machine."""

from typing import Any, get_args

from pydantic import BaseModel

from ..agents.images import Image
from ..agents.step import Step
from ..errors import InputError

_DATA_FILES = (".yaml", ".yml", ".json")


def check_no_files(step: Step[Any, Any], inputs: list[dict[str, Any]]) -> None:
    """Raise InputError, which names the item and the field, where an input names a file.

    Rubrics, taxonomies and scales are sent as data or by the name of one that comes with dxjudge;
    images as a data URL, as base64 or by their address.
    """
    for number, fields in enumerate(inputs, 1):
        for name, value in fields.items():
            if _names_a_file(step, name, value):
                raise InputError(
                    f"item {number}, field {name!r}: names a file, and a service reads none; send "
                    "the content itself"
                )


def _names_a_file(step: Step[Any, Any], name: str, value: Any) -> bool:
    field = step.input.model_fields.get(name)
    types = _types(field.annotation) if field else frozenset()
    values = value if isinstance(value, list) else [value]
    if Image in types or (name == "images" and step.images):
        return any(_is_path(one) for one in values)
    is_data = any(isinstance(one, type) and issubclass(one, BaseModel) for one in types)
    return is_data and any(isinstance(one, str) and one.endswith(_DATA_FILES) for one in values)


def _types(annotation: Any) -> frozenset[Any]:
    """Return the types of an annotation such as `Rubric | None` or `tuple[Image, ...]`."""
    parts = get_args(annotation)
    return frozenset().union(*map(_types, parts)) if parts else frozenset({annotation})


def _is_path(image: Any) -> bool:
    try:
        return Image.model_validate(image).path is not None
    except ValueError:
        return False  # the step says what is wrong with it
