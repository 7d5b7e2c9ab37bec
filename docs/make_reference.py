"""Pages made from the code: the public Python names, and the commands."""

import inspect
import typing
from collections.abc import Callable, Iterator
from typing import Any

import typer
from marked import MADE, Rows, docstring, plain, table
from typer.core import TyperArgument

import dxjudge
from dxjudge.cli.main import app
from dxjudge.errors import DxjudgeError


def signatures(name: str, function: Callable[..., Any]) -> str:
    """The signatures of a function, each overload by itself, as Python."""
    ways = typing.get_overloads(function) or [function]
    prefix = "async def" if inspect.iscoroutinefunction(function) else "def"
    return "\n".join(f"{prefix} {name}{_parameters(inspect.signature(way))}" for way in ways)


def _parameters(signature: inspect.Signature) -> str:
    shown = [one.replace(default=_default_shown(one)) for one in signature.parameters.values()]
    signature = signature.replace(parameters=shown)
    whole = plain(str(signature))
    if len(whole) < 80:
        return whole
    parts = [plain(str(one)) for one in signature.parameters.values()]
    stars = [i for i, one in enumerate(signature.parameters.values()) if one.kind.value == 3]
    if stars and "*" not in "".join(parts[: stars[0]]):
        parts.insert(stars[0], "*")
    end = whole.rpartition(" -> ")
    return "(\n    " + ",\n    ".join(parts) + ",\n)" + (f" -> {end[2]}" if end[1] else "")


def _default_shown(parameter: inspect.Parameter) -> Any:
    """A default that is an object or long is shown as `...`."""
    default = parameter.default
    plain_default = default is None or isinstance(default, bool | int | float | str)
    short = default is parameter.empty or plain_default or default == ()
    return default if short else Ellipsis


def api_page() -> str:
    """The page of the public names."""
    things = {name: getattr(dxjudge, name) for name in dxjudge.__all__ if name != "__version__"}
    errors = {n: t for n, t in things.items() if inspect.isclass(t) and issubclass(t, Exception)}
    classes = {n: t for n, t in things.items() if inspect.isclass(t) and n not in errors}
    functions = {n: t for n, t in things.items() if n not in errors and n not in classes}
    parts = [
        f"# The Python names\n\n{MADE}\n"
        "Everything here is imported from `dxjudge`: `from dxjudge import Mapper`. A function "
        "whose signature begins with `async def` is awaited.\n\n## Functions\n"
    ]
    parts += [_function(name, thing) for name, thing in functions.items()]
    parts.append("## Classes\n")
    parts += [_class(name, thing) for name, thing in classes.items()]
    parts.append("## Errors\n\nEach error is a `DxjudgeError` and has the exit code of commands.\n")
    rows: Rows = [
        (
            f"`{n}`",
            t.exit_code if issubclass(t, DxjudgeError) else "",
            (t.__doc__ or "").split("\n\n")[0],
        )
        for n, t in errors.items()
    ]
    parts.append(table(("error", "exit code", "meaning"), rows))
    return "\n".join(parts)


def _function(name: str, function: Callable[..., Any], level: str = "###") -> str:
    code = f"```python\n{signatures(name, function)}\n```\n"
    return f"{level} {name}\n\n{code}\n{docstring(function)}"


def _class(name: str, kind: type) -> str:
    parts = [f"### {name}\n"]
    if not issubclass(kind, tuple) or kind.__init__ is not object.__init__:
        parts.append(f"```python\n{_shown(name, kind)}\n```\n")
    parts.append(docstring(kind))
    rows: Rows = []
    for method, thing in vars(kind).items():
        if method.startswith("_") or not getattr(_bare(thing), "__doc__", None):
            continue
        if callable(_bare(thing)) or isinstance(thing, property):
            rows.append((f"`{_called(method, thing)}`", docstring(_bare(thing)).split("\n\n")[0]))
    if rows:
        parts.append(table(("method or property", "what it does"), rows))
    return "\n".join(parts)


def _bare(thing: Any) -> Any:
    """The function in a static or class method, or in a cached property."""
    return getattr(thing, "__func__", None) or getattr(thing, "func", None) or thing


def _called(name: str, thing: Any) -> str:
    if isinstance(thing, property) or hasattr(thing, "func"):
        return name
    names = [
        one for one in inspect.signature(_bare(thing)).parameters if one not in ("self", "cls")
    ]
    prefix = "await " if inspect.iscoroutinefunction(_bare(thing)) else ""
    return f"{prefix}{name}({', '.join(names)})"


def _shown(name: str, kind: type) -> str:
    try:
        signature = inspect.signature(kind)
    except ValueError:
        return f"class {name}"
    return (
        f"class {name}{_parameters(signature.replace(return_annotation=inspect.Signature.empty))}"
    )


def cli_page() -> str:
    """The page of the commands: arguments, options and examples."""
    parts = [f"# The commands\n\n{MADE}", "All have the same [exit codes](cli.md#exit-codes).\n"]
    parts += [_command(words, command) for words, command in commands()]
    return "\n".join(parts)


def commands() -> Iterator[tuple[str, Any]]:
    """Every command with its words, those of groups one by one."""
    group: Any = typer.main.get_command(app)
    yield from _below("dxjudge", group)


def _below(words: str, group: Any) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _below(f"{words} {name}", command)
        else:
            yield f"{words} {name}", command


def _command(words: str, command: Any) -> str:
    help_text = inspect.cleandoc(command.help or "").replace("\b", "")
    text, _, examples = help_text.partition("Examples:")
    parts = [f"## {words}\n", "\n\n".join(_flowing(text)) + "\n"]
    if examples.strip():
        parts.append(f"```text\n{inspect.cleandoc(examples)}\n```\n")
    arguments = [one for one in command.params if isinstance(one, TyperArgument)]
    if arguments:
        rows: Rows = [(f"`{one.name}`", one.help) for one in arguments]
        parts.append(table(("argument", "what it is"), rows))
    rows = [
        (
            ", ".join(f"`{name}`" for name in (*one.opts, *one.secondary_opts)),
            one.help,
            _default(one),
        )
        for one in command.params
        if one not in arguments and not getattr(one, "hidden", False)
    ]
    parts.append(table(("option", "what it does", "unless given"), rows))
    return "\n".join(parts)


def _flowing(text: str) -> Iterator[str]:
    for part in text.strip().split("\n\n"):
        yield " ".join(part.replace("<", "&lt;").split())


def _default(option: Any) -> str:
    value = option.default
    if option.required:
        return "must be given"
    if (
        value is None
        or value is False
        or value == ()
        or value == []
        or callable(value)
        or value == ""
    ):
        return ""
    return f"`{value}`"
