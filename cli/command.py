"""What every command of ours does with its options."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_args, get_type_hints

from typer.core import TyperCommand
from typer.models import OptionInfo

from ..errors import UsageError


class Command(TyperCommand):
    """A command on which an option that takes one value may stand once.

    Elsewhere the last one would count, without a word.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse an option that is repeated, then read the arguments as usual."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        for option in self.params:
            takes_one = not (option.multiple or getattr(option, "is_flag", False))
            count = order.count(option)
            if option.param_type_name == "option" and takes_one and count > 1:
                raise UsageError(f"{option.opts[0]} is given {count} times; it takes one value")
        return super().parse_args(ctx, args)


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """The command as Typer takes it: a group of options becomes one parameter for each of them.

    A parameter of the command that is a frozen dataclass is a group; its fields are options, or
    groups in their turn, so that several commands share them. Raises TypeError where two options
    have one name.
    """
    hints = get_type_hints(command, include_extras=True)
    own = inspect.signature(command).parameters
    parameters = [
        option
        for name, parameter in own.items()
        for option in _options(name, hints[name], parameter.default)
    ]
    names = [parameter.name for parameter in parameters]
    if len(set(names)) < len(names):
        raise TypeError(f"two options of {command.__name__} have one name: {sorted(names)}")

    def run(**given: Any) -> None:
        command(**{name: _filled(name, hints[name], given) for name in own})

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


def _options(name: str, hint: Any, default: Any) -> Iterator[inspect.Parameter]:
    if not is_dataclass(hint):
        kind = inspect.Parameter.KEYWORD_ONLY
        yield inspect.Parameter(name, kind, default=default, annotation=hint)
        return
    hints = get_type_hints(hint, include_extras=True)
    for each in fields(hint):
        missing = each.default is MISSING
        default = inspect.Parameter.empty if missing else each.default
        yield from _options(each.name, hints[each.name], default)


def _filled(name: str, hint: Any, given: dict[str, Any]) -> Any:
    if not is_dataclass(hint):
        return given[name]
    hints = get_type_hints(hint)
    values = {each.name: _filled(each.name, hints[each.name], given) for each in fields(hint)}
    return hint(**values)  # type: ignore[operator]


def _flag(name: str, hint: Any) -> str:
    for extra in get_args(hint)[1:]:
        if isinstance(extra, OptionInfo):
            # Typer keeps the first name of an option in `default` until it is read.
            named = (extra.default, *(extra.param_decls or ()))
            long = [one for one in named if isinstance(one, str) and one.startswith("--")]
            return long[0] if long else f"--{name.replace('_', '-')}"
    return name.upper()
