"""Options of a command declared as frozen dataclasses, each group once for all commands."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, TypeVar, get_args, get_type_hints

from typer.models import OptionInfo

Options = TypeVar("Options")


def grouped(command: Callable[[Options], None]) -> Callable[..., None]:
    """The command as Typer takes it: one parameter for each field of its options.

    The command has one parameter, a frozen dataclass. A field that is a dataclass itself is a
    group that several commands share; its fields become parameters beside the others. Raises
    TypeError where two fields have one name.
    """
    (kind,) = [hint for name, hint in get_type_hints(command).items() if name != "return"]
    parameters = list(_parameters(kind))
    names = [parameter.name for parameter in parameters]
    if len(set(names)) < len(names):
        raise TypeError(f"two options of {command.__name__} have one name: {sorted(names)}")

    def run(**given: Any) -> None:
        command(_filled(kind, given))

    run.__name__, run.__doc__, run.__module__ = (
        command.__name__, command.__doc__, command.__module__,
    )  # fmt: skip
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def given_flags(group: Any, but: tuple[str, ...] = ()) -> list[str]:
    """The options of a group that differ from their defaults, as they are typed."""
    hints = get_type_hints(type(group), include_extras=True)
    return [
        _flag(each.name, hints[each.name])
        for each in fields(group)
        if each.name not in but
        and each.default is not MISSING
        and getattr(group, each.name) != each.default
    ]


def _parameters(kind: Any) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(kind, include_extras=True)
    for each in fields(kind):
        if is_dataclass(hints[each.name]):
            yield from _parameters(hints[each.name])
            continue
        default = inspect.Parameter.empty if each.default is MISSING else each.default
        yield inspect.Parameter(
            each.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=default,
            annotation=hints[each.name],
        )


def _filled(kind: Any, given: dict[str, Any]) -> Any:
    hints = get_type_hints(kind)
    values = {
        each.name: _filled(hints[each.name], given)
        if is_dataclass(hints[each.name])
        else given[each.name]
        for each in fields(kind)
    }
    return kind(**values)


def _flag(name: str, hint: Any) -> str:
    for extra in get_args(hint)[1:]:
        if isinstance(extra, OptionInfo):
            # Typer keeps the first name of an option in `default` until it is read.
            named = (extra.default, *(extra.param_decls or ()))
            long = [one for one in named if isinstance(one, str) and one.startswith("--")]
            return long[0] if long else f"--{name.replace('_', '-')}"
    return name.upper()
