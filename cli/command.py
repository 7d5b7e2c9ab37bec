"""How every command reads its options, and how commands share groups of options."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_args, get_type_hints

from typer.core import TyperCommand
from typer.models import OptionInfo

from ..errors import UsageError
from .apart import check_apart


class Command(TyperCommand):
    """A command that refuses an option of one value that is given twice, and a file with two uses.

    Without it the last value would count, or one file be lost, and no message would say so.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Raise UsageError for a repeated option of one value, else read the arguments as usual."""
        if ctx.resilient_parsing:
            return super().parse_args(ctx, self._whole(args))
        args = self._with_values(args)
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        for option in self.params:
            takes_one = not (option.multiple or getattr(option, "is_flag", False))
            count = order.count(option)
            if option.param_type_name == "option" and takes_one and count > 1:
                raise UsageError(f"{option.opts[0]} is given {count} times; it takes one value")
        rest = super().parse_args(ctx, args)
        check_apart(self.params, ctx.params)
        return rest

    def _with_values(self, args: list[str]) -> list[str]:
        """Return the arguments with "" after each option that may stand without its value.

        The metavar of such an option is in brackets.
        """
        alone = {
            name
            for option in self.params
            for name in option.opts
            if (getattr(option, "metavar", None) or "").startswith("[")
        }
        return [
            part
            for word, following in zip(args, [*args[1:], "-"], strict=False)
            for part in ((word, "") if word in alone and following.startswith("-") else (word,))
        ]

    def _whole(self, args: list[str]) -> list[str]:
        """Return the words of a line that a shell completes, without an option that waits.

        The value of the last option may be what is completed. The parser would drop the file that
        the line names together with such an option, and then no column would be known.
        """
        waiting = {
            name
            for option in self.params
            for name in option.opts
            if option.param_type_name == "option" and not getattr(option, "is_flag", False)
        }
        return args[:-1] if args and args[-1] in waiting else args


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with one parameter for each option of its groups, as Typer needs it.

    A group is a parameter of the command whose type is a frozen dataclass. Its fields are options
    or further groups, so that several commands share them. Raises TypeError where two options have
    the same name.
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
        raise TypeError(f"two options of {command.__name__} have the same name: {sorted(names)}")

    def run(**values: Any) -> None:
        command(**{name: _filled(name, hints[name], values) for name in own})

    run.__name__, run.__doc__, run.__module__ = (
        command.__name__, command.__doc__, command.__module__,
    )  # fmt: skip
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def given_flags(group: Any, but: tuple[str, ...] = ()) -> list[str]:
    """Return the flags (`--max-cost`) of a group's options that differ from their defaults."""
    hints = get_type_hints(type(group), include_extras=True)
    return [
        _flag(option.name, hints[option.name])
        for option in fields(group)
        if option.name not in but
        and option.default is not MISSING
        and getattr(group, option.name) != option.default
    ]


def _options(name: str, hint: Any, default: Any) -> Iterator[inspect.Parameter]:
    if not is_dataclass(hint):
        kind = inspect.Parameter.KEYWORD_ONLY
        yield inspect.Parameter(name, kind, default=default, annotation=hint)
        return
    hints = get_type_hints(hint, include_extras=True)
    for option in fields(hint):
        missing = option.default is MISSING
        default = inspect.Parameter.empty if missing else option.default
        yield from _options(option.name, hints[option.name], default)


def _filled(name: str, hint: Any, values: dict[str, Any]) -> Any:
    if not is_dataclass(hint):
        return values[name]
    hints = get_type_hints(hint)
    own = {option.name: _filled(option.name, hints[option.name], values) for option in fields(hint)}
    return hint(**own)  # type: ignore[operator]


def _flag(name: str, hint: Any) -> str:
    for extra in get_args(hint)[1:]:
        if isinstance(extra, OptionInfo):
            # Typer keeps the first name of an option in `default` until it is read.
            names = (extra.default, *(extra.param_decls or ()))
            long = [text for text in names if isinstance(text, str) and text.startswith("--")]
            return long[0] if long else f"--{name.replace('_', '-')}"
    return name.upper()
