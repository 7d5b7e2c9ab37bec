"""The form in which a person answers a step: a question for each field of the step's answer.

It is read from the same schema that a model gets, so every step has one, also a user's own.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from ...errors import UsageError
from ..step import Step, schema_of
from ..verdict import Verdict

Kind = Literal[
    "choice", "choices", "number", "text", "lines", "quote", "quotes", "group", "entries"
]
_MOST_LEVELS = 11
"""Whole numbers in a range of at most as many values are offered as levels."""


class Option(BaseModel):
    """A value that can be chosen; `about` says what it means."""

    model_config = ConfigDict(frozen=True)

    value: str | int | float | bool
    label: str
    about: str = ""


class Question(BaseModel):
    """One field of the answer.

    kind: one option, several options, a number, a text, a text for each line, a marked passage,
    several of them, a group of further questions, or any number of entries that have them.
    needed: whether the answer is incomplete without it. none: whether "none" is an answer; of
    several options, "none of them".
    sources: the texts in which a passage can be marked. about: what is asked.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    kind: Kind
    title: str
    about: str = ""
    options: tuple[Option, ...] = ()
    least: float | None = None
    most: float | None = None
    needed: bool = False
    none: bool = False
    sources: tuple[str, ...] = ()
    questions: tuple["Question", ...] = ()


def questions_of(step: Step[Any, Any], inputs: BaseModel) -> tuple[Question, ...]:
    """Return the questions of a step about one item, in the order of the answer's fields.

    Words of explanation come last, because a person decides first. Raises UsageError for a field
    that no form can hold.
    """
    if step.reply not in ("json", "text"):
        raise UsageError(f"step {step.name}: people cannot answer with {step.reply} probabilities")
    model: type[BaseModel] = step.output_model(inputs)
    schema = schema_of(model)
    explained = step.people.explain(inputs) if step.people and step.people.explain else {}
    return _Form(step, schema.get("$defs", {}), explained).group(schema, "")


@dataclass(frozen=True)
class _Form:
    step: Step[Any, Any]
    definitions: Mapping[str, Any]
    explained: Mapping[str, str]

    def group(self, schema: Mapping[str, Any], path: str) -> tuple[Question, ...]:
        fields = list(self._fields(schema, path))
        if not any(one.needed or one.kind in ("group", "entries") for one in fields):
            fields = [
                one.model_copy(update={"needed": True}) if one.kind == "text" else one
                for one in fields
            ]
        return tuple(sorted(fields, key=_late))

    def _fields(self, schema: Mapping[str, Any], path: str) -> Iterator[Question]:
        for name, field in schema.get("properties", {}).items():
            place = f"{path}.{name}" if path else name
            known, none = self._resolved(field)
            about = self.explained.get(place) or field.get("description", "")
            shared: dict[str, Any] = {
                "name": name,
                "title": _title(name),
                "about": about or known.get("description", "") * ("properties" not in known),
                "none": none,
            }
            yield Question(**{**shared, **self._kind(name, place, known)})

    def _resolved(self, field: Mapping[str, Any]) -> tuple[Mapping[str, Any], bool]:
        """Return a field's own schema, and whether null is a value too."""
        if "$ref" in field:
            return self._resolved(self.definitions[field["$ref"].rpartition("/")[2]])
        if len(field.get("allOf", ())) == 1:
            return self._resolved(field["allOf"][0])
        several = [one for one in field.get("anyOf", ()) if one.get("type") != "null"]
        if len(several) == 1:
            return self._resolved(several[0])[0], True
        return field, False

    def _kind(self, name: str, place: str, field: Mapping[str, Any]) -> dict[str, Any]:
        kind = field.get("type")
        if kind == "array":
            return self._list(name, place, field)
        if kind == "object" and field.get("properties"):
            return {"kind": "group", "questions": self.group(field, place)}
        options = self._options(place, field)
        if options:
            return {"kind": "choice", "options": options, "needed": True}
        if kind in ("integer", "number"):
            least, most = field.get("minimum"), field.get("maximum")
            return {"kind": "number", "needed": True, "least": least, "most": most}
        if kind == "string" and name in self._quotes:
            return {"kind": "quote", "sources": self._quotes[name], "needed": True}
        if kind == "string":
            verdict = self.step.verdict
            is_verdict = verdict is not None and verdict.field == name
            return {"kind": "text", "needed": is_verdict or field.get("minLength", 0) > 0}
        raise UsageError(f"step {self.step.name}: no form can hold the field {place} of its answer")

    @property
    def _quotes(self) -> Mapping[str, tuple[str, ...]]:
        return self.step.people.quotes if self.step.people else {}

    def _list(self, name: str, place: str, field: Mapping[str, Any]) -> dict[str, Any]:
        inside, _ = self._resolved(field.get("items", {}))
        if inside.get("properties"):
            return {"kind": "entries", "questions": self.group(inside, place)}
        options = self._options(place, inside)
        if options:
            may_be_none = not field.get("minItems")
            return {"kind": "choices", "options": options, "needed": True, "none": may_be_none}
        if name in self._quotes:
            return {"kind": "quotes", "sources": self._quotes[name]}
        if inside.get("type") == "string":
            return {"kind": "lines"}
        raise UsageError(f"step {self.step.name}: no form can hold the field {place} of its answer")

    def _options(self, place: str, field: Mapping[str, Any]) -> tuple[Option, ...]:
        values = field.get("enum") or ([field["const"]] if "const" in field else [])
        if field.get("type") == "boolean":
            values = [True, False]
        least, most = field.get("minimum"), field.get("maximum")
        if field.get("type") == "integer" and least is not None and most is not None:
            values = range(least, most + 1) if most - least < _MOST_LEVELS else []
        return tuple(
            Option(
                value=value,
                label=self._label(value),
                about=self.explained.get(f"{place}={value}", ""),
            )
            for value in values
        )

    def _label(self, value: Any) -> str:
        if not isinstance(value, bool):
            return str(value)
        return (self.step.verdict or Verdict()).word(value)


def _late(one: Question) -> int:
    if one.needed:
        return 0
    return {"quotes": 1, "text": 2}.get(one.kind, 0)


def _title(name: str) -> str:
    return name.replace("_", " ").strip().capitalize()
