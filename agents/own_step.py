"""Load your own steps: `path/to/file.py:NAME` is the Step with this name in that file."""

import re
import sys
import traceback
from collections.abc import Callable
from functools import lru_cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from ..cache.key import fingerprint
from ..errors import DxjudgeError, UsageError
from ..files.nearest import nearest
from .step import Step

_OWN = re.compile(r"(?P<path>.+\.py)(?::(?P<name>\w*)(?:~(?P<variant>.+))?)?", re.DOTALL)


def split_own(text: str) -> tuple[Path, str, str] | None:
    """Split `path/to/file.py:NAME~VARIANT` into its parts; None for any other name.

    >>> split_own("steps/urgency.py:URGENCY~care")
    (PosixPath('steps/urgency.py'), 'URGENCY', 'care')
    >>> split_own("grade_ddx~care") is None
    True
    """
    match = _OWN.fullmatch(text)
    if match is None:
        return None
    return Path(match["path"]).expanduser(), match["name"] or "", match["variant"] or ""


def load_own(path: Path, name: str) -> Step[Any, Any]:
    """Return the step NAME of a Python file. The file runs again only if it has changed.

    Raises UsageError for a file that is missing or that raises an error (the message names its
    line), for a name that is not in the file (it names the steps that are), and for a value that
    is not a Step.
    """
    module = _module(path, "a step")
    steps = {key: value for key, value in vars(module).items() if isinstance(value, Step)}
    if name in steps:
        return steps[name]
    if name and hasattr(module, name):
        kind = type(getattr(module, name)).__name__
        raise UsageError(f"{path}: {name} is a {kind}, not a Step{_which(steps)}")
    wanted = f"has no step {name!r}" if name else "is a file: name a step in it, as file.py:NAME"
    near = nearest(name, steps)
    raise UsageError(f"{path} {wanted}{f'; did you mean {near}?' if near else _which(steps)}")


def load_function(path: Path, name: str) -> Callable[..., Any]:
    """Return the function NAME of a Python file, as `load_own` returns a step.

    Raises UsageError for a file that is missing or that raises an error, and for a name that is
    not a function of the file.
    """
    function = getattr(_module(path, "a function"), name, None)
    if not callable(function):
        raise UsageError(f"{path} has no function {name!r}")
    return cast(Callable[..., Any], function)


def _module(path: Path, what: str) -> ModuleType:
    try:
        stat = path.stat()
    except OSError as fault:
        raise UsageError(f"{path}: {fault.strerror}; {what} is path/to/file.py:NAME") from fault
    return _run(path.resolve(), stat.st_mtime_ns, stat.st_size)


def _which(steps: dict[str, Step[Any, Any]]) -> str:
    return f"; it has {', '.join(sorted(steps))}" if steps else "; it has no Step at all"


@lru_cache(maxsize=64)
def _run(path: Path, changed: int, size: int) -> ModuleType:
    """Run a file and return its module, which has a unique name."""
    name = f"dxjudge_own_{path.stem}_{fingerprint([str(path), changed, size])[:12]}"
    spec = spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None  # the suffix is .py
    module = module_from_spec(spec)
    sys.modules[name] = module  # pydantic looks types up there
    try:
        spec.loader.exec_module(module)
    except Exception as fault:
        del sys.modules[name]
        kind = "" if isinstance(fault, DxjudgeError) else f"{type(fault).__name__}: "
        raise UsageError(f"{path}{_line(fault, path)}: {kind}{_message(fault)}") from fault
    return module


def _line(fault: Exception, path: Path) -> str:
    """Return the line of the file that raised a fault, as the end of a file name."""
    if isinstance(fault, SyntaxError) and fault.filename == str(path):
        return f", line {fault.lineno}"
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(fault.__traceback__)
        if frame.filename == str(path)
    ]
    return f", line {lines[-1]}" if lines else ""


def _message(fault: Exception) -> str:
    return str(fault.msg) if isinstance(fault, SyntaxError) else str(fault)
