"""Load rubrics, taxonomies, category lists and scales from YAML files, and validate them.

A file of the toolkit is loaded by its name (`load_rubric("dermcase")` reads
prompts/rubric_dermcase.yaml), your own file by its path, which ends in .yaml, .yml or .json.
"""

import os
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ValidationError,
)

from ..errors import UsageError
from .data import AnswerRules, Categories, Rubric, Scale, Taxonomy

D = TypeVar("D", bound=BaseModel)

Source = str | Path


def load_rubric(source: Source) -> Rubric:
    """Load a rubric by name or path. Raises UsageError naming the file and the field."""
    return load_data("rubric", source, Rubric)


def load_taxonomy(source: Source) -> Taxonomy:
    """Load an error taxonomy by name or path. Raises UsageError naming the file and the field."""
    return load_data("taxonomy", source, Taxonomy)


def load_categories(source: Source) -> Categories:
    """Load a category list by name or path. Raises UsageError naming the file and the field."""
    return load_data("categories", source, Categories)


def load_scale(source: Source) -> Scale:
    """Load a grading scale by name or path. Raises UsageError naming the file and the field."""
    return load_data("scale", source, Scale)


def load_answer_rules(source: Source) -> AnswerRules:
    """Load rules for open answers by name or path. Raises UsageError naming file and field."""
    return load_data("scale", source, AnswerRules)


def given_categories(names: Iterable[str]) -> Categories:
    """Return names as categories. Raises UsageError for a name that is blank or occurs twice."""
    data = {"name": "given", "version": 1, "source": "given with the item"}
    return _validate(
        "categories", "given", {**data, "categories": [{"name": n} for n in names]}, Categories
    )


def loaded_by(load: Callable[[Source], D]) -> BeforeValidator:
    """Return a validator for a field that accepts the data, or its name or path."""
    return BeforeValidator(lambda value: load(value) if isinstance(value, Source) else value)


def _as_categories(value: Any) -> Any:
    if isinstance(value, Source):
        return load_categories(value)
    if isinstance(value, list | tuple):
        return given_categories(value)
    return value


# Types for the inputs of steps: the data itself, or its name or path.
RubricField = Annotated[Rubric, loaded_by(load_rubric)]

TaxonomyField = Annotated[Taxonomy, loaded_by(load_taxonomy)]

CategoriesField = Annotated[Categories, BeforeValidator(_as_categories)]

ScaleField = Annotated[Scale, loaded_by(load_scale)]

AnswerRulesField = Annotated[AnswerRules, loaded_by(load_answer_rules)]


def load_data(kind: str, source: Source, model: type[D]) -> D:
    """Load data by name or path. Raises UsageError naming the file and the field."""
    text = str(source)
    if text.endswith((".yaml", ".yml", ".json")):
        try:
            status = os.stat(text)
        except OSError as fault:
            raise UsageError(f"{kind} {text}: cannot be read: {fault.strerror}") from fault
        return _read(kind, text, (status.st_mtime_ns, status.st_size), model)  # type: ignore[return-value]
    return _read(kind, text, None, model)  # type: ignore[return-value]


# Steps load the data for every item; a file that has changed on disk is read again.
@lru_cache(maxsize=256)
def _read(kind: str, text: str, stamp: tuple[int, int] | None, model: type[BaseModel]) -> BaseModel:
    file = Path(text) if stamp else _shipped(kind, text)
    try:
        data = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as fault:
        raise UsageError(f"{kind} {text}: cannot be read: {fault}") from fault
    except yaml.YAMLError as fault:
        raise UsageError(f"{kind} {text}: not valid YAML: {_one_line(fault)}") from fault
    if not isinstance(data, dict):
        raise UsageError(f"{kind} {text}: the file is not a mapping")
    return _validate(kind, text, data, model)


def _validate(kind: str, label: str, data: dict[str, Any], model: type[D]) -> D:
    try:
        return model.model_validate(data)
    except ValidationError as fault:
        raise UsageError(f"{kind} {label}: {_problems(fault)}") from fault


def _shipped(kind: str, name: str) -> Traversable:
    folder = resources.files(__package__)
    names = sorted(
        entry.name.removeprefix(f"{kind}_").removesuffix(".yaml")
        for entry in folder.iterdir()
        if entry.name.startswith(f"{kind}_") and entry.name.endswith(".yaml")
    )
    if name not in names:
        raise UsageError(
            f"no {kind} {name!r}; the toolkit has {', '.join(names)}; "
            "for your own, give a path that ends in .yaml, .yml or .json"
        )
    return folder / f"{kind}_{name}.yaml"


def _problems(fault: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(map(str, error['loc'])) or 'file'}: "
        f"{error['msg'].removeprefix('Value error, ')}{_truth_hint(error['input'])}"
        for error in fault.errors(include_url=False)
    )


def _truth_hint(wrong: object) -> str:
    is_word = isinstance(wrong, bool)  # never meant where a file of this kind has a fault
    return "; YAML reads no, yes, off and on as truth values: quote such a word" if is_word else ""


def _one_line(fault: Exception) -> str:
    return re.sub(r"\s+", " ", str(fault))
