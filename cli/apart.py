"""Refuses a command line that names one file for two purposes, of which one would be lost."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import UsageError

WRITTEN = frozenset(
    "output votes contested differences changes account log journal duplicates".split()
)
"""The options that name a file to write; every other parameter may name one to read."""


class _Named(NamedTuple):
    by: str
    is_written: bool
    path: Path


def check_apart(params: Sequence[Any], values: Mapping[str, Any]) -> None:
    """Raise UsageError where a file to write is named by another parameter too.

    params, values: the parameters of a command, and their values by name.
    """
    first: dict[Path, _Named] = {}
    files = [one for param in params for one in _files(param, values.get(param.name))]
    files += _journals(params, values)
    for one in sorted(files, key=lambda one: not one.is_written):
        other = first.setdefault(one.path, one)
        if other.by != one.by and other.is_written:
            raise UsageError(
                f"{other.by} and {one.by} name the same file, {one.path.name}: they must be "
                "different files"
            )


def names_output(param: Any) -> bool:
    """Return whether a parameter names a file to write; the argument `votes` is one to read."""
    return param.name in WRITTEN and (_is_option(param) or param.name == "output")


def _files(param: Any, value: Any) -> Iterator[_Named]:
    """Yield the files that a parameter names: regular ones, and paths where nothing is yet."""
    is_written = names_output(param)
    for one in value if isinstance(value, list | tuple) else [value]:
        if not isinstance(one, str | Path) or str(one) in ("", "-"):
            continue
        text = str(one)
        after = () if is_written else (text.partition(sign)[2] for sign in "=:")
        for name in (text, *filter(None, after)):  # also of NAME=FILE and human:FILE
            with suppress(OSError, ValueError, RuntimeError):  # no name of a file, or a loop
                path = Path(name).resolve()
                is_new = is_written or isinstance(one, Path) or param.name == "cache"
                if path.is_file() or (is_new and not path.exists()):
                    yield _Named(_shown(param), is_written, path)


def _journals(params: Sequence[Any], values: Mapping[str, Any]) -> Iterator[_Named]:
    """Yield the journal beside the output of a command that keeps one and names none."""
    output = values.get("output")
    has_journal = any(param.name == "journal" for param in params)
    if has_journal and not values.get("journal") and output and str(output) != "-":
        yield _Named("the journal of the output", True, Path(f"{output}.journal").resolve())


def _is_option(param: Any) -> bool:
    return bool(param.param_type_name == "option")


def _shown(param: Any) -> str:
    return str(param.opts[0]) if _is_option(param) else f"the argument {param.name}"
