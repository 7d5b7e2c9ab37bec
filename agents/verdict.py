"""Define the verdict of a step: the value of its result that votes and agreement count.

A step has a `Verdict`. Juries, tables of votes, agreement, reports and adapters all read a
result through it, so that they see the same value and the same words:

    Verdict("urgency", words="rationale", levels=(0, 1, 2, 3))

A result with several verdicts, such as the dimensions of a rubric, has `Parts`.
"""

import dataclasses
import json
import math
import re
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError

from ..cache.key import canonical
from ..errors import UsageError
from ..files.short import short

Scalar = str | int | float | bool
Kind = Literal["truth", "number", "text"]
Scale = Literal["nominal", "ordinal", "interval"]

_WANTED: dict[Kind, str] = {"truth": "true or false", "number": "a number", "text": "text"}
_KINDS: dict[Any, Kind] = {bool: "truth", int: "number", float: "number", str: "text"}
TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


class Worded(NamedTuple):
    """A verdict and the judge's own words for it."""

    verdict: Scalar
    words: str = ""


def _same(value: Any) -> Any:
    return value


@dataclass(frozen=True, kw_only=True, repr=False)
class Parts:
    """The verdicts of a result that has several; a jury votes on each of them separately.

    Args:
        names: a function of the input that returns the names of the parts; it returns no names if
            the result for this input has only one verdict.
        split: a function of (input, result) that returns the verdict and words of each part.
        join: a function of (input, verdict and words of each part, results of the judges who voted)
            that returns the fields of the jury's result, or None if no result can have these
            verdicts.
        kind, scale: the same for every part, as in `Verdict`.
        levels: a function of (input, part) that returns the values that its verdict may have.
        total: the field of the result with the number that code computes from the parts. It is
            shown with them, but it is not a verdict.
    """

    names: Callable[[Any], tuple[str, ...]]
    split: Callable[[Any, Any], Mapping[str, Worded]]
    join: Callable[[Any, Mapping[str, Worded], Sequence[Any]], Mapping[str, Any] | None]
    kind: Kind
    scale: Scale = "nominal"
    levels: Callable[[Any, str], tuple[Scalar, ...]] | None = None
    total: str = ""

    def __repr__(self) -> str:
        return f"Parts({self.kind}, {self.scale})"


@dataclass(frozen=True, repr=False)
class Verdict:
    """Which value of a step's result is its verdict, and how that value is compared.

    Args:
        field: the field of the result that is the verdict; "" for a result that has parts only.
        words: the field with the judge's own words; "" for none.
        kind: truth (true or false), number or text; by default the kind of the field's type.
        scale: nominal (equal or not), ordinal (an order) or interval (equal distances); by default
            ordinal for numbers and nominal for the others. It sets the weights of kappa and alpha.
        levels: the values that a verdict may have, in order, if they are always the same.
        write: computes the verdict from the field's value, if that is not a plain value.
        read: computes the field's value from the verdict; the inverse of `write`.
        normal: returns the same text for verdicts that mean the same; for verdicts of people.
        shown: the words of a report for true and false; "yes" and "no" by default.
        parts: the verdicts of a result that has several.
    """

    field: str = ""
    _: KW_ONLY
    words: str = ""
    kind: Kind | None = None
    scale: Scale | None = None
    levels: tuple[Scalar, ...] | None = None
    write: Callable[[Any], Scalar] = _same
    read: Callable[[Any], Any] = _same
    normal: Callable[[Any], Scalar] = _same
    shown: Mapping[bool, str] = dataclasses.field(default_factory=dict)
    parts: Parts | None = None

    def __repr__(self) -> str:
        levels = f", levels={short(self.levels)}" if self.levels is not None else ""
        parts = f", {self.parts!r}" if self.parts is not None else ""
        return f"Verdict({self.field!r}, {self.kind}, {self.scale}{levels}{parts})"

    def word(self, truth: bool) -> str:
        """Return the word of a report for true or false."""
        return self.shown.get(truth, "yes" if truth else "no")

    def names(self, inputs: BaseModel | None) -> tuple[str, ...]:
        """Return the parts that a jury votes on; ("",) means the result as a whole.

        inputs: None if the inputs cannot be used, so that the parts are not known.
        """
        if self.parts is None or inputs is None:
            return ("",)
        return self.parts.names(inputs) or ("",)

    def of(self, inputs: BaseModel | None, value: Any) -> dict[str, Worded]:
        """Return the verdict and words of each part of a result."""
        names = self.names(inputs)
        if self.parts is not None and (names != ("",) or not self.field):
            verdicts = self.parts.split(inputs, value)
            return {name: verdicts[name] for name in names}
        words = getattr(value, self.words) if self.words else ""
        return {"": Worded(self.write(getattr(value, self.field)), str(words or ""))}

    def total(self, value: Any) -> float | None:
        """Return the number that code computed from the parts; None if there is none."""
        if self.parts is None or not self.parts.total:
            return None
        return float(getattr(value, self.parts.total))

    def kind_of(self, part: str = "") -> Kind | None:
        """Return the kind of the verdict on a part; None for a whole without a verdict."""
        return self.parts.kind if part and self.parts is not None else self.kind

    def scale_of(self, part: str = "") -> Scale | None:
        """Return the scale of the verdicts on a part; None for a whole without a verdict."""
        return self.parts.scale if part and self.parts is not None else self.scale

    def levels_of(self, part: str = "", inputs: Any = None) -> tuple[Scalar, ...] | None:
        """Return the values that a verdict on a part may have, in order; None if they vary."""
        if not part or self.parts is None:
            return self.levels
        if inputs is None or self.parts.levels is None:
            return None
        return self.parts.levels(inputs, part)

    @property
    def is_numeric(self) -> bool:
        """Whether a jury can calculate with the verdicts: numbers on a scale with an order."""
        kind, scale = self.kind, self.scale
        if self.parts is not None and not self.field:
            kind, scale = self.parts.kind, self.parts.scale
        return kind == "number" and scale != "nominal"

    def fault(self, verdict: Any, part: str = "") -> str:
        """Return why a value is not a verdict of this kind, as a short clause; "" if it is one."""
        kind = self.kind_of(part)
        if kind is None or _is_kind(verdict, kind):
            return ""
        return f"is {verdict!r}; it must be {_WANTED[kind]}"

    def read_cell(self, text: str, part: str = "") -> Scalar:
        """Read a verdict from a cell of a table. Raises ValueError with a short clause."""
        kind = self.kind_of(part) or "text"
        bare = text.strip()
        if kind == "text":
            return _unquoted(bare)
        if kind == "truth" and bare.lower() in TRUTHS:
            return TRUTHS[bare.lower()]
        if kind == "number" and _NUMBER.fullmatch(bare):
            number = float(bare)
            return int(bare) if bare.lstrip("+-").isdigit() else number
        raise ValueError(f"{text!r} is not {_WANTED[kind]}")

    def read_person(self, verdict: Any, result: type[BaseModel] | None, part: str = "") -> Scalar:
        """Return a person's verdict in the form of the step's votes.

        Raises ValueError with a short clause for a verdict of another kind, or one that the field
        of the result does not accept.
        """
        fault = self.fault(verdict, part)
        if fault:
            raise ValueError(fault)
        known: Scalar = verdict if part else self.normal(verdict)
        if part:
            return known
        if result is not None:
            field = result.model_fields[self.field]
            type_of_field: Any = Annotated[field.annotation, field]
            try:
                TypeAdapter(type_of_field).validate_python(self.read(known))
            except ValidationError as wrong:
                raise ValueError(f"is {verdict!r}: {wrong.errors()[0]['msg']}") from wrong
        return known

    def compose(
        self,
        result: type[BaseModel],
        inputs: BaseModel,
        verdicts: Mapping[str, Worded],
        values: Sequence[Any],
    ) -> BaseModel | None:
        """Return the result with these verdicts; None if the result's type does not accept them.

        verdicts: verdict and words by part. values: the results of the judges who voted. If one
        of these results has the verdict, it is returned; of several, the first by its text, so
        that the order of votes does not matter. If none has it, the result is built from the
        verdict and its words.
        """
        if self.parts is not None and "" not in verdicts:
            fields = self.parts.join(inputs, verdicts, values)
            return result.model_validate(fields) if fields is not None else None
        wanted = verdicts[""]
        alike = [
            value
            for value in values
            if _identity(self.of(inputs, value)[""].verdict) == _identity(wanted.verdict)
        ]
        if alike:
            first: BaseModel = min(alike, key=lambda one: canonical(one.model_dump(mode="json")))
            return first
        known = {self.field: self.read(wanted.verdict)}
        if self.words:
            known[self.words] = wanted.words
        blank = (name for name, field in result.model_fields.items() if field.is_required())
        try:
            return result.model_validate({**dict.fromkeys(blank), **known})
        except ValidationError:
            return None  # the verdict does not determine all required fields


def settle_verdict(
    verdict: Verdict | None, result: type[BaseModel] | None, step: str
) -> Verdict | None:
    """Return the verdict of a step, completed with its kind and scale.

    If a step declares no verdict and its result has exactly one field, and this field is a text,
    a number or a truth value, then that field is the verdict. `result` is None if the result
    depends on the input. Raises UsageError for a field that the result does not have, for a value
    that the levels lack, or if the kind is neither given nor clear from the field's type.
    """
    if verdict is None:
        only = list(result.model_fields) if result is not None else []
        if result is None or len(only) != 1 or _kind_of(result, only[0]) is None:
            return None
        verdict = Verdict(only[0])
    if not verdict.field:
        if verdict.parts is None:
            raise UsageError(f"step {step}: its Verdict names no field")
        return verdict
    for name in filter(None, (verdict.field, verdict.words)):
        if result is not None and name not in result.model_fields:
            known = ", ".join(result.model_fields)
            raise UsageError(
                f"step {step}: its Verdict names {name!r}, and the result has the fields {known}"
            )
    kind = verdict.kind or (_kind_of(result, verdict.field) if result is not None else None)
    if kind is None:
        raise UsageError(
            f"step {step}: the kind of the verdict is not clear from the type of "
            f'{verdict.field!r}; give its Verdict a kind: "truth", "number" or "text"'
        )
    if result is not None and verdict.levels is not None and verdict.write is _same:
        _check_levels(verdict.levels, result.model_fields[verdict.field].annotation, step)
    scale = verdict.scale or ("ordinal" if kind == "number" else "nominal")
    return replace(verdict, kind=kind, scale=scale)


def _check_levels(levels: tuple[Scalar, ...], annotation: Any, step: str) -> None:
    values = get_args(annotation) if get_origin(annotation) is Literal else ()
    outside = [repr(value) for value in values if value is not None and value not in levels]
    if outside:
        raise UsageError(
            f"step {step}: an answer may be {', '.join(outside)}, and the levels of its Verdict "
            f"are {', '.join(map(repr, levels))}"
        )


def _kind_of(result: type[BaseModel], field: str) -> Kind | None:
    """Return the kind of a field's type; None for a type that is not a plain value."""
    kinds = {_KINDS.get(one) for one in _members(result.model_fields[field].annotation)}
    return kinds.pop() if len(kinds) == 1 else None


def _members(annotation: Any) -> Iterable[Any]:
    """Yield the types of a union, without None, and the types of a Literal's values."""
    origin = get_origin(annotation)
    if origin is Literal:
        yield from (type(value) for value in get_args(annotation) if value is not None)
    elif origin is Annotated:
        yield from _members(get_args(annotation)[0])
    elif origin in (Union, types.UnionType):
        for member in get_args(annotation):
            yield from _members(member)
    elif annotation is not type(None):
        yield annotation


def _is_kind(verdict: Any, kind: Kind) -> bool:
    if kind == "truth":
        return isinstance(verdict, bool)
    if kind == "text":
        return isinstance(verdict, str) and bool(verdict.strip())
    number = isinstance(verdict, int | float) and not isinstance(verdict, bool)
    return number and math.isfinite(verdict)


def _unquoted(text: str) -> str:
    """Return the text; if it is a JSON string in double quotes, return the string inside."""
    if not text.startswith('"'):
        return text
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, str) else text


def _identity(verdict: Scalar) -> tuple[bool, Scalar]:
    """Return a value that is equal for 1 and 1.0, but not for 1 and True."""
    return isinstance(verdict, bool), verdict
