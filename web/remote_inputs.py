"""Refuse inputs that would make the service read a file of its own machine."""

from typing import Any

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
    if name == "images" and step.images:
        images = value if isinstance(value, list) else [value]
        return any(_is_path(image) for image in images)
    field = step.input.model_fields.get(name)
    is_data = isinstance(getattr(field, "annotation", None), type) and issubclass(
        field.annotation,
        BaseModel,
    )
    return is_data and isinstance(value, str) and value.endswith(_DATA_FILES)


def _is_path(image: Any) -> bool:
    try:
        return Image.model_validate(image).path is not None
    except ValueError:
        return False  # the step says what is wrong with it
